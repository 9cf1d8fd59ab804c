import { Cause, Clock, Context, Duration, Effect, Exit, FiberId, FiberRef, HashSet } from "effect"

/** Who interrupts what takes too long. */
const watcher = FiberId.make(-1, 0)

interface Running {
  /** Nanoseconds, which go on evenly when somebody sets the clock. */
  readonly until: bigint
  isLate: boolean
  readonly end: () => void
}

/**
 * Time limits for calls, of which many run at once and nearly all end in time. `Effect.timeoutFail` runs each in a fiber of
 * its own beside one that sleeps, which costs more than sending it; here one fiber watches them all, and sleeps until the
 * first of them would be late.
 */
export const makeTimeLimit = Effect.map(Effect.scope, (scope) => {
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

  /**
   * Fails with what `onTimeout` gives after so many milliseconds, when what was under way has been interrupted. What ended all
   * the same has its own end: a write that was answered has been done.
   */
  return <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    milliseconds: number,
    onTimeout: () => E2
  ): Effect.Effect<A, E | E2, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.withFiberRuntime<A, E | E2, R>((fiber) => {
        const now = Context.get(fiber.currentDefaultServices, Clock.Clock).unsafeCurrentTimeNanos()
        const call: Running = {
          until: now + BigInt(milliseconds) * 1_000_000n,
          isLate: false,
          end: () => fiber.unsafeInterruptAsFork(watcher)
        }
        running.add(call)
        const ended = Effect.flatMap(Effect.exit(restore(effect)), (exit): Effect.Effect<A, E | E2> => {
          running.delete(call)
          if (!call.isLate) return exit
          // who else interrupted it meanwhile is heard
          const others = HashSet.remove(Cause.interruptors(fiber.getFiberRef(FiberRef.interruptedCause)), watcher)
          if (HashSet.size(others) > 0) return exit
          const end: Effect.Effect<A, E | E2> = Exit.isInterrupted(exit) ? Effect.failSync(onTimeout) : exit
          return Effect.zipRight(FiberRef.set(FiberRef.interruptedCause, Cause.empty), end)
        })
        if (nextLook !== undefined && call.until >= nextLook) return ended
        nextLook = call.until
        return Effect.zipRight(Effect.forkIn(Effect.interruptible(watch(nextLook)), scope), ended)
      })
    )
})
