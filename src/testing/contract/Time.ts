import { Effect, TestClock } from "effect"

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

/** Lets the test's clock run ahead to what the application sleeps for, as far as `horizon`, while an effect runs. */
export const whileTimePasses =
  (horizon: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.raceFirst(
      effect,
      Effect.forever(
        Effect.gen(function* () {
          // the test's clock keeps sleeps that were given up too, and a list of them costs more the longer it gets
          yield* aWhile
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          let next = Infinity
          for (const at of yield* TestClock.sleeps()) if (at > now && at < next) next = at
          if (next <= now + horizon) yield* TestClock.setTime(next)
        })
      )
    )
