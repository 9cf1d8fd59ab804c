import { Deferred, Effect, Exit, FiberId, Option } from "effect"
import * as Metrics from "./Metrics.ts"

/** Seconds for which an answer of the database is given again: with this, a change is seen everywhere within a second. */
export const recent = 0.9

/**
 * Keeps values by name, at most `capacity` of them; callers that ask for the same at once share one load. Each load runs in a
 * fiber of its own, so a caller that goes away does not end it for the others. Failures and `undefined` are not kept.
 */
export const make = <A, E = never>(options: {
  readonly capacity: number
  /** Seconds from the start of its load for which a value is good. */
  readonly ttl: number | ((value: A) => number)
  /** Name in metrics; absent: it is not measured. */
  readonly metric?: string
}) => {
  const { capacity, metric, ttl } = options

  interface Entry {
    /** Milliseconds since 1970. */
    readonly startedAt: number
    answer: Effect.Effect<A, E>
    /** Undefined while it loads. */
    value: A | undefined
  }
  const entries = new Map<string, Entry>()

  const add = (name: string, entry: Entry) => {
    entries.delete(name)
    entries.set(name, entry)
    const [oldest] = entries.keys()
    if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
  }

  const isGood = ({ startedAt, value }: Entry, now: number) => {
    const seconds = typeof ttl === "number" ? ttl : value === undefined ? Infinity : ttl(value)
    // a clock that was set back keeps nothing for long
    return Math.abs(now - startedAt) < seconds * 1000
  }

  const start = (name: string, startedAt: number, load: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const done = Deferred.unsafeMake<A, E>(FiberId.none)
      const entry: Entry = { startedAt, answer: Deferred.await(done), value: undefined }
      add(name, entry)
      const finish = (exit: Exit.Exit<A, E>) => {
        if (Exit.isSuccess(exit) && exit.value !== undefined) {
          entry.answer = exit
          entry.value = exit.value
        } else if (entries.get(name) === entry) entries.delete(name)
        return Deferred.done(done, exit)
      }
      return Effect.as(Effect.forkDaemon(Effect.flatMap(Effect.exit(Effect.interruptible(load)), finish)), entry.answer)
    })

  return {
    /** The value under a name, else loads it. `holds`: whether a value that is too old may be given all the same. */
    get: (name: string, load: Effect.Effect<A, E>, holds: (value: A) => boolean = () => false): Effect.Effect<A, E> =>
      Effect.clockWith((clock) => {
        const now = clock.unsafeCurrentTimeMillis()
        const entry = entries.get(name)
        const isHit = entry !== undefined && (isGood(entry, now) || (entry.value !== undefined && holds(entry.value)))
        if (metric !== undefined) Metrics.cacheRead(metric, isHit)
        return isHit ? entry.answer : Effect.flatten(Effect.uninterruptible(start(name, now, load)))
      }),
    /** The good value under a name, if any; does not load. */
    known: (name: string): Effect.Effect<Option.Option<A>> =>
      Effect.clockWith((clock) => {
        const entry = entries.get(name)
        const isThere = entry !== undefined && isGood(entry, clock.unsafeCurrentTimeMillis())
        return Effect.succeed(isThere && entry.value !== undefined ? Option.some(entry.value) : Option.none<A>())
      }),
    put: (name: string, value: A): Effect.Effect<void> =>
      Effect.clockWith((clock) =>
        Effect.sync(() =>
          add(name, { startedAt: clock.unsafeCurrentTimeMillis(), answer: Effect.succeed(value), value })
        )
      ),
    /** The next caller loads again, also while a load is under way. */
    forget: (name: string): Effect.Effect<void> => Effect.sync(() => void entries.delete(name))
  }
}
