import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, Context, Data, Effect, Layer, Schema } from "effect"
import { connectionRows } from "../connections/ConnectionRows.ts"
import type { NewEvent } from "../events/Event.ts"
import { Events } from "../events/Events.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import type { Known } from "./Verdict.ts"
import { begun, Progress } from "./Progress.ts"
import { type Claimed, extended, hastened, locked } from "./WatchedConnections.ts"

/** The connection is another instance's to poll, or it, or the resource, is no longer watched. */
export class LeaseLost extends Data.TaggedError("LeaseLost") {}

/** Days for which deletions are known that were told: lists tell them again while they look back. */
const keptDays = 7

/** Records that are forgotten in one statement, so that none takes long. */
const forgottenAtOnce = 5_000

/** Ids that may wait for being read by themselves. */
const mostIds = 100

const State = Schema.Struct({
  resource: Schema.String,
  dueAt: Schema.DateFromSelf,
  pokes: Schema.Int,
  pokedIds: Schema.Array(Schema.String),
  error: Schema.NullOr(Schema.String),
  progress: Progress
})
/** How far a watched resource of a connection was followed. */
export type State = typeof State.Type

/** A record as it is known from now on. */
export interface Met extends Known {
  /** UUID. */
  readonly id: string
  readonly remoteId: string
}

/** Outcome of one step of a poll. */
export interface Outcome {
  readonly progress: Progress
  /** When it is due again, and from when on for those who ask for an early poll; in milliseconds. */
  readonly dueAt: number
  readonly freeAt: number
  /** Code of the failure; null: there was none. */
  readonly error: string | null
  /** Records that are known otherwise than before, and the ids of others that a walk met. */
  readonly met: ReadonlyArray<Met>
  readonly passed: ReadonlyArray<string>
  readonly events: ReadonlyArray<NewEvent>
  /** Ids that were read by themselves. */
  readonly read: ReadonlyArray<string>
}

const Held = Schema.Struct({
  id: Schema.UUID,
  remoteId: Schema.String,
  digest: Schema.NullOr(Schema.instanceOf(Buffer)),
  modified: Schema.NullOr(Schema.DateFromSelf)
})

const known = ({ digest, id, modified, remoteId }: typeof Held.Type): Met => ({
  id,
  remoteId,
  digest,
  modified: modified?.getTime() ?? null
})

