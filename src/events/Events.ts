import { Headers, HttpTraceContext } from "@effect/platform"
import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option, Queue, Schema, type Tracer } from "effect"
import { randomUUID } from "node:crypto"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { deliveryRows } from "./DeliveryRows.ts"
import { Event, type EventType, NewEvent } from "./Event.ts"

/** A reader's position in the feed: after the event with this place and number. */
export const FeedPosition = Schema.Struct({ place: Schema.String, sequence: Schema.String })
export type FeedPosition = typeof FeedPosition.Type

/** A part of the feed: events of these types, or all; at most `take`, after a position or from the oldest on. */
export interface FeedPart {
  readonly types?: ReadonlyArray<EventType> | undefined
  readonly after?: FeedPosition | undefined
  readonly take: number
}

/** A part of the newest events: of a type, or all; at most `take`, older than the one with the id `before`. */
export interface LatestPart {
  readonly type?: EventType | undefined
  readonly before?: string | undefined
  readonly take: number
}

/** SQL that makes an event from its row `e`. */
export const told = `
  jsonb_build_object('id', e.id, 'type', e.type, 'environment', e.environment, 'data', e.data,
    'timestamp', to_char(e.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/** Days for which events are kept. */
const keptDays = 30

/** Most events that one statement deletes or places, so that none takes long. */
const atOnce = 5_000

/** The trace context that an event's deliveries link to. */
const traceParentOf = (span: Tracer.Span) =>
  span.sampled ? Headers.get(HttpTraceContext.toHeaders(span), "traceparent") : Option.none()

/** Deletes some of the events of erased end users that a version which knows no events leaves. */
export const ofNobody = (sql: SqlClient.SqlClient) =>
  // goes from end user to end user through the index, however many events each has
  sql`
    with recursive named as (
      (select organisation_id, environment, end_user from events where end_user is not null
        order by organisation_id, environment, end_user limit 1)
      union all
      select next.* from named cross join lateral (
        select e.organisation_id, e.environment, e.end_user from events e
        where e.end_user is not null
          and (e.organisation_id, e.environment, e.end_user) > (named.organisation_id, named.environment, named.end_user)
        order by e.organisation_id, e.environment, e.end_user limit 1
      ) as next
    )
    delete from events where id in (
      select e.id from named n join events e using (organisation_id, environment, end_user)
      where not exists (
        select from end_users u
        where u.organisation_id = n.organisation_id and u.environment = n.environment and u.external_id = n.end_user)
      limit 1000)
    returning id`

/** The feed of events in an organisation's environment. */
export class Events extends Context.Tag("tributary/events/Events")<
  Events,
  {
    /**
     * Publishes events, in this order, and has them delivered to the existing webhooks. Within a transaction they are
     * published if it commits. Events of records whose connection was removed meanwhile are left out.
     */
    readonly publish: (tenant: Tenant, events: ReadonlyArray<NewEvent>) => Effect.Effect<void>
    /** Gets an entry when this process has made deliveries due, perhaps in a transaction that has yet to commit. */
    readonly due: Queue.Queue<void>
    /**
     * Reads events, oldest first. Events that are still being published elsewhere come later, after all that were returned.
     */
    readonly feed: (
      tenant: Tenant,
      part: FeedPart
    ) => Effect.Effect<ReadonlyArray<{ readonly event: Event; readonly position: FeedPosition }>>
    /** Reads events, newest first, for people: events that are still being published elsewhere may appear in between. */
    readonly latest: (tenant: Tenant, part: LatestPart) => Effect.Effect<ReadonlyArray<Event>>
  }
>() {
  static readonly layer = Layer.scoped(
    Events,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const deliveries = yield* deliveryRows
      const due = yield* Queue.sliding<void>(1)

      const insert = SqlSchema.single({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Environment,
          at: Schema.DateFromSelf,
          traceParent: Schema.NullOr(Schema.String),
          events: Schema.parseJson(
            Schema.Array(
              Schema.Struct({
                id: Schema.String,
                endUser: Schema.NullOr(Schema.String),
                connection: Schema.NullOr(Schema.String),
                event: NewEvent
              })
            )
          )
        }),
        Result: Schema.Struct({ isDue: Schema.Boolean }),
        execute: ({ at, environment, events, organisation, traceParent }) => sql`
          with told as (
            select * from rows from (
              jsonb_to_recordset(${events}::jsonb) as (id uuid, "endUser" text, connection uuid, event jsonb)
            ) with ordinality as n (id, "endUser", connection, event, place)
          ), standing as (
            select c.id from connections c
            where c.id in (select connection from told) and c.organisation_id = ${organisation}
              and c.environment = ${environment} and c.status <> 'revoked'
            -- keeps it from being removed until this is told
            for share
          ), noted as (
            insert into events (id, organisation_id, environment, end_user, type, data, at, trace_parent)
            select id, ${organisation}::uuid, ${environment}, "endUser", event->>'type', event->'data', ${at}, ${traceParent}
            from told where connection is null or connection in (select id from standing)
            order by place
            returning id, type, sequence
          ), listening as (
            select w.id, w.types from webhooks w
            where w.organisation_id = ${organisation} and w.environment = ${environment} and w.status = 'active'
            -- keeps it from being deleted until this is told
            for key share
          ), delivered as (${deliveries.insert})
          select exists (select from delivered) as "isDue"`
      })

      const find = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Environment,
          types: Schema.NullOr(Schema.Array(Schema.String)),
          after: Schema.NullOr(FeedPosition),
          take: Schema.Int
        }),
        Result: Schema.Struct({ place: Schema.String, sequence: Schema.String, event: Event }),
        execute: ({ after, environment, organisation, take, types }) => sql`
          select place::text, sequence::text, ${sql.literal(told)} as event
          from events e
          where organisation_id = ${organisation} and environment = ${environment} and place is not null
            and (${types}::text[] is null or type = any(${types}::text[]))
            and ${after === null ? sql`true` : sql`(place, sequence) > (${after.place}::bigint, ${after.sequence}::bigint)`}
          -- the columns themselves: what is selected under their names is text, of which 1000 comes before 999
          order by e.place, e.sequence limit ${take}`
      })

      const isWaiting = SqlSchema.single({
        Request: Schema.Struct({ organisation: Schema.String, environment: Environment }),
        Result: Schema.Struct({ waits: Schema.Boolean }),
        execute: ({ environment, organisation }) => sql`
          select exists (
            select from events
            where organisation_id = ${organisation} and environment = ${environment} and place is null) as waits`
      })

      /** Gives events without a place the next ones; one reader at a time does so. */
      const placeSome = ({ environment, organisation }: Tenant) =>
        sql.withTransaction(
          Effect.zipRight(
            sql`select pg_advisory_xact_lock(hashtextextended(${`events/${organisation}/${environment}`}, 0))`,
            sql`
              with next as materialized (select nextval(pg_get_serial_sequence('events', 'sequence')) as place),
              waiting as (
                select id from events
                where organisation_id = ${organisation} and environment = ${environment} and place is null
                order by sequence limit ${atOnce}
              )
              update events e set place = next.place from next, waiting where e.id = waiting.id returning e.id`
          )
        )

      /**
       * Orders events by when they became visible. Their numbers give another order, since transactions commit in any order:
       * a reader would miss an event that is numbered early and commits late.
       */
      const place = Effect.fnUntraced(function* (tenant: Tenant) {
        const { waits } = yield* isWaiting(tenant)
        if (waits) yield* Effect.repeat(placeSome(tenant), { until: (placed) => placed.length < atOnce })
      })

      const latest = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Environment,
          type: Schema.NullOr(Schema.String),
          before: Schema.NullOr(Schema.UUID),
          take: Schema.Int
        }),
        Result: Schema.Struct({ event: Event }),
        execute: ({ before, environment, organisation, take, type }) => sql`
          select ${sql.literal(told)} as event
          from events e
          where e.organisation_id = ${organisation} and e.environment = ${environment}
            and (${type}::text is null or e.type = ${type}::text)
            and ${
              before === null
                ? sql`true`
                : sql`e.sequence < (
                    select b.sequence from events b
                    where b.id = ${before} and b.organisation_id = ${organisation} and b.environment = ${environment})`
            }
          order by e.sequence desc limit ${take}`
      })

      const prune = Effect.gen(function* () {
        const oldest = new Date((yield* Clock.currentTimeMillis) - keptDays * 86_400_000)
        const deleted = yield* sql`
          delete from events where id in (select id from events where at < ${oldest} limit ${atOnce}) returning id`
        return deleted.length
      })
      yield* runInBackground(Effect.repeat(prune, { until: (deleted) => deleted < atOnce }))

      const publish = Effect.fn("publish events", {
        kind: "producer",
        attributes: {
          "messaging.system": "tributary",
          "messaging.destination.name": "events",
          "messaging.operation.name": "publish",
          "messaging.operation.type": "send"
        }
      })(function* ({ environment, organisation }: Tenant, events: ReadonlyArray<NewEvent>) {
        const span = yield* Effect.option(Effect.currentSpan)
        yield* Effect.annotateCurrentSpan({
          "tributary.organisation.id": organisation,
          "tributary.environment": environment,
          "messaging.batch.message_count": events.length
        })
        const { isDue } = yield* insert({
          organisation,
          environment,
          at: new Date(yield* Clock.currentTimeMillis),
          traceParent: Option.getOrNull(Option.filterMap(span, traceParentOf)),
          events: events.map((event) => ({
            id: randomUUID(),
            endUser: "endUserId" in event.data ? event.data.endUserId : null,
            connection: "remote_id" in event.data ? event.data.connectionId : null,
            event
          }))
        })
        if (isDue) yield* Queue.offer(due, undefined)
      }, Effect.orDie)

      return Events.of({
        publish: (tenant, events) => (events.length === 0 ? Effect.void : publish(tenant, events)),

        due,

        feed: Effect.fn("Events.feed")(function* (tenant, { after = null, take, types = null }) {
          const { environment, organisation } = tenant
          yield* place(tenant)
          const rows = yield* find({ organisation, environment, types, after, take })
          return rows.map(({ event, ...position }) => ({ event, position }))
        }, Effect.orDie),

        latest: Effect.fn("Events.latest")(function* (
          { environment, organisation },
          { before = null, take, type = null }
        ) {
          const rows = yield* latest({ organisation, environment, type, before, take })
          return rows.map(({ event }) => event)
        }, Effect.orDie)
      })
    })
  )
}
