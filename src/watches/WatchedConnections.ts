import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { WatchNeeds } from "../hooks/WatchNeeds.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"

/** Milliseconds for which a connection is an instance's to poll; renewed while it does. */
const lease = 10_000

/** Milliseconds for which what only another version knows is left to it, and until a connection is looked at of which nothing is known. */
const left = 60_000
const idle = 3_600_000

const Resources = Schema.Record({ key: Schema.String, value: Schema.DateFromString })

const Claimed = Schema.Struct({
  connection: Schema.UUID,
  lease: Schema.UUID,
  organisation: Schema.UUID,
  environment: Environment,
  endUserId: Schema.String,
  provider: Schema.String,
  mappingRevision: Schema.String,
  /** Nothing that happened before is told. */
  since: Schema.DateFromSelf,
  /** Watched resources, each since when. */
  resources: Resources,
  /** Seconds that the organisation wishes for. */
  interval: Schema.Int,
  /** Sealed. */
  hashKey: Schema.String
})

/** A connection that is this instance's to poll for a while. */
export type Claimed = typeof Claimed.Type

/** A watch. */
const Owner = Schema.Struct({ organisation: Schema.UUID, environment: Environment })

/** The connections as they wait now. */
const Look = Schema.Struct({
  /** Watches of which connections are due, each with how many: as many as were looked for, or less. */
  waiting: Schema.Array(Schema.Struct({ ...Owner.fields, due: Schema.Int })),
  /** When the next is due; null where none is. */
  next: Schema.NullOr(Schema.DateFromSelf),
  /** Whether anything is watched. */
  isAny: Schema.Boolean
})

/** So many connections of a watch. */
const Share = Schema.Struct({ ...Owner.fields, take: Schema.Int })

/** Keeps a claimed connection until then; nothing where it is another's. */
export const extended = (
  sql: SqlClient.SqlClient,
  { connection, lease }: Pick<Claimed, "connection" | "lease">,
  until: Date
) => sql`
  update watched_connections set lease_until = ${until}
  where connection_id = ${connection} and lease_id = ${lease} returning connection_id`

/** Locks a claimed connection; nothing where it is another's. */
export const locked = (sql: SqlClient.SqlClient, { connection, lease }: Claimed) => sql`
  select connection_id from watched_connections where connection_id = ${connection} and lease_id = ${lease} for update`

/** Locks those of a watch in the order in which everybody does. */
export const lockedAll = (sql: SqlClient.SqlClient, { environment, organisation }: Tenant) => sql`
  select connection_id from watched_connections
  where organisation_id = ${organisation} and environment = ${environment} order by connection_id for update`

/** Has the connection of `poked`, in the same statement, polled as early as its resource. */
export const hastened = (sql: SqlClient.SqlClient) => sql`
  update watched_connections c
  set due_at = least(c.due_at, poked.due_at), poked_for = least(c.poked_for, poked.due_at)
  from poked where c.connection_id = poked.connection_id
  returning c.due_at as due`

/** Parts of a `with` that drop those which a watch of these providers is not about, and have the others polled. */
export const rewatched = (
  sql: SqlClient.SqlClient,
  { environment, organisation }: Tenant,
  providers: ReadonlyArray<string> | null,
  now: Date
) => sql`
  held as (
    select c.connection_id, coalesce(n.provider = any(${providers}::text[]), true) as stays
    from watched_connections c join connections n on n.id = c.connection_id
    where c.organisation_id = ${organisation} and c.environment = ${environment}
    -- in the order in which everybody locks several
    order by c.connection_id for update of c
  ), moved as (
    update watched_connections c set due_at = ${now}, poked_for = ${now}
    from held where c.connection_id = held.connection_id and held.stays
  ), ended as (
    delete from watched_connections c using held where c.connection_id = held.connection_id and not held.stays
  )`

