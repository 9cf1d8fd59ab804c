import { assert } from "@effect/vitest"
import { Deferred, Effect, TestClock } from "effect"
import { Faults } from "../../providers/simulation/Faults.ts"
import type { Simulator } from "../../providers/simulation/Simulator.ts"
import { type Call, refusalOf } from "./Answers.ts"
import { NotedRequests } from "./NotedRequests.ts"
import { SandboxApplication } from "./SandboxApplication.ts"
import type { Suite } from "./Suite.ts"
import { whileTimePasses } from "./Time.ts"

/** Milliseconds of the windows that a test spends. */
const longestWindow = 60_000

/** The provider enforces its limits: they are kept to, waited for, and no call is wasted on them. */
export const limits =
  (simulator: Simulator): Suite =>
  (it, { having, slug: provider }) => {
    const [row] = having("list")
    if (row === undefined || simulator.limits === undefined) return
    const path = `${row.path}?provider=${provider}&limit=1`
    const { concurrency, windows } = simulator.limits
    const limit = windows.find(({ window }) => window <= longestWindow)

    const caller = Effect.flatMap(SandboxApplication, (app) => app.caller([provider]))

    /** What was answered, with the number of calls to the provider that it took. */
    const counted = <A, R>(answers: Effect.Effect<A, never, R>) =>
      Effect.gen(function* () {
        const requests = yield* NotedRequests
        const done = yield* Deferred.make<A>()
        const calls = yield* requests.during(Effect.intoDeferred(answers, done))
        return { answered: yield* Deferred.await(done), calls: calls.length }
      })

    const list = (call: Call) => call("GET", path, { timeStands: true })

    if (limit !== undefined) {
      it.effect(`its ${limit.name} limit of ${limit.most} is spent to the last call, and waited for`, () =>
        Effect.gen(function* () {
          const { call } = yield* caller
          let spent = 0
          while (spent < limit.most) {
            const { answered, calls } = yield* counted(list(call))
            assert.strictEqual(answered.status, 200, `after ${spent} calls`)
            spent += calls
          }
          assert.strictEqual(spent, limit.most)
          const begun = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const next = yield* counted(list(call).pipe(whileTimePasses(2500)))
          if (next.answered.status === 200) {
            // a short pause is made by the service itself
            assert.strictEqual(next.calls, 1)
            assert.isAtLeast(yield* Effect.clockWith((clock) => clock.currentTimeMillis), begun + limit.window)
            return
          }
          assert.deepStrictEqual(refusalOf(next.answered), [429, "RATE_LIMITED"])
          // one that does not say what is left has to be asked
          assert.isAtMost(next.calls, 1)
          const wait = Number(next.answered.headers.get("retry-after"))
          assert.isTrue(wait > 0 && wait * 1000 <= limit.window, String(wait))
          yield* TestClock.adjust(wait * 1000)
          const after = yield* counted(list(call))
          assert.strictEqual(after.answered.status, 200)
          assert.strictEqual(after.calls, 1)
        })
      )
    }

    if (concurrency !== undefined) {
      it.effect("no more calls run at the same time than it answers", () =>
        Effect.gen(function* () {
          const { call } = yield* caller
          yield* list(call)
          const faults = yield* Faults
          const many = 3 * concurrency.most
          yield* faults.add({ provider, does: { kind: "latency", milliseconds: 500 }, times: many })
          const all = Effect.all(
            Array.from({ length: many }, () => list(call)),
            { concurrency: "unbounded" }
          )
          const { answered, calls } = yield* counted(whileTimePasses(2500)(all))
          assert.isTrue(answered.every(({ status }) => status === 200))
          assert.strictEqual(calls, many)
        }).pipe(Effect.ensuring(Effect.flatMap(Faults, (faults) => faults.clear)))
      )
    }
  }
