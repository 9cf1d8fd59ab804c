import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import * as Metrics from "../platform/Metrics.ts"

const Counted = Schema.Struct({ provider: Schema.String, status: Schema.String, count: Schema.Int })

/** Counts the connections of all organisations whenever metrics are asked for. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const count = SqlSchema.findAll({
      Request: Schema.Void,
      Result: Counted,
      execute: () => sql`select provider, status, count(*)::int as count from connections group by provider, status`
    })
    yield* Metrics.looking(
      Effect.flatMap(count(), Metrics.connectionsCounted).pipe(
        Effect.catchAll((error) => Effect.logDebug("connections could not be counted", error))
      )
    )
  })
)