/** Which connections are watched, when they are due, and which instance polls them. */
export class WatchedConnections extends Context.Tag("tributary/watches/WatchedConnections")<
  WatchedConnections,
  {
    /**
     * Takes up connections of watched environments, to some providers where a watch names none: what happens from the next
     * full second after they were made on is told, of those that a clock elsewhere makes later, from that after `now`.
     */
    readonly adopt: (providers: ReadonlyArray<string>, now: number) => Effect.Effect<void>
    /** Looks for those to some providers that are due, and nobody's; of each watch for `most`. Others are another version's. */
    readonly look: (providers: ReadonlyArray<string>, most: number) => Effect.Effect<typeof Look.Type>
    /** Takes those of each share that wait longest, as far as nobody else has them. */
    readonly claim: (
      providers: ReadonlyArray<string>,
      shares: ReadonlyArray<typeof Share.Type>
    ) => Effect.Effect<ReadonlyArray<Claimed>>
    /** Keeps one for longer; false: it is another's, or no longer watched. */
    readonly renew: (claimed: Claimed) => Effect.Effect<boolean>
    /**
     * Gives one back until the next of its resources is due, and that time in milliseconds; undefined: it is another's. Of
     * those that are not named, which another version polls, one that is due is left to it for a while.
     */
    readonly release: (claimed: Claimed, names: ReadonlyArray<string>) => Effect.Effect<number | undefined>
    /** How many connections to a provider are watched, of whomever. */
    readonly count: (provider: string) => Effect.Effect<number>
    /** Watched connections of whomever for the pushes of their providers, as `WatchNeeds` has them. */
    readonly page: WatchNeeds["Type"]["page"]
    readonly isAny: WatchNeeds["Type"]["isAny"]
  }
