import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { warnedAt } from "./ReauthBy.ts"
import { withoutRows } from "./RowsOfConnections.ts"

const Texts = Schema.Array(Schema.String)

/** `needs_reauth`: the provider refuses its credentials, so the end user must connect again. */
export const Status = Schema.Literal("active", "needs_reauth")
export type Status = typeof Status.Type

/** A connection that was not removed, with its end user's external id. */
const ConnectionRow = Schema.Struct({
  id: Schema.String,
  organisation_id: Schema.String,
  environment: Environment,
  end_user_id: Schema.String,
  external_id: Schema.String,
  provider: Schema.String,
  status: Status,
  status_reason: Schema.NullOr(Schema.String),
  account_name: Schema.NullOr(Schema.String),
  account_id: Schema.NullOr(Schema.String),
  scopes: Schema.NullOr(Texts),
  reauth_by: Schema.NullOr(Schema.DateFromSelf),
  created_at: Schema.DateFromSelf,
  version: Schema.Int
})
export type ConnectionRow = typeof ConnectionRow.Type

/** Columns of `connections c` and `end_users u`. */
const columns = `c.id, c.organisation_id, c.environment, c.end_user_id, u.external_id, c.provider, c.status,
  c.status_reason, c.account_name, c.account_id, c.scopes, c.reauth_by, c.created_at, c.version`

const TenantKey = Schema.Struct({ organisation: Schema.String, environment: Environment })

/** Sealed credentials, and when they end. */
const Sealed = Schema.Struct({
  credentials: Schema.String,
  reauthBy: Schema.NullOr(Schema.DateFromSelf),
  warned: Schema.NullOr(Schema.Int)
})

const Account = Schema.Struct({
  accountName: Schema.NullOr(Schema.String),
  accountId: Schema.NullOr(Schema.String),
  scopes: Schema.NullOr(Texts)
})

/** How many connections to a provider have a status. */
const Health = Schema.Struct({
  /** Slug. */
  provider: Schema.String,
  status: Status,
  count: Schema.Int,
  /** Those of them that end within a week. */
  ending: Schema.Int
})
export type Health = typeof Health.Type

const RemovedRow = Schema.Struct({
  id: Schema.String,
  provider: Schema.String,
  end_user_id: Schema.String,
  external_id: Schema.String,
  account_id: Schema.NullOr(Schema.String),
  credentials: Schema.String
})
export type RemovedRow = typeof RemovedRow.Type

/** Credentials as they are kept, with what else belongs to them. */
const CredentialRow = Schema.Struct({
  status: Schema.Literal("active", "needs_reauth"),
  version: Schema.Int,
  credentials: Schema.String,
  end_user_id: Schema.String,
  account_id: Schema.NullOr(Schema.String),
  refresh_state: Schema.Unknown
})

const Ending = Schema.Struct({
  id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  provider: Schema.String,
  version: Schema.Int,
  reauth_by: Schema.DateFromSelf
})
export type Ending = typeof Ending.Type

/** What a list is cut down by, and which part of it. */
const Wanted = Schema.Struct({
  ...TenantKey.fields,
  id: Schema.optional(Schema.String),
  endUserId: Schema.optional(Schema.String),
  provider: Schema.optional(Schema.String),
  status: Schema.optional(Status),
  endUsers: Schema.optional(Texts),
  after: Schema.optional(Schema.String),
  part: Schema.optional(Schema.Struct({ skip: Schema.optional(Schema.Int), take: Schema.Int }))
})

