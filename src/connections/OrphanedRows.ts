import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { ofNobody } from "../events/Events.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { connectionRows } from "./ConnectionRows.ts"
import { leftRows } from "./RowsOfConnections.ts"

/**
 * Erases, a batch at a time, what is left of removed connections and erased end users: version 0.1.0 removes no more than the
 * credentials of connections, knows no events, and may still run beside this one.
 */
const eraseOrphans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const connections = yield* connectionRows
  const batches = [connections.leftAccounts, ...leftRows(sql), ofNobody(sql)]
  yield* Effect.forEach(batches, (batch) => Effect.repeat(batch, { until: (rows) => rows.length === 0 }), {
    discard: true
  })
})

export const layer = Layer.scopedDiscard(runInBackground(eraseOrphans))
