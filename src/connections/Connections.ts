import { SqlClient, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { type DecryptionFailed, Encryption } from "../platform/Encryption.ts"
import { NotFound } from "../platform/Errors.ts"
import * as RecentReads from "../platform/RecentReads.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { Environment, Tenant } from "../tenancy/CurrentCaller.ts"
import { encode, type StoredCredentials } from "./StoredCredentials.ts"

/** `needs_reauth`: the provider refuses its credentials, so the end user must connect again. */
export type Status = "active" | "needs_reauth"

/** An end user's authorised account at a provider. */
export interface Connection extends ConnectionRef {
  /** UUID; `providerId` in records. */
  readonly id: string
  /** UUID of the end user. */
  readonly endUser: string
  /** The organisation's own name for the end user. */
  readonly endUserId: string
  /** Slug. */
  readonly provider: string
  readonly environment: Environment
  readonly status: Status
  /** Why it is not active. */
  readonly statusReason: string | null
  /** What the provider calls the account. */
  readonly accountName: string | null
  /** ISO 8601 date-time. */
  readonly createdAt: string
}

export interface NewConnection extends Tenant {
  /** UUID, when it must be known beforehand. */
  readonly id?: string
  /** UUID of an end user of the same organisation and environment. */
  readonly endUser: string
  readonly provider: string
  readonly accountName?: string
  readonly credentials: StoredCredentials
}

export interface ConnectionFilters {
  /** The organisation's own name for the end user. */
  readonly endUserId?: string
  readonly provider?: string
  readonly status?: Status
}

/** Where a connection's credentials belong; sealed for it, they do not open anywhere else. */
export const placeOf = (id: string) => `connections/${id}`

/** The connections that were not removed. A removed one, and another organisation's or environment's, is not there. */
export class Connections extends Context.Tag("tributary/connections/Connections")<
  Connections,
  {
    /** Oldest first; `endUser` is the UUID. */
    readonly ofEndUser: (tenant: Tenant, endUser: string, provider?: string) => Effect.Effect<ReadonlyArray<Connection>>
    readonly get: (tenant: Tenant, id: string) => Effect.Effect<Connection, NotFound>
    /** Oldest first. */
    readonly list: (tenant: Tenant, filters?: ConnectionFilters) => Effect.Effect<ReadonlyArray<Connection>>
    readonly create: (connection: NewConnection) => Effect.Effect<Connection, NotFound>
    /** Takes it out of use and erases its credentials. */
    readonly remove: (tenant: Tenant, id: string) => Effect.Effect<void, NotFound>
    /** Notes that the provider refuses these credentials; changes nothing when they were replaced meanwhile. */
    readonly markNeedsReauth: (connection: ConnectionRef, version: number, reason: string) => Effect.Effect<void>
    /** Seals credentials anew that another key sealed than the one that seals now; gives how many. */
    readonly rotateEncryption: Effect.Effect<number, DecryptionFailed>
  }
>() {
  static readonly layer = Layer.effect(
    Connections,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const recent = RecentReads.make<ReadonlyArray<Connection>>(10_000)
      const columns = sql.literal(
        `c.id, c.environment, c.end_user_id, u.external_id, c.provider, c.status, c.status_reason,
         c.account_name, c.created_at`
      )

      const select = (tenant: Tenant, conditions: ReadonlyArray<Statement.Fragment>) =>
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
              order by c.created_at, c.id`,
            (rows) => rows.map(connectionOf)
          )
        )

      const readOfEndUser = (tenant: Tenant, endUser: string) =>
        Effect.withSpan(select(tenant, [sql`c.end_user_id = ${endUser}`]), "Connections.ofEndUser")

      return Connections.of({
        ofEndUser: (tenant, endUser, provider) => {
          const all = recent.get(nameOf(tenant, endUser), readOfEndUser(tenant, endUser))
          return provider === undefined
            ? all
            : Effect.map(all, (connections) => connections.filter((one) => one.provider === provider))
        },

        get: Effect.fn("Connections.get")(function* (tenant, id) {
          const [found] = isUuid(id) ? yield* select(tenant, [sql`c.id = ${id}`]) : []
          return found ?? (yield* unknown(id))
        }),

        list: Effect.fn("Connections.list")((tenant, filters = {}) =>
          select(tenant, [
            ...(filters.endUserId === undefined ? [] : [sql`u.external_id = ${filters.endUserId}`]),
            ...(filters.provider === undefined ? [] : [sql`c.provider = ${filters.provider}`]),
            ...(filters.status === undefined ? [] : [sql`c.status = ${filters.status}`])
          ])
        ),

        create: Effect.fn("Connections.create")(
          function* (given) {
            const id = given.id ?? randomUUID()
            const credentials = yield* encryption.encrypt(encode(given.credentials), placeOf(id))
            const [row] = yield* sql<Row>`
            with u as (
              select id, external_id from end_users
              where id = ${given.endUser} and organisation_id = ${given.organisation}
                and environment = ${given.environment}
            ), c as (
              insert into connections (id, organisation_id, environment, end_user_id, provider, account_name, credentials)
              select ${id}::uuid, ${given.organisation}::uuid, ${given.environment}, u.id, ${given.provider},
                     ${given.accountName ?? null}, ${credentials}
              from u returning *
            )
            select ${columns} from c, u`
            if (row === undefined) {
              return yield* new NotFound({ code: "END_USER_NOT_FOUND", message: "There is no such end user." })
            }
            yield* recent.forget(nameOf(given, given.endUser))
            return connectionOf(row)
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        remove: Effect.fn("Connections.remove")(
          function* (tenant, id) {
            // The version moves on, so that a refresh under way cannot bring credentials back.
            const [row] = isUuid(id)
              ? yield* sql<{ readonly end_user_id: string }>`
                update connections
                set status = 'revoked', status_reason = null, credentials = '', version = version + 1, updated_at = now()
                where id = ${id} and organisation_id = ${tenant.organisation} and environment = ${tenant.environment}
                  and status <> 'revoked'
                returning end_user_id`
              : []
            if (row === undefined) return yield* unknown(id)
            yield* recent.forget(nameOf(tenant, row.end_user_id))
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        markNeedsReauth: Effect.fn("Connections.markNeedsReauth")(function* (connection, version, reason) {
          const [row] = yield* sql<{ readonly organisation_id: string; readonly end_user_id: string }>`
            update connections set status = 'needs_reauth', status_reason = ${reason}, updated_at = now()
            where id = ${connection.id} and environment = ${connection.environment}
              and version = ${version} and status = 'active'
            returning organisation_id, end_user_id`
          if (row === undefined) return
          const tenant = { organisation: row.organisation_id, environment: connection.environment }
          yield* recent.forget(nameOf(tenant, row.end_user_id))
          yield* Effect.logWarning("A connection needs to be connected again", reason).pipe(
            Effect.annotateLogs({ connection: connection.id, provider: connection.provider })
          )
        }, Effect.orDie),

        rotateEncryption: Effect.gen(function* () {
          const rows = yield* sql<{ readonly id: string; readonly credentials: string }>`
            select id, credentials from connections where status <> 'revoked'`
          const old = rows.filter(({ credentials }) => encryption.needsRotation(credentials))
          const moved = yield* Effect.forEach(old, ({ credentials, id }) =>
            Effect.gen(function* () {
              const opened = yield* encryption.decrypt(credentials, placeOf(id))
              const sealed = yield* encryption.encrypt(opened, placeOf(id))
              // Credentials that were replaced meanwhile are sealed with the new key already.
              return yield* sql`
                update connections set credentials = ${sealed} where id = ${id} and credentials = ${credentials}
                returning id`
            })
          )
          return moved.flat().length
        }).pipe(Effect.catchTag("SqlError", Effect.die), Effect.withSpan("Connections.rotateEncryption"))
      })
    })
  )
}

interface Row {
  readonly id: string
  readonly environment: Environment
  readonly end_user_id: string
  readonly external_id: string
  readonly provider: string
  readonly status: Status
  readonly status_reason: string | null
  readonly account_name: string | null
  readonly created_at: Date
}

const connectionOf = (row: Row): Connection => ({
  id: row.id,
  endUser: row.end_user_id,
  endUserId: row.external_id,
  provider: row.provider,
  environment: row.environment,
  status: row.status,
  statusReason: row.status_reason,
  accountName: row.account_name,
  createdAt: row.created_at.toISOString()
})

const nameOf = ({ environment, organisation }: Tenant, endUser: string) => `${organisation}/${environment}/${endUser}`

const isUuid: (text: string) => boolean = Schema.is(Schema.UUID)

const unknown = (id: string) =>
  new NotFound({ code: "CONNECTION_NOT_FOUND", message: `There is no connection with the id "${id}".` })
