import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Either, Layer, Option, PubSub, type Queue, type Scope } from "effect"
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
import { lockEndUser } from "../tenancy/EndUsers.ts"
import { type Connection, connectionOf } from "./Connection.ts"
import { connectionRows, type Health, type RemovedRow, type Status } from "./ConnectionRows.ts"
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

/** The associated data that binds a connection's credentials to its row, so that it does not open in another. */
export const associatedDataOf = (id: string) => `connections/${id}`

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
    /** Reads an end user's again the next time. */
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
      const rows = yield* connectionRows
      const activated = yield* PubSub.sliding<void>(1)
      const recent = SingleFlightCache.make<ReadonlyArray<Connection> | undefined>({
        capacity: 10_000,
        ttl: SingleFlightCache.recent,
        metric: "connections"
      })

      const list = (tenant: Tenant, filters: ConnectionFilters) =>
        rows.list({ ...filters, organisation: tenant.organisation, environment: tenant.environment }).pipe(
          Effect.map((found) => found.map(connectionOf)),
          Effect.orDie
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

      const readOfEndUser = (tenant: Tenant, endUserId: string) =>
        rows.ofEndUser(tenant, endUserId).pipe(
          Effect.map((found) =>
            found.length === 0 ? undefined : found.flatMap((row) => (row.id === null ? [] : [connectionOf(row)]))
          ),
          Effect.orDie,
          Effect.withSpan("Connections.ofEndUser")
        )

      const get = Effect.fn("Connections.get")(function* (tenant: Tenant, id: string) {
        const [found] = isUuid(id) ? yield* list(tenant, { id }) : []
        return found ?? (yield* unknown(id))
      })

      /** An account as it is stored with the connection of that id. */
      const sealed = Effect.fnUntraced(function* (id: string, account: OpenedAccount) {
        const { accountId = null, accountName = null, credentials, scopes = null } = account
        const { reauthBy, warned } = endOf(credentials, yield* Clock.currentTimeMillis)
        const text = yield* encryption.encrypt(encode(credentials), associatedDataOf(id))
        return { accountId, accountName, scopes, credentials: text, reauthBy, warned }
      })

      const create = Effect.fn("Connections.create")(
        function* (given: NewConnection) {
          yield* lockEndUser(sql, given, given.endUser)
          yield* refuseBeyond(limits, rows.held(given.endUser))
          const id = given.id ?? randomUUID()
          const row = yield* rows.insert({
            ...(yield* sealed(id, given)),
            id,
            organisation: given.organisation,
            environment: given.environment,
            endUser: given.endUser,
            provider: given.provider
          })
          if (Option.isNone(row)) {
            return yield* new NotFound({ code: "END_USER_NOT_FOUND", message: "There is no such end user." })
          }
          const made = connectionOf(row.value)
          yield* tell(given, "connection.created", [made])
          yield* PubSub.publish(activated, undefined)
          return made
        },
        sql.withTransaction,
        (creating, given) => Effect.tap(creating, ({ endUserId }) => recent.forget(nameOf(given, endUserId))),
        Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
      )

      const reconnect = Effect.fn("Connections.reconnect")(
        function* (tenant: Tenant, id: string, account: OpenedAccount) {
          const { environment, organisation } = tenant
          const row = yield* rows.reconnect({ ...(yield* sealed(id, account)), id, organisation, environment })
          if (Option.isNone(row)) return yield* otherAccount(yield* get(tenant, id))
          const connection = connectionOf(row.value)
          if (row.value.was === "needs_reauth") {
            yield* tell(tenant, "connection.restored", [connection])
            yield* PubSub.publish(activated, undefined)
          }
          return connection
        },
        sql.withTransaction,
        (renewing, tenant) => Effect.tap(renewing, ({ endUserId }) => recent.forget(nameOf(tenant, endUserId))),
        Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
      )

      /** Makes the connection, unless the end user has one to the account: that is renewed. */
      const connect = (target: ConnectTarget, account: OpenedAccount & { readonly accountId: string }) =>
        Effect.gen(function* () {
          const { connectionId, endUser, environment, integration, organisation } = target
          // whoever comes back at the same time waits, and finds what was made here
          yield* lockEndUser(sql, target, endUser)
          const { accountId } = account
          const known = yield* rows.toAccount({ organisation, environment, endUser, provider: integration, accountId })
          return yield* Option.isNone(known)
            ? create({ ...account, id: connectionId, organisation, environment, endUser, provider: integration })
            : reconnect(target, known.value.id, account)
        }).pipe(
          sql.withTransaction,
          // what was read before the change took effect may be remembered
          Effect.tap((connection) => recent.forget(nameOf(target, connection.endUserId))),
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die }),
          Effect.withSpan("Connections.connect")
        )

      const removedOf = ({ environment }: Tenant, row: RemovedRow): Effect.Effect<Removed> =>
        Effect.map(
          Either.match(encryption.decrypt(row.credentials, associatedDataOf(row.id)), {
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

      const remove = ({ environment, organisation }: Tenant, which: Parameters<typeof rows.remove>[0]["which"]) =>
        Effect.gen(function* () {
          const tenant = { organisation, environment }
          const removed = yield* rows.remove({ ...tenant, which })
          yield* tell(
            tenant,
            "connection.removed",
            removed.map(({ external_id, id, provider }) => ({ id, provider, endUserId: external_id }))
          )
          return { removed, given: yield* Effect.forEach(removed, (row) => removedOf(tenant, row)) }
        }).pipe(
          sql.withTransaction,
          Effect.tap(({ removed }) =>
            Effect.forEach(removed, ({ external_id }) =>
              recent.forget(nameOf({ organisation, environment }, external_id))
            )
          ),
          Effect.map(({ given }) => given),
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

        list: Effect.fn("Connections.list")((tenant, filters = {}) => list(tenant, filters)),

        health: Effect.fn("Connections.health")(function* ({ environment, organisation }) {
          const soon = new Date((yield* Clock.currentTimeMillis) + warnedAt.early * day)
          return yield* rows.health({ organisation, environment, soon })
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

        opened: Effect.fn("Connections.opened")(function* (accounts) {
          return (yield* rows.opened(accounts)).map(({ account_id }) => account_id)
        }, Effect.orDie),

        remove: Effect.fn("Connections.remove")(function* (tenant, id) {
          const [removed] = isUuid(id) ? yield* remove(tenant, { id }) : []
          return removed ?? (yield* unknown(id))
        }),

        removeAll: Effect.fn("Connections.removeAll")((tenant, endUserId) =>
          remove(tenant, endUserId === undefined ? "all" : { endUserId })
        ),

        isThere: Effect.fn("Connections.isThere")(function* (id) {
          return isUuid(id) && (yield* rows.isThere(id))
        }, Effect.orDie),

        toAccounts: Effect.fn("Connections.toAccounts")(function* (accounts) {
          return (yield* rows.toAccounts(accounts)).map(connectionOf)
        }, Effect.orDie),

        ofAnyone: Effect.fn("Connections.ofAnyone")(function* (id) {
          const row = isUuid(id) ? yield* Effect.orDie(rows.ofAnyone(id)) : Option.none()
          return Option.isNone(row) ? yield* unknown(id) : connectionOf(row.value)
        }),

        activated: PubSub.subscribe(activated),

        forget: (tenant, endUserId) => recent.forget(nameOf(tenant, endUserId)),

        markNeedsReauth: Effect.fn("Connections.markNeedsReauth")(function* (connection, version, reason) {
          const marking = Effect.gen(function* () {
            const { environment, id } = connection
            const row = yield* rows.markNeedsReauth({ id, environment, version, reason })
            if (Option.isNone(row)) return undefined
            const { external_id, organisation_id } = row.value
            const marked = { organisation: organisation_id, environment }
            yield* tell(marked, "connection.needs_reauth", [{ ...connection, endUserId: external_id }])
            return nameOf(marked, external_id)
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
          associatedDataOf: ([id = ""]) => associatedDataOf(id)
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  ).pipe(Layer.provide(Events.layer))
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