/** The statements on `connections`, with the credentials in it and the lease under which they are refreshed. */
export const connectionRows = Effect.map(SqlClient.SqlClient, (sql) => {
  const all = sql.literal(columns)

  const isAfter = ({ environment, organisation }: Tenant, id: string) => sql`
    (c.created_at, c.id) > (
      select created_at, id from connections
      where id = ${id} and organisation_id = ${organisation} and environment = ${environment})`

  return {
    list: SqlSchema.findAll({
      Request: Wanted,
      Result: ConnectionRow,
      execute: ({ after, endUserId, endUsers, environment, id, organisation, part, provider, status }) => sql`
        select ${all} from connections c join end_users u on u.id = c.end_user_id
        where ${sql.and([
          sql`c.organisation_id = ${organisation}`,
          sql`c.environment = ${environment}`,
          sql`c.status <> 'revoked'`,
          ...(id === undefined ? [] : [sql`c.id = ${id}`]),
          ...(endUserId === undefined ? [] : [sql`u.external_id = ${endUserId}`]),
          ...(provider === undefined ? [] : [sql`c.provider = ${provider}`]),
          ...(status === undefined ? [] : [sql`c.status = ${status}`]),
          ...(endUsers === undefined ? [] : [sql`c.end_user_id = any(${endUsers}::uuid[])`]),
          ...(after === undefined ? [] : [isAfter({ organisation, environment }, after)])
        ])}
        order by c.created_at, c.id
        ${part === undefined ? sql`` : sql`offset ${part.skip ?? 0} limit ${part.take}`}`
    }),

    /**
     * The end user and the connections in one statement: every call of a record needs both. No row: no end user. Without a
     * Schema, which costs an eighth of the read (docs/decisions/0009-rows.md).
     */
    ofEndUser: ({ environment, organisation }: Tenant, endUserId: string) => sql<ConnectionRow | { readonly id: null }>`
      select ${all} from end_users u
      left join connections c on c.end_user_id = u.id and c.status <> 'revoked'
      where u.organisation_id = ${organisation} and u.environment = ${environment} and u.external_id = ${endUserId}
      order by c.created_at, c.id`,

    /** The connection of that id, of whichever tenant. */
    ofAnyone: SqlSchema.findOne({
      Request: Schema.String,
      Result: ConnectionRow,
      execute: (id) => sql`
        select ${all} from connections c join end_users u on u.id = c.end_user_id
        where c.id = ${id} and c.status <> 'revoked'`
    }),

    isThere: (id: string) =>
      Effect.map(sql`select id from connections where id = ${id} and status <> 'revoked'`, (rows) => rows.length > 0),

    /** An end user's connections, counted up to a limit. */
    held: (endUser: string) => (limit: number) => sql`
      select count(*)::int as held from (
        select from connections where end_user_id = ${endUser} and status <> 'revoked' limit ${limit}) as active`,

    /** Nothing where there is no such end user. */
    insert: SqlSchema.findOne({
      Request: Schema.Struct({
        ...TenantKey.fields,
        ...Account.fields,
        ...Sealed.fields,
        id: Schema.String,
        endUser: Schema.String,
        provider: Schema.String
      }),
      Result: ConnectionRow,
      execute: (row) => sql`
        with u as (
          select id, external_id from end_users
          where id = ${row.endUser} and organisation_id = ${row.organisation} and environment = ${row.environment}
        ), c as (
          insert into connections (id, organisation_id, environment, end_user_id, provider, account_name, account_id,
            scopes, credentials, reauth_by, reauth_warned)
          select ${row.id}::uuid, ${row.organisation}::uuid, ${row.environment}, u.id, ${row.provider},
                 ${row.accountName}, ${row.accountId}, ${row.scopes}::text[],
                 ${row.credentials}, ${row.reauthBy}::timestamptz, ${row.warned}::smallint
          from u returning *
        )
        select ${all} from c, u`
    }),

    /** Gives a connection new credentials, unless they open another account; `was` is its status before. */
    reconnect: SqlSchema.findOne({
      Request: Schema.Struct({ ...TenantKey.fields, ...Account.fields, ...Sealed.fields, id: Schema.String }),
      Result: Schema.Struct({ ...ConnectionRow.fields, was: Status }),
      execute: ({
        accountId,
        accountName,
        credentials,
        environment,
        id,
        organisation,
        reauthBy,
        scopes,
        warned
      }) => sql`
        with held as (
          select id, status as was from connections
          where id = ${id} and organisation_id = ${organisation} and environment = ${environment}
          for no key update
        )
        update connections c
        set status = 'active', status_reason = null, credentials = ${credentials}, version = version + 1,
            lease_id = null, lease_until = null, account_name = coalesce(${accountName}, account_name),
            account_id = coalesce(${accountId}, account_id), scopes = ${scopes}::text[],
            reauth_by = ${reauthBy}, reauth_warned = ${warned}, updated_at = now()
        from held, end_users u
        where c.id = held.id and c.status <> 'revoked'
          and coalesce(c.account_id, ${accountId}) is not distinct from coalesce(${accountId}, c.account_id)
          and u.id = c.end_user_id
        returning ${all}, held.was`
    }),

    /** The end user's connection to an account; first one that needs to be connected again. */
    toAccount: SqlSchema.findOne({
      Request: Schema.Struct({
        ...TenantKey.fields,
        endUser: Schema.String,
        provider: Schema.String,
        accountId: Schema.String
      }),
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ accountId, endUser, environment, organisation, provider }) => sql`
        select id from connections
        where end_user_id = ${endUser} and organisation_id = ${organisation} and environment = ${environment}
          and provider = ${provider} and account_id = ${accountId} and status <> 'revoked'
        order by status = 'active', created_at, id
        limit 1`
    }),

    /** Active connections that open some accounts, of whichever tenant. */
    toAccounts: SqlSchema.findAll({
      Request: Schema.Struct({ provider: Schema.String, environment: Environment, accountIds: Texts }),
      Result: ConnectionRow,
      execute: ({ accountIds, environment, provider }) => sql`
        select ${all} from connections c join end_users u on u.id = c.end_user_id
        where c.provider = ${provider} and c.environment = ${environment} and c.status = 'active'
          and c.account_id = any(${accountIds}::text[])`
    }),

    /** Those of some accounts that connections open, or may open: null. */
    opened: SqlSchema.findAll({
      Request: Schema.Struct({
        provider: Schema.String,
        environment: Environment,
        accountIds: Texts,
        endUser: Schema.String,
        ofAnyone: Schema.Boolean
      }),
      Result: Schema.Struct({ account_id: Schema.NullOr(Schema.String) }),
      execute: ({ accountIds, endUser, environment, ofAnyone, provider }) => sql`
        select distinct account_id from connections
        where provider = ${provider} and environment = ${environment} and status <> 'revoked'
          and case when account_id is null or cardinality(${accountIds}::text[]) = 0 then end_user_id = ${endUser}
              else account_id = any(${accountIds}::text[]) and (${ofAnyone} or end_user_id = ${endUser}) end`
    }),

    health: SqlSchema.findAll({
      Request: Schema.Struct({ ...TenantKey.fields, soon: Schema.DateFromSelf }),
      Result: Health,
      execute: ({ environment, organisation, soon }) => sql`
        select provider, status, count(*)::int as count,
               (count(*) filter (where status = 'active' and reauth_by <= ${soon}))::int as ending
        from connections
        where organisation_id = ${organisation} and environment = ${environment} and status <> 'revoked'
        group by provider, status order by provider, status`
    }),

    /**
     * Removes the connection of that id, or those of an end user, or all, with what is stored of them. The version moves on,
     * so that a refresh under way cannot bring credentials back.
     */
    remove: SqlSchema.findAll({
      Request: Schema.Struct({
        ...TenantKey.fields,
        which: Schema.Union(
          Schema.Struct({ id: Schema.String }),
          Schema.Struct({ endUserId: Schema.String }),
          Schema.Literal("all")
        )
      }),
      Result: RemovedRow,
      execute: ({ environment, organisation, which }) => sql`
        with held as (
          select c.id, c.credentials, c.account_id, u.external_id
          from connections c join end_users u on u.id = c.end_user_id
          where c.organisation_id = ${organisation} and c.environment = ${environment} and c.status <> 'revoked'
            and ${which === "all" ? sql`true` : "id" in which ? sql`c.id = ${which.id}` : sql`u.external_id = ${which.endUserId}`}
          -- in the order in which everybody locks several
          order by c.id for update of c
        ), ${withoutRows(sql, sql`select id from held`)}
        update connections c
        set status = 'revoked', status_reason = null, credentials = '', account_name = null, account_id = null,
            scopes = null, reauth_by = null, reauth_warned = null, lease_id = null, lease_until = null,
            version = version + 1, updated_at = now()
        from held
        where c.id = held.id
        returning c.id, c.provider, c.end_user_id, held.external_id, held.account_id, held.credentials`
    }),

    /** The version moves on, so that nobody goes on with the credentials as they remember them. */
    markNeedsReauth: SqlSchema.findOne({
      Request: Schema.Struct({
        id: Schema.String,
        environment: Environment,
        version: Schema.Int,
        reason: Schema.String
      }),
      Result: Schema.Struct({ organisation_id: Schema.String, external_id: Schema.String }),
      execute: ({ environment, id, reason, version }) => sql`
        update connections c
        set status = 'needs_reauth', status_reason = ${reason}, version = version + 1, updated_at = now()
        from end_users u
        where c.id = ${id} and c.environment = ${environment}
          and c.version = ${version} and c.status = 'active' and u.id = c.end_user_id
        returning c.organisation_id, u.external_id`
    }),

    /** Erases the accounts that version 0.1.0 leaves of some removed connections. */
    leftAccounts: sql`
      update connections set account_name = null, account_id = null, scopes = null, status_reason = null
      where id in (
        select id from connections
        where status = 'revoked' and num_nonnulls(account_name, account_id, scopes, status_reason) > 0
        limit 1000)
      returning id`,

    /** Those of all tenants. */
    counts: SqlSchema.findAll({
      Request: Schema.Void,
      Result: Schema.Struct({ provider: Schema.String, status: Schema.String, count: Schema.Int }),
      execute: () => sql`select provider, status, count(*)::int as count from connections group by provider, status`
    }),

    /** Keeps a connection from being removed until the running transaction ends. */
    keep: (id: string) => sql`select from connections where id = ${id} for share`,

    credentials: SqlSchema.findOne({
      Request: Schema.Struct({ id: Schema.String, environment: Environment, provider: Schema.String }),
      Result: CredentialRow,
      execute: ({ environment, id, provider }) => sql`
        select status, version, credentials, end_user_id, account_id, refresh_state from connections
        where id = ${id} and environment = ${environment} and provider = ${provider} and status <> 'revoked'`
    }),

    /**
     * Takes the lease; false while another refresher has it, or one of another process failed a moment ago (`isNoted`: the
     * failure was this process's own, which knows that its time is over), or when the credentials were replaced.
     */
    takeLease: ({ id }: ConnectionRef, version: number, lease: string, seconds: number, isNoted: boolean) =>
      Effect.map(
        sql`
          update connections set lease_id = ${lease}, lease_until = now() + ${seconds} * interval '1 second'
          where id = ${id} and version = ${version} and status = 'active'
            and (lease_until is null or lease_until < now() or (${isNoted} and lease_id is null))
          returning version`,
        (rows) => rows.length > 0
      ),

    /** Extends the lease while the refresh is running. */
    extendLease: ({ id }: ConnectionRef, lease: string, seconds: number) => sql`
      update connections set lease_until = now() + ${seconds} * interval '1 second'
      where id = ${id} and lease_id = ${lease}`,

    /** Stores the refresh state before the token request is sent. */
    noteRefresh: ({ id }: ConnectionRef, lease: string, state: string) => sql`
      update connections set refresh_state = ${state}::jsonb where id = ${id} and lease_id = ${lease}`,

    /** Ends the lease. A failure keeps the others from asking too: they find the time for that without a lease. */
    releaseLease: ({ id }: ConnectionRef, lease: string, seconds: number, state: string | null) => sql`
      update connections
      set lease_id = null, refresh_state = coalesce(${state}::jsonb, refresh_state),
          lease_until = case when ${seconds} > 0 then now() + ${seconds} * interval '1 second' end
      where id = ${id} and lease_id = ${lease}`,

    /** Seconds until another process's refresh that failed may be repeated; nothing when none has failed just now. */
    leftOfFailure: SqlSchema.findOne({
      Request: Schema.Struct({ id: Schema.String, environment: Environment }),
      Result: Schema.Struct({ left: Schema.Number }),
      execute: ({ environment, id }) => sql`
        select extract(epoch from lease_until - now())::float8 as left from connections
        where id = ${id} and environment = ${environment} and lease_id is null and lease_until > now()`
    }),

    /** Replaces a version, be it refused meanwhile, and ends the lease; false when it is not there any more. */
    replaceCredentials: (
      { id }: ConnectionRef,
      version: number,
      credentials: string,
      end: { readonly reauthBy: Date | null; readonly warned: number | null },
      state: string
    ) =>
      Effect.map(
        sql`
          update connections
          set credentials = ${credentials}, version = version + 1, status = 'active', status_reason = null,
              reauth_warned = case when reauth_by is distinct from ${end.reauthBy} then ${end.warned} else reauth_warned end,
              reauth_by = ${end.reauthBy}, lease_id = null, lease_until = null, refresh_state = ${state}::jsonb,
              updated_at = now()
          where id = ${id} and status <> 'revoked'
            and (version = ${version} or (version = ${version + 1} and status = 'needs_reauth'))
          returning version`,
        (rows) => rows.length > 0
      ),

    /** Takes the active connections that end soon and were not warned of, and notes that they are now. */
    ending: SqlSchema.findAll({
      Request: Schema.DateFromSelf,
      Result: Ending,
      execute: (now) => {
        const inDays = (days: number) => sql`${now}::timestamptz + ${days} * interval '1 day'`
        return sql`
          update connections
          set reauth_warned = case when reauth_by <= ${inDays(warnedAt.late)} then ${warnedAt.late}::int else ${warnedAt.early}::int end
          where status = 'active' and reauth_by > ${now} and reauth_by <= ${inDays(warnedAt.early)}
            and (reauth_warned is null or (reauth_warned > ${warnedAt.late} and reauth_by <= ${inDays(warnedAt.late)}))
          returning id, organisation_id, environment, provider, version, reauth_by`
      }
    })
  }
})