/** How far the resources of connections were followed, and a digest of each record that was met. */
export class WatchedResources extends Context.Tag("tributary/watches/WatchedResources")<
  WatchedResources,
  {
    /**
     * Those of these names that are due, the longest first. What is no longer watched is dropped, and new ones are begun;
     * others that are watched are of another version, which knows how to poll them.
     */
    readonly due: (claimed: Claimed, names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<State>>
    /**
     * Asks for an early poll of a resource, as soon as the provider's limits allow, because something happened there. Records
     * of these ids are read by themselves, which tells what lists do not know yet. When it is due, in milliseconds;
     * undefined: it is not watched.
     */
    readonly poke: (
      connection: Pick<ConnectionRef, "id"> & Tenant,
      resource: string,
      remoteIds?: ReadonlyArray<string>
    ) => Effect.Effect<number | undefined>
    /** Known records, by their ids or by the provider's. */
    readonly known: (
      claimed: Claimed,
      resource: string,
      by: "id" | "remote_id",
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Met>>
    /** So many records at most that are there and that the last walk did not meet. */
    readonly unmet: (
      claimed: Claimed,
      resource: string,
      round: number,
      most: number
    ) => Effect.Effect<ReadonlyArray<Met>>
    /** Tells what a step found, and keeps how far it got, both or neither. */
    readonly commit: (claimed: Claimed, state: State, outcome: Outcome) => Effect.Effect<State, LeaseLost>
  }
>() {
  static readonly layer = Layer.scoped(
    WatchedResources,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const connections = yield* connectionRows
      const events = yield* Events

      const all = SqlSchema.findAll({
        Request: Schema.UUID,
        Result: State,
        execute: (connection) => sql`
          select resource, due_at as "dueAt", pokes, poked_ids as "pokedIds", error, progress
          from watched_resources where connection_id = ${connection} order by due_at, resource`
      })

      /** Forgets records of what is no longer watched, some at a time: in one statement they may take longer than any has. */
      const forget = ({ connection, lease, resources }: Claimed) =>
        Effect.repeat(
          sql`
            delete from watched_records d using (
              select o.connection_id, o.resource, o.id
              from watched_connections c join watched_resources r on r.connection_id = c.connection_id
              join watched_records o on o.connection_id = r.connection_id and o.resource = r.resource
              where c.connection_id = ${connection} and c.lease_id = ${lease}
                and not (r.resource = any(${Object.keys(resources)}::text[]))
              limit ${forgottenAtOnce}
              -- before its records, as whoever removes the connection does
              for update of c
            ) as found
            where d.connection_id = found.connection_id and d.resource = found.resource and d.id = found.id
            returning 1`,
          { until: (forgotten) => forgotten.length < forgottenAtOnce }
        )

      /** Has rows for what is polled, and none for what is not watched; none is touched where the lease is another's. */
      const settle = (claimed: Claimed, names: ReadonlyArray<string>, now: Date) =>
        sql.withTransaction(
          Effect.gen(function* () {
            if ((yield* locked(sql, claimed)).length === 0) return
            yield* sql`
              delete from watched_resources
              where connection_id = ${claimed.connection}
                and not (resource = any(${Object.keys(claimed.resources)}::text[]))`
            const rows = names.map((resource) => {
              const since = Math.max(claimed.since.getTime(), claimed.resources[resource]?.getTime() ?? 0)
              return { resource, progress: begun(since) }
            })
            yield* sql`
              insert into watched_resources (connection_id, resource, due_at, free_at, progress)
              select ${claimed.connection}::uuid, r.resource, ${now}::timestamptz, ${now}::timestamptz, r.progress
              from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (resource text, progress jsonb)
              on conflict do nothing`
          })
        )

      const Poke = Schema.Struct({
        connection: Schema.String,
        organisation: Schema.String,
        environment: Environment,
        resource: Schema.String,
        ids: Schema.Array(Schema.String),
        now: Schema.DateFromSelf
      })
      const poke = SqlSchema.findAll({
        Request: Poke,
        Result: Schema.Struct({ due: Schema.DateFromSelf }),
        execute: ({ connection, environment, ids, now, organisation, resource }) => sql`
          with held as (
            -- before its resources, as everywhere
            select connection_id from watched_connections
            where connection_id = ${connection} and organisation_id = ${organisation} and environment = ${environment}
            for update
          ), poked as (
            update watched_resources r
            set pokes = pokes + 1, due_at = least(r.due_at, greatest(r.free_at, ${now})),
                poked_ids = array(select distinct unnest(r.poked_ids || ${ids}::text[]) limit ${mostIds})
            from held where r.connection_id = held.connection_id and r.resource = ${resource}
            returning r.connection_id, r.due_at
          )
          ${hastened(sql)}`
      })

      const find = SqlSchema.findAll({
        Request: Schema.Struct({
          connection: Schema.UUID,
          resource: Schema.String,
          by: Schema.Literal("id", "remote_id"),
          ids: Schema.Array(Schema.String)
        }),
        Result: Held,
        execute: ({ by, connection, ids, resource }) => sql`
          select id, remote_id as "remoteId", digest, modified_at as modified from watched_records
          where connection_id = ${connection} and resource = ${resource}
            -- by the column's own type, or the index would not be used
            and ${by === "id" ? sql`id = any(${ids}::uuid[])` : sql`remote_id = any(${ids}::text[])`}`
      })

      const unmet = SqlSchema.findAll({
        Request: Schema.Struct({
          connection: Schema.UUID,
          resource: Schema.String,
          round: Schema.Int,
          most: Schema.Int
        }),
        Result: Held,
        execute: ({ connection, most, resource, round }) => sql`
          select id, remote_id as "remoteId", digest, modified_at as modified from watched_records
          where connection_id = ${connection} and resource = ${resource} and round < ${round} and digest is not null
          limit ${most}`
      })

      const Advance = Schema.Struct({
        connection: Schema.UUID,
        lease: Schema.UUID,
        resource: Schema.String,
        now: Schema.DateFromSelf,
        until: Schema.DateFromSelf,
        dueAt: Schema.DateFromSelf,
        freeAt: Schema.DateFromSelf,
        pokes: Schema.Int,
        read: Schema.Array(Schema.String),
        error: Schema.NullOr(Schema.String),
        progress: Schema.parseJson(Progress)
      })
      const advance = SqlSchema.findAll({
        Request: Advance,
        Result: State,
        execute: ({ connection, dueAt, error, freeAt, lease, now, pokes, progress, read, resource, until }) => sql`
          with held as (${extended(sql, { connection, lease }, until)})
          update watched_resources r
          set due_at = case
                when pokes = ${pokes}::integer then ${dueAt}::timestamptz
                else least(${dueAt}::timestamptz, greatest(${freeAt}::timestamptz, ${now}::timestamptz)) end,
              free_at = ${freeAt}, polled_at = ${now}, error = ${error}, progress = ${progress}::jsonb,
              poked_ids = array(select unnest(poked_ids) except select unnest(${read}::text[]))
          from held where r.connection_id = held.connection_id and r.resource = ${resource}
          returning r.resource, r.due_at as "dueAt", r.pokes, r.poked_ids as "pokedIds", r.error, r.progress`
      })

      const keep = (claimed: Claimed, resource: string, round: number, met: ReadonlyArray<Met>) => {
        const rows = met.map(({ digest, id, modified, remoteId }) => ({
          id,
          remote_id: remoteId,
          digest: digest?.toString("hex") ?? null,
          modified_at: modified === null ? null : new Date(modified).toISOString()
        }))
        return sql`
          insert into watched_records (connection_id, resource, id, remote_id, digest, modified_at, round)
          select ${claimed.connection}::uuid, ${resource}, m.id, m.remote_id, decode(m.digest, 'hex'), m.modified_at, ${round}
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            as m (id uuid, remote_id text, digest text, modified_at timestamptz)
          on conflict (connection_id, resource, id) do update
          set digest = excluded.digest, modified_at = excluded.modified_at, round = excluded.round`
      }

      yield* runInBackground(sql`
        delete from watched_records d using (
          select d.connection_id, d.resource, d.id
          from watched_records d join watched_resources r on r.connection_id = d.connection_id and r.resource = d.resource
          where d.digest is null
            and d.modified_at < to_timestamp((r.progress->>'watermark')::numeric / 1000) - ${keptDays} * interval '1 day'
          -- waits for nobody, who might wait for it
          for update of d skip locked
        ) as old
        where d.connection_id = old.connection_id and d.resource = old.resource and d.id = old.id`)

      return WatchedResources.of({
        due: Effect.fn("WatchedResources.due")(function* (claimed, names) {
          const now = yield* Clock.currentTimeMillis
          const held = yield* all(claimed.connection)
          const isSettled =
            names.every((name) => held.some(({ resource }) => resource === name)) &&
            held.every(({ resource }) => resource in claimed.resources)
          if (!isSettled) yield* Effect.zipRight(forget(claimed), settle(claimed, names, new Date(now)))
          const states = isSettled ? held : yield* all(claimed.connection)
          return states.filter(({ dueAt, resource }) => names.includes(resource) && dueAt.getTime() <= now)
        }, Effect.orDie),

        poke: Effect.fn("WatchedResources.poke")(function* (connection, resource, remoteIds = []) {
          const { environment, id, organisation } = connection
          const poked = yield* poke({
            connection: id,
            organisation,
            environment,
            resource,
            ids: remoteIds.slice(0, mostIds),
            now: new Date(yield* Clock.currentTimeMillis)
          })
          return poked[0]?.due.getTime()
        }, Effect.orDie),

        known: Effect.fn("WatchedResources.known")(function* (claimed, resource, by, ids) {
          if (ids.length === 0) return []
          return (yield* find({ connection: claimed.connection, resource, by, ids })).map(known)
        }, Effect.orDie),

        unmet: Effect.fn("WatchedResources.unmet")(function* (claimed, resource, round, most) {
          return (yield* unmet({ connection: claimed.connection, resource, round, most })).map(known)
        }, Effect.orDie),

        commit: Effect.fn("WatchedResources.commit")(
          function* (claimed, state, outcome) {
            const { connection, lease } = claimed
            const { resource } = state
            const { error, events: told, met, passed, progress, read } = outcome
            const now = yield* Clock.currentTimeMillis
            const advanced = Effect.gen(function* () {
              const [next] = yield* advance({
                connection,
                lease,
                resource,
                now: new Date(now),
                until: new Date(now + 10_000),
                dueAt: new Date(outcome.dueAt),
                freeAt: new Date(outcome.freeAt),
                pokes: state.pokes,
                read,
                error,
                progress
              })
              return next ?? (yield* new LeaseLost())
            })
            if (met.length + passed.length + told.length === 0) return yield* advanced
            return yield* sql.withTransaction(
              Effect.gen(function* () {
                // first, as whoever removes the connection locks it first
                if (told.length > 0) yield* connections.keep(connection)
                const next = yield* advanced
                if (met.length > 0) yield* keep(claimed, resource, progress.round, met)
                if (passed.length > 0) {
                  yield* sql`
                    update watched_records set round = ${progress.round}
                    where connection_id = ${connection} and resource = ${resource} and id = any(${passed}::uuid[])
                      and round < ${progress.round}`
                }
                yield* events.publish(claimed, told)
                return next
              })
            )
          },
          Effect.catchTag("SqlError", Effect.die),
          Effect.catchTag("ParseError", Effect.die)
        )
      })
    })
  )
}
