import { assert } from "@effect/vitest"
import { Effect, Schema, TestClock } from "effect"
import { type Fault, Faults, type Misbehaviour } from "../../providers/simulation/Faults.ts"
import { takeAllBack } from "../../providers/simulation/Certificates.ts"
import { SimulationStore } from "../../providers/simulation/SimulationStore.ts"
import { type Answer, failureOf, pageOf, recordOf, walk } from "./Answers.ts"
import { assertHolds } from "./Holds.ts"
import { NotedRequests } from "./NotedRequests.ts"
import { type Caller, SandboxApplication } from "./SandboxApplication.ts"
import type { Suite } from "./Suite.ts"
import { whileTimePasses } from "./Time.ts"

interface Case {
  readonly name: string
  readonly does: Misbehaviour
  readonly times?: number
  readonly expect: readonly [status: number, code: string]
  /** The provider's own status in the answer. */
  readonly said?: number
}

/** Failures that last, with the answer to the caller. */
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

const broken = (fault: Fault) => Effect.flatMap(Faults, (faults) => faults.add(fault))

const healed = Effect.flatMap(Faults, (faults) => faults.clear)

/** The steps that two paths end with alike. */
const commonEnd = (one: string, other: string) => {
  const steps = one.split("/").toReversed()
  const others = other.split("/").toReversed()
  const differing = steps.findIndex((step, i) => step !== others[i])
  return differing === -1 ? one : `/${steps.slice(0, differing).toReversed().join("/")}`
}

