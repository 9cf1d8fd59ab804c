import { Context, Effect, Layer } from "effect"
import type { Category } from "../canonical/Resource.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"

/** A resource of which a provider told a change. */
export interface Named {
  readonly category: Category
  readonly resource: string
  /** The provider's own ids of the records, as far as it told them. */
  readonly remoteIds: ReadonlyArray<string>
}

/** Looks at what a provider told, before its time. It is only noted, so it takes no longer than a statement. */
export class EarlyPoll extends Context.Tag("tributary/hooks/EarlyPoll")<
  EarlyPoll,
  {
    /** Polls resources that are watched, and leaves others alone. */
    readonly poll: (connection: ConnectionRef, named: ReadonlyArray<Named>) => Effect.Effect<void>
  }
>() {
  /** Where nothing is watched. */
  static readonly layerNone = Layer.succeed(EarlyPoll, { poll: () => Effect.void })
}
