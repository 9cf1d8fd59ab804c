import { Cache, Effect, Equal, Exit, Fiber, Hash, Option } from "effect"

/** A name and its load; equal by name, so that callers share one load. */
class Key<A, E> implements Equal.Equal {
  readonly name: string
  readonly load: Effect.Effect<A, E>
  constructor(name: string, load: Effect.Effect<A, E>) {
    this.name = name
    this.load = load
  }
  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Key && that.name === this.name
  }
  [Hash.symbol](): number {
    return Hash.string(this.name)
  }
}

/**
 * A cache whose loads run in fibers of their own: a caller that goes away does not end a load that others wait for. A load
 * belongs to the trace of the caller that started it. Failures are not kept.
 */
export const makeCache = <A, E>(options: {
  readonly capacity: number
  /** Seconds that a value stays valid. */
  readonly ttl: (value: A) => number
}) =>
  Effect.map(
    Cache.makeWith({
      capacity: options.capacity,
      lookup: ({ load }: Key<A, E>) =>
        Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(Effect.interruptible(load)), Fiber.join)),
      timeToLive: (exit) => (Exit.isSuccess(exit) ? `${options.ttl(exit.value)} seconds` : 0)
    }),
    (cache) => ({
      get: (name: string, load: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.flatMap(Effect.option(Effect.currentParentSpan), (span) =>
          cache.get(new Key(name, Option.isNone(span) ? load : Effect.withParentSpan(load, span.value)))
        ),
      /** The cached value under a name, if any; does not load. */
      known: (name: string): Effect.Effect<Option.Option<A>, E> =>
        cache.getOptionComplete(new Key<A, E>(name, Effect.never)),
      put: (name: string, value: A): Effect.Effect<void> => cache.set(new Key(name, Effect.never), value),
      forget: (name: string): Effect.Effect<void> => cache.invalidate(new Key(name, Effect.never))
    })
  )
