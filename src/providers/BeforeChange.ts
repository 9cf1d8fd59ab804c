import { Effect, FiberRef } from "effect"

/**
 * What is done before a call leaves that must not be sent twice; nothing, unless the write that it is for has an
 * idempotency key. Where it fails, the call is not sent.
 */
export const beforeChange: FiberRef.FiberRef<Effect.Effect<void>> = FiberRef.unsafeMake<Effect.Effect<void>>(
  Effect.void
)

/** Does it, in whatever sends such a call. */
export const aboutToChange: Effect.Effect<void> = Effect.flatten(FiberRef.get(beforeChange))
