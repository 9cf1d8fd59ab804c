import { Context, type Effect } from "effect"
import type { ConnectionRef, Environment } from "../providers/ConnectionRef.ts"

/** A connection, and the names of the resources that are watched of it. */
export interface WatchNeed {
  readonly connection: ConnectionRef
  readonly resources: ReadonlyArray<string>
}

/** Watched connections, of whichever tenant, as pushes need to know them. */
export class WatchNeeds extends Context.Tag("tributary/hooks/WatchNeeds")<
  WatchNeeds,
  {
    /**
     * Those to some providers that were not removed, in the order of their ids: so many at most, behind one. Those that need to
     * be connected again are among them.
     */
    readonly page: (
      providers: ReadonlyArray<string>,
      page: { readonly after: string | undefined; readonly take: number }
    ) => Effect.Effect<ReadonlyArray<WatchNeed>>
    /** Whether any to a provider is watched in an environment. */
    readonly isAny: (provider: string, environment: Environment) => Effect.Effect<boolean>
  }
>() {}
