import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Either, Exit, Fiber, Ref, TestClock } from "effect"
import { makeTimeLimit } from "../../src/platform/TimeLimit.ts"

const late = () => "late" as const

const nanos = (milliseconds: number) => BigInt(milliseconds) * 1_000_000n

/** Limits of so many milliseconds from now. */
const timeLimits = Effect.map(
  makeTimeLimit,
  (within) =>
    <A, E, R, E2>(run: Effect.Effect<A, E, R>, milliseconds: number, onTimeout: () => E2) =>
      Effect.clockWith((clock) =>
        within(clock.unsafeCurrentTimeNanos() + nanos(milliseconds), () => ({ run, late: Effect.failSync(onTimeout) }))
      )
)

describe("a time limit", () => {
  it.scoped("lets through what ends in time, however it ends", () =>
    Effect.gen(function* () {
      const within = yield* timeLimits
      assert.strictEqual(yield* within(Effect.succeed(1), 1000, late), 1)
      assert.strictEqual(yield* Effect.flip(within(Effect.fail("refused"), 1000, late)), "refused")
      const slow = yield* Effect.fork(within(Effect.as(Effect.sleep(999), 2), 1000, late))
      yield* TestClock.adjust(999)
      assert.strictEqual(yield* Fiber.join(slow), 2)
      yield* TestClock.adjust("1 hour")
    })
  )

  it.scoped("interrupts what takes longer, and lets its fiber go on", () =>
    Effect.gen(function* () {
      const within = yield* timeLimits
      const ended = yield* Ref.make(false)
      const call = Effect.onInterrupt(Effect.never, () => Ref.set(ended, true))
      const fiber = yield* Effect.fork(
        Effect.gen(function* () {
          const error = yield* Effect.flip(within(call, 1000, late))
          yield* Effect.sleep(500)
          return [error, yield* within(Effect.succeed("next"), 1000, late)]
        })
      )
      yield* TestClock.adjust(999)
      assert.isFalse(yield* Ref.get(ended))
      yield* TestClock.adjust(1)
      assert.isTrue(yield* Ref.get(ended))
      assert.isTrue((yield* Fiber.poll(fiber))._tag === "None")
      yield* TestClock.adjust(500)
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["late", "next"])
    })
  )

  it.scoped("is each call's own, in whatever order they begin", () =>
    Effect.gen(function* () {
      const within = yield* timeLimits
      const ends = yield* Ref.make<ReadonlyArray<number>>([])
      const limits = [5000, 300, 700, 300, 5000, 40_000]
      const fibers = yield* Effect.forEach(limits, (limit) =>
        Effect.fork(
          within(Effect.never, limit, late).pipe(
            Effect.catchAll(() => TestClock.currentTimeMillis),
            Effect.flatMap((at) => Ref.update(ends, (all) => [...all, at]))
          )
        )
      )
      yield* TestClock.adjust(100)
      const further = yield* Effect.fork(Effect.flip(within(Effect.never, 100, late)))
      yield* TestClock.adjust(100)
      assert.strictEqual(yield* Fiber.join(further), "late")
      yield* TestClock.adjust("1 minute")
      yield* Fiber.awaitAll(fibers)
      assert.deepStrictEqual(yield* Ref.get(ends), [300, 300, 700, 5000, 5000, 40_000])
    })
  )

  it.scoped("of many calls is watched once, and of none not at all", () =>
    Effect.gen(function* () {
      const within = yield* timeLimits
      for (let i = 0; i < 50; i += 1) yield* within(Effect.yieldNow(), 1000, late)
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* TestClock.sleeps()), [1000])
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(Chunk.size(yield* TestClock.sleeps()), 0)
      const again = yield* Effect.fork(Effect.flip(within(Effect.never, 1000, late)))
      yield* TestClock.adjust(1000)
      assert.strictEqual(yield* Fiber.join(again), "late")
    })
  )

  it.scoped("does not keep a call from being interrupted, not even as it gets late", () =>
    Effect.gen(function* () {
      const within = yield* timeLimits
      const soon = yield* Effect.fork(within(Effect.never, 1000, late))
      yield* TestClock.adjust(10)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(soon)))

      const cleaning = yield* Deferred.make<void>()
      const both = yield* Effect.fork(
        within(
          Effect.onInterrupt(Effect.never, () => Deferred.await(cleaning)),
          1000,
          late
        )
      )
      yield* TestClock.adjust(2000)
      const interrupting = yield* Effect.fork(Fiber.interrupt(both))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(cleaning, undefined)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.join(interrupting)))
    })
  )

  it.scoped("takes the answer of what could not be interrupted, and leaves its fiber as it was", () =>
    Effect.gen(function* () {
      const within = yield* timeLimits
      const write = Effect.uninterruptible(Effect.as(Effect.sleep(3000), "written"))
      const fiber = yield* Effect.fork(
        Effect.zipLeft(
          Effect.uninterruptible(within(write, 1000, late)),
          Effect.zipRight(Effect.yieldNow(), Effect.sleep(10))
        )
      )
      yield* TestClock.adjust(3010)
      assert.strictEqual(yield* Fiber.join(fiber), "written")
    })
  )

  it.scoped("can be moved by the call, to later and to earlier", () =>
    Effect.gen(function* () {
      const within = yield* makeTimeLimit
      const started = yield* Effect.clockWith((clock) => Effect.sync(() => clock.unsafeCurrentTimeNanos()))
      const moved = (first: number, ...then: ReadonlyArray<number>) =>
        within(started + nanos(first), ({ move }) => ({
          run: Effect.zipRight(
            Effect.forEach(then, (to) => Effect.delay(move(started + nanos(to)), 100), { discard: true }),
            Effect.never
          ),
          late: TestClock.currentTimeMillis.pipe(Effect.flatMap(Effect.fail))
        })).pipe(Effect.flip, Effect.fork)
      const all = yield* Effect.all([moved(1000, 5000), moved(1000, 300), moved(1000, 300, 2000)])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Effect.forEach(all, (fiber) => Fiber.join(fiber)), [5000, 300, 2000])
    })
  )

  it.scoped("of a call within a limited one is its own, and the outer one still holds", () =>
    Effect.gen(function* () {
      const [inner, outer] = [yield* timeLimits, yield* timeLimits]
      const both = outer(
        Effect.zipRight(
          Effect.ignore(inner(Effect.never, 300, late)),
          inner(
            Effect.onInterrupt(Effect.never, () => Effect.sleep(500)),
            600,
            late
          )
        ),
        1000,
        () => "outer" as const
      )
      const fiber = yield* Effect.fork(Effect.either(Effect.zipLeft(Effect.flip(both), Effect.yieldNow())))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(fiber), Either.right("outer"))
    })
  )

  it.scoped("ends with the scope it was made in", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.flatMap(timeLimits, (within) => within(Effect.yieldNow(), 1000, late)))
      const fiber = yield* Effect.fork(
        Effect.scoped(Effect.flatMap(timeLimits, (within) => within(Effect.never, 1000, late)))
      )
      yield* TestClock.adjust(1000)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
    })
  )
})
