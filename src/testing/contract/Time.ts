import { Effect, TestClock } from "effect"
import { performance } from "node:perf_hooks"

export const nextTick = Effect.promise(
  () =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 2)
    })
)

/** Some of the machine's time, in which the application gets on by itself. */
export const aWhile = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 10)
  return Effect.sync(() => clearTimeout(timer))
})

/** Waits after which the clock goes on although the process is busy, so that a test cannot wait for itself. */
const mostBusyWaits = 100

/**
 * Waits until the process has mostly waited too. While it works, nothing depends on the clock: letting time pass then would make calls
 * run into their time limits on a slow machine.
 */
const untilIdle = Effect.gen(function* () {
  for (let waits = 0; waits < mostBusyWaits; waits += 1) {
    const before = performance.eventLoopUtilization()
    yield* aWhile
    if (performance.eventLoopUtilization(before).utilization < 0.5) return
  }
})

/** Lets the test's clock run ahead to what the application sleeps for, as far as `horizon`, while an effect runs. */
export const whileTimePasses =
  (horizon: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.raceFirst(
      effect,
      Effect.forever(
        Effect.gen(function* () {
          // the test's clock keeps sleeps that were given up too, and a list of them costs more the longer it gets
          yield* untilIdle
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          let next = Infinity
          for (const at of yield* TestClock.sleeps()) if (at > now && at < next) next = at
          if (next <= now + horizon) yield* TestClock.setTime(next)
        })
      )
    )
