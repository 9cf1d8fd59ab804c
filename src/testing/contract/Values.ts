import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { compile } from "../../mapping/Compile.ts"
import { errorsOf, recordOf } from "./Answers.ts"
import { once } from "./Once.ts"
import type { Row } from "./Subject.ts"
import type { Suite } from "./Suite.ts"

const texts = {
  emoji: "👩🏽‍🚀 to the 🌙",
  "right to left": "שלום עולם مرحبا بالعالم",
  "10 kB": "Ünicode ".repeat(1280),
  quotes: `"double" 'single' \`back\` ‘curly’`,
  backslashes: "C:\\new\\table \\' \\\\",
  newlines: "one\ntwo\n\nfour",
  "query language": "'; drop table x; -- ' or 1=1 %_ ${a} {{b}} <b>&amp;</b>",
  "a NUL": "be\u0000fore"
}

/** Half of the texts: two kinds that follow each other try all of them. */
const textsOf = (kind: number) => Object.entries(texts).filter((_, i) => i % 2 === kind % 2)

const amounts = [0, -1, -0.01, 0.1, 1234.56, 99_999_999_999.99, 1e15, 9_007_199_254_740_991, 1e21, -1e300]

/** Odd texts and amounts come back as they were sent, or are refused. */
export const values: Suite = (it, { kindsHaving, newAccount }) => {
  const account = once(newAccount)
  const kinds = kindsHaving("create", "get", "patch")
  const withTexts = kinds.map(([title, row, , kept], i) => [title, row, kept, textsOf(i)] as const)

  it.effect.each(withTexts)("%s: odd text is held as sent, or refused and changes nothing", ([title, row, kept, own]) =>
    Effect.gen(function* () {
      const { call, path: one, sample } = yield* kept
      if (sample.text === "") return
      let last = recordOf(yield* call("GET", one))
      let survived = 0
      for (const [name, text] of own) {
        const about = `${row.provider} ${title} ${String(last.remote_id)}: ${sample.text} with ${name}`
        const answer = yield* call("PATCH", one, { body: { [sample.text]: text } })
        if (answer.status === 422) {
          assert.deepStrictEqual(Object.keys(errorsOf(answer)), [sample.text], about)
          assert.isBelow(JSON.stringify(answer.body).length, 2000, `${about}: the refusal repeats the whole value`)
        } else {
          assert.strictEqual(recordOf(answer)[sample.text], text, about)
          last = recordOf(answer)
          survived += 1
        }
        assert.strictEqual(recordOf(yield* call("GET", one))[sample.text], last[sample.text], about)
      }
      // an e-mail address holds none of them; names may be short, or not hold what separates their levels
      if (sample.text !== "email_address") assert.isAtLeast(survived, 1, `${row.provider} ${title}: ${sample.text}`)
    })
  )

  const withAmounts = kinds.filter(
    ([, row]) => ["deal", "item", "invoice"].includes(row.resource.name) && writesAmount(row)
  )

  it.effect.each(withAmounts)("%s: amounts come back as they were sent, or are refused", ([, row, sampleOf]) =>
    Effect.gen(function* () {
      const { call } = yield* account
      const { amount } = yield* sampleOf(call)
      if (amount === undefined) throw new Error(`the samples of ${row.resource.name} have no amount`)
      const survived: Array<number> = []
      for (const value of amounts) {
        const answer = yield* call("POST", `${row.path}?provider=${row.provider}`, { body: amount.body(value) })
        if (answer.status === 422) {
          assert.isAbove(Object.keys(errorsOf(answer)).length, 0)
          continue
        }
        const record = recordOf(answer)
        assert.strictEqual(amount.read(record), value)
        const one = `${row.path}/${String(record.remote_id)}?provider=${row.provider}`
        assert.strictEqual(amount.read(recordOf(yield* call("GET", one))), value)
        survived.push(value)
      }
      assert.includeMembers(survived, [0, 1234.56])
    })
  )
}

const writesAmount = ({ resourceAdapter, provider, resource }: Row) =>
  compile(provider, resource, resourceAdapter.mapping).rows.some(
    ({ access, field }) => access !== "read" && /(amount|price)$/.test(field)
  )