/** Gives every failure of the provider its one answer; nothing is lost or done twice. */
export const failures: Suite = (it, { having, isKeyed, kindsHaving, slug: provider }) => {
  // One resource stands for all: what goes wrong on the way is the same for every resource.
  const [writable] = kindsHaving("list", "create", "patch")
  const row = writable?.[1] ?? having("list")[0]
  if (row === undefined) return
  const path = `${row.path}?provider=${provider}`

  /** A caller for whom what is read once and kept (fields, settings) is there. */
  const warm = Effect.gen(function* () {
    const app = yield* SandboxApplication
    const caller = yield* app.caller([provider])
    return { ...caller, first: pageOf(yield* caller.call("GET", path)) }
  })

  const requestsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(NotedRequests, (requests) => requests.during(effect))

  let listPath: string | undefined
  /** Breaks the request that a list begins with; its path may begin with the account. */
  const listBroken = (fault: Omit<Fault, "provider">) =>
    Effect.gen(function* () {
      if (listPath === undefined) {
        const [one = "", other = ""] = yield* Effect.replicateEffect(
          Effect.flatMap(warm, ({ call }) => Effect.map(requestsOf(call("GET", path)), ([request]) => request?.path)),
          2
        )
        listPath = commonEnd(one, other)
      }
      yield* broken({ provider, path: listPath, ...fault })
    })

  /** The request that makes a record: the first one that changes something and is none of a list's. */
  const making = Effect.fnUntraced(function* ({ call }: Caller, body: unknown) {
    const reads = yield* requestsOf(call("GET", path))
    const requests = yield* requestsOf(call("POST", path, { body }))
    const made = requests.find(
      (one) => one.method !== "GET" && !reads.some((read) => read.method === one.method && read.path === one.path)
    )
    assert.isDefined(made, "a create is a request that changes something")
    return { provider, ...made }
  })

  /** Runs a test, after which nothing is broken. */
  const mended = <A, E, R>(test: Effect.Effect<A, E, R>) => Effect.ensuring(test, healed)

  /** Tokens of a caller's simulated account: what no answer may hold. */
  const secretsOf = (caller: Caller) =>
    Effect.flatMap(SimulationStore, (store) =>
      Effect.map(
        store.run(provider, caller.connections[provider] ?? "", (account) =>
          account.entries("oauth_token").map(([token]) => token)
        ),
        (tokens) => tokens ?? []
      )
    )

  const told = Effect.fnUntraced(function* (caller: Caller, answer: Answer, one: Case) {
    const failure = failureOf(answer)
    assert.deepStrictEqual([answer.status, failure.code], one.expect, `${one.name}: ${JSON.stringify(answer.body)}`)
    assert.strictEqual(failure.provider?.slug, provider, one.name)
    if (one.said !== undefined) assert.strictEqual(failure.provider?.status, one.said, one.name)
    for (const secret of yield* secretsOf(caller)) {
      assert.notInclude(JSON.stringify(answer.body), secret, one.name)
    }
  })

  it.effect("each lasting failure of a read has its one answer", () =>
    Effect.gen(function* () {
      for (const one of lasting) {
        const caller = yield* warm
        yield* listBroken({ does: one.does, times: 100 })
        yield* told(caller, yield* caller.call("GET", path), one)
        yield* healed
        const after = yield* caller.call("GET", path)
        if (one.name !== "401 for good") assert.strictEqual(after.status, 200, one.name)
        else yield* told(caller, after, { name: "known to need it", does: one.does, expect: one.expect })
      }
    }).pipe(mended)
  )

  it.effect("a failure that passes is not noticed by who reads", () =>
    Effect.gen(function* () {
      const { call, first } = yield* warm
      for (const does of [
        { kind: "status", status: 500 },
        { kind: "drop" },
        { kind: "status", status: 401 },
        ...(isKeyed ? [] : [{ kind: "expire" } as const]),
        { kind: "latency", milliseconds: 1500 }
      ] satisfies ReadonlyArray<Misbehaviour>) {
        yield* listBroken({ does })
        const page = pageOf(yield* call("GET", path))
        assert.deepStrictEqual(page.data, first.data, does.kind)
      }
    }).pipe(mended)
  )

  it.effect("a provider that hangs is 504, and the next call works", () =>
    Effect.gen(function* () {
      const caller = yield* warm
      const does: Misbehaviour = { kind: "latency", milliseconds: 600_000 }
      yield* listBroken({ does })
      const answer = yield* caller.call("GET", path).pipe(whileTimePasses(60_000))
      yield* told(caller, answer, { name: "hangs", does, expect: [504, "PROVIDER_TIMEOUT"] })
      assert.strictEqual((yield* caller.call("GET", path)).status, 200)
    }).pipe(mended)
  )

  it.effect("its limit is 429 with Retry-After, kept to until it is over", () =>
    Effect.gen(function* () {
      const { call } = yield* warm
      yield* listBroken({ does: { kind: "limit", retryAfter: 60 } })
      for (const attempt of ["told", "remembered"]) {
        const answer = yield* call("GET", path)
        assert.deepStrictEqual([answer.status, failureOf(answer).code], [429, "RATE_LIMITED"], attempt)
        assert.strictEqual(failureOf(answer).message, "Too Many Requests")
        assert.strictEqual(failureOf(answer).provider?.slug, provider)
        assert.strictEqual(answer.headers.get("retry-after"), "60")
      }
      const other = yield* warm
      assert.isNotEmpty(other.first.data, "another connection is not held back")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* call("GET", path)).status, 200)
    }).pipe(mended)
  )

  it.effect("a short limit is waited for", () =>
    Effect.gen(function* () {
      const { call } = yield* warm
      yield* listBroken({ does: { kind: "limit", retryAfter: 1 } })
      const answer = yield* call("GET", path)
      // a provider that does not say how long its limit lasts is left alone for longer
      if (answer.status === 429) assert.isAbove(Number(answer.headers.get("retry-after")), 2)
      else assert.strictEqual(answer.status, 200)
    }).pipe(mended)
  )

  it.effect("credentials fail in the middle of a list", () =>
    Effect.gen(function* () {
      const { call } = yield* warm
      const whole = yield* walk(call, path)
      const size = Math.min(40, Math.ceil(whole.records.length / 2))
      yield* listBroken({ does: isKeyed ? { kind: "status", status: 401 } : { kind: "expire" }, skip: 1 })
      assert.deepStrictEqual((yield* walk(call, path, size)).records, whole.records)
      // and by their own lifetime
      const first = pageOf(yield* call("GET", `${path}&limit=${size}`))
      assert.isTrue(first.pagination.hasMore, `the simulator's sample has two records of ${row.name} or more`)
      yield* TestClock.adjust("3 hours")
      const second = pageOf(
        yield* call("GET", `${path}&limit=${size}&cursor=${encodeURIComponent(String(first.pagination.cursor))}`)
      )
      assert.deepStrictEqual([...first.data, ...second.data], whole.records.slice(0, 2 * size))
    }).pipe(mended)
  )

  it.effect("consent that is gone is CONNECTION_NEEDS_REAUTH from then on", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* warm
      const first = pageOf(yield* call("GET", `${path}&limit=1`))
      yield* Effect.flatMap(SimulationStore, (store) => store.run(provider, connections[provider] ?? "", takeAllBack))
      for (const rest of ["", `&limit=1&cursor=${encodeURIComponent(String(first.pagination.cursor))}`]) {
        const answer = yield* call("GET", path + rest)
        assert.deepStrictEqual([answer.status, failureOf(answer).code], [409, "CONNECTION_NEEDS_REAUTH"])
        assert.strictEqual(failureOf(answer).provider?.slug, provider)
      }
    })
  )

  if (writable === undefined) return
  const [, , sampleOf] = writable

  it.effect("a failed write is not repeated where it may have taken effect", () =>
    Effect.gen(function* () {
      const caller = yield* warm
      const { call } = caller
      const { full, least } = yield* sampleOf(call)
      // another body: some providers refuse the same one twice
      const request = yield* making(caller, least)
      const before = (yield* walk(call, path)).records.length
      for (const does of [
        { kind: "status", status: 500 },
        { kind: "drop", after: true }
      ] satisfies ReadonlyArray<Misbehaviour>) {
        yield* broken({ ...request, does })
        const answer = yield* call("POST", path, { body: full })
        assert.deepStrictEqual([answer.status, failureOf(answer).code], [502, "PROVIDER_ERROR"])
      }
      yield* healed
      // the first one changed nothing, the second one did, once
      assert.strictEqual((yield* walk(call, path)).records.length, before + 1)
    }).pipe(mended)
  )

  if (row.resourceAdapter.updates !== "whole") {
    it.effect("a record that cannot be read back was made all the same", () =>
      Effect.gen(function* () {
        const { call, connections } = yield* warm
        const { full, least } = yield* sampleOf(call)
        const sent = Object.fromEntries(Object.entries(full).filter(([name]) => name in least))
        // to link it, a provider may have to be asked how
        const links = ["reference", "providerId"]
        const unlinked = Object.fromEntries(
          Object.entries(full).filter(
            ([name]) => name in least || !links.includes(row.resource.fields[name]?.kind ?? "")
          )
        )
        yield* broken({ provider, method: "GET", does: { kind: "status", status: 500 }, times: 100 })
        const answer = yield* call("POST", path, { body: { ...unlinked, created_at: "sent back, ignored" } })
        yield* healed
        const made = recordOf(answer)
        assert.strictEqual(answer.status, 201)
        assertHolds(made, sent)
        assert.strictEqual(made.providerId, connections[provider])
        Schema.decodeUnknownSync(row.resource.record, { onExcessProperty: "error" })(made)
        const found = recordOf(yield* call("GET", `${row.path}/${String(made.remote_id)}?provider=${provider}`))
        assert.strictEqual(found.id, made.id)
        assertHolds(found, sent)
      }).pipe(mended)
    )
  }
}
