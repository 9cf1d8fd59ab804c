import { Effect, FiberRef } from "effect"

/** Calls to providers that were sent for some work, by all of its fibers. */
const current = FiberRef.unsafeMake<{ calls: number } | undefined>(undefined)

/** Counts one call. */
export const countCall: Effect.Effect<void> = Effect.map(FiberRef.get(current), (count) => {
  if (count !== undefined) count.calls += 1
})

/** Runs work and gives how many calls were sent for it so far, however it ends. */
export const counting = <A, E, R>(work: (calls: () => number) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const count = { calls: 0 }
    return Effect.locally(
      work(() => count.calls),
      current,
      count
    )
  })
