import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, FiberId, Redacted, TestClock } from "effect"
import { Invalid, ProviderError } from "../../src/providers/ProviderError.ts"
import { toolkit } from "../../src/toolkits/Toolkits.ts"
import { session } from "../support/Connecting.ts"
import {
  type Answer,
  type Caller,
  failureOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

/** Ends the trials of `slow`. */
const answered = Deferred.unsafeMake<void>(FiberId.none)
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

const someone = (
  given: { readonly tenancy?: Caller["tenancy"]; readonly environment?: "sandbox" | "production" } = {}
) => Effect.flatMap(SandboxApplication, ({ caller }) => caller([], given))

/** Tries a connection string as the organisation. */
const importing = ({ call, endUser }: Caller, connectionString = "wrong") =>
  call("POST", "/connections", { body: { endUserId: endUser, provider: "tables", credentials: { connectionString } } })

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
    it.effect("are limited for each connect session", () =>
      Effect.gen(function* () {
        const caller = yield* someone()
        const own = yield* session(caller)
        const enter = own.call("POST", "/tables/credentials", { fields: { connectionString: "wrong" } })
        for (const { status } of yield* times(10, enter)) assert.strictEqual(status, 422)
        const refused = yield* enter
        assert.deepStrictEqual(limitOf(refused), { name: "session trials", requests: 10, seconds: 600 })
        assert.isAbove(Number(refused.headers.get("retry-after")), 500)
        // another session of the same end user, and the organisation itself, go on
        const another = yield* session(caller)
        const other = another.call("POST", "/tables/credentials", { fields: { connectionString: "wrong" } })
        assert.strictEqual((yield* other).status, 422)
        assert.strictEqual((yield* importing(caller)).status, 422)
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual((yield* enter).status, 422)
      })
    )

    it.effect("are limited for each organisation and environment", () =>
      Effect.gen(function* () {
        const caller = yield* someone()
        for (const { status } of yield* times(60, importing(caller))) assert.strictEqual(status, 422)
        assert.deepStrictEqual(limitOf(yield* importing(caller)), { name: "trials", requests: 60, seconds: 60 })
        const own = yield* session(caller)
        const enter = own.call("POST", "/tables/credentials", { fields: { connectionString: "wrong" } })
        assert.deepStrictEqual(limitOf(yield* enter), { name: "trials", requests: 60, seconds: 60 })
        assert.strictEqual((yield* importing(yield* someone())).status, 422)
        const live = yield* someone({ environment: "production" })
        assert.strictEqual((yield* importing(live)).status, 422)
        // what is refused for its form is not tried
        assert.strictEqual((yield* importing(caller, "")).status, 422)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* importing(caller)).status, 422)
      })
    )

    it.effect("run eight at a time for an organisation", () =>
      Effect.gen(function* () {
        const caller = yield* someone()
        const slow = yield* Effect.fork(
          Effect.all(
            Array.from({ length: 8 }, () => importing(caller, "slow")),
            { concurrency: 8 }
          )
        )
        yield* Effect.repeat(
          Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
          {
            until: () => waiting === 8
          }
        )
        assert.deepStrictEqual(limitOf(yield* importing(caller)), { name: "trials", requests: 8 })
        assert.strictEqual((yield* importing(yield* someone())).status, 422)
        yield* Deferred.succeed(answered, undefined)
        for (const { status } of yield* Fiber.join(slow)) assert.strictEqual(status, 422)
        assert.strictEqual((yield* importing(caller)).status, 422)
      })
    )
  })
})
