import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Providers } from "../../src/providers/Providers.ts"
import { booksAddUp, resourcesThatAddUp } from "../support/BooksAddUp.ts"
import { ledgers, pathOf } from "../support/Ledgers.ts"
import {
  type Call,
  type Doc,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

/**
 * Problems of sandbox records that are known: how many records have each. Fix one and lower its number; a higher number, or a
 * problem that is not listed, fails.
 */
const known: { readonly [problem: string]: number } = {
  // payments of 0 that set a credit against an invoice
  "quickbooks payment applied": 4,
  // line amounts of orders are after the line's own discount, which the model cannot state for a line
  "xero purchase_order product": 2
}

/** Every record of a resource, each read alone: lists leave out what some providers tell only of one record. */
const readAll = (call: Call, ledger: string, resource: string) =>
  Effect.gen(function* () {
    const records: Array<Doc> = []
    let cursor: string | null = null
    do {
      const more: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const page = pageOf(yield* call("GET", `${pathOf(ledger, resource)}&limit=100${more}`))
      for (const { id } of page.data) records.push(recordOf(yield* call("GET", pathOf(ledger, resource, id))))
      cursor = page.pagination.cursor
    } while (cursor !== null)
    return records
  })

const nameOf = (record: Doc) =>
  String(
    record.number ??
      record.purchase_order_number ??
      record.transaction_number ??
      record.journal_number ??
      record.remote_id
  )

layer(sandboxApplication(), { timeout: "300 seconds" })("the books add up", (it) => {
  for (const ledger of ledgers) {
    for (const resource of resourcesThatAddUp) {
      it.effect(`${ledger} ${resource}: every sandbox record adds up, except for known problems`, () =>
        Effect.gen(function* () {
          const providers = yield* Providers
          if (providers.get(ledger)?.resources[resource] === undefined) return
          const { call } = yield* (yield* SandboxApplication).caller([ledger])
          const records = yield* readAll(call, ledger, resource)
          assert.isNotEmpty(records)
          const found = new Map<string, Array<string>>()
          for (const record of records) {
            for (const { detail, rule } of booksAddUp(resource, record)) {
              const kind = `${ledger} ${resource} ${rule}`
              found.set(kind, [...(found.get(kind) ?? []), `${nameOf(record)} ${detail}`])
            }
          }
          const wrong = [...found].filter(([kind, all]) => all.length !== known[kind])
          assert.strictEqual(
            wrong
              .map(([kind, all]) => `${kind}: ${all.length} of ${records.length}: ${all.slice(0, 3).join("; ")}`)
              .join("\n"),
            ""
          )
          const fixed = Object.keys(known).filter(
            (kind) => kind.startsWith(`${ledger} ${resource} `) && !found.has(kind)
          )
          assert.deepStrictEqual(fixed, [], "these problems are fixed: take them off the list")
        })
      )
    }
  }
})
