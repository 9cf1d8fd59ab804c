import { SqlClient, type Statement } from "@effect/sql"
import { Clock, Context, Effect, Either, Layer, PubSub, type Queue, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import type { ConnectionEventType } from "../events/Event.ts"
import { Events } from "../events/Events.ts"
import { Encryption, isKeyMissing } from "../platform/Encryption.ts"
import { Conflict, NotFound } from "../platform/Errors.ts"
import { quota, refuseBeyond } from "../platform/Quota.ts"
import { allowingLongStatements } from "../platform/LongStatements.ts"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { isUuid } from "../platform/Uuid.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { Environment, Tenant } from "../tenancy/CurrentCaller.ts"
import { type Connection, connectionOf, type Row, rowColumns, type Status } from "./Connection.ts"
import { day, endOf, warnedAt } from "./ReauthBy.ts"
import { encode, parse, type StoredCredentials } from "./StoredCredentials.ts"

/** Credentials, with what is known of the account that they open. */
export interface OpenedAccount {
  readonly credentials: StoredCredentials
  readonly accountName?: string | undefined
  readonly accountId?: string | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
}

export interface NewConnection extends Tenant, OpenedAccount {
  /** UUID, when it must be known beforehand. */
  readonly id?: string
  /** UUID of an end user of the same organisation and environment. */
  readonly endUser: string
  readonly provider: string
}

/** A connection to be made, or renewed. */
export interface ConnectTarget extends Tenant {
  readonly connectionId: string
  readonly isReconnect: boolean
  /** UUID of an end user of the same organisation and environment. */
  readonly endUser: string
  /** Slug. */
  readonly integration: string
}

export interface ConnectionFilters {
  readonly id?: string | undefined
  /** The organisation's own name for the end user. */
  readonly endUserId?: string | undefined
  readonly provider?: string | undefined
  readonly status?: Status | undefined
  /** UUIDs of end users. */
  readonly endUsers?: ReadonlyArray<string> | undefined
  /** UUID of the connection that those given come after; it may have been removed meanwhile. */
  readonly after?: string | undefined
  /** Only a part of them: after so many, so many. */
  readonly part?: { readonly skip?: number; readonly take: number } | undefined
}

/** Accounts at a provider, some of which connections may open. */
export interface AccountsAt {
  /** Slug. */
  readonly provider: string
  readonly environment: Environment
  /** As the provider tells them apart; none when it is not known which are meant, so that any may be. */
  readonly accountIds: ReadonlyArray<string>
  /** UUID of the end user whose connections may open any, where it is not known what they open. */
  readonly endUser: string
  /** Whether other end users' connections count, those of other organisations too. */
  readonly ofAnyone: boolean
}

/** A connection as it was before its removal. */
export interface Removed {
  readonly id: string
  /** Slug. */
  readonly provider: string
  readonly environment: Environment
  /** UUID of the end user. */
  readonly endUser: string
  readonly accountId: string | null
  /** Undefined where they are damaged. */
  readonly credentials: StoredCredentials | undefined
}

/** How many connections to a provider have a status. */
export interface Health {
  /** Slug. */
  readonly provider: string
  readonly status: Status
  readonly count: number
  /** Those of them that end within a week. */
  readonly ending: number
}

/** Where a connection's credentials belong; sealed for it, they do not open anywhere else. */
export const placeOf = (id: string) => `connections/${id}`

/**
 * The connections that were not removed. A removed one, and another organisation's or environment's, is not there. What
 * happens to them is told in the feed of events.
 */
export class Connections extends Context.Tag("tributary/connections/Connections")<
  Connections,
  {
    /** Oldest first, by the organisation's own name for the end user; undefined when there is no such end user. */
    readonly ofEndUser: (tenant: Tenant, endUserId: string) => Effect.Effect<ReadonlyArray<Connection> | undefined>
    readonly get: (tenant: Tenant, id: string) => Effect.Effect<Connection, NotFound>
    /**
     * The connection that an end user means to renew; undefined when they mean none. Another end user's, and one to another
     * provider, is not there.
     */
    readonly owned: (
      tenant: Tenant,
      endUser: string,
      provider: string,
      id: string | undefined
    ) => Effect.Effect<Connection | undefined, NotFound>
    /** Oldest first. */
    readonly list: (tenant: Tenant, filters?: ConnectionFilters) => Effect.Effect<ReadonlyArray<Connection>>
    /** By provider. */
    readonly health: (tenant: Tenant) => Effect.Effect<ReadonlyArray<Health>>
    /** Fails with `QUOTA_EXCEEDED` when the end user has as many connections as they may. */
    readonly create: (connection: NewConnection) => Effect.Effect<Connection, NotFound | Conflict>
    /**
     * Makes a connection. Where the end user has connected the account already, that connection is given the new
     * credentials and made active again instead, however many come back at once. A reconnect means one connection; it fails
     * with `Conflict` when the credentials open another account than before, or as `create` does.
     */
    readonly connect: (target: ConnectTarget, account: OpenedAccount) => Effect.Effect<Connection, NotFound | Conflict>
    /** Those of some accounts that a connection opens, or, where it is not known what it opens, may open: null. */
    readonly opened: (accounts: AccountsAt) => Effect.Effect<ReadonlyArray<string | null>>
    /**
     * Takes it out of use and erases what is stored of it: credentials, which are given a last time unless they are damaged,
     * the account, the ids of its records. Its own id and provider stay until the end user is erased. Where the credentials'
     * key is missing, nothing is changed, so that whoever puts it back has lost nothing.
     */
    readonly remove: (tenant: Tenant, id: string) => Effect.Effect<Removed, NotFound>
    /** Removes all of an end user's, by the organisation's own name for them; without one, everybody's. */
    readonly removeAll: (tenant: Tenant, endUserId?: string) => Effect.Effect<ReadonlyArray<Removed>>
    /** Whether there is a connection of that id, of whichever tenant. */
    readonly isThere: (id: string) => Effect.Effect<boolean>
    /** The active ones that open some accounts, of whichever tenant: for what a provider tells of its accounts only. */
    readonly toAccounts: (
      accounts: Pick<AccountsAt, "provider" | "environment" | "accountIds">
    ) => Effect.Effect<ReadonlyArray<Connection>>
    /** The connection of that id, of whichever tenant: for the operator's commands only. */
    readonly ofAnyone: (id: string) => Effect.Effect<Connection, NotFound>
    /**
     * Has something when this process has made a connection, or made one active again, perhaps in a transaction that has yet
     * to commit.
     */
    readonly activated: Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope>
    /** Reads an end user's anew the next time. */
    readonly forget: (tenant: Tenant, endUserId: string) => Effect.Effect<void>
    /** Notes that the provider refuses these credentials; changes nothing when they were replaced meanwhile. */
    readonly markNeedsReauth: (connection: ConnectionRef, version: number, reason: string) => Effect.Effect<void>
    /** Re-encrypts credentials that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.effect(
    Connections,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const events = yield* Events
      const limits = yield* ownQuota
      const activated = yield* PubSub.sliding<void>(1)
      const recent = SingleFlightCache.make<ReadonlyArray<Connection> | undefined>({
        capacity: 10_000,
        ttl: SingleFlightCache.recent,
        metric: "connections"
      })
      const columns = sql.literal(rowColumns)

      const select = (
        tenant: Tenant,
        conditions: ReadonlyArray<Statement.Fragment>,
        part?: ConnectionFilters["part"]
      ) =>
        Effect.orDie(
          Effect.map(
            sql<Row>`
              select ${columns} from connections c join end_users u on u.id = c.end_user_id
              where ${sql.and([
                sql`c.organisation_id = ${tenant.organisation}`,
                sql`c.environment = ${tenant.environment}`,
                sql`c.status <> 'revoked'`,
                ...conditions
              ])}
              order by c.created_at, c.id
              ${part === undefined ? sql`` : sql`offset ${part.skip ?? 0} limit ${part.take}`}`,
            (rows) => rows.map(connectionOf)
          )
        )

      const tell = (
        tenant: Tenant,
        type: ConnectionEventType,
        connections: ReadonlyArray<Pick<Connection, "id" | "provider" | "endUserId">>
      ) =>
        events.publish(
          tenant,
          connections.map(({ endUserId, id, provider }) => ({ type, data: { connectionId: id, provider, endUserId } }))
        )

      const isAfter = ({ environment, organisation }: Tenant, id: string) => sql`
        (c.created_at, c.id) > (
          select created_at, id from connections
          where id = ${id} and organisation_id = ${organisation} and environment = ${environment})`

      /** The end user and the connections in one statement: every call of a record needs both. */
      const readOfEndUser = ({ environment, organisation }: Tenant, endUserId: string) =>
        sql<Row | { readonly id: null }>`
          select ${columns} from end_users u
          left join connections c on c.end_user_id = u.id and c.status <> 'revoked'
          where u.organisation_id = ${organisation} and u.environment = ${environment} and u.external_id = ${endUserId}
          order by c.created_at, c.id`.pipe(
          Effect.map((rows) =>
            rows.length === 0 ? undefined : rows.flatMap((row) => (row.id === null ? [] : [connectionOf(row)]))
          ),
          Effect.orDie,
          Effect.withSpan("Connections.ofEndUser")
        )

      const get = Effect.fn("Connections.get")(function* (tenant: Tenant, id: string) {
        const [found] = isUuid(id) ? yield* select(tenant, [sql`c.id = ${id}`]) : []
        return found ?? (yield* unknown(id))
      })

      /** Serialises additions for one end user, so that each counts the ones before it. */
      const refuseBeyondQuota = ({ endUser, environment, organisation }: NewConnection) =>
        Effect.zipRight(
          sql`
            select id from end_users
            where id = ${endUser} and organisation_id = ${organisation} and environment = ${environment}
            for no key update`,
          refuseBeyond(
            limits,
            (limit) => sql`
              select count(*)::int as held from (
                select from connections where end_user_id = ${endUser} and status <> 'revoked' limit ${limit}) as active`
          )
        )

      const create = Effect.fn("Connections.create")(
        function* (given: NewConnection) {
          yield* refuseBeyondQuota(given)
          const id = given.id ?? randomUUID()
          const credentials = yield* encryption.encrypt(encode(given.credentials), placeOf(id))
          const { reauthBy, warned } = endOf(given.credentials, yield* Clock.currentTimeMillis)
          const [row] = yield* sql<Row>`
          with u as (
            select id, external_id from end_users
            where id = ${given.endUser} and organisation_id = ${given.organisation}
              and environment = ${given.environment}
          ), c as (
            insert into connections (id, organisation_id, environment, end_user_id, provider, account_name, account_id,
              scopes, credentials, reauth_by, reauth_warned)
            select ${id}::uuid, ${given.organisation}::uuid, ${given.environment}, u.id, ${given.provider},
                   ${given.accountName ?? null}, ${given.accountId ?? null}, ${given.scopes ?? null}::text[],
                   ${credentials}, ${reauthBy}::timestamptz, ${warned}::smallint
            from u returning *
          )
          select ${columns} from c, u`
          if (row === undefined) {
            return yield* new NotFound({ code: "END_USER_NOT_FOUND", message: "There is no such end user." })
          }
          const made = connectionOf(row)
          yield* tell(given, "connection.created", [made])
          yield* PubSub.publish(activated, undefined)
          return made
        },
        sql.withTransaction,
        (creating, given) => Effect.tap(creating, ({ endUserId }) => recent.forget(nameOf(given, endUserId))),
        Effect.catchTag("SqlError", Effect.die)
      )

      const reconnect = Effect.fn("Connections.reconnect")(
        function* (tenant: Tenant, id: string, account: OpenedAccount) {
          const { accountId = null, accountName = null, credentials, scopes = null } = account
          const sealed = yield* encryption.encrypt(encode(credentials), placeOf(id))
          const { reauthBy, warned } = endOf(credentials, yield* Clock.currentTimeMillis)
          const [row] = yield* sql<Row & { readonly was: Status }>`
              with held as (
                select id, status as was from connections
                where id = ${id} and organisation_id = ${tenant.organisation} and environment = ${tenant.environment}
                for no key update
              )
              update connections c
              set status = 'active', status_reason = null, credentials = ${sealed}, version = version + 1,
                  lease_id = null, lease_until = null, account_name = coalesce(${accountName}, account_name),
                  account_id = coalesce(${accountId}, account_id), scopes = ${scopes}::text[],
                  reauth_by = ${reauthBy}, reauth_warned = ${warned}, updated_at = now()
              from held, end_users u
              where c.id = held.id and c.status <> 'revoked'
                and coalesce(c.account_id, ${accountId}) is not distinct from coalesce(${accountId}, c.account_id)
                and u.id = c.end_user_id
              returning ${columns}, held.was`
          if (row === undefined) return yield* otherAccount(yield* get(tenant, id))
          const connection = connectionOf(row)
          if (row.was === "needs_reauth") {
            yield* tell(tenant, "connection.restored", [connection])
            yield* PubSub.publish(activated, undefined)
          }
          return connection
        },
        sql.withTransaction,
        (renewing, tenant) => Effect.tap(renewing, ({ endUserId }) => recent.forget(nameOf(tenant, endUserId))),
        Effect.catchTag("SqlError", Effect.die)
      )

      /** Makes the connection, unless the end user has one to the account: that is renewed. */
      const connect = (target: ConnectTarget, account: OpenedAccount & { readonly accountId: string }) =>
        Effect.gen(function* () {
          const { connectionId, endUser, environment, integration, organisation } = target
          // whoever comes back at the same time waits, and finds what was made here
          yield* sql`
            select id from end_users
            where id = ${endUser} and organisation_id = ${organisation} and environment = ${environment}
            for no key update`
          const [known] = yield* sql<{ readonly id: string }>`
            select id from connections
            where end_user_id = ${endUser} and organisation_id = ${organisation} and environment = ${environment}
              and provider = ${integration} and account_id = ${account.accountId} and status <> 'revoked'
            order by status = 'active', created_at, id
            limit 1`
          return yield* known === undefined
            ? create({ ...account, id: connectionId, organisation, environment, endUser, provider: integration })
            : reconnect(target, known.id, account)
        }).pipe(
          sql.withTransaction,
          // what was read before the change took effect may be remembered
          Effect.tap((connection) => recent.forget(nameOf(target, connection.endUserId))),
          Effect.catchTag("SqlError", Effect.die),
          Effect.withSpan("Connections.connect")
        )

      const removedOf = ({ environment }: Tenant, row: RemovedRow): Effect.Effect<Removed> =>
        Effect.map(
          Either.match(encryption.decrypt(row.credentials, placeOf(row.id)), {
            onLeft: (error) => (isKeyMissing(error) ? Effect.die(error) : Effect.succeed(undefined)),
            onRight: (text) => Effect.succeed(Either.getOrUndefined(parse(text)))
          }),
          (credentials) => ({
            id: row.id,
            provider: row.provider,
            environment,
            endUser: row.end_user_id,
            accountId: row.account_id,
            credentials
          })
        )

      const removeWhere = (tenant: Tenant, condition: Statement.Fragment) =>
        Effect.gen(function* () {
          // The version moves on, so that a refresh under way cannot bring credentials back.
          const rows = yield* sql<RemovedRow>`
            with held as (
              select c.id, c.credentials, c.account_id, u.external_id
              from connections c join end_users u on u.id = c.end_user_id
              where c.organisation_id = ${tenant.organisation} and c.environment = ${tenant.environment}
                and c.status <> 'revoked' and ${condition}
              -- in the order in which everybody locks several
              order by c.id for update of c
            ), met as (
              delete from identities where connection_id in (select id from held)
            ), looked as (
              delete from lookups where connection_id in (select id from held)
            ), subscribed as (
              delete from push_subscriptions where connection_id in (select id from held)
            ), watched as (
              select connection_id from watched_connections where connection_id in (select id from held)
              order by connection_id for update
            ), unwatched as (
              delete from watched_connections where connection_id in (select connection_id from watched)
            )
            update connections c
            set status = 'revoked', status_reason = null, credentials = '', account_name = null, account_id = null,
                scopes = null, reauth_by = null, reauth_warned = null, lease_id = null, lease_until = null, version = version + 1, updated_at = now()
            from held
            where c.id = held.id
            returning c.id, c.provider, c.end_user_id, held.external_id, held.account_id, held.credentials`
          yield* tell(
            tenant,
            "connection.removed",
            rows.map(({ external_id, id, provider }) => ({ id, provider, endUserId: external_id }))
          )
          return { rows, removed: yield* Effect.forEach(rows, (row) => removedOf(tenant, row)) }
        }).pipe(
          sql.withTransaction,
          Effect.tap(({ rows }) =>
            Effect.forEach(rows, ({ external_id }) => recent.forget(nameOf(tenant, external_id)))
          ),
          Effect.map(({ removed }) => removed),
          allowingLongStatements,
          Effect.orDie
        )

      return Connections.of({
        ofEndUser: (tenant, endUserId) => recent.get(nameOf(tenant, endUserId), readOfEndUser(tenant, endUserId)),

        get,

        owned: Effect.fn("Connections.owned")(function* (tenant, endUser, provider, id) {
          if (id === undefined) return undefined
          const found = yield* get(tenant, id)
          return found.endUser === endUser && found.provider === provider ? found : yield* unknown(id)
        }),

        list: Effect.fn("Connections.list")((tenant, filters = {}) =>
          select(
            tenant,
            [
              ...(filters.id === undefined ? [] : [sql`c.id = ${filters.id}`]),
              ...(filters.endUserId === undefined ? [] : [sql`u.external_id = ${filters.endUserId}`]),
              ...(filters.provider === undefined ? [] : [sql`c.provider = ${filters.provider}`]),
              ...(filters.status === undefined ? [] : [sql`c.status = ${filters.status}`]),
              ...(filters.endUsers === undefined ? [] : [sql`c.end_user_id = any(${filters.endUsers}::uuid[])`]),
              ...(filters.after === undefined ? [] : [isAfter(tenant, filters.after)])
            ],
            filters.part
          )
        ),

        health: Effect.fn("Connections.health")(function* ({ environment, organisation }) {
          const soon = new Date((yield* Clock.currentTimeMillis) + warnedAt.early * day)
          return yield* sql<Health>`
            select provider, status, count(*)::int as count,
                   (count(*) filter (where status = 'active' and reauth_by <= ${soon}))::int as ending
            from connections
            where organisation_id = ${organisation} and environment = ${environment} and status <> 'revoked'
            group by provider, status order by provider, status`
        }, Effect.orDie),

        create,

        connect: (target, account) => {
          const { connectionId, endUser, environment, integration, isReconnect, organisation } = target
          if (isReconnect) return reconnect(target, connectionId, account)
          const { accountId } = account
          return accountId === undefined
            ? create({ ...account, id: connectionId, organisation, environment, endUser, provider: integration })
            : connect(target, { ...account, accountId })
        },

        opened: Effect.fn("Connections.opened")(function* ({ accountIds, endUser, environment, ofAnyone, provider }) {
          const rows = yield* sql<{ readonly account_id: string | null }>`
            select distinct account_id from connections
            where provider = ${provider} and environment = ${environment} and status <> 'revoked'
              and case when account_id is null or cardinality(${accountIds}::text[]) = 0 then end_user_id = ${endUser}
                  else account_id = any(${accountIds}::text[]) and (${ofAnyone} or end_user_id = ${endUser}) end`
          return rows.map(({ account_id }) => account_id)
        }, Effect.orDie),

        remove: Effect.fn("Connections.remove")(function* (tenant, id) {
          const [removed] = isUuid(id) ? yield* removeWhere(tenant, sql`c.id = ${id}`) : []
          return removed ?? (yield* unknown(id))
        }),

        removeAll: Effect.fn("Connections.removeAll")((tenant, endUserId) =>
          removeWhere(tenant, endUserId === undefined ? sql`true` : sql`u.external_id = ${endUserId}`)
        ),

        isThere: Effect.fn("Connections.isThere")(function* (id) {
          const rows = isUuid(id) ? yield* sql`select id from connections where id = ${id} and status <> 'revoked'` : []
          return rows.length > 0
        }, Effect.orDie),

        toAccounts: Effect.fn("Connections.toAccounts")(function* ({ accountIds, environment, provider }) {
          const rows = yield* sql<Row>`
            select ${columns} from connections c join end_users u on u.id = c.end_user_id
            where c.provider = ${provider} and c.environment = ${environment} and c.status = 'active'
              and c.account_id = any(${accountIds}::text[])`
          return rows.map(connectionOf)
        }, Effect.orDie),

        ofAnyone: Effect.fn("Connections.ofAnyone")(function* (id) {
          const [row] = isUuid(id)
            ? yield* Effect.orDie(sql<Row>`
                select ${columns} from connections c join end_users u on u.id = c.end_user_id
                where c.id = ${id} and c.status <> 'revoked'`)
            : []
          return row === undefined ? yield* unknown(id) : connectionOf(row)
        }),

        activated: PubSub.subscribe(activated),

        forget: (tenant, endUserId) => recent.forget(nameOf(tenant, endUserId)),

        markNeedsReauth: Effect.fn("Connections.markNeedsReauth")(function* (connection, version, reason) {
          // The version moves on, so that nobody goes on with the credentials as they remember them.
          const marking = Effect.gen(function* () {
            const [row] = yield* sql<{ readonly organisation_id: string; readonly external_id: string }>`
              update connections c
              set status = 'needs_reauth', status_reason = ${reason}, version = version + 1, updated_at = now()
              from end_users u
              where c.id = ${connection.id} and c.environment = ${connection.environment}
                and c.version = ${version} and c.status = 'active' and u.id = c.end_user_id
              returning c.organisation_id, u.external_id`
            if (row === undefined) return undefined
            const marked = { organisation: row.organisation_id, environment: connection.environment }
            yield* tell(marked, "connection.needs_reauth", [{ ...connection, endUserId: row.external_id }])
            return nameOf(marked, row.external_id)
          })
          const name = yield* sql.withTransaction(marking)
          if (name === undefined) return
          yield* recent.forget(name)
          yield* Effect.logWarning("A connection needs to be connected again", reason).pipe(
            Effect.annotateLogs({ connection: connection.id, provider: connection.provider })
          )
        }, Effect.orDie),

        rotateEncryption: rotate({
          table: "connections",
          column: "credentials",
          key: ["id"],
          place: ([id = ""]) => placeOf(id)
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  ).pipe(Layer.provide(Events.layer))
}

interface RemovedRow {
  readonly id: string
  readonly provider: string
  readonly end_user_id: string
  readonly external_id: string
  readonly account_id: string | null
  readonly credentials: string
}

const nameOf = ({ environment, organisation }: Tenant, endUserId: string) =>
  `${organisation}/${environment}/${endUserId}`

const unknown = (id: string) =>
  new NotFound({ code: "CONNECTION_NOT_FOUND", message: `There is no connection with the id "${id}".` })

const otherAccount = ({ accountName, provider }: Connection) =>
  new Conflict({
    code: "ACCOUNT_DIFFERS",
    message: `This is another ${provider} account than ${accountName ?? "the one connected before"}. Connect that one again, or make a new connection.`
  })

const ownQuota = quota({
  setting: "QUOTA_CONNECTIONS",
  fallback: 100,
  most: (limit) => `An end user has at most ${limit} connections`,
  remedy: "Remove connections that are not needed any more"
})
