import { assert, layer } from "@effect/vitest"
import { Effect, Schema, TestClock } from "effect"
import { type Fault, Faults, type Misbehaviour } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import {
  type Answer,
  type Caller,
  failureOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk,
  whileTimePasses
} from "../support/SandboxApplication.ts"
import { samplesOf } from "./Samples.ts"
import { having } from "./Table.ts"

// One resource a provider stands for all: what goes wrong on the way is the same for every resource.
const subjects = samplesOf(having("list", "create", "patch"))
  .filter(([, row], i, all) => all.findIndex(([, other]) => other.provider === row.provider) === i)
  .map(([, row, sample]) => [row.provider, row, sample] as const)

/** What lists of a provider go through; token endpoints do not. */
const listPath: { readonly [provider: string]: string } = {
  hubspot: "/crm/v3/objects",
  salesforce: "/query",
  pipedrive: "/api/v2",
  quickbooks: "/query",
  netsuite: "/services/rest/query",
  xero: "/api.xro/2.0/Contacts",
  zoho_crm: "/crm/v8"
}

/** How records are made, where not with a POST. */
const createMethod: { readonly [provider: string]: string } = { xero: "PUT" }

interface Case {
  readonly name: string
  readonly does: Misbehaviour
  readonly times?: number
  readonly expect: readonly [status: number, code: string]
  /** The provider's own status in the answer. */
  readonly said?: number
}

/** What keeps failing, and what the caller is told. */
const lasting: ReadonlyArray<Case> = [
  { name: "401 for good", does: { kind: "status", status: 401 }, expect: [409, "CONNECTION_NEEDS_REAUTH"], said: 401 },
  { name: "403", does: { kind: "status", status: 403 }, expect: [403, "FORBIDDEN"], said: 403 },
  { name: "404", does: { kind: "status", status: 404 }, expect: [502, "PROVIDER_ERROR"], said: 404 },
  { name: "409", does: { kind: "status", status: 409 }, expect: [409, "CONFLICT"], said: 409 },
  { name: "500", does: { kind: "status", status: 500 }, expect: [502, "PROVIDER_ERROR"], said: 500 },
  { name: "503", does: { kind: "status", status: 503 }, expect: [502, "PROVIDER_ERROR"], said: 503 },
  { name: "504", does: { kind: "status", status: 504 }, expect: [504, "PROVIDER_TIMEOUT"], said: 504 },
  { name: "a proxy's page", does: { kind: "html", status: 502 }, expect: [502, "PROVIDER_ERROR"], said: 502 },
  { name: "a page as a success", does: { kind: "html", status: 200 }, expect: [502, "PROVIDER_ERROR"] },
  { name: "half a body", does: { kind: "half" }, expect: [502, "PROVIDER_ERROR"] },
  { name: "an empty body", does: { kind: "empty" }, expect: [502, "PROVIDER_ERROR"] },
  { name: "a dropped connection", does: { kind: "drop" }, expect: [502, "PROVIDER_ERROR"] }
]

