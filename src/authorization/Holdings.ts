import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { endUserOfPerson } from "../tenancy/EndUsers.ts"
import { holdings, ownRows } from "../tenancy/PersonalData.ts"

const NullableText = Schema.NullOr(Schema.String)

/** Holds what end users let programs do, and the ways there that are under way, without tokens. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return yield* Effect.all([
      ownRows({
        slug: "grants",
        table: "mcp_grants",
        // both go with their grant
        with: ["oauth_records", "mcp_sign_ins"],
        where: (person) => sql`t.end_user_id = ${endUserOfPerson(sql, person)}`,
        columns: `t.id, t.workspace_id, t.origin, t.client_name, t.redirect_host, t.scopes, t.created_at, t.last_used_at,
          t.expires_at, t.revoked_at`,
        oldestBy: "t.created_at",
        row: Schema.Struct({
          id: Schema.UUID,
          workspace_id: Schema.UUID,
          origin: Schema.String,
          client_name: NullableText,
          redirect_host: NullableText,
          scopes: Schema.Array(Schema.String),
          created_at: Schema.DateFromSelf,
          last_used_at: Schema.NullOr(Schema.DateFromSelf),
          expires_at: Schema.DateFromSelf,
          revoked_at: Schema.NullOr(Schema.DateFromSelf)
        }),
        shown: (row) => ({
          id: row.id,
          workspaceId: row.workspace_id,
          origin: row.origin,
          clientName: row.client_name,
          redirectHost: row.redirect_host,
          scopes: row.scopes,
          createdAt: row.created_at,
          lastUsedAt: row.last_used_at,
          expiresAt: row.expires_at,
          revokedAt: row.revoked_at
        })
      })
    ])
  })
)
