import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"

const NullableText = Schema.NullOr(Schema.String)

const GrantRow = Schema.Struct({
  id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  workspace_id: Schema.UUID,
  workspace_name: Schema.String,
  end_user_id: Schema.UUID,
  external_id: Schema.String,
  origin: Schema.Literal("host", "organisation"),
  client_name: NullableText,
  redirect_host: NullableText,
  scopes: Schema.Array(Schema.String),
  tools: Schema.NullOr(Schema.Array(Schema.String)),
  created_at: Schema.DateFromSelf,
  last_used_at: Schema.NullOr(Schema.DateFromSelf),
  expires_at: Schema.DateFromSelf,
  revoked_at: Schema.NullOr(Schema.DateFromSelf)
})
export type GrantRow = typeof GrantRow.Type

export interface NewGrant extends Tenant {
  readonly workspaceId: string
  /** UUID of the end user. */
  readonly endUser: string
  readonly origin: GrantRow["origin"]
  readonly client?: { readonly id: string; readonly name: string; readonly redirectHost: string }
  readonly scopes: ReadonlyArray<string>
  readonly tools?: ReadonlyArray<string> | undefined
  /** UUID of the key with which it ends. */
  readonly key: string | null
  /** Seconds; what an organisation makes ends no later than its key. */
  readonly lifetime: number
}

const columns = `g.id, g.organisation_id, g.environment, g.workspace_id, w.name as workspace_name, g.end_user_id,
  u.external_id, g.origin, g.client_name, g.redirect_host, g.scopes, g.tools, g.created_at, g.last_used_at, g.expires_at,
  g.revoked_at`

/** Follows `select` to tell whether a grant `g` is in force: nobody ended it, its workspace or its key. */
export const grantInForce = (sql: SqlClient.SqlClient, which: Statement.Fragment) => sql`
  from mcp_grants g join workspaces w on w.id = g.workspace_id left join api_keys k on k.id = g.api_key_id
  where ${which} and g.consented_at is not null and g.revoked_at is null and g.expires_at > now()
    and w.status = 'active' and k.revoked_at is null`

/** The statements on `mcp_grants`. */
export const grantRows = Effect.map(SqlClient.SqlClient, (sql) => {
  const select = (where: Statement.Fragment) => sql`
    select ${sql.literal(columns)} from mcp_grants g join workspaces w on w.id = g.workspace_id
    join end_users u on u.id = g.end_user_id where ${where}`

  return {
    insert: (id: string, grant: NewGrant) => sql`
      insert into mcp_grants (id, organisation_id, environment, workspace_id, end_user_id, origin, client_id,
        client_name, redirect_host, scopes, tools, api_key_id, expires_at)
      select ${id}::uuid, ${grant.organisation}::uuid, ${grant.environment}, ${grant.workspaceId}::uuid,
        ${grant.endUser}::uuid, ${grant.origin}, ${grant.client?.id ?? null}, ${grant.client?.name ?? null},
        ${grant.client?.redirectHost ?? null}, ${grant.scopes}::text[], ${grant.tools ?? null}::text[],
        ${grant.key}::uuid,
        least(now() + ${grant.lifetime} * interval '1 second',
          (select expires_at from api_keys where id = ${grant.key}::uuid and ${grant.origin} = 'organisation'))`,

    consent: (id: string, scopes: ReadonlyArray<string> | undefined) => sql`
      update mcp_grants
      set consented_at = coalesce(consented_at, now()), scopes = coalesce(${scopes ?? null}::text[], scopes)
      where id = ${id} and revoked_at is null`,

    /** Notes that a grant was used, to the minute. */
    used: (id: string) => sql`
      update mcp_grants set last_used_at = now()
      where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`,

    /** Ends a grant; undefined: of whichever tenant. */
    end: (id: string, tenant: Tenant | undefined) => sql`
      update mcp_grants set revoked_at = coalesce(revoked_at, now())
      where id = ${id} and ${
        tenant === undefined
          ? sql`true`
          : sql`organisation_id = ${tenant.organisation} and environment = ${tenant.environment}`
      }
      returning 1`,

    /** An authorization that was not finished leaves nothing; what ended stays listed for a while. */
    prune: sql`
      delete from mcp_grants where expires_at < now() - interval '30 days'
        or revoked_at < now() - interval '90 days'
        or (consented_at is null and created_at < now() - interval '1 hour')`,

    one: SqlSchema.findOne({
      Request: Schema.UUID,
      Result: GrantRow,
      execute: (id) => select(sql`g.id = ${id}`)
    }),

    page: SqlSchema.findAll({
      Request: Schema.Struct({
        organisation: Schema.String,
        environment: Environment,
        after: Schema.NullOr(Schema.String),
        endUserId: Schema.NullOr(Schema.String),
        take: Schema.Int
      }),
      Result: GrantRow,
      execute: ({ after, endUserId, environment, organisation, take }) => sql`
        ${select(sql`
          g.organisation_id = ${organisation} and g.environment = ${environment} and g.consented_at is not null
          and (${endUserId}::text is null or u.external_id = ${endUserId})
          and (${after}::uuid is null or (g.created_at, g.id) < (
            select created_at, id from mcp_grants where id = ${after}::uuid and organisation_id = ${organisation}))`)}
        order by g.created_at desc, g.id desc limit ${take}`
    }),

    /** Those of an end user. */
    inForce: SqlSchema.findAll({
      Request: Schema.UUID,
      Result: GrantRow,
      execute: (endUser) => sql`
        ${select(sql`g.id in (select g.id ${grantInForce(sql, sql`g.end_user_id = ${endUser}`)})`)}
        order by g.created_at desc, g.id desc limit 100`
    })
  }
})
