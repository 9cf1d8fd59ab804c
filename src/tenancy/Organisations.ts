import { SqlClient, type SqlError, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Conflict, NotFound, Unprocessable } from "../platform/Errors.ts"
import { isUuid } from "../platform/Uuid.ts"

/** A company that uses this service. */
export interface Organisation {
  readonly id: string
  readonly name: string
  /** Origins (`https://app.example.com`) whose pages may embed the connection widget and call workspaces, in both environments. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** ISO 8601 date-time. */
  readonly createdAt: string
}

/** Changes to the allowed origins; an origin in both is removed. */
export interface OriginChanges {
  readonly allow: ReadonlyArray<string>
  readonly disallow: ReadonlyArray<string>
}

/** Runs what adds to an organisation's own, in a transaction, one after the other. */
export const withOrganisationLock =
  (sql: SqlClient.SqlClient, organisation: string) =>
  <A, E, R>(add: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(
      Effect.zipRight(sql`select id from organisations where id = ${organisation} for no key update`, add)
    )

/** Tells every instance that the organisation's field mappings change: part of the statement that changes them. */
export const mappingRevised = (sql: SqlClient.SqlClient, organisation: string) => sql`
  update organisations set mapping_revision = mapping_revision + 1 where id = ${organisation}`

const OrganisationCounts = Schema.Struct({
  endUsers: Schema.Int,
  connections: Schema.Int,
  apiKeys: Schema.Int,
  workspaces: Schema.Int,
  chats: Schema.Int
})
export type OrganisationCounts = typeof OrganisationCounts.Type

export class Organisations extends Context.Tag("tributary/tenancy/Organisations")<
  Organisations,
  {
    /** Fails with `Conflict` when the name is taken. */
    readonly create: (name: string) => Effect.Effect<Organisation, Conflict | Unprocessable>
    /** By id or by name. */
    readonly find: (idOrName: string) => Effect.Effect<Organisation, NotFound>
    /** All of them, by name. */
    readonly list: Effect.Effect<ReadonlyArray<Organisation>>
    readonly changeOrigins: (
      id: string,
      changes: OriginChanges
    ) => Effect.Effect<Organisation, NotFound | Unprocessable>
    /** How much it has of what an operator would miss, by kind. */
    readonly counts: (id: string) => Effect.Effect<OrganisationCounts>
    /** Keeps others from adding anything to it until the running transaction ends. */
    readonly lock: (id: string) => Effect.Effect<void>
    /** Deletes it with everything that is stored of it. */
    readonly remove: (id: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Organisations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal("id, name, allowed_origins, created_at")

      const counted = SqlSchema.single({
        Request: Schema.UUID,
        Result: OrganisationCounts,
        execute: (id) => sql`
          select
            (select count(*)::int from end_users where organisation_id = o.id) as "endUsers",
            (select count(*)::int from connections where organisation_id = o.id and status <> 'revoked') as connections,
            (select count(*)::int from api_keys where organisation_id = o.id) as "apiKeys",
            (select count(*)::int from workspaces where organisation_id = o.id) as workspaces,
            (select count(*)::int from chat_sessions where organisation_id = o.id) as chats
          from organisations o where o.id = ${id}`
      })

      const insert = SqlSchema.findOne({
        Request: Schema.Struct({ id: Schema.UUID, name: Schema.String }),
        Result: Row,
        execute: ({ id, name }) => sql`
          insert into organisations (id, name) values (${id}, ${name})
          on conflict (name) do nothing returning ${columns}`
      })

      const byId = SqlSchema.findOne({
        Request: Schema.String,
        Result: Row,
        execute: (id) => sql`select ${columns} from organisations where id = ${id}`
      })

      const byName = SqlSchema.findOne({
        Request: Schema.String,
        Result: Row,
        execute: (name) => sql`select ${columns} from organisations where name = ${name}`
      })

      const all = SqlSchema.findAll({
        Request: Schema.Void,
        Result: Row,
        execute: () => sql`select ${columns} from organisations order by name`
      })

      const updateOrigins = SqlSchema.findOne({
        Request: Schema.Struct({
          id: Schema.String,
          allow: Schema.Array(Schema.String),
          disallow: Schema.Array(Schema.String)
        }),
        Result: Row,
        execute: ({ allow, disallow, id }) => sql`
          update organisations
          set allowed_origins = array(
            select distinct origin from unnest(allowed_origins || ${allow}::text[]) as given (origin)
            where origin <> all(${disallow}::text[]) order by origin)
          where id = ${id} returning ${columns}`
      })

      return Organisations.of({
        counts: Effect.fn("Organisations.counts")((id) => Effect.orDie(counted(id))),

        lock: Effect.fn("Organisations.lock")(
          (id) => sql`select id from organisations where id = ${id} for update`,
          Effect.orDie,
          Effect.asVoid
        ),

        remove: Effect.fn("Organisations.remove")(
          (id) => sql`delete from organisations where id = ${id}`,
          Effect.orDie,
          Effect.asVoid
        ),

        create: Effect.fn("Organisations.create")(
          function* (given) {
            const name = given.trim()
            if (name === "" || name.length > maxName || isUuid(name))
              return yield* new Unprocessable({ errors: badName })
            const made = yield* insert({ id: randomUUID(), name })
            if (Option.isNone(made)) {
              return yield* new Conflict({ code: "CONFLICT", message: `There is already an organisation "${name}".` })
            }
            return organisationOf(made.value)
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
        ),

        find: Effect.fn("Organisations.find")(
          function* (idOrName) {
            const found = yield* isUuid(idOrName) ? byId(idOrName) : byName(idOrName.trim())
            return Option.isNone(found) ? yield* unknown(idOrName) : organisationOf(found.value)
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
        ),

        list: Effect.map(Effect.orDie(all()), (rows) => rows.map(organisationOf)).pipe(
          Effect.withSpan("Organisations.list")
        ),

        changeOrigins: Effect.fn("Organisations.changeOrigins")(
          function* (id, { allow, disallow }) {
            const wrong = allow.find((origin) => !isOrigin(origin))
            if (wrong !== undefined) return yield* new Unprocessable({ errors: { allowedOrigins: badOrigin(wrong) } })
            const changed = yield* updateOrigins({ id, allow, disallow })
            return Option.isNone(changed) ? yield* unknown(id) : organisationOf(changed.value)
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
        )
      })
    })
  )
}

const Row = Schema.Struct({
  id: Schema.UUID,
  name: Schema.String,
  allowed_origins: Schema.Array(Schema.String),
  created_at: Schema.DateFromSelf
})

const organisationOf = (row: typeof Row.Type): Organisation => ({
  id: row.id,
  name: row.name,
  allowedOrigins: row.allowed_origins,
  createdAt: row.created_at.toISOString()
})

const maxName = 100

const badName = { name: `Must have 1 to ${maxName} characters and not be in the form of an id.` }

const unknown = (idOrName: string) =>
  new NotFound({ code: "ORGANISATION_NOT_FOUND", message: `There is no organisation "${idOrName}".` })

const isOrigin = (text: string) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text

const badOrigin = (text: string) =>
  `"${text}" is not an origin: give scheme, host and port only, such as https://app.example.com.`
