import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, FiberId, Redacted, TestClock } from "effect"
import { CredentialCheckLimits } from "../../src/connections/CredentialCheckLimits.ts"
import { Invalid, ProviderError } from "../../src/providers/ProviderError.ts"
import { toolkit } from "../../src/toolkits/Toolkits.ts"
import { type Session, session } from "../support/Connecting.ts"
import {
  type Answer,
  type Caller,
  failureOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

/** Checks of `slow` that wait until `answered`. */
let answered = Deferred.unsafeMake<void>(FiberId.none)
let waiting = 0

/** A database that does not let anyone in, after a while where that is asked for. */
const Tables = toolkit(
  Effect.succeed({
    slug: "tables",
    name: "Tables",
    description: "Reads tables.",
    authorization: {
      kind: "connectionString",
      help: "postgresql://user:password@host/database",
      check: (given) => {
        const wrong = Effect.fail(
          new ProviderError({ provider: "tables", operation: "check", reason: new Invalid({ fields: {} }) })
        )
        if (Redacted.value(given) !== "slow") return wrong
        waiting += 1
        return Effect.zipRight(Deferred.await(answered), wrong)
      }
    },
    tools: []
  })
)

const someone = Effect.flatMap(SandboxApplication, ({ caller }) => caller([]))

/** Tries a connection string as the organisation. */
const importing = ({ call, endUser }: Caller, connectionString = "wrong") =>
  call("POST", "/connections", { body: { endUserId: endUser, provider: "tables", credentials: { connectionString } } })

/** Tries a connection string as the end user, on the connect page. */
const entering = ({ call }: Session, connectionString = "wrong") =>
  call("POST", "/tables/credentials", { fields: { connectionString } })

/** Has so many trials of `slow` running; gives what ends them. */
const holding = Effect.fnUntraced(function* <A, E, R>(count: number, trial: Effect.Effect<A, E, R>) {
  answered = yield* Deferred.make<void>()
  waiting = 0
  const running = yield* Effect.fork(Effect.replicateEffect(trial, count, { concurrency: count }))
  yield* Effect.repeat(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
    { until: () => waiting === count }
  )
  return Effect.zipRight(Deferred.succeed(answered, undefined), Fiber.join(running))
})

const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) => Effect.replicateEffect(effect, count)

const limitOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 429)
  const { code, limit } = failureOf(answer)
  assert.strictEqual(code, "RATE_LIMITED")
  assert.isAtLeast(Number(answer.headers.get("retry-after")), 1)
  return limit
}

describe("trials of credentials", () => {
  layer(sandboxApplication({}, Tables, []))((it) => {
    it.effect("are limited for each end user, over all their connect sessions", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const enter = entering(yield* session(caller))
        for (const { status } of yield* times(9, enter)) assert.strictEqual(status, 422)
        assert.strictEqual((yield* entering(yield* session(caller))).status, 422)
        for (const refused of [yield* enter, yield* entering(yield* session(caller))]) {
          assert.deepStrictEqual(limitOf(refused), { name: "end user trials", requests: 10, seconds: 600 })
          assert.isAbove(Number(refused.headers.get("retry-after")), 500)
        }
        // another end user, and the organisation itself, go on
        const other = yield* (yield* SandboxApplication).caller([], { tenancy: caller.tenancy })
        assert.strictEqual((yield* entering(yield* session(other))).status, 422)
        assert.strictEqual((yield* importing(caller)).status, 422)
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual((yield* enter).status, 422)
      })
    )

    it.effect("are limited for each organisation and environment", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        for (const { status } of yield* times(60, importing(caller))) assert.strictEqual(status, 422)
        assert.deepStrictEqual(limitOf(yield* importing(caller)), { name: "trials", requests: 60, seconds: 60 })
        const enter = entering(yield* session(caller))
        assert.deepStrictEqual(limitOf(yield* enter), { name: "trials", requests: 60, seconds: 60 })
        assert.strictEqual((yield* importing(yield* someone)).status, 422)
        // nor does the other environment of the same organisation share it
        const { organisation } = caller.tenancy
        const trials = yield* CredentialCheckLimits
        const live = { organisation, environment: "production", endUser: undefined } as const
        assert.strictEqual(yield* trials.run(live, Effect.succeed("tried")), "tried")
        // what is refused for its form is not tried
        assert.strictEqual((yield* importing(caller, "")).status, 422)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* importing(caller)).status, 422)
      })
    )

    it.effect("run eight at a time for an organisation", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const finish = yield* holding(8, importing(caller, "slow"))
        assert.deepStrictEqual(limitOf(yield* importing(caller)), { name: "trials", requests: 8 })
        assert.strictEqual((yield* importing(yield* someone)).status, 422)
        for (const { status } of yield* finish) assert.strictEqual(status, 422)
        assert.strictEqual((yield* importing(caller)).status, 422)
      })
    )

    it.effect("run two at a time for an end user, and leave room for the others", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const own = yield* session(caller)
        const finish = yield* holding(2, entering(own, "slow"))
        for (const one of [own, yield* session(caller)]) {
          assert.deepStrictEqual(limitOf(yield* entering(one)), { name: "end user trials", requests: 2 })
        }
        const other = yield* (yield* SandboxApplication).caller([], { tenancy: caller.tenancy })
        assert.strictEqual((yield* entering(yield* session(other))).status, 422)
        for (const { status } of yield* finish) assert.strictEqual(status, 422)
        assert.strictEqual((yield* entering(own)).status, 422)
      })
    )
  })
})