>() {
  static readonly layer = Layer.effect(
    WatchedConnections,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const now = Effect.map(Clock.currentTimeMillis, (time) => new Date(time))

      const At = Schema.Struct({ now: Schema.DateFromSelf, providers: Schema.Array(Schema.String) })

      /** Connections of a watch `w` that may be polled, in the order in which they are due. */
      const ofWatch = (
        { now, providers }: typeof At.Type,
        columns: string,
        isDue: boolean,
        most: Statement.Fragment
      ) => sql`
        select ${sql.literal(columns)}
        from watched_connections c join connections n on n.id = c.connection_id and n.status = 'active'
        where c.organisation_id = w.organisation_id and c.environment = w.environment
          and n.provider = any(${providers}::text[])
          and ${
            isDue ? sql`c.due_at <= ${now} and coalesce(c.lease_until, '-infinity') <= ${now}` : sql`c.due_at > ${now}`
          }
        order by c.due_at limit ${most}`

      const look = SqlSchema.single({
        Request: Schema.Struct({ ...At.fields, most: Schema.Int }),
        Result: Look,
        execute: ({ most, ...at }) => sql`
          with found as (
            select w.organisation_id as organisation, w.environment, counted.due, coming.due_at
            from watches w
            cross join lateral (select count(*)::int as due from (${ofWatch(at, "", true, sql`${most}`)}) as o) as counted
            left join lateral (${ofWatch(at, "c.due_at", false, sql`1`)}) as coming on true
          )
          select coalesce(
              jsonb_agg(jsonb_build_object('organisation', organisation, 'environment', environment, 'due', due))
                filter (where due > 0),
              '[]') as waiting,
            min(due_at) as next, count(*) > 0 as "isAny"
          from found`
      })

      const claim = SqlSchema.findAll({
        Request: Schema.Struct({
          ...At.fields,
          until: Schema.DateFromSelf,
          lease: Schema.UUID,
          shares: Schema.parseJson(Schema.Array(Share))
        }),
        Result: Claimed,
        execute: ({ lease, now, providers, shares, until }) => sql`
          with due as (
            select d.connection_id
            from jsonb_to_recordset(${shares}::jsonb) as s (organisation uuid, environment text, take int)
            join watches w on w.organisation_id = s.organisation and w.environment = s.environment
            cross join lateral (${ofWatch({ now, providers }, "c.connection_id", true, sql`s.take`)}) as d
          ), held as (
            select connection_id from watched_connections
            where connection_id in (select connection_id from due)
              and due_at <= ${now} and coalesce(lease_until, '-infinity') <= ${now}
            for update skip locked
          )
          update watched_connections c set lease_id = ${lease}, lease_until = ${until}, poked_for = null
          from held, watches w, organisations o, connections n, end_users u
          where c.connection_id = held.connection_id and n.id = c.connection_id and u.id = n.end_user_id
            and w.organisation_id = c.organisation_id and w.environment = c.environment and o.id = c.organisation_id
          returning c.connection_id as connection, c.lease_id as lease, c.organisation_id as organisation, c.environment,
            u.external_id as "endUserId", n.provider, o.mapping_revision::text as "mappingRevision", c.since,
            w.resources, w.interval, w.hash_key as "hashKey"`
      })

      const release = SqlSchema.findAll({
        Request: Schema.Struct({
          connection: Schema.UUID,
          lease: Schema.UUID,
          names: Schema.Array(Schema.String),
          later: Schema.DateFromSelf,
          seldom: Schema.DateFromSelf
        }),
        Result: Schema.Struct({ due: Schema.DateFromSelf }),
        execute: ({ connection, later, lease, names, seldom }) => sql`
          update watched_connections c
          set lease_id = null, lease_until = null,
              due_at = least(c.poked_for, coalesce((
                select min(case when r.resource = any(${names}::text[]) then r.due_at else greatest(r.due_at, ${later}) end)
                from watched_resources r where r.connection_id = c.connection_id), ${seldom}))
          where c.connection_id = ${connection} and c.lease_id = ${lease}
          returning c.due_at as due`
      })

      const count = SqlSchema.single({
        Request: Schema.String,
        Result: Schema.Struct({ count: Schema.Int }),
        execute: (provider) => sql`
          select count(*)::int as count from watched_connections c join connections n on n.id = c.connection_id
          where n.provider = ${provider} and n.status = 'active'`
      })

      const page = SqlSchema.findAll({
        Request: Schema.Struct({
          providers: Schema.Array(Schema.String),
          after: Schema.NullOr(Schema.UUID),
          take: Schema.Int
        }),
        Result: Schema.Struct({
          id: Schema.UUID,
          organisation: Schema.UUID,
          environment: Environment,
          provider: Schema.String,
          resources: Schema.Array(Schema.String)
        }),
        execute: ({ after, providers, take }) => sql`
          select n.id, n.organisation_id as organisation, n.environment, n.provider,
            array_agg(split_part(r.resource, '/', 2) order by r.resource) as resources
          from watched_connections c
          join connections n on n.id = c.connection_id and n.status <> 'revoked'
          join watched_resources r on r.connection_id = c.connection_id
          where n.provider = any(${providers}::text[]) and (${after}::uuid is null or n.id > ${after}::uuid)
          group by n.id order by n.id limit ${take}`
      })

      return WatchedConnections.of({
        page: Effect.fn("WatchedConnections.page")(function* (providers, { after = null, take }) {
          const found = yield* page({ providers, after, take })
          return found.map(({ resources, ...connection }) => ({ connection, resources }))
        }, Effect.orDie),

        isAny: Effect.fn("WatchedConnections.isAny")(function* (provider, environment) {
          const found = yield* sql`
            select 1 from watched_connections c join connections n on n.id = c.connection_id
            where n.provider = ${provider} and c.environment = ${environment} and n.status <> 'revoked' limit 1`
          return found.length > 0
        }, Effect.orDie),

        adopt: Effect.fn("WatchedConnections.adopt")(function* (providers, time) {
          const at = new Date(time)
          yield* sql`
            insert into watched_connections (connection_id, organisation_id, environment, since, due_at)
            select c.id, c.organisation_id, c.environment,
                   date_trunc('second', least(c.created_at, ${at}::timestamptz)) + interval '1 second', ${at}::timestamptz
            from watches w join connections c on c.organisation_id = w.organisation_id and c.environment = w.environment
            where c.status <> 'revoked' and c.provider = any(coalesce(w.providers, ${providers}::text[]))
              and not exists (select from watched_connections d where d.connection_id = c.id)
            -- in one order, as others insert the same
            order by c.id
            -- passes by what is just being removed, which could not be referred to
            for key share of w, c
            on conflict do nothing`
        }, Effect.orDie),

        look: Effect.fn("WatchedConnections.look")(function* (providers, most) {
          return yield* look({ now: yield* now, providers, most })
        }, Effect.orDie),

        claim: Effect.fn("WatchedConnections.claim")(function* (providers, shares) {
          const at = yield* now
          const until = new Date(at.getTime() + lease)
          return yield* claim({ now: at, until, lease: randomUUID(), providers, shares })
        }, Effect.orDie),

        renew: Effect.fn("WatchedConnections.renew")(function* (claimed) {
          const until = new Date((yield* now).getTime() + lease)
          return (yield* extended(sql, claimed, until)).length > 0
        }, Effect.orDie),

        release: Effect.fn("WatchedConnections.release")(function* ({ connection, lease }, names) {
          const at = (yield* now).getTime()
          const [released] = yield* release({
            connection,
            lease,
            names,
            later: new Date(at + left),
            seldom: new Date(at + idle)
          })
          return released?.due.getTime()
        }, Effect.orDie),

        count: Effect.fn("WatchedConnections.count")((provider) =>
          Effect.orDie(Effect.map(count(provider), (found) => found.count))
        )
      })
    })
  )
}