layer(sandboxApplication(), { timeout: "60 seconds" })("a provider that fails", (it) => {
  const broken = (fault: Fault) => Effect.flatMap(Faults, (faults) => faults.add(fault))

  const healed = Effect.flatMap(Faults, (faults) => faults.clear)

  /** Tokens of a caller's simulated account: what no answer may hold. */
  const secretsOf = (caller: Caller, provider: string) =>
    Effect.flatMap(SimulationStore, (store) =>
      Effect.map(
        store.run(provider, caller.connections[provider] ?? "", (account) =>
          account.entries("oauth_token").map(([token]) => token)
        ),
        (tokens) => tokens ?? []
      )
    )

  const told = Effect.fnUntraced(function* (caller: Caller, provider: string, answer: Answer, one: Case) {
    const failure = failureOf(answer)
    assert.deepStrictEqual([answer.status, failure.code], one.expect, `${one.name}: ${JSON.stringify(answer.body)}`)
    assert.strictEqual(failure.provider?.slug, provider, one.name)
    if (one.said !== undefined) assert.strictEqual(failure.provider?.status, one.said, one.name)
    for (const secret of yield* secretsOf(caller, provider)) {
      assert.notInclude(JSON.stringify(answer.body), secret, one.name)
    }
  })

  it.effect.each(subjects)("%s: each lasting failure of a read has its one answer", ([provider, row]) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const path = `${row.path}?provider=${provider}`
      for (const one of lasting) {
        const caller = yield* app.caller([provider])
        // what is read once and kept (fields, settings) is there
        yield* caller.call("GET", path)
        yield* broken({ provider, path: listPath[provider] ?? "", does: one.does, times: 100 })
        yield* told(caller, provider, yield* caller.call("GET", path), one)
        yield* healed
        const after = yield* caller.call("GET", path)
        if (one.name !== "401 for good") assert.strictEqual(after.status, 200, one.name)
        else yield* told(caller, provider, after, { name: "known to need it", does: one.does, expect: one.expect })
      }
    })
  )

  it.effect.each(subjects)(
    "%s: a failed write is not repeated where it may have taken effect",
    ([provider, row, sample]) =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const caller = yield* app.caller([provider])
        const { full } = yield* sample(caller.call)
        const path = `${row.path}?provider=${provider}`
        const before = (yield* walk(caller.call, path)).records.length
        for (const does of [
          { kind: "status", status: 500 },
          { kind: "drop", after: true }
        ] satisfies ReadonlyArray<Misbehaviour>) {
          yield* broken({ provider, method: createMethod[provider] ?? "POST", does })
          const answer = yield* caller.call("POST", path, { body: full })
          assert.deepStrictEqual([answer.status, failureOf(answer).code], [502, "PROVIDER_ERROR"])
        }
        yield* healed
        // the first one changed nothing, the second one did, once
        assert.strictEqual((yield* walk(caller.call, path)).records.length, before + 1)
      })
  )

  it.effect.each(subjects)("%s: a failure that passes is not noticed by who reads", ([provider, row]) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller([provider])
      const path = `${row.path}?provider=${provider}`
      const whole = pageOf(yield* caller.call("GET", path))
      for (const does of [
        { kind: "status", status: 500 },
        { kind: "drop" },
        { kind: "expire" },
        { kind: "latency", milliseconds: 1500 }
      ] satisfies ReadonlyArray<Misbehaviour>) {
        yield* broken({ provider, path: listPath[provider] ?? "", does })
        const page = pageOf(yield* caller.call("GET", path))
        assert.deepStrictEqual(page.data, whole.data, does.kind)
      }
    })
  )

  it.effect.each(subjects)("%s: a provider that hangs is 504, and the next call works", ([provider, row]) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller([provider])
      const path = `${row.path}?provider=${provider}`
      yield* caller.call("GET", path)
      const does: Misbehaviour = { kind: "latency", milliseconds: 600_000 }
      yield* broken({ provider, path: listPath[provider] ?? "", does })
      const answer = yield* caller.call("GET", path).pipe(whileTimePasses(60_000))
      yield* told(caller, provider, answer, { name: "hangs", does, expect: [504, "PROVIDER_TIMEOUT"] })
      assert.strictEqual((yield* caller.call("GET", path)).status, 200)
    })
  )

  it.effect.each(subjects)("%s: its limit is 429 with Retry-After, kept to until it is over", ([provider, row]) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller([provider])
      const path = `${row.path}?provider=${provider}`
      yield* caller.call("GET", path)
      yield* broken({ provider, path: listPath[provider] ?? "", does: { kind: "limit", retryAfter: 60 } })
      for (const attempt of ["told", "remembered"]) {
        const answer = yield* caller.call("GET", path)
        assert.deepStrictEqual([answer.status, failureOf(answer).code], [429, "RATE_LIMITED"], attempt)
        assert.strictEqual(failureOf(answer).message, "Too Many Requests")
        assert.strictEqual(failureOf(answer).provider?.slug, provider)
        assert.strictEqual(answer.headers.get("retry-after"), "60")
      }
      const other = yield* app.caller([provider])
      assert.strictEqual((yield* other.call("GET", path)).status, 200, "another connection is not held back")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* caller.call("GET", path)).status, 200)
    })
  )

  it.effect("a short limit is waited for", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["hubspot"])
      yield* broken({ provider: "hubspot", does: { kind: "limit", retryAfter: 1 } })
      assert.strictEqual((yield* call("GET", "/crm/contact?provider=hubspot")).status, 200)
    })
  )

  it.effect.each(subjects)("%s: tokens expire in the middle of a list", ([provider, row]) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([provider])
      const path = `${row.path}?provider=${provider}`
      const whole = yield* walk(call, path)
      yield* broken({ provider, path: listPath[provider] ?? "", does: { kind: "expire" }, skip: 1 })
      assert.deepStrictEqual((yield* walk(call, path, 40)).records, whole.records)
      // and by their own lifetime
      const first = pageOf(yield* call("GET", `${path}&limit=40`))
      yield* TestClock.adjust("3 hours")
      const second = pageOf(
        yield* call("GET", `${path}&limit=40&cursor=${encodeURIComponent(String(first.pagination.cursor))}`)
      )
      assert.deepStrictEqual([...first.data, ...second.data], whole.records.slice(0, 80))
    })
  )

  it.effect.each(subjects)("%s: consent that is gone is CONNECTION_NEEDS_REAUTH from then on", ([provider, row]) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller([provider])
      const path = `${row.path}?provider=${provider}`
      const first = pageOf(yield* caller.call("GET", `${path}&limit=5`))
      yield* Effect.flatMap(SimulationStore, (store) =>
        store.run(provider, caller.connections[provider] ?? "", (account) => {
          for (const [token] of account.entries("oauth_token")) account.remove("oauth_token", token)
        })
      )
      for (const rest of ["", `&limit=5&cursor=${encodeURIComponent(String(first.pagination.cursor))}`]) {
        const answer = yield* caller.call("GET", path + rest)
        assert.deepStrictEqual([answer.status, failureOf(answer).code], [409, "CONNECTION_NEEDS_REAUTH"])
        assert.strictEqual(failureOf(answer).provider?.slug, provider)
      }
    })
  )

  const readBack = subjects.filter(([, row]) => row.part.updates !== "whole")

  it.effect.each(readBack)("%s: a record that cannot be read back was made all the same", ([provider, row, sample]) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call, connections } = yield* app.caller([provider])
      const { full } = yield* sample(call)
      const path = `${row.path}?provider=${provider}`
      yield* call("GET", path)
      yield* broken({ provider, method: "GET", does: { kind: "status", status: 500 }, times: 100 })
      const answer = yield* call("POST", path, { body: { ...full, created_at: "sent back, ignored" } })
      yield* healed
      const made = recordOf(answer)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(made.last_name, full.last_name)
      assert.strictEqual(made.providerId, connections[provider])
      Schema.decodeUnknownSync(row.resource.record, { onExcessProperty: "error" })(made)
      const found = recordOf(yield* call("GET", `${row.path}/${String(made.remote_id)}?provider=${provider}`))
      assert.strictEqual(found.id, made.id)
      assert.strictEqual(found.last_name, full.last_name)
    })
  )
})
