import { assert, layer } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import { failureOf as toolFailureOf } from "../../src/agent/ToolFailure.ts"
import { crm } from "../../src/canonical/Catalogue.ts"
import { isNative } from "../../src/mapping/Mapping.ts"
import { plainMapping } from "../../src/mapping/PlainMapping.ts"
import { text } from "../../src/mapping/Transform.ts"
import { type ApiKey, basic } from "../../src/providers/base/Authorization.ts"
import { Upstream } from "../../src/providers/base/Upstream.ts"
import { Busy, Invalid, ProviderError } from "../../src/providers/ProviderError.ts"
import { provider } from "../../src/providers/Providers.ts"
import { dailySample } from "../../src/providers/simulation/DailySample.ts"
import { Faults, type Fault } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { basicOf, type Simulator } from "../../src/providers/simulation/Simulator.ts"
import { toApiError } from "../../src/records/ProviderFailures.ts"
import { allBut } from "../support/NotHeld.ts"
import {
  type Doc,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const keysOf = (records: ReadonlyArray<Doc>) => records.map(({ id }) => String(id)).toSorted()

layer(sandboxApplication(), { timeout: "60 seconds" })("a provider that keeps failing", (it) => {
  const fails = (fault: Omit<Fault, "provider">) =>
    Effect.flatMap(Faults, (faults) => faults.add({ provider: "hubspot", times: 1000, ...fault }))
  const works = Effect.flatMap(Faults, ({ clear }) => clear)
  const page: Omit<Fault, "provider"> = { does: { kind: "html", status: 200 }, path: "/crm/v3/objects" }
  const list = "/crm/company?provider=hubspot"

  it.effect("is answered for at once with when to come again, until a probe works", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const one = yield* app.caller(["hubspot"])
      const other = yield* app.caller(["hubspot"])
      yield* walk(one.call, list)
      yield* fails(page)
      for (let i = 0; i < 5; i += 1) assert.strictEqual((yield* one.call("GET", list)).status, 502)
      yield* works
      const refused = yield* one.call("GET", list)
      assert.deepStrictEqual(refusalOf(refused), [503, "UNAVAILABLE"])
      assert.strictEqual(refused.headers.get("retry-after"), "1")
      assert.deepStrictEqual(failureOf(refused).provider, { slug: "hubspot" })
      assert.include(failureOf(refused).message, "hubspot was not called: it keeps failing")
      assert.strictEqual((yield* other.call("GET", list)).status, 200, "another connection is not concerned")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* one.call("GET", list)).status, 200)
    })
  )

  full(it).effect("is an entry in a list over several, whose place stays", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call, connections } = yield* app.caller(["hubspot", "salesforce"])
      const whole = yield* walk(call, "/crm/company", 100)
      const first = pageOf(yield* call("GET", "/crm/company?limit=20"))
      yield* fails(page)
      for (let i = 0; i < 5; i += 1) yield* call("GET", list)
      yield* works
      const follow = (cursor: string | null) =>
        Effect.map(call("GET", `/crm/company?limit=20&cursor=${encodeURIComponent(cursor ?? "")}`), pageOf)
      const second = yield* follow(first.pagination.cursor)
      assert.deepInclude(second.errors?.[0], {
        provider: "hubspot",
        connectionId: connections.hubspot,
        code: "UNAVAILABLE",
        retryable: true
      })
      yield* TestClock.adjust("1 second")
      const seen = [...first.data, ...second.data]
      let cursor = second.pagination.cursor
      while (cursor !== null) {
        const next: ReturnType<typeof pageOf> = yield* follow(cursor)
        assert.isUndefined(next.errors)
        seen.push(...next.data)
        cursor = next.pagination.cursor
      }
      assert.deepStrictEqual(keysOf(seen), keysOf(whole.records))
    })
  )

  full(it).effect("is not one that chokes on a record: others are read on", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["hubspot"])
      const [bad, good] = pageOf(yield* call("GET", list)).data
      const place = (record: Doc | undefined) => `/crm/company/${String(record?.remote_id)}?provider=hubspot`
      yield* fails({ does: { kind: "status", status: 500 }, path: `/${String(bad?.remote_id)}` })
      for (let i = 0; i < 30; i += 1) {
        assert.deepStrictEqual(refusalOf(yield* call("GET", place(bad))), [502, "PROVIDER_ERROR"])
        if (i % 10 === 0) assert.strictEqual((yield* call("GET", place(good))).status, 200)
      }
      yield* works
    })
  )

  full(it).effect("lets a refused write be sent again under its key", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["hubspot"])
      yield* walk(call, list)
      yield* fails(page)
      for (let i = 0; i < 5; i += 1) yield* call("GET", list)
      // probes that fail, so that it stays away for longer than a write may take
      for (const seconds of [1, 2, 4, 8, 16]) {
        yield* TestClock.adjust(Duration.seconds(seconds))
        assert.strictEqual((yield* call("GET", list)).status, 502)
      }
      yield* works
      const create = call("POST", "/crm/company?provider=hubspot", {
        body: { name: "Kept" },
        headers: { "idempotency-key": "busy" }
      })
      assert.deepStrictEqual(refusalOf(yield* create), [503, "UNAVAILABLE"])
      yield* TestClock.adjust("32 seconds")
      const made = yield* create
      assert.deepStrictEqual([made.status, made.headers.get("idempotency-replayed")], [201, null])
      assert.strictEqual(recordOf(made).name, "Kept")
    })
  )

  it.effect("says of a body that it refuses which fields are wrong, or else all that it said", () =>
    Effect.sync(() => {
      const told = (fields: { readonly [name: string]: string }, detail?: string) => {
        const more = detail === undefined ? {} : { detail }
        const error = new ProviderError({
          provider: "hubspot",
          operation: "create",
          reason: new Invalid({ fields }),
          ...more
        })
        return toApiError(error)
      }
      assert.deepInclude(told({ email: "is taken" }, "one error"), { status: 422, errors: { email: "is taken" } })
      assert.deepInclude(told({}, "one error"), { status: 422, errors: { body: "one error" } })
      assert.deepInclude(told({}), { status: 422, errors: { body: "hubspot rejected it" } })
    })
  )

  it.effect("is told to agents in the same words", () =>
    Effect.sync(() => {
      const reason = new Busy({ retryAfter: 3.2, why: "it keeps failing on this connection (answered 503)" })
      const error = toApiError(new ProviderError({ provider: "hubspot", operation: "contacts.list", reason }))
      assert.deepStrictEqual(toolFailureOf(error, "hubspot"), {
        code: "provider_error",
        message: "hubspot was not called: it keeps failing on this connection (answered 503).",
        status: 503,
        retry_after: 4
      })
    })
  )
})

