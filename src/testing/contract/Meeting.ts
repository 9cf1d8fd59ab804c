import { Deferred, Effect } from "effect"

/**
 * Scripts that run one at a time up to where they meet; what is done there is done once, by the last one, and each gets its
 * value. `count`: how many scripts there are.
 */
export const makeMeeting = <A>(count: number) =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    let running = count
    let waiting: Array<Deferred.Deferred<A>> = []
    let meeting: Effect.Effect<A> = Effect.never

    const hold = Effect.suspend(() => {
      if (waiting.length < running) return Effect.void
      const all = waiting
      waiting = []
      return Effect.flatMap(Effect.exit(meeting), (exit) =>
        Effect.forEach(all, (one) => Deferred.done(one, exit), { discard: true })
      )
    })

    return {
      /** Runs a script; one that fails is not waited for. */
      script: <B, E, R>(script: Effect.Effect<B, E, R>): Effect.Effect<B, E, R> =>
        turn.withPermits(1)(
          Effect.flatMap(Effect.exit(script), (exit) => {
            running -= 1
            return Effect.zipRight(running > 0 ? hold : Effect.void, exit)
          })
        ),
      /** Waits for the other scripts. */
      meet: (doing: Effect.Effect<A>): Effect.Effect<A> =>
        Effect.flatMap(Deferred.make<A>(), (met) => {
          waiting.push(met)
          meeting = doing
          return Effect.zipRight(
            hold,
            Effect.acquireUseRelease(
              turn.release(1),
              () => Deferred.await(met),
              () => turn.take(1)
            )
          )
        })
    }
  })
