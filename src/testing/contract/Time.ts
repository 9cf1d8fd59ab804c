import { Effect, TestClock } from "effect"

export const nextTick = Effect.promise(
  () =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 2)
    })
)

/** Lets the test's clock run ahead to what the application sleeps for, as far as `horizon`, while an effect runs. */
export const whileTimePasses =
  (horizon: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.raceFirst(
      effect,
      Effect.forever(
        Effect.gen(function* () {
          yield* nextTick
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const due = [...(yield* TestClock.sleeps())].filter((at) => at > now && at <= now + horizon)
          if (due.length > 0) yield* TestClock.setTime(Math.min(...due))
        })
      )
    )
