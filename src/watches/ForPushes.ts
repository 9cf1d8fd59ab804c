import { Effect, Layer } from "effect"
import { EarlyPoll } from "../hooks/EarlyPoll.ts"
import { WatchNeeds } from "../hooks/WatchNeeds.ts"
import { WatchedConnections } from "./WatchedConnections.ts"
import { Watcher } from "./Watcher.ts"

/** Shows pushes of providers what is watched, and has the watches look at once at what was pushed. */
export const layer = Layer.merge(
  Layer.effect(
    WatchNeeds,
    Effect.map(WatchedConnections, ({ isAny, page }) => ({ isAny, page }))
  ),
  Layer.effect(
    EarlyPoll,
    Effect.map(Watcher, ({ poke }) => ({
      poll: (connection, named) =>
        Effect.forEach(
          named,
          ({ category, remoteIds, resource }) => poke(connection, `${category}/${resource}`, remoteIds),
          { discard: true }
        )
    }))
  )
)
