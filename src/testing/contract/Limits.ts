import { assert } from "@effect/vitest"
import { Deferred, Effect, TestClock } from "effect"
import { Faults } from "../../providers/simulation/Faults.ts"
import type { Simulator } from "../../providers/simulation/Simulator.ts"
import { type Call, refusalOf } from "./Answers.ts"
import { NotedRequests } from "./NotedRequests.ts"
import { once } from "./Once.ts"
import { SandboxApplication } from "./SandboxApplication.ts"
import type { Row } from "./Subject.ts"
import type { Suite } from "./Suite.ts"
import { whileTimePasses } from "./Time.ts"

/** Calls of a limit that are left for a test when others have spent the rest. */
const left = 10

const now = Effect.clockWith((clock) => clock.currentTimeMillis)

const mended = Effect.ensuring(Effect.flatMap(Faults, (faults) => faults.clear))

/** Keeps to limits that the provider enforces, waits for them, and wastes no call on them. */
export const limits =
  (simulator: Simulator): Suite =>
  (it, { having, slug: provider }) => {
    if (simulator.limits === undefined) return
    const { concurrency, windows } = simulator.limits
    const [limit] = windows

    const caller = Effect.flatMap(SandboxApplication, (app) => app.caller([provider]))

    /** Runs requests; returns their answers with the number of calls to the provider. */
    const counted = <A, R>(answers: Effect.Effect<A, never, R>) =>
      Effect.gen(function* () {
        const requests = yield* NotedRequests
        const done = yield* Deferred.make<A>()
        const calls = yield* requests.during(Effect.intoDeferred(answers, done))
        return { answered: yield* Deferred.await(done), calls: calls.length }
      })

    /** Makes the next call count as `calls`. */
    const spend = (calls: number) =>
      Effect.flatMap(Faults, (faults) => faults.add({ provider, does: { kind: "spend", calls } }))

    const listing = (row: Row) => (call: Call) =>
      call("GET", `${row.path}?provider=${provider}&limit=1`, { timeStands: true })

    /** A list that takes one call, once rarely read data is cached. */
    const oneCall = once(
      Effect.gen(function* () {
        const { call } = yield* caller
        for (const list of having("list").map(listing)) {
          yield* list(call)
          const { calls } = yield* counted(list(call))
          if (calls === 1) return list
        }
        return yield* Effect.dieMessage(`no list of ${provider} is one call`)
      })
    )

    if (limit !== undefined) {
      it.effect(`its ${limit.name} limit of ${limit.most} is spent to the last call, and waited for`, () =>
        Effect.gen(function* () {
          const list = yield* oneCall
          const { call } = yield* caller
          const first = yield* counted(list(call))
          yield* spend(limit.most - first.calls - left)
          for (let sent = 0; sent <= left; sent += 1) {
            const { answered, calls } = yield* counted(list(call))
            assert.deepStrictEqual([answered.status, calls], [200, 1], `call ${sent + 1}`)
          }
          const begun = yield* now
          const next = yield* counted(list(call).pipe(whileTimePasses(2500)))
          if (next.answered.status === 200) {
            // the service waits out a short pause itself; a provider that does not state the rest has to be called
            assert.isTrue(next.calls === 1 || next.calls === 2, String(next.calls))
            assert.isAtLeast(yield* now, begun + limit.window)
            return
          }
          assert.deepStrictEqual(refusalOf(next.answered), [429, "RATE_LIMITED"])
          assert.isAtMost(next.calls, 1)
          const wait = 1000 * Number(next.answered.headers.get("retry-after"))
          assert.isTrue(wait > 0 && wait <= limit.window, String(wait))
          const held = yield* counted(list(call))
          assert.deepStrictEqual([held.answered.status, held.calls], [429, 0])
          yield* TestClock.setTime(begun + limit.window)
          assert.strictEqual((yield* list(call)).status, 200)
        }).pipe(mended)
      )
    }

    if (concurrency !== undefined) {
      it.effect("no more calls run at the same time than it answers", () =>
        Effect.gen(function* () {
          const list = yield* oneCall
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
        }).pipe(mended)
      )
    }
  }
