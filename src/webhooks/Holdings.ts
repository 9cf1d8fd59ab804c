import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { holdings, ownRows } from "../tenancy/PersonalData.ts"

/** Holds the deliveries of events that name an end user. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return [
      yield* ownRows({
        slug: "webhookDeliveries",
        table: "webhook_deliveries",
        where: ({ endUserId, environment, organisation }) => sql`
          t.event_id in (
            select id from events
            where organisation_id = ${organisation} and environment = ${environment} and end_user = ${endUserId})`,
        columns: "t.id::text, t.webhook_id, t.event_id, t.status, t.attempts, t.attempted_at",
        oldestBy: "t.created_at, t.id",
        row: Schema.Struct({
          id: Schema.String,
          webhook_id: Schema.UUID,
          event_id: Schema.UUID,
          status: Schema.String,
          attempts: Schema.Int,
          attempted_at: Schema.NullOr(Schema.DateFromSelf)
        }),
        shown: ({ attempted_at, event_id, webhook_id, ...delivery }) => ({
          ...delivery,
          webhookId: webhook_id,
          eventId: event_id,
          attemptedAt: attempted_at
        })
      })
    ]
  })
)
