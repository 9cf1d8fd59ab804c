import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, Context, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { Encryption } from "../platform/Encryption.ts"
import { ErrorCode } from "../platform/ErrorCodes.ts"
import { runToCompletion } from "../platform/RunToCompletion.ts"
import { allowingLongStatements } from "../platform/LongStatements.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { Progress } from "./Progress.ts"
import { lockedAll, rewatched } from "./WatchedConnections.ts"

/** The watch of an organisation in an environment. */
export interface Watch {
  /** Names such as `crm/contact`, each since when. */
  readonly resources: { readonly [name: string]: Date }
  /** Slugs; null: all. */
  readonly providers: ReadonlyArray<string> | null
  /** Seconds that are wished for. */
  readonly interval: number
}

export interface Wish {
  readonly resources: ReadonlyArray<string>
  readonly providers: ReadonlyArray<string> | null
  readonly interval: number
}

/** Where a page of what is followed goes on. */
export const FollowedPosition = Schema.Struct({ made: Schema.String, connection: Schema.UUID, resource: Schema.String })

const Followed = Schema.Struct({
  ...FollowedPosition.fields,
  endUserId: Schema.String,
  provider: Schema.String,
  status: Schema.Literal("active", "needs_reauth"),
  progress: Progress,
  polledAt: Schema.NullOr(Schema.DateFromSelf),
  dueAt: Schema.DateFromSelf,
  error: Schema.NullOr(ErrorCode)
})
/** How far a resource of a connection was followed. */
export type Followed = typeof Followed.Type

const Row = Schema.Struct({
  resources: Schema.Record({ key: Schema.String, value: Schema.DateFromString }),
  providers: Schema.NullOr(Schema.Array(Schema.String)),
  interval: Schema.Int
})

const Owner = Schema.Struct({ organisation: Schema.String, environment: Environment })

const keyBytes = 32

/** With what is no longer watched go the digests of its records, of which there may be millions. */
const ending = <A, E>(change: Effect.Effect<A, E>) => change.pipe(allowingLongStatements, runToCompletion, Effect.orDie)

const associatedDataOf = ([organisation = "", environment = ""]: ReadonlyArray<string>) =>
  `watches/${organisation}/${environment}`

/** The one list of what is watched that each environment of an organisation has, or has not. */
export class Watches extends Context.Tag("tributary/watches/Watches")<
  Watches,
  {
    readonly get: (tenant: Tenant) => Effect.Effect<Watch | undefined>
    /**
     * Replaces it. What was watched before and still is goes on; else what happens from the next full second on is told: the
     * stamps of providers have whole seconds.
     */
    readonly put: (tenant: Tenant, wish: Wish) => Effect.Effect<Watch>
    readonly remove: (tenant: Tenant) => Effect.Effect<void>
    /** How far the connections were followed that it is about, those of the newest first. */
    readonly followed: (
      tenant: Tenant,
      page: { readonly after: typeof FollowedPosition.Type | undefined; readonly take: number }
    ) => Effect.Effect<ReadonlyArray<Followed>>
    /** The key of its digests, out of what is stored; undefined: it does not open. */
    readonly keyOf: (tenant: Tenant, sealed: string) => Uint8Array | undefined
    /** Re-encrypts keys of digests that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.effect(
    Watches,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption

      const find = SqlSchema.findOne({
        Request: Owner,
        Result: Row,
        execute: ({ environment, organisation }) => sql`
          select resources, providers, interval from watches
          where organisation_id = ${organisation} and environment = ${environment}`
      })

      const put = SqlSchema.single({
        Request: Schema.Struct({
          ...Owner.fields,
          names: Schema.Array(Schema.String),
          providers: Row.fields.providers,
          interval: Schema.Int,
          since: Schema.DateFromSelf,
          now: Schema.DateFromSelf,
          hashKey: Schema.String
        }),
        Result: Row,
        execute: ({ environment, hashKey, interval, names, now, organisation, providers, since }) => sql`
          with put as (
            insert into watches as w (organisation_id, environment, resources, providers, interval, hash_key)
            select ${organisation}::uuid, ${environment}, jsonb_object_agg(name, ${since.toISOString()}::text),
                   ${providers}::text[], ${interval}::integer, ${hashKey}
            from unnest(${names}::text[]) as name
            on conflict (organisation_id, environment) do update
            set resources = (
                  select jsonb_object_agg(n.key, coalesce(w.resources->n.key, n.value))
                  from jsonb_each(excluded.resources) as n
                ), providers = excluded.providers, interval = excluded.interval
            returning resources, providers, interval
          ), ${rewatched(sql, { organisation, environment }, providers, now)}
          select * from put`
      })

      /** Removes a watch; all of it is locked before in the order in which everybody does. */
      const remove = ({ environment, organisation }: Tenant) =>
        sql.withTransaction(
          Effect.gen(function* () {
            const where = sql`organisation_id = ${organisation} and environment = ${environment}`
            yield* sql`select from watches where ${where} for update`
            yield* lockedAll(sql, { organisation, environment })
            yield* sql`delete from watches where ${where}`
          })
        )

      const followed = SqlSchema.findAll({
        Request: Schema.Struct({ ...Owner.fields, after: Schema.NullOr(FollowedPosition), take: Schema.Int }),
        Result: Followed,
        execute: ({ after, environment, organisation, take }) => sql`
          select n.created_at::text as made, n.id as connection, r.resource, u.external_id as "endUserId", n.provider,
                 n.status, r.progress, r.polled_at as "polledAt", r.due_at as "dueAt", r.error
          from watched_connections c join watched_resources r on r.connection_id = c.connection_id
          join connections n on n.id = c.connection_id join end_users u on u.id = n.end_user_id
          where c.organisation_id = ${organisation} and c.environment = ${environment} and n.status <> 'revoked'
            and ${
              after === null
                ? sql`true`
                : sql`(n.created_at, n.id, r.resource) < (${after.made}::timestamptz, ${after.connection}::uuid, ${after.resource})`
            }
          order by n.created_at desc, n.id desc, r.resource desc limit ${take}`
      })

      return Watches.of({
        get: Effect.fn("Watches.get")((tenant) => Effect.orDie(Effect.map(find(tenant), Option.getOrUndefined))),

        put: Effect.fn("Watches.put")(function* (tenant, { interval, providers, resources }) {
          const { environment, organisation } = tenant
          const now = yield* Clock.currentTimeMillis
          const since = (Math.floor(now / 1000) + 1) * 1000
          const hashKey = yield* encryption.encrypt(
            randomBytes(keyBytes).toString("base64"),
            associatedDataOf([organisation, environment])
          )
          return yield* put({
            organisation,
            environment,
            names: resources,
            providers,
            interval,
            since: new Date(since),
            now: new Date(now),
            hashKey
          })
        }, ending),

        remove: Effect.fn("Watches.remove")(remove, ending),

        followed: Effect.fn("Watches.followed")(({ environment, organisation }, { after = null, take }) =>
          Effect.orDie(followed({ organisation, environment, after, take }))
        ),

        keyOf: ({ environment, organisation }, sealed) =>
          Option.getOrUndefined(
            Option.map(
              Either.getRight(encryption.decrypt(sealed, associatedDataOf([organisation, environment]))),
              (text) => Buffer.from(Redacted.value(text), "base64")
            )
          ),

        rotateEncryption: rotate({
          table: "watches",
          column: "hash_key",
          key: ["organisation_id", "environment"],
          associatedDataOf
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}
