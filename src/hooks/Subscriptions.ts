import { SqlClient, SqlSchema } from "@effect/sql"
import { Array, Clock, Context, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { Encryption } from "../platform/Encryption.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { isUuid } from "../platform/Uuid.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import { isSame, type Subscribed } from "../providers/Push.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"
import { mac } from "./Addresses.ts"

/** A subscription of a connection to one type of pushes. */
export interface Held {
  /** UUID. */
  readonly id: string
  readonly connection: ConnectionRef
  /** One of the types of the provider's `Push`. */
  readonly type: string
  readonly isWanted: boolean
  /** The provider's own id; undefined as long as it is not known to have it. */
  readonly remoteId: string | undefined
  /** Times in a row that something was tried with it and failed. */
  readonly failures: number
  /** The secret that its address ends in. */
  readonly address: string
  /** Credential that its pushes have to show. */
  readonly secret: Redacted.Redacted
  /** Milliseconds since 1970 at which something is due to it; once taken, the end of the lease. */
  readonly dueAt: number
}

/** A connection, and the types of pushes that it is to be subscribed to. */
export interface Wanted {
  readonly connection: string
  readonly types: ReadonlyArray<string>
}

/** Connections by their ids: behind one, up to another. */
export interface Range {
  readonly after: string | undefined
  readonly upTo: string | undefined
}

/** The associated data that binds a subscription's secret to its row, so that it does not open in another. */
const associatedDataOf = (id: string) => `push_subscriptions/${id}`

/** Milliseconds for which what was taken is nobody else's, unless the lease is renewed. */
const lease = 10_000

/** Milliseconds until one whose secret does not open is looked at again: its key may be put back. */
const unopened = 3_600_000

const Row = Schema.Struct({
  id: Schema.UUID,
  connection_id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  provider: Schema.String,
  version: Schema.Int,
  type: Schema.String,
  is_wanted: Schema.Boolean,
  remote_id: Schema.NullOr(Schema.String),
  secret: Schema.String,
  failures: Schema.Int,
  due_at: Schema.DateFromSelf
})

const columns = `s.id, s.connection_id, c.organisation_id, c.environment, c.provider, c.version, s.type, s.is_wanted,
  s.remote_id, s.secret, s.failures, s.due_at`

/** An address names its subscription, so that one is found without looking through all. */
const addressOf = (id: string, seed: Redacted.Redacted) => `${id.replaceAll("-", "")}${mac(seed, "address")}`

const idIn = (address: string) => address.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/**
 * Subscriptions of connections to the pushes of their providers, of whichever tenant: each row is its connection's, and an address
 * is known to nobody but the provider.
 */
export class Subscriptions extends Context.Tag("tributary/hooks/Subscriptions")<
  Subscriptions,
  {
    /** The one whose address ends in a secret. */
    readonly at: (provider: string, secret: string) => Effect.Effect<Option.Option<Held>>
    /**
     * Notes what the connections of a range to some providers are to be subscribed to, and that all else of them is not wanted
     * any more. Other providers are those of other versions.
     */
    readonly want: (
      providers: ReadonlyArray<string>,
      wanted: ReadonlyArray<Wanted>,
      range: Range
    ) => Effect.Effect<void>
    /** Some at these providers that something is due to, under leases of ten seconds; no other process gets them meanwhile. */
    readonly take: (providers: ReadonlyArray<string>, most: number) => Effect.Effect<ReadonlyArray<Held>>
    /** Holds on to one for as long as a lease, as it is then; none where the lease is over, or something else is due to it. */
    readonly renew: (one: Held) => Effect.Effect<Option.Option<Held>>
    /** Those that the provider has of some connections. */
    readonly ofConnections: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Held>>
    /** Drops those of some connections that nobody is making; how many are being made. */
    readonly dropUnmade: (ids: ReadonlyArray<string>) => Effect.Effect<number>
    /**
     * Notes that the provider has it, and when it is to be made to last longer (milliseconds since 1970); false where it is not
     * there any more, with its connection or because it was not wanted.
     */
    readonly made: (one: Held, by: Subscribed, dueAt: number) => Effect.Effect<boolean>
    readonly failed: (one: Held, dueAt: number) => Effect.Effect<void>
    /** Notes that the provider does not have it any longer. */
    readonly ended: (one: Held) => Effect.Effect<void>
    /** Re-encrypts secrets that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const all = sql.literal(columns)

      /** One whose secret does not open is left alone until its key is put back. */
      const heldOf = (row: typeof Row.Type): Option.Option<Held> =>
        Option.map(Either.getRight(encryption.decrypt(row.secret, associatedDataOf(row.id))), (seed) => ({
          id: row.id,
          connection: {
            id: row.connection_id,
            organisation: row.organisation_id,
            environment: row.environment,
            provider: row.provider,
            version: row.version
          },
          type: row.type,
          isWanted: row.is_wanted,
          remoteId: row.remote_id ?? undefined,
          failures: row.failures,
          dueAt: row.due_at.getTime(),
          address: addressOf(row.id, seed),
          secret: Redacted.make(mac(seed, "secret"))
        }))

      const find = SqlSchema.findOne({
        Request: Schema.Struct({ id: Schema.String, provider: Schema.String }),
        Result: Row,
        execute: ({ id, provider }) => sql`
          select ${all} from push_subscriptions s join connections c on c.id = s.connection_id
          where s.id = ${id} and c.provider = ${provider} and c.status = 'active'`
      })

      const within = SqlSchema.findAll({
        Request: Schema.Struct({
          providers: Schema.Array(Schema.String),
          after: Schema.NullOr(Schema.String),
          upTo: Schema.NullOr(Schema.String)
        }),
        Result: Schema.Struct({
          id: Schema.UUID,
          connection: Schema.UUID,
          type: Schema.String,
          isWanted: Schema.Boolean
        }),
        execute: ({ after, providers, upTo }) => sql`
          select s.id, s.connection_id as connection, s.type, s.is_wanted as "isWanted"
          from push_subscriptions s join connections c on c.id = s.connection_id
          where c.provider = any(${providers}::text[])
            and (${after}::uuid is null or s.connection_id > ${after}::uuid)
            and (${upTo}::uuid is null or s.connection_id <= ${upTo}::uuid)`
      })

      const insert = SqlSchema.void({
        Request: Schema.Struct({
          at: Schema.DateFromSelf,
          rows: Schema.parseJson(
            Schema.Array(
              Schema.Struct({
                id: Schema.String,
                connection_id: Schema.String,
                type: Schema.String,
                secret: Schema.String
              })
            )
          )
        }),
        execute: ({ at, rows }) => sql`
          insert into push_subscriptions (id, connection_id, type, secret, due_at)
          select x.id, x.connection_id, x.type, x.secret, ${at}
          from jsonb_to_recordset(${rows}::jsonb) as x (id uuid, connection_id uuid, type text, secret text)
          join connections c on c.id = x.connection_id and c.status <> 'revoked'
          on conflict do nothing`
      })

      const take = SqlSchema.findAll({
        Request: Schema.Struct({
          now: Schema.DateFromSelf,
          until: Schema.DateFromSelf,
          providers: Schema.Array(Schema.String),
          most: Schema.Int
        }),
        Result: Row,
        execute: ({ most, now, providers, until }) => sql`
          with due as (
            select s.id from push_subscriptions s join connections c on c.id = s.connection_id
            where s.due_at <= ${now} and c.status = 'active' and c.provider = any(${providers}::text[])
            order by s.due_at limit ${most} for update of s skip locked
          )
          update push_subscriptions s set due_at = ${until} from due, connections c
          where s.id = due.id and c.id = s.connection_id
          returning ${all}`
      })

      const ofConnections = SqlSchema.findAll({
        Request: Schema.Array(Schema.String),
        Result: Row,
        execute: (ids) => sql`
          select ${all} from push_subscriptions s join connections c on c.id = s.connection_id
          where s.connection_id = any(${ids}::uuid[]) and s.remote_id is not null and c.status = 'active'`
      })

      const added = (connection: string, type: string) => {
        const id = randomUUID()
        return Effect.map(
          encryption.encrypt(randomBytes(32).toString("base64url"), associatedDataOf(id)),
          (secret) => ({
            id,
            connection_id: connection,
            type,
            secret
          })
        )
      }

      return Subscriptions.of({
        at: Effect.fn("Subscriptions.at")(function* (provider, secret) {
          const id = idIn(secret)
          const found = isUuid(id) ? Option.flatMap(yield* find({ id, provider }), heldOf) : Option.none()
          return Option.filter(found, ({ address }) => isSame(secret, address))
        }, Effect.orDie),

        want: Effect.fn("Subscriptions.want")(function* (providers, wanted, { after = null, upTo = null }) {
          const at = new Date(yield* Clock.currentTimeMillis)
          const rows = yield* within({ providers, after, upTo })
          const nameOf = (connection: string, type: string) => `${connection}/${type}`
          const known = new Set(rows.map(({ connection, type }) => nameOf(connection, type)))
          const names = new Set(
            wanted.flatMap(({ connection, types }) => types.map((type) => nameOf(connection, type)))
          )
          const missing = wanted.flatMap(({ connection, types }) =>
            types.flatMap((type) => (known.has(nameOf(connection, type)) ? [] : [added(connection, type)]))
          )
          if (missing.length > 0) yield* insert({ at, rows: yield* Effect.all(missing) })
          const turned = rows.filter(
            ({ connection, isWanted, type }) => isWanted !== names.has(nameOf(connection, type))
          )
          if (turned.length === 0) return
          const again = turned.filter(({ isWanted }) => !isWanted).map(({ id }) => id)
          yield* sql`
            update push_subscriptions set is_wanted = id = any(${again}::uuid[]), due_at = ${at}, failures = 0
            where id = any(${turned.map(({ id }) => id)}::uuid[])`
        }, Effect.orDie),

        take: Effect.fn("Subscriptions.take")(function* (providers, most) {
          const now = yield* Clock.currentTimeMillis
          const taken = yield* take({ now: new Date(now), until: new Date(now + lease), providers, most })
          const [closed, opened] = Array.partitionMap(taken, (row) => Either.fromOption(heldOf(row), () => row.id))
          if (closed.length > 0) {
            const later = new Date(now + unopened)
            yield* sql`update push_subscriptions set due_at = ${later} where id = any(${closed}::uuid[])`
          }
          return opened
        }, Effect.orDie),

        renew: Effect.fn("Subscriptions.renew")(function* (one) {
          const dueAt = (yield* Clock.currentTimeMillis) + lease
          const rows = yield* sql`
            update push_subscriptions set due_at = ${new Date(dueAt)}
            where id = ${one.id} and due_at = ${new Date(one.dueAt)} returning id`
          return rows.length === 0 ? Option.none() : Option.some({ ...one, dueAt })
        }, Effect.orDie),

        ofConnections: Effect.fn("Subscriptions.ofConnections")(function* (ids) {
          return Array.filterMap(yield* ofConnections(ids), heldOf)
        }, Effect.orDie),

        dropUnmade: Effect.fn("Subscriptions.dropUnmade")(function* (ids) {
          const now = yield* Clock.currentTimeMillis
          const left = yield* sql`
            with dropped as (
              delete from push_subscriptions
              where connection_id = any(${ids}::uuid[]) and remote_id is null
                and (due_at <= ${new Date(now)} or due_at > ${new Date(now + lease)})
              returning id
            )
            select id from push_subscriptions
            where connection_id = any(${ids}::uuid[]) and remote_id is null and id not in (select id from dropped)`
          return left.length
        }, Effect.orDie),

        made: Effect.fn("Subscriptions.made")(function* ({ id }, { expiresAt, remoteId }, dueAt) {
          const expires = expiresAt === undefined ? null : new Date(expiresAt)
          const now = new Date(yield* Clock.currentTimeMillis)
          const rows = yield* sql`
            update push_subscriptions
            set remote_id = ${remoteId}, expires_at = ${expires}, failures = 0,
                due_at = case when is_wanted then ${new Date(dueAt)}::timestamptz else ${now}::timestamptz end
            where id = ${id} returning id`
          return rows.length > 0
        }, Effect.orDie),

        failed: Effect.fn("Subscriptions.failed")(function* ({ id }, dueAt) {
          yield* sql`
            update push_subscriptions set failures = failures + 1, due_at = ${new Date(dueAt)} where id = ${id}`
        }, Effect.orDie),

        ended: Effect.fn("Subscriptions.ended")(function* ({ id }) {
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* sql`delete from push_subscriptions where id = ${id} and not is_wanted`
          // wanted again meanwhile
          yield* sql`
            update push_subscriptions set remote_id = null, expires_at = null, due_at = ${now} where id = ${id}`
        }, Effect.orDie),

        rotateEncryption: rotate({
          table: "push_subscriptions",
          column: "secret",
          key: ["id"],
          associatedDataOf: ([id = ""]) => associatedDataOf(id)
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}
