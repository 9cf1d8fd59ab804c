import { Effect, Fiber } from "effect"

/**
 * For what several callers wait for, such as a cache's load: runs in a fiber of its own, so that the caller who started
 * it can go away without taking it from the others.
 */
export const shared = <A, E, R>(load: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(Effect.interruptible(load)), Fiber.join))
