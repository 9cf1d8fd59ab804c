import { Effect, FiberRef } from "effect"

/** Whether statements of this fiber may take long. */
export const allowsLongStatements: FiberRef.FiberRef<boolean> = FiberRef.unsafeMake(false)

/**
 * Runs work whose statements may take minutes, such as a migration or the removal of what has expired. Requests wait for
 * no such work.
 */
export const allowingLongStatements = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(work, allowsLongStatements, true)
