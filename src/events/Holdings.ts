import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { holdings, ownRows } from "../tenancy/PersonalData.ts"

/** Holds the events that name an end user. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return [
      yield* ownRows({
        slug: "events",
        table: "events",
        where: ({ endUserId, environment, organisation }) => sql`
          t.organisation_id = ${organisation} and t.environment = ${environment} and t.end_user = ${endUserId}`,
        columns: "t.id, t.type, t.data, t.at",
        oldestBy: "t.sequence",
        row: Schema.Struct({ id: Schema.UUID, type: Schema.String, data: Schema.Unknown, at: Schema.DateFromSelf }),
        shown: ({ at, ...event }) => ({ ...event, timestamp: at })
      })
    ]
  })
)
