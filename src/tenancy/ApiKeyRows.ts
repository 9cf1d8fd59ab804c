import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Environment, type Tenant } from "./CurrentCaller.ts"

const NewRow = Schema.Struct({
  id: Schema.String,
  organisation: Schema.String,
  environment: Environment,
  prefix: Schema.String,
  hash: Schema.Uint8ArrayFromSelf,
  name: Schema.NullOr(Schema.String),
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  /** ISO 8601 date-time. */
  expiresAt: Schema.NullOr(Schema.String),
  createdBy: Schema.NullOr(Schema.String)
})

const ApiKeyRow = Schema.Struct({
  id: Schema.String,
  organisation_id: Schema.String,
  environment: Environment,
  name: Schema.NullOr(Schema.String),
  prefix: Schema.String,
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  created_by: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf,
  expires_at: Schema.NullOr(Schema.DateFromSelf),
  last_used_at: Schema.NullOr(Schema.DateFromSelf),
  revoked_at: Schema.NullOr(Schema.DateFromSelf)
})
export type ApiKeyRow = typeof ApiKeyRow.Type

/** A key that is not revoked, as looked up for a request. */
const FoundKey = Schema.Struct({
  id: Schema.String,
  organisation_id: Schema.String,
  environment: Environment,
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  expires_at: Schema.NullOr(Schema.DateFromSelf),
  is_expired: Schema.Boolean,
  is_use_due: Schema.Boolean,
  mapping_revision: Schema.String
})
export type FoundKey = typeof FoundKey.Type

const columns = `id, organisation_id, environment, name, prefix, scopes, created_by, created_at, expires_at,
  last_used_at, revoked_at`

/** The statements on `api_keys`. */
export const apiKeyRows = Effect.map(SqlClient.SqlClient, (sql) => {
  const all = sql.literal(columns)

  const isActive = sql`revoked_at is null and (expires_at is null or expires_at > now())`

  const ofTenant = ({ environment, organisation }: Tenant) =>
    sql`organisation_id = ${organisation} and environment = ${environment}`

  /** Revokes those keys whose ids a query gives, if not yet revoked. */
  const revoked = (ids: Statement.Fragment) =>
    sql`update api_keys set revoked_at = now() where id in (${ids}) and revoked_at is null returning id, hash`

  const Revoked = Schema.Struct({ id: Schema.String, hash: Schema.Uint8ArrayFromSelf })

  return {
    /** Whether anybody has a key. */
    isAny: Effect.map(sql`select id from api_keys limit 1`, (rows) => rows.length > 0),

    /** Active keys, counted up to a limit. */
    held: (tenant: Tenant) => (limit: number) => sql`
      select count(*)::int as held from (
        select from api_keys where ${ofTenant(tenant)} and ${isActive} limit ${limit}) as active`,

    insert: SqlSchema.single({
      Request: NewRow,
      Result: ApiKeyRow,
      execute: (row) => sql`
        insert into api_keys (id, organisation_id, environment, prefix, hash, name, scopes, expires_at, created_by)
        values (${row.id}, ${row.organisation}, ${row.environment}, ${row.prefix}, ${row.hash}, ${row.name},
                ${row.scopes}::text[], ${row.expiresAt}::timestamptz, ${row.createdBy}::uuid)
        returning ${all}`
    }),

    /** Whether a time is past, by the clock that keys expire by. */
    isPast: SqlSchema.single({
      Request: Schema.String,
      Result: Schema.Struct({ is_past: Schema.Boolean }),
      execute: (at) => sql`select ${at}::timestamptz <= now() as is_past`
    }),

    page: SqlSchema.findAll({
      Request: Schema.Struct({
        organisation: Schema.String,
        environment: Schema.NullOr(Environment),
        after: Schema.NullOr(Schema.String),
        take: Schema.NullOr(Schema.Int)
      }),
      Result: ApiKeyRow,
      execute: ({ after, environment, organisation, take }) => sql`
        select ${all} from api_keys
        where organisation_id = ${organisation}
          and (${environment}::text is null or environment = ${environment})
          and (${after}::uuid is null or (created_at, id) < (
            select created_at, id from api_keys where id = ${after}::uuid and organisation_id = ${organisation}))
        order by created_at desc, id desc
        limit ${take}`
    }),

    one: SqlSchema.single({
      Request: Schema.String,
      Result: ApiKeyRow,
      execute: (id) => sql`select ${all} from api_keys where id = ${id}`
    }),

    /** The key of that id, if it is active. */
    active: SqlSchema.findOne({
      Request: Schema.Struct({ id: Schema.String, organisation: Schema.String, environment: Environment }),
      Result: Schema.Struct({ expires_at: Schema.NullOr(Schema.DateFromSelf) }),
      execute: ({ id, ...tenant }) => sql`
        select expires_at from api_keys where id = ${id} and ${ofTenant(tenant)} and ${isActive}`
    }),

    /** The organisation of a key, within a tenant if one is given. */
    organisationOf: SqlSchema.findOne({
      Request: Schema.Struct({
        id: Schema.String,
        within: Schema.UndefinedOr(Schema.Struct({ organisation: Schema.String, environment: Environment }))
      }),
      Result: Schema.Struct({ organisation_id: Schema.String }),
      execute: ({ id, within }) => sql`
        select organisation_id from api_keys
        where id = ${id} and ${within === undefined ? sql`true` : ofTenant(within)}`
    }),

    /** Revokes a key with those that were made with it, and so on. */
    revoke: SqlSchema.findAll({
      Request: Schema.String,
      Result: Revoked,
      execute: (id) =>
        revoked(sql`
          with recursive made as (
            select id from api_keys where id = ${id}
            union
            select k.id from api_keys k join made m on k.created_by = m.id
          )
          select id from made`)
    }),

    /** Revokes all keys of an organisation. */
    revokeAll: SqlSchema.findAll({
      Request: Schema.String,
      Result: Revoked,
      execute: (organisation) => revoked(sql`select id from api_keys where organisation_id = ${organisation}`)
    }),

    find: SqlSchema.findOne({
      Request: Schema.Uint8ArrayFromSelf,
      Result: FoundKey,
      execute: (hash) => sql`
        select k.id, k.organisation_id, k.environment, k.scopes, k.expires_at,
          coalesce(k.expires_at <= now(), false) as is_expired,
          case when k.expires_at <= now() then k.expired_use_at is null or k.expired_use_at < now() - interval '1 day'
            else k.last_used_at is null or k.last_used_at < now() - interval '1 minute' end as is_use_due,
          o.mapping_revision::text
        from api_keys k join organisations o on o.id = k.organisation_id
        where k.hash = ${hash} and k.revoked_at is null`
    }),

    /** Notes that a key was used, to the minute. */
    used: (id: string) => sql`
      update api_keys set last_used_at = now()
      where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`,

    /** Notes that a key was used after it expired, once a day; whether this was the time. */
    usedExpired: (id: string) =>
      Effect.map(
        sql`
          update api_keys set expired_use_at = now()
          where id = ${id} and (expired_use_at is null or expired_use_at < now() - interval '1 day')
          returning id`,
        (rows) => rows.length > 0
      )
  }
})
