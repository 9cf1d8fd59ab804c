import { type Duration, Effect, Schedule } from "effect"
import { allowingLongStatements } from "./LongStatements.ts"

/**
 * Does what has to be done over and over while the scope is open, from a minute after its start on. What fails is logged, and
 * tried again the next time. Spans of it would only stand between those of requests.
 */
export const runInBackground = <A, E, R>(work: Effect.Effect<A, E, R>, every: Duration.DurationInput = "1 hour") =>
  allowingLongStatements(work).pipe(
    Effect.catchAllCause((cause) => Effect.logWarning("a background job failed; it runs again later", cause)),
    Effect.withTracerEnabled(false),
    Effect.repeat(Schedule.spaced(every)),
    Effect.delay("1 minute"),
    Effect.forkScoped
  )
