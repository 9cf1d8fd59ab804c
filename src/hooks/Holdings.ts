import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { holdings, ownRows } from "../tenancy/PersonalData.ts"

/** Holds what end users' connections are subscribed to at providers. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return [
      yield* ownRows({
        slug: "pushSubscriptions",
        table: "push_subscriptions",
        where: ({ endUserId, environment, organisation }) => sql`
          t.connection_id in (
            select c.id from connections c join end_users u on u.id = c.end_user_id
            where u.organisation_id = ${organisation} and u.environment = ${environment} and u.external_id = ${endUserId})`,
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
