import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isReport } from "../../src/canonical/Resource.ts"
import { filtersOf } from "../../src/providers/Filtering.ts"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import { type Kind, type Row, subjectOf } from "../../src/testing/contract/Subject.ts"
import { type Call, pageOf, recordOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { providers } from "./Providers.ts"

/** Calls to a provider for one call of ours, with warm caches. */
interface Counted {
  readonly provider: string
  readonly resource: string
  readonly verb: "list" | "filtered list" | "get" | "create" | "patch"
  readonly calls: number
}

const counting = (call: Call) => {
  const count = (method: string, path: string, body?: object) =>
    Effect.gen(function* () {
      const notes = yield* NotedRequests
      let answer: Effect.Effect.Success<ReturnType<Call>> | undefined
      const requests = yield* notes.during(
        Effect.tap(call(method, path, body === undefined ? {} : { body }), (got) =>
          Effect.sync(() => {
            answer = got
          })
        )
      )
      assert.include([200, 201], answer?.status, `${method} ${path} ${JSON.stringify(answer?.body)}`)
      return { calls: requests.length, answer }
    })

  const lists = Effect.fnUntraced(function* (row: Row) {
    const path = `${row.path}?provider=${row.provider}&limit=100`
    const { data } = pageOf(yield* call("GET", path))
    const { calls } = yield* count("GET", path)
    const counted: Array<Counted> = [{ provider: row.provider, resource: row.resource.name, verb: "list", calls }]
    const native = Object.entries(filtersOf(row.provider, row.resource, row.part)).filter(
      ([name, support]) => support === "native" && row.resource.filters[name]?.compares === "before"
    )
    const [filter] = isReport(row.resource) ? [] : native
    if (filter !== undefined) {
      const cut = `${path}&${filter[0]}=2100-01-01`
      yield* call("GET", cut)
      const filtered = yield* count("GET", cut)
      counted.push({
        provider: row.provider,
        resource: row.resource.name,
        verb: "filtered list",
        calls: filtered.calls
      })
    }
    const [first, second] = data
    const one = (record: typeof first) =>
      `${row.path}/${encodeURIComponent(String(record?.remote_id))}?provider=${row.provider}`
    if (row.has("get") && first !== undefined) {
      yield* call("GET", one(second ?? first))
      const got = yield* count("GET", one(first))
      counted.push({ provider: row.provider, resource: row.resource.name, verb: "get", calls: got.calls })
    }
    return counted
  })

  const writes = Effect.fnUntraced(function* ([, row, sampleOf]: Kind) {
    const path = `${row.path}?provider=${row.provider}`
    const sample = yield* sampleOf(call)
    if (row.resource.category === "crm" && row.has("remove")) {
      // settings that only writes need, such as kinds of links, are there for the one that counts, and so is its place
      const { email_addresses: _, ...first } = sample.full
      const made = recordOf(yield* call("POST", path, { body: first }))
      yield* call("DELETE", `${row.path}/${encodeURIComponent(String(made.remote_id))}?provider=${row.provider}`)
    }
    const created = yield* count("POST", path, sample.full)
    const counted: Array<Counted> = [
      { provider: row.provider, resource: row.resource.name, verb: "create", calls: created.calls }
    ]
    if (row.has("patch") && sample.text !== "" && created.answer !== undefined) {
      const one = `${row.path}/${encodeURIComponent(String(recordOf(created.answer).remote_id))}?provider=${row.provider}`
      const patched = yield* count("PATCH", one, { [sample.text]: "Changed" })
      counted.push({ provider: row.provider, resource: row.resource.name, verb: "patch", calls: patched.calls })
    }
    return counted
  })

  return { lists, writes }
}

layer(sandboxApplication(), { timeout: "180 seconds" })("calls to the provider", (it) => {
  it.effect("are within their budgets", () =>
    Effect.gen(function* () {
      const all: Array<Counted> = []
      for (const [slug, provider, samples] of providers) {
        const subject = yield* subjectOf(slug, provider, samples)
        const { call } = yield* (yield* SandboxApplication).caller([slug])
        const { lists, writes } = counting(call)
        for (const row of subject.having("list")) all.push(...(yield* lists(row)))
        for (const kind of subject.kindsHaving("create")) all.push(...(yield* writes(kind)))
      }
      for (const verb of ["list", "filtered list", "get", "create", "patch"] as const) {
        const own = all.filter((one) => one.verb === verb)
        const mean = own.reduce((sum, { calls }) => sum + calls, 0) / own.length
        console.log(
          `${verb}: mean ${mean.toFixed(2)} of ${own.length}`,
          own
            .filter(({ calls }) => calls > (verb === "get" ? 1 : verb === "list" || verb === "create" ? 1 : 2))
            .toSorted((a, b) => b.calls - a.calls)
            .map(({ calls, provider, resource }) => `${provider}.${resource} ${calls}`)
            .join(", ")
        )
      }
    })
  )
})
