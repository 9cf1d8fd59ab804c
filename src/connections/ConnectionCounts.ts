import { Effect, Layer } from "effect"
import * as Metrics from "../platform/Metrics.ts"
import { connectionRows } from "./ConnectionRows.ts"

/** Counts the connections of all organisations whenever metrics are asked for. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { counts } = yield* connectionRows
    yield* Metrics.looking(
      Effect.flatMap(counts(), Metrics.connectionsCounted).pipe(
        Effect.catchAll((error) => Effect.logDebug("connections could not be counted", error))
      )
    )
  })
)
