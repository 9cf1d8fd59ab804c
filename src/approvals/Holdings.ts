import { SqlClient } from "@effect/sql"
import { Effect, Redacted, Schema } from "effect"
import { Encryption } from "../platform/Encryption.ts"
import { holdings, ownRows } from "../tenancy/PersonalData.ts"
import { parse, associatedDataOf } from "./Approvals.ts"

/** Holds calls of agents for end users that needed consent, with their arguments. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encryption = yield* Encryption
    return [
      yield* ownRows({
        slug: "approvals",
        table: "approvals",
        where: ({ endUserId, environment, organisation }) => sql`
          t.organisation_id = ${organisation} and t.environment = ${environment} and t.end_user = ${endUserId}`,
        columns: `t.id, t.workspace_id, t.connection_id, t.tool, t.arguments, t.status, t.decided_by, t.created_at,
          t.decided_at`,
        oldestBy: "t.sequence",
        row: Schema.Struct({
          id: Schema.UUID,
          workspace_id: Schema.UUID,
          connection_id: Schema.NullOr(Schema.UUID),
          tool: Schema.String,
          arguments: Schema.String,
          status: Schema.String,
          decided_by: Schema.NullOr(Schema.String),
          created_at: Schema.DateFromSelf,
          decided_at: Schema.NullOr(Schema.DateFromSelf)
        }),
        shown: (row) =>
          Effect.gen(function* () {
            const args = yield* encryption.decrypt(row.arguments, associatedDataOf(row.id))
            return {
              id: row.id,
              workspaceId: row.workspace_id,
              connectionId: row.connection_id,
              tool: row.tool,
              arguments: yield* parse(Redacted.value(args)),
              status: row.status,
              decidedBy: row.decided_by,
              createdAt: row.created_at,
              decidedAt: row.decided_at
            }
          }).pipe(Effect.orDie)
      })
    ]
  })
)
