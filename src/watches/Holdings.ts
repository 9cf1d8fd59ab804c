import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { connectionsOf } from "../connections/RowsOfConnections.ts"
import { holdings, ownRows, type Person } from "../tenancy/PersonalData.ts"

/** Holds how end users' connections are followed, and the ids of records that were met. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const where = (person: Person) => sql`t.connection_id in (${connectionsOf(sql, person)})`

    return yield* Effect.all([
      ownRows({
        slug: "watchedRecords",
        table: "watched_records",
        where,
        columns: "t.connection_id, t.resource, t.id, t.remote_id, t.modified_at",
        oldestBy: "t.connection_id, t.resource, t.modified_at, t.id",
        row: Schema.Struct({
          connection_id: Schema.UUID,
          resource: Schema.String,
          id: Schema.UUID,
          remote_id: Schema.String,
          modified_at: Schema.NullOr(Schema.DateFromSelf)
        }),
        shown: (row) => ({
          connectionId: row.connection_id,
          resource: row.resource,
          id: row.id,
          remoteId: row.remote_id,
          modifiedAt: row.modified_at
        })
      }),
      ownRows({
        slug: "watchedConnections",
        table: "watched_connections",
        with: ["watched_resources"],
        where,
        columns: "t.connection_id, t.since",
        oldestBy: "t.since, t.connection_id",
        row: Schema.Struct({ connection_id: Schema.UUID, since: Schema.DateFromSelf }),
        shown: (row) => ({ connectionId: row.connection_id, since: row.since })
      })
    ])
  })
)
