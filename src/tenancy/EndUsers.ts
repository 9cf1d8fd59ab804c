import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { NotFound } from "../platform/Errors.ts"
import { Environment, type Tenant } from "./CurrentCaller.ts"
import { notErasedSince } from "./Erasures.ts"
import type { Person } from "./PersonalData.ts"

/** A user of an organisation's product, in one environment. */
export interface EndUser extends Tenant {
  readonly id: string
  /** The organisation's own name for them: what calls send as `X-End-User-Id`. */
  readonly externalId: string
  readonly displayName: string | null
  readonly email: string | null
  /** ISO 8601 date-time. */
  readonly createdAt: string
}

/** Where a list of the newest first stands: the end user that those given come after, who may be gone. */
export const EndUserPosition = Schema.Struct({ at: Schema.String, id: Schema.UUID })
export type EndUserPosition = typeof EndUserPosition.Type

/** Which end users, in the order of their external ids. */
export interface EndUserFilters {
  /** Part of an external id, a name or an e-mail address, in capitals or not. */
  readonly search?: string | undefined
  /** External id that those given come after. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface EndUserDetails {
  readonly displayName?: string
  readonly email?: string
}

/** SQL for the UUID of a person's end user; null where there is none. */
export const endUserOfPerson = (sql: SqlClient.SqlClient, { endUserId, environment, organisation }: Person) => sql`(
  select id from end_users
  where organisation_id = ${organisation} and environment = ${environment} and external_id = ${endUserId})`

/** Serialises additions for the end user of a UUID, so that each finds the ones before it. */
export const lockEndUser = (sql: SqlClient.SqlClient, { environment, organisation }: Tenant, id: string) => sql`
  select id from end_users
  where id = ${id} and organisation_id = ${organisation} and environment = ${environment}
  for no key update`

export class EndUsers extends Context.Tag("tributary/tenancy/EndUsers")<
  EndUsers,
  {
    /**
     * Gives the end user, made when there is none; details that are given replace those that are kept. Fails for a request
     * that came in before the end user was erased.
     */
    readonly ensure: (
      organisation: string,
      environment: Environment,
      externalId: string,
      details?: EndUserDetails
    ) => Effect.Effect<EndUser, NotFound>
    readonly list: (tenant: Tenant, filters: EndUserFilters) => Effect.Effect<ReadonlyArray<EndUser>>
    /** Newest first, each with its position. */
    readonly newest: (
      tenant: Tenant,
      page: { readonly after: EndUserPosition | undefined; readonly take: number }
    ) => Effect.Effect<ReadonlyArray<EndUser & { readonly position: EndUserPosition }>>
    readonly find: (tenant: Tenant, externalId: string) => Effect.Effect<Option.Option<EndUser>>
    /** Keeps others from connecting accounts of the end user until the running transaction ends. */
    readonly lock: (tenant: Tenant, externalId: string) => Effect.Effect<void>
    /** Erases the end user with what is stored by their UUID: connections, connect sessions, simulated accounts. */
    readonly remove: (tenant: Tenant, externalId: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    EndUsers,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal("id, organisation_id, environment, external_id, display_name, email, created_at")
      const named = ({ environment, organisation }: Tenant, externalId: string) => sql`
        organisation_id = ${organisation} and environment = ${environment} and external_id = ${externalId}`
      const Named = Schema.Struct({ organisation: Schema.String, environment: Environment, externalId: Schema.String })
      const findOne = SqlSchema.findOne({
        Request: Named,
        Result: Row,
        execute: (request) => sql`select ${columns} from end_users where ${named(request, request.externalId)}`
      })
      const findNewest = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Environment,
          after: Schema.UndefinedOr(EndUserPosition),
          take: Schema.Int
        }),
        Result: Schema.Struct({ ...Row.fields, position: Schema.String }),
        // the position to the microsecond, which a date would lose
        execute: ({ after, environment, organisation, take }) => sql`
          select ${columns}, created_at::text as position from end_users
          where organisation_id = ${organisation} and environment = ${environment}
            and ${after === undefined ? sql`true` : sql`(created_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)`}
          order by created_at desc, id desc limit ${take}`
      })
      const ensured = SqlSchema.findOne({
        Request: Schema.Struct({
          ...Named.fields,
          id: Schema.UUID,
          displayName: Schema.NullOr(Schema.String),
          email: Schema.NullOr(Schema.String)
        }),
        Result: Row,
        execute: ({ displayName, email, environment, externalId, id, organisation }) =>
          Effect.flatMap(
            notErasedSince(sql, { organisation, environment, endUserId: externalId }),
            (wanted) => sql`
              insert into end_users (id, organisation_id, environment, external_id, display_name, email)
              select ${id}::uuid, ${organisation}::uuid, ${environment}, ${externalId}, ${displayName}, ${email}
              where ${wanted}
              on conflict (organisation_id, environment, external_id) do update
              set display_name = coalesce(excluded.display_name, end_users.display_name),
                  email = coalesce(excluded.email, end_users.email)
              returning ${columns}`
          )
      })
      const findPage = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Environment,
          search: Schema.String,
          after: Schema.NullOr(Schema.String),
          limit: Schema.Int
        }),
        Result: Row,
        execute: ({ after, environment, limit, organisation, search }) => sql`
          select ${columns} from end_users
          where organisation_id = ${organisation} and environment = ${environment}
            and (${search} = '' or position(lower(${search}) in
              lower(concat_ws(chr(10), external_id, display_name, email))) > 0)
            and (${after}::text is null or external_id > ${after}::text)
          order by external_id limit ${limit}`
      })
      return EndUsers.of({
        ensure: Effect.fn("EndUsers.ensure")(
          function* (organisation, environment, externalId, details = {}) {
            const { displayName = null, email = null } = details
            const id = randomUUID()
            const row = yield* ensured({ id, organisation, environment, externalId, displayName, email })
            return Option.isNone(row) ? yield* erasedMeanwhile(externalId) : endUserOf(row.value)
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
        ),

        list: Effect.fn("EndUsers.list")(function* ({ environment, organisation }, { after, limit, search = "" }) {
          const rows = yield* findPage({ organisation, environment, search, after: after ?? null, limit })
          return rows.map(endUserOf)
        }, Effect.orDie),

        newest: Effect.fn("EndUsers.newest")(function* ({ environment, organisation }, { after, take }) {
          const rows = yield* findNewest({ organisation, environment, after, take })
          return rows.map((row) => ({ ...endUserOf(row), position: { at: row.position, id: row.id } }))
        }, Effect.orDie),

        find: Effect.fn("EndUsers.find")(
          ({ environment, organisation }, externalId) =>
            Effect.map(findOne({ organisation, environment, externalId }), Option.map(endUserOf)),
          Effect.orDie
        ),

        lock: Effect.fn("EndUsers.lock")(
          (tenant, externalId) => sql`select id from end_users where ${named(tenant, externalId)} for update`,
          Effect.orDie,
          Effect.asVoid
        ),

        remove: Effect.fn("EndUsers.remove")(
          (tenant, externalId) => sql`delete from end_users where ${named(tenant, externalId)}`,
          Effect.orDie,
          Effect.asVoid
        )
      })
    })
  )
}

const erasedMeanwhile = (externalId: string) =>
  new NotFound({
    code: "END_USER_NOT_FOUND",
    message: `The end user "${externalId}" was erased while this request was under way. Send it again to start over.`
  })

const Row = Schema.Struct({
  id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  external_id: Schema.String,
  display_name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
})

const endUserOf = (row: typeof Row.Type): EndUser => ({
  id: row.id,
  organisation: row.organisation_id,
  environment: row.environment,
  externalId: row.external_id,
  displayName: row.display_name,
  email: row.email,
  createdAt: row.created_at.toISOString()
})
