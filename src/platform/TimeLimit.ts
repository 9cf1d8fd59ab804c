import { Cause, Duration, Effect, Exit, FiberId, FiberRef, HashSet } from "effect"

interface Running {
  /** Nanoseconds of the monotonic clock, which nobody sets. */
  until: bigint
  isLate: boolean
  readonly end: () => void
}

/** The time limit of one call, for the call itself to move. */
export interface TimeLimit {
  /** Moves the limit, in nanoseconds of the monotonic clock. */
  readonly move: (until: bigint) => Effect.Effect<void>
}

/** A call with a time limit. */
export interface Limited<A, E, R, E2> {
  readonly run: Effect.Effect<A, E, R>
  /** The end of an effect whose time is up. */
  readonly late: Effect.Effect<never, E2>
}

/**
 * Time limits for calls, of which many run at once and nearly all end in time. `Effect.timeoutFail` runs each in a fiber of
 * its own beside one that sleeps, which costs half as much again as a short call (`docs/decisions/0003-time-limits.md`);
 * here one fiber watches them all, and sleeps until the first of them would be late.
 */
export const makeTimeLimit = Effect.map(Effect.scope, (scope) => {
  // an id of its own: limits may be nested in one fiber, and each clears only its own interruption
  const watcher = FiberId.unsafeMake()
  const running = new Set<Running>()
  let nextLook: bigint | undefined

  const watch = (at: bigint): Effect.Effect<void> =>
    Effect.clockWith((clock) =>
      Effect.zipRight(
        Effect.sleep(Duration.nanos(at - clock.unsafeCurrentTimeNanos())),
        Effect.suspend(() => {
          // another one looks before
          if (at !== nextLook) return Effect.void
          const now = clock.unsafeCurrentTimeNanos()
          nextLook = undefined
          for (const call of running) {
            if (call.isLate) continue
            call.isLate = call.until <= now
            if (call.isLate) call.end()
            else if (nextLook === undefined || call.until < nextLook) nextLook = call.until
          }
          return nextLook === undefined ? Effect.void : watch(nextLook)
        })
      )
    )

  /** Sees to it that somebody looks then. */
  const look = (at: bigint) => {
    if (nextLook !== undefined && at >= nextLook) return Effect.void
    nextLook = at
    return Effect.forkIn(Effect.interruptible(watch(at)), scope)
  }

  /**
   * Runs a call until a moment of the monotonic clock, in nanoseconds, which the call can move. Past it, what is under way is
   * interrupted, and `late` decides how the call ends. What ends all the same keeps its own end: a write that was answered
   * has been done.
   */
  return <A, E, R, E2>(until: bigint, of: (limit: TimeLimit) => Limited<A, E, R, E2>): Effect.Effect<A, E | E2, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.withFiberRuntime<A, E | E2, R>((fiber) => {
        const call: Running = { until, isLate: false, end: () => fiber.unsafeInterruptAsFork(watcher) }
        const { late, run } = of({
          move: (to) => {
            call.until = to
            return look(to)
          }
        })
        running.add(call)
        const ended = Effect.flatMap(Effect.exit(restore(run)), (exit): Effect.Effect<A, E | E2, R> => {
          running.delete(call)
          if (!call.isLate) return exit
          // whoever else interrupted it meanwhile is heard
          const others = HashSet.remove(Cause.interruptors(fiber.getFiberRef(FiberRef.interruptedCause)), watcher)
          const none: Cause.Cause<never> = Cause.empty
          const left = HashSet.reduce(others, none, (all, id) => Cause.parallel(all, Cause.interrupt(id)))
          const isOver = HashSet.size(others) === 0 && Exit.isInterrupted(exit)
          const end: Effect.Effect<A, E | E2> = isOver ? late : exit
          return Effect.zipRight(FiberRef.set(FiberRef.interruptedCause, left), end)
        })
        return Effect.zipRight(look(until), ended)
      })
    )
})
