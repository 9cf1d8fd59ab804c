import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { endUserOfPerson } from "../tenancy/EndUsers.ts"
import { holdings, ownRows, type Person } from "../tenancy/PersonalData.ts"
import { connectionsOf } from "./RowsOfConnections.ts"

const Names = Schema.NullOr(Schema.Array(Schema.String))
const NullableText = Schema.NullOr(Schema.String)

/** Holds end users' connections, sessions and attempts, without credentials or tokens. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const endUser = (person: Person) => endUserOfPerson(sql, person)

    return yield* Effect.all([
      ownRows({
        slug: "connectAttempts",
        table: "connect_attempts",
        where: (person) =>
          sql`t.session_id in (select id from connect_sessions where end_user_id = ${endUser(person)})`,
        columns: "t.id, t.integration, t.status, t.message, t.choices, t.created_at",
        oldestBy: "t.created_at",
        row: Schema.Struct({
          id: Schema.UUID,
          integration: Schema.String,
          status: Schema.String,
          message: NullableText,
          choices: Schema.Unknown,
          created_at: Schema.DateFromSelf
        }),
        shown: ({ created_at, ...attempt }) => ({ ...attempt, createdAt: created_at })
      }),
      ownRows({
        slug: "connectSessions",
        table: "connect_sessions",
        where: (person) => sql`t.end_user_id = ${endUser(person)}`,
        columns: "t.id, t.integrations, t.redirect_url, t.allowed_origins, t.created_at, t.expires_at",
        oldestBy: "t.created_at",
        row: Schema.Struct({
          id: Schema.UUID,
          integrations: Names,
          redirect_url: NullableText,
          allowed_origins: Names,
          created_at: Schema.DateFromSelf,
          expires_at: Schema.DateFromSelf
        }),
        shown: (row) => ({
          id: row.id,
          integrations: row.integrations,
          redirectUrl: row.redirect_url,
          allowedOrigins: row.allowed_origins,
          createdAt: row.created_at,
          expiresAt: row.expires_at
        })
      }),
      ownRows({
        slug: "sandboxAccounts",
        table: "simulated_accounts",
        with: ["simulated_records", "simulated_removals"],
        where: (person) => sql`(
          t.end_user_id = ${endUser(person)} or t.account in (select id::text from (${connectionsOf(sql, person)}) as own))`,
        columns: `t.provider, t.account, coalesce((
          select jsonb_agg(jsonb_build_object('type', r.type, 'id', r.id, 'record', r.body) order by r.type, r.id)
          from simulated_records r
          where r.provider = t.provider and r.account = t.account and r.type !~ '^(oauth_|seed$)'
        ), '[]') as records`,
        oldestBy: "t.provider, t.account",
        row: Schema.Struct({ provider: Schema.String, account: Schema.String, records: Schema.Unknown }),
        shown: (row) => row
      }),
      ownRows({
        slug: "lookedUpValues",
        table: "lookups",
        where: (person) => sql`t.connection_id in (${connectionsOf(sql, person)})`,
        columns: "t.connection_id, t.name, t.good_until",
        oldestBy: "t.connection_id, t.name",
        row: Schema.Struct({
          connection_id: Schema.UUID,
          name: Schema.String,
          good_until: Schema.NullOr(Schema.DateFromSelf)
        }),
        shown: (row) => ({ connectionId: row.connection_id, name: row.name, goodUntil: row.good_until })
      }),
      ownRows({
        slug: "recordIds",
        table: "identities",
        where: (person) => sql`t.connection_id in (${connectionsOf(sql, person)})`,
        columns: "t.connection_id, t.id, t.category, t.resource, t.native_type, t.remote_id, t.first_seen_at",
        oldestBy: "t.first_seen_at, t.id",
        row: Schema.Struct({
          connection_id: Schema.UUID,
          id: Schema.UUID,
          category: Schema.String,
          resource: Schema.String,
          native_type: Schema.String,
          remote_id: Schema.String,
          first_seen_at: Schema.DateFromSelf
        }),
        shown: (row) => ({
          connectionId: row.connection_id,
          id: row.id,
          category: row.category,
          resource: row.resource,
          nativeType: row.native_type,
          remoteId: row.remote_id,
          firstSeenAt: row.first_seen_at
        })
      }),
      ownRows({
        slug: "connections",
        table: "connections",
        where: (person) => sql`t.end_user_id = ${endUser(person)}`,
        shownWhere: sql`t.status <> 'revoked'`,
        columns:
          "t.id, t.provider, t.account_id, t.account_name, t.scopes, t.status, t.status_reason, t.reauth_by, t.created_at, t.updated_at",
        oldestBy: "t.created_at, t.id",
        row: Schema.Struct({
          id: Schema.UUID,
          provider: Schema.String,
          account_id: NullableText,
          account_name: NullableText,
          scopes: Names,
          status: Schema.String,
          status_reason: NullableText,
          reauth_by: Schema.NullOr(Schema.DateFromSelf),
          created_at: Schema.DateFromSelf,
          updated_at: Schema.DateFromSelf
        }),
        shown: (row) => ({
          id: row.id,
          provider: row.provider,
          accountId: row.account_id,
          accountName: row.account_name,
          scopes: row.scopes,
          status: row.status,
          statusReason: row.status_reason,
          reauthBy: row.reauth_by,
          createdAt: row.created_at,
          updatedAt: row.updated_at
        })
      })
    ])
  })
)
