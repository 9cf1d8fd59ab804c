import { Effect, Fiber } from "effect"

/** What has begun is finished, whether its caller waits for it or not. */
export const finishing = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDaemon(effect), Fiber.join)