/** A provider that takes a key as the password of basic authentication. */
const Keyed = provider(
  Effect.gen(function* () {
    const authorization: ApiKey = { kind: "key", help: "", apply: basic({ key: "password", user: "Zoë" }) }
    const call = yield* (yield* Upstream).caller({
      slug: "keyed",
      authorization,
      baseUrl: "https://keyed.example",
      concurrency: 2,
      readError: ({ body }) => ({ detail: isNative(body) ? String(body.error) : undefined }),
      timeout: 10_000
    })
    return {
      slug: "keyed",
      name: "Keyed",
      category: "crm",
      authorization,
      lookups: {},
      resources: {
        owner: {
          mapping: plainMapping(crm.owner, (of) => [
            of.variant({
              nativeType: "user",
              entries: [of.readField("remote_id", "id", text)],
              notHeld: allBut(crm.owner, "remote_id")
            })
          ]),
          consistency: "exact",
          list: ({ connection }) =>
            Effect.as(call(connection, { operation: "users.list", method: "GET", path: "/users" }), {
              records: [],
              next: null
            })
        }
      }
    }
  })
)

const keyedSimulator: Simulator = {
  slug: "keyed",
  routes: [
    {
      method: "GET",
      path: "/users",
      handle: (request, account) => {
        const left = Number(account.get("refusals", "left")?.count ?? 0)
        if (left === 0) return { status: 200, body: [] }
        account.put("refusals", "left", { count: left - 1 })
        const { authorization } = request.headers
        return { status: 401, body: { error: `Unknown: ${basicOf(request)?.password} (${authorization})` } }
      }
    }
  ],
  tokenOf: (request) => (basicOf(request)?.user === "Zoë" ? basicOf(request)?.password : undefined),
  sample: dailySample(() => {}),
  failures: {
    unauthorized: { status: 401 },
    notFound: () => ({ status: 404 }),
    methodNotAllowed: () => ({ status: 405 }),
    rateLimited: () => ({ status: 429 }),
    broken: (status) => ({ status })
  }
}

layer(sandboxApplication({}, Keyed, [{ slug: "keyed", load: Effect.succeed(keyedSimulator) }]))("a key", (it) => {
  /** Whether a connection is good after the provider refused its key so many times, and the answer then. */
  const refused = Effect.fnUntraced(function* (count: number) {
    const app = yield* SandboxApplication
    const { call, connections } = yield* app.caller(["keyed"])
    yield* Effect.flatMap(SimulationStore, (store) =>
      store.run("keyed", connections.keyed ?? "", (account) => account.put("refusals", "left", { count }))
    )
    const answer = yield* call("GET", "/crm/owner?provider=keyed")
    return { answer, status: recordOf(yield* call("GET", `/connections/${connections.keyed}`)).status }
  })

  it.effect("that is refused once is asked with again, and nobody notices", () =>
    Effect.gen(function* () {
      const { answer, status } = yield* refused(1)
      assert.deepStrictEqual([answer.status, status], [200, "active"])
    })
  )

  it.effect("that is refused twice needs connecting again, in the provider's words without the key", () =>
    Effect.gen(function* () {
      const { answer, status } = yield* refused(2)
      assert.deepStrictEqual([...refusalOf(answer), status], [409, "CONNECTION_NEEDS_REAUTH", "needs_reauth"])
      assert.deepStrictEqual(failureOf(answer).provider, {
        slug: "keyed",
        status: 401,
        message: "Unknown: [redacted] (Basic [redacted])"
      })
    })
  )
})
