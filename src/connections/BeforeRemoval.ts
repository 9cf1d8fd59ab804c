import { Context, type Effect } from "effect"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"

/**
 * Ends what a provider does for connections that are about to be removed, as long as their credentials are there. It takes a
 * few seconds at most; whatever goes wrong is only logged.
 */
export class BeforeRemoval extends Context.Tag("tributary/connections/BeforeRemoval")<
  BeforeRemoval,
  (connections: ReadonlyArray<ConnectionRef>) => Effect.Effect<void>
>() {}
