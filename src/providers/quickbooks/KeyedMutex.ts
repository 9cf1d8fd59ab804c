import { Effect } from "effect"

/** Has effects on one thing, by its name, run one after the other. */
export const keyedMutex = () => {
  const waiting = new Map<string, { readonly semaphore: Effect.Semaphore; count: number }>()
  return (name: string) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const turn = waiting.get(name) ?? { semaphore: Effect.unsafeMakeSemaphore(1), count: 0 }
          turn.count += 1
          waiting.set(name, turn)
          return turn
        }),
        ({ semaphore }) => semaphore.withPermits(1)(effect),
        (turn) =>
          Effect.sync(() => {
            turn.count -= 1
            if (turn.count === 0) waiting.delete(name)
          })
      )
}
