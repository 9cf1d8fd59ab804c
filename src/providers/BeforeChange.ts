import { Effect, FiberRef } from "effect"

/**
 * Effect that runs before a call that must not be sent twice; nothing unless the write behind the call has an idempotency
 * key. If it fails, the call is not sent.
 */
export const beforeChange: FiberRef.FiberRef<Effect.Effect<void>> = FiberRef.unsafeMake<Effect.Effect<void>>(
  Effect.void
)

/** Runs it, before such a call is sent. */
export const aboutToChange: Effect.Effect<void> = Effect.flatten(FiberRef.get(beforeChange))
