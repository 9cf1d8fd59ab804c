import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import * as SingleFlightCache from "../../src/platform/SingleFlightCache.ts"

/** A read that counts itself and answers with the count when the gate is open. */
const counting = Effect.map(Deferred.make<void>(), (gate) => {
  let count = 0
  const read = Effect.suspend(() => {
    count += 1
    return Effect.as(Deferred.await(gate), count)
  })
  return { read, open: Deferred.succeed(gate, undefined), count: () => count }
})

describe("SingleFlightCache", () => {
  it.effect("callers share a read and its answer, for less than a second", () =>
    Effect.gen(function* () {
      const { count, open, read } = yield* counting
      const recent = SingleFlightCache.make<number>({ capacity: 10, ttl: SingleFlightCache.recent, metric: "tested" })
      const callers = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 20 }, () => recent.get("a", read)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow()
      yield* open
      assert.deepStrictEqual(new Set(yield* Fiber.join(callers)), new Set([1]))
      yield* TestClock.adjust("899 millis")
      assert.strictEqual(yield* recent.get("a", read), 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* recent.get("a", read), 2)
      assert.strictEqual(count(), 2)
    })
  )

  it.effect("a caller who goes away does not take the read from the others", () =>
    Effect.gen(function* () {
      const { open, read } = yield* counting
      const recent = SingleFlightCache.make<number>({ capacity: 10, ttl: SingleFlightCache.recent, metric: "tested" })
      const first = yield* Effect.fork(recent.get("a", read))
      yield* Effect.yieldNow()
      const second = yield* Effect.fork(recent.get("a", read))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      yield* open
      assert.strictEqual(yield* Fiber.join(second), 1)
    })
  )

  it.effect("what is forgotten is read anew, also when a read was under way", () =>
    Effect.gen(function* () {
      const { open, read } = yield* counting
      const recent = SingleFlightCache.make<number>({ capacity: 10, ttl: SingleFlightCache.recent, metric: "tested" })
      const before = yield* Effect.fork(recent.get("a", read))
      yield* Effect.yieldNow()
      yield* recent.forget("a")
      yield* open
      assert.strictEqual(yield* recent.get("a", read), 2)
      assert.strictEqual(yield* Fiber.join(before), 1)
      assert.strictEqual(yield* recent.get("a", read), 2)
    })
  )

  it.effect("failures and absence are not remembered", () =>
    Effect.gen(function* () {
      const recent = SingleFlightCache.make<number | undefined, string>({
        capacity: 10,
        ttl: SingleFlightCache.recent,
        metric: "tested"
      })
      assert.strictEqual(yield* Effect.flip(recent.get("a", Effect.fail("no"))), "no")
      assert.isUndefined(yield* recent.get("a", Effect.succeed(undefined)))
      assert.strictEqual(yield* recent.get("a", Effect.succeed(1)), 1)
    })
  )

  it.effect("holds no more keys than it may", () =>
    Effect.gen(function* () {
      const { count, open, read } = yield* counting
      yield* open
      const recent = SingleFlightCache.make<number>({ capacity: 2, ttl: SingleFlightCache.recent, metric: "tested" })
      yield* Effect.forEach(["a", "b", "c", "c", "b"], (key) => recent.get(key, read))
      assert.strictEqual(count(), 3)
      yield* recent.get("a", read)
      assert.strictEqual(count(), 4)
    })
  )
})
