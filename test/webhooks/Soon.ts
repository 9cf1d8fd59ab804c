import { Effect } from "effect"
import { nextTick } from "../support/SandboxApplication.ts"

/** Milliseconds of the machine's time. */
const patience = 30_000

/** Reads until it is so; dies with what it read last. */
export const soon = <A, E, R>(read: Effect.Effect<A, E, R>, isSo: (found: A) => boolean): Effect.Effect<A, E, R> => {
  const until = Date.now() + patience
  const again: Effect.Effect<A, E, R> = Effect.flatMap(read, (found) => {
    if (isSo(found)) return Effect.succeed(found)
    return Date.now() > until
      ? Effect.dieMessage(`it is still so: ${JSON.stringify(found)}`)
      : Effect.zipRight(nextTick, again)
  })
  return again
}
