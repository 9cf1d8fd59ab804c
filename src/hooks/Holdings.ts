import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { connectionsOf } from "../connections/RowsOfConnections.ts"
import { holdings, ownRows } from "../tenancy/PersonalData.ts"

/** Holds what end users' connections are subscribed to at providers. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return [
      yield* ownRows({
        slug: "pushSubscriptions",
        table: "push_subscriptions",
        where: (person) => sql`t.connection_id in (${connectionsOf(sql, person)})`,
        columns: "t.connection_id, t.type, t.expires_at, t.created_at",
        oldestBy: "t.created_at, t.id",
        row: Schema.Struct({
          connection_id: Schema.UUID,
          type: Schema.String,
          expires_at: Schema.NullOr(Schema.DateFromSelf),
          created_at: Schema.DateFromSelf
        }),
        shown: (row) => ({
          connectionId: row.connection_id,
          type: row.type,
          expiresAt: row.expires_at,
          createdAt: row.created_at
        })
      })
    ]
  })
)
