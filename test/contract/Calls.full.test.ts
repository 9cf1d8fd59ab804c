import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, TestClock } from "effect"
import { writeFile } from "node:fs/promises"
import { isReport } from "../../src/canonical/Resource.ts"
import { filtersOf } from "../../src/providers/Filtering.ts"
import { Strictness } from "../../src/providers/simulation/Limits.ts"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import type { Sample } from "../../src/testing/contract/Sample.ts"
import { type Row, subjectOf } from "../../src/testing/contract/Subject.ts"
import {
  type Answer,
  type Call,
  type Doc,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { providers } from "./Providers.ts"

const verbs = ["list", "filtered list", "get", "create", "patch"] as const
type Verb = (typeof verbs)[number]

/** Calls to a provider that a call of ours leads to, with warm caches. */
interface Counted {
  readonly provider: string
  readonly resource: string
  readonly verb: Verb
  readonly calls: number
}

/** Budgets of calls for each verb: on average, and at most. */
const budgets: { readonly [verb in Verb]: { readonly mean: number; readonly most: number } } = {
  list: { mean: 1.5, most: 4 },
  "filtered list": { mean: 1.8, most: 6 },
  get: { mean: 1.2, most: 3 },
  create: { mean: 1.7, most: 4 },
  // CRMs that take differences have the record read first, as do ledgers where amounts of the record decide what a body may
  // say, and content whose HTML must not be rewritten while its text stays
  patch: { mean: 2.3, most: 5 }
}

/** Cells that cost more, since the provider leaves no other way; the mean is without them. */
const exceptions: { readonly [cell: string]: string } = {
  "salesforce note list":
    "the content of a note comes alone, in no batch and no composite request; short plain texts come with the list",
  "salesforce note filtered list": "as its list",
  "hubspot activity filtered list":
    "each of four types of activities is searched for itself, and what a search finds comes without its links, which are a read for each type of record",
  "netsuite invoice patch":
    "the record, its shipping and its settlements are read before and after; the totals of lines decide what is written",
  "xero attachment list": "the files of each record are a call of its own, side by side"
}

const counting = (call: Call) => {
  const noted = Effect.fnUntraced(function* (method: string, path: string, body?: object) {
    const notes = yield* NotedRequests
    const answers: Array<Answer> = []
    const requests = yield* notes.during(
      Effect.map(call(method, path, body === undefined ? {} : { body }), (answer) => answers.push(answer))
    )
    const [answer] = answers
    assert.include([200, 201], answer?.status, `${method} ${path} ${JSON.stringify(answer?.body)}`)
    return { calls: requests.length, answer }
  })

  const one = (row: Row, record: Doc | undefined) =>
    `${row.path}/${encodeURIComponent(String(record?.remote_id))}?provider=${row.provider}`

  /** A filter of the provider's own that every record passes. */
  const passed = (row: Row) =>
    isReport(row.resource)
      ? undefined
      : Object.entries(filtersOf(row.provider, row.resource, row.resourceAdapter)).find(
          ([name, support]) => support === "native" && row.resource.filters[name]?.compares === "before"
        )?.[0]

  const reads = Effect.fnUntraced(function* (row: Row) {
    const of = { provider: row.provider, resource: row.resource.name }
    const path = `${row.path}?provider=${row.provider}&limit=100`
    const {
      data: [first, second]
    } = pageOf(yield* call("GET", path))
    const counted: Array<Counted> = [{ ...of, verb: "list", calls: (yield* noted("GET", path)).calls }]
    const filter = passed(row)
    if (filter !== undefined) {
      yield* call("GET", `${path}&${filter}=2100-01-01`)
      const { calls } = yield* noted("GET", `${path}&${filter}=2100-01-01`)
      counted.push({ ...of, verb: "filtered list", calls })
    }
    if (row.has("get") && first !== undefined) {
      yield* call("GET", one(row, second ?? first))
      counted.push({ ...of, verb: "get", calls: (yield* noted("GET", one(row, first))).calls })
    }
    return counted
  })

  const writes = Effect.fnUntraced(function* (row: Row, sample: Sample) {
    const of = { provider: row.provider, resource: row.resource.name }
    const path = `${row.path}?provider=${row.provider}`
    if (row.resource.category === "crm" && row.has("remove")) {
      // settings that only writes need, such as kinds of links, are there for the one that counts, and so is its place
      const { email_addresses: _, ...first } = sample.full
      yield* call("DELETE", one(row, recordOf(yield* call("POST", path, { body: first }))))
    }
    const { answer, calls } = yield* noted("POST", path, sample.full)
    const counted: Array<Counted> = [{ ...of, verb: "create", calls }]
    if (row.has("patch") && sample.text !== "" && answer !== undefined) {
      const patched = yield* noted("PATCH", one(row, recordOf(answer)), { [sample.text]: "Changed" })
      counted.push({ ...of, verb: "patch", calls: patched.calls })
    }
    return counted
  })

  return { reads, writes }
}

const nameOf = ({ provider, resource, verb }: Counted) => `${provider} ${resource} ${verb}`

const meanOf = (all: ReadonlyArray<Counted>) => all.reduce((sum, { calls }) => sum + calls, 0) / all.length

const cells = (values: ReadonlyArray<string | number>) => `| ${values.join(" | ")} |`

/** The table of the documentation: the most that a kind of the resource costs. */
const tableOf = (all: ReadonlyArray<Counted>) => {
  const resources = [...new Set(all.map(({ provider, resource }) => `${provider} ${resource}`))]
  const most = (name: string, verb: Verb) => {
    const own = all.filter((one) => nameOf(one) === `${name} ${verb}`).map(({ calls }) => calls)
    return own.length === 0 ? "" : Math.max(...own)
  }
  return [
    "# Calls to the providers",
    "",
    "How many calls to a provider one call of this service leads to, counted at the simulators with warm caches: a list of 100, one that a filter of the provider's own cuts down, and a get, a create of every field and a patch of one. Where a resource has several kinds of records, the dearest counts.",
    "",
    cells(["", ...verbs]),
    cells(["---", ...verbs.map(() => "---")]),
    cells(["mean", ...verbs.map((verb) => meanOf(all.filter((one) => one.verb === verb)).toFixed(2))]),
    ...resources.map((name) => cells([`\`${name}\``, ...verbs.map((verb) => most(name, verb))])),
    ...(Object.keys(exceptions).length === 0
      ? []
      : ["", "Without another way:", "", ...Object.entries(exceptions).map(([cell, why]) => `- \`${cell}\`: ${why}`)]),
    ""
  ].join("\n")
}

layer(sandboxApplication(), { timeout: "180 seconds" })("calls to the providers", (it) => {
  it.effect(
    "are within their budgets; with CALLS=write docs/upstream-calls.md is written again",
    () =>
      Effect.gen(function* () {
        const all: Array<Counted> = []
        for (const [slug, provider, samples] of providers) {
          const subject = yield* subjectOf(slug, provider, samples)
          const { caller } = yield* SandboxApplication
          const { reads } = counting((yield* caller([slug])).call)
          for (const row of subject.having("list")) all.push(...(yield* reads(row)))
          // another account, as reads may have used up what the provider lets through in a minute; its caches get warm too
          const { call } = yield* caller([slug])
          // all samples first: one that names a record that was just made has lookups loaded again
          const bodies = yield* Effect.forEach(subject.kindsHaving("create"), ([, row, sampleOf]) =>
            Effect.map(sampleOf(call), (sample) => ({ row, sample }))
          )
          for (const { path } of subject.having("list")) yield* call("GET", `${path}?provider=${slug}&limit=1`)
          const { writes } = counting(call)
          for (const { row, sample } of bodies) all.push(...(yield* writes(row, sample)))
        }
        // what a walk over parents leads to differs with the ids that they happen to get, so it is not compared
        if (process.env.CALLS === "write") {
          yield* Effect.promise(() => writeFile("docs/upstream-calls.md", tableOf(all)))
        }
        const usual = all.filter((one) => !(nameOf(one) in exceptions))
        for (const verb of verbs) {
          const own = usual.filter((one) => one.verb === verb)
          assert.deepStrictEqual(
            own.filter(({ calls }) => calls > budgets[verb].most).map((one) => `${nameOf(one)}: ${one.calls}`),
            []
          )
          assert.isAtMost(meanOf(own), budgets[verb].mean, verb)
        }
      }),
    // a slow machine takes long over all providers
    180_000
  )
})

/** Milliseconds that a provider takes for a call, and in which a list of 100 has to be there. */
const latency = 150
const soon = 1500

/** Lists that take longer, with the reason. */
const slow: { readonly [name: string]: string } = {}

const late = sandboxApplication().pipe(Layer.provide(Layer.succeed(Strictness, { isStrict: true, duration: latency })))

layer(late, { timeout: "180 seconds" })(`with ${latency} ms for each call to a provider`, (it) => {
  it.effect.each(providers)("%s: every list of 100 is soon there", ([slug, provider, samples]) =>
    Effect.gen(function* () {
      const subject = yield* subjectOf(slug, provider, samples)
      const times: Array<string> = []
      const { call } = yield* (yield* SandboxApplication).caller([slug])
      for (const row of subject.having("list")) {
        const path = `${row.path}?provider=${slug}&limit=100`
        pageOf(yield* call("GET", path))
        // the limits are untouched again
        yield* TestClock.adjust("1 minute")
        const begun = yield* Clock.currentTimeMillis
        pageOf(yield* call("GET", path))
        const time = (yield* Clock.currentTimeMillis) - begun
        if (time > soon && !(row.name in slow)) times.push(`${row.name}: ${time} ms`)
      }
      assert.deepStrictEqual(times, [])
    })
  )
})
