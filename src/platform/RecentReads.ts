import { Deferred, Effect, Exit, FiberId } from "effect"
import * as Metrics from "./Metrics.ts"

/** Milliseconds from the start of a read for which its answer is given again: with this, a change is seen everywhere within a second. */
export const maxAge = 900

/**
 * Remembers what was read in the last 900 ms, under at most `capacity` keys; those who ask for the same at once share one
 * read. Failures and `undefined` are not remembered, so what was not there a moment ago is found as soon as it is. Older
 * answers are given again to whoever knows that they still hold. `name`: what metrics call it.
 */
export const make = <A, E = never>(capacity: number, name: string) => {
  interface Entry {
    readonly startedAt: number
    answer: Effect.Effect<A, E>
    read: A | undefined
  }
  const entries = new Map<string, Entry>()

  const start = (key: string, startedAt: number, read: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const done = Deferred.unsafeMake<A, E>(FiberId.none)
      const entry: Entry = { startedAt, answer: Deferred.await(done), read: undefined }
      entries.delete(key)
      entries.set(key, entry)
      const [oldest] = entries.keys()
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
      const finish = (exit: Exit.Exit<A, E>) => {
        if (Exit.isSuccess(exit) && exit.value !== undefined) {
          entry.answer = exit
          entry.read = exit.value
        } else if (entries.get(key) === entry) entries.delete(key)
        return Deferred.done(done, exit)
      }
      // In a fiber of its own: a caller who goes away does not take the read from the others.
      return Effect.as(Effect.forkDaemon(Effect.flatMap(Effect.exit(Effect.interruptible(read)), finish)), entry.answer)
    })

  return {
    get: (key: string, read: Effect.Effect<A, E>, holds: (answer: A) => boolean = () => false): Effect.Effect<A, E> =>
      Effect.clockWith((clock) => {
        const now = clock.unsafeCurrentTimeMillis()
        const known = entries.get(key)
        if (known !== undefined) {
          const isRecent = Math.abs(now - known.startedAt) < maxAge
          if (isRecent || (known.read !== undefined && holds(known.read))) {
            Metrics.cacheRead(name, true)
            return known.answer
          }
        }
        Metrics.cacheRead(name, false)
        return Effect.flatten(Effect.uninterruptible(start(key, now, read)))
      }),
    /** The next caller reads anew, also when a read is under way. */
    forget: (key: string): Effect.Effect<void> => Effect.sync(() => void entries.delete(key))
  }
}
