import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, Config, Context, Effect, Layer, Option, Queue, Schema } from "effect"
import * as Database from "../platform/Database.ts"
import { DiskSpace } from "../platform/DiskSpace.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { isUuid } from "../platform/Uuid.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import {
  Figures,
  type LastHour,
  type LoggedRequest,
  type RequestFilters,
  statusesOf,
  StoredRequest
} from "./LoggedRequest.ts"

/** Where a page goes on: behind the request with this moment and number of its row. */
export const RequestPosition = Schema.Struct({ at: Schema.Number, id: Schema.String })
export type RequestPosition = typeof RequestPosition.Type

export const positionOf = ({ at, id }: StoredRequest): RequestPosition => ({ at: at.getTime(), id })

/** `REQUEST_LOG_DAYS`: for how long requests are kept. */
const keptDays = Config.integer("REQUEST_LOG_DAYS").pipe(
  Config.validate({ message: "Expected days: 1 to 365", validation: (days) => days >= 1 && days <= 365 }),
  Config.withDefault(30)
)

/**
 * The log of requests: of the last 30 days, or as many as `REQUEST_LOG_DAYS` says.
 *
 * Notes wait in memory for at most a second and are written in one statement, by a fiber of its own, so that no
 * request waits for the log. It is a help to look at and no audit: what waits is lost with a killed process, and what
 * comes in while 5,000 wait, or while the database is away, is left out.
 */
export class RequestLog extends Context.Tag("tributary/requests/RequestLog")<
  RequestLog,
  {
    readonly note: (tenant: Tenant, request: LoggedRequest) => Effect.Effect<void>
    /** At most `take`, newest first. What was noted by this process is there already. */
    readonly list: (
      tenant: Tenant,
      filters: RequestFilters,
      part: { readonly after?: RequestPosition | undefined; readonly take: number }
    ) => Effect.Effect<ReadonlyArray<StoredRequest>>
    /** The newest with an id: callers may choose theirs. */
    readonly get: (tenant: Tenant, requestId: string) => Effect.Effect<Option.Option<StoredRequest>>
    /** By the number of its row. */
    readonly row: (tenant: Tenant, id: string) => Effect.Effect<Option.Option<StoredRequest>>
    readonly lastHour: (tenant: Tenant) => Effect.Effect<LastHour>
  }
>() {
  static readonly layer = Layer.scoped(
    RequestLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const disk = yield* DiskSpace
      const days = yield* keptDays
      const one = yield* Effect.makeSemaphore(1)
      const begun = yield* Queue.sliding<void>(1)
      let waiting: Array<LoggedRequest & Tenant> = []
      let leftOut = 0
      let isFailing = false

      const flush = Effect.gen(function* () {
        if (waiting.length === 0) return
        const [requests, lost] = [waiting.map((request, place) => ({ ...request, place })), leftOut]
        waiting = []
        leftOut = 0
        if (lost > 0) yield* Effect.logWarning(`${lost} requests were left out of the request log: too many at once`)
        yield* sql`
          insert into request_log (organisation_id, environment, api_key_id, at, method, route, status, error_code,
            error_message, providers, connections, resource, record_id, idempotency_key, duration_ms, trace_id,
            request_id, end_user, calls, calls_made)
          select n.organisation, n.environment, key, to_timestamp(at / 1000.0), method, route, status, code, message,
            providers, connections, resource, record, "idempotencyKey", milliseconds, "traceId", "requestId", "endUser",
            nullif(calls, '[]'::jsonb), "callsMade"
          from jsonb_to_recordset(${storable(JSON.stringify(requests))}::jsonb) as n (organisation uuid,
            environment text, key uuid, at float8, method text, route text, status integer, code text, message text,
            providers text[], connections uuid[], resource text, record text, "idempotencyKey" text,
            milliseconds integer, "traceId" text, "requestId" text, "endUser" text, calls jsonb, "callsMade" integer,
            place integer)
          -- neither of whoever was erased meanwhile
          where exists (select from organisations o where o.id = n.organisation) and not exists (
            select from erasures e
            where e.organisation_id = n.organisation and e.environment = n.environment
              and e.digest = sha256(convert_to(n."endUser", 'UTF8')) and e.erased_at >= to_timestamp(n.at / 1000.0))
          order by n.place`
        if (isFailing) yield* Effect.logInfo("requests are written to the request log again")
        isFailing = false
      }).pipe(
        Effect.catchAll((error) => {
          if (Database.isFull(error)) return disk.ranOut
          const isKnown = isFailing
          isFailing = true
          return isKnown ? Effect.void : Effect.logWarning("requests could not be written to the request log", error)
        }),
        Effect.withTracerEnabled(false),
        one.withPermits(1)
      )

      // by the machine's time: this is about load, not about when anything happened
      yield* Queue.take(begun).pipe(
        Effect.zipRight(Effect.sleep(interval)),
        Effect.zipRight(flush),
        Effect.forever,
        Effect.withClock(Clock.make()),
        Effect.forkScoped
      )
      yield* Effect.addFinalizer(() => flush)

      const pruneSome = (oldest: Date) => sql`
        delete from request_log where id in (
          select id from request_log where at < ${oldest} order by at limit ${atOnce}) returning id`
      // in steps, each of which is short, and with room between them for others
      const prune = Effect.gen(function* () {
        const oldest = new Date((yield* Clock.currentTimeMillis) - days * day)
        yield* Effect.repeat(pruneSome(oldest), { until: (deleted) => deleted.length < atOnce })
      })
      yield* runInBackground(prune, "10 minutes")

      const find = SqlSchema.findAll({
        Request: Schema.Struct({ take: Schema.Int, where: Schema.Any }),
        Result: StoredRequest,
        execute: ({ take, where }) => sql`
          select l.id::text, l.at, l.method, l.route, l.status, l.error_code as code, l.error_message as message,
            l.providers, coalesce(l.connections, '{}') as connections, l.resource, l.record_id as record,
            l.idempotency_key as "idempotencyKey", l.duration_ms as milliseconds, l.trace_id as "traceId",
            l.request_id as "requestId", l.api_key_id as key, k.name as "keyName", k.prefix as "keyPrefix",
            l.end_user as "endUser", coalesce(l.calls, '[]'::jsonb) as calls, coalesce(l.calls_made, 0) as "callsMade"
          from request_log l left join api_keys k on k.id = l.api_key_id
          where ${where}
          order by l.at desc, l.id desc limit ${take}`
      })

      const within = ({ environment, organisation }: Tenant) =>
        sql`l.organisation_id = ${organisation} and l.environment = ${environment}`

      const countByMinute = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Environment,
          from: Schema.DateFromSelf,
          until: Schema.DateFromSelf
        }),
        // without a minute: all of them
        Result: Schema.Struct({ ...Figures.fields, minute: Schema.NullOr(Schema.Int) }),
        execute: ({ from, until, ...tenant }) => sql`
          select minute, count(*)::int as requests,
            count(*) filter (where status between 400 and 499)::int as refused,
            count(*) filter (where status >= 500)::int as failed,
            percentile_cont(0.5) within group (order by duration_ms) as p50,
            percentile_cont(0.95) within group (order by duration_ms) as p95
          from (
            select floor(extract(epoch from l.at) / 60)::int as minute, l.status, l.duration_ms
            from request_log l
            where ${within(tenant)} and l.at >= ${from} and l.at < ${until}
          ) as recent
          group by grouping sets ((minute), ())`
      })

      const about = (text: string) =>
        sql.or([
          sql`l.request_id = ${text}`,
          sql`l.end_user = ${text}`,
          sql`l.record_id = ${text}`,
          sql`l.error_code = ${text.toUpperCase()}`,
          ...(isUuid(text) ? [sql`l.connections @> array[${text}::uuid]`] : [])
        ])

      const conditions = (filters: RequestFilters) => [
        ...(filters.status === undefined ? [] : [between(statusesOf(filters.status))]),
        ...(filters.code === undefined ? [] : [sql`l.error_code = ${filters.code}`]),
        ...(filters.endUser === undefined ? [] : [sql`l.end_user = ${filters.endUser}`]),
        ...(filters.provider === undefined ? [] : [sql`l.providers @> array[${filters.provider}::text]`]),
        ...(filters.resource === undefined ? [] : [sql`l.resource = ${filters.resource}`]),
        ...(filters.record === undefined ? [] : [sql`l.record_id = ${filters.record}`]),
        ...(filters.connection === undefined ? [] : [sql`l.connections @> array[${filters.connection}::uuid]`]),
        ...(filters.about === undefined ? [] : [about(filters.about)])
      ]
      const between = ([from, to]: readonly [number, number]) =>
        // the index of failures is used where they are named as such
        sql.and([sql`l.status between ${from} and ${to}`, ...(from < 400 ? [] : [sql`l.status >= 400`])])

      return RequestLog.of({
        note: ({ environment, organisation }, request) =>
          Effect.sync(() => {
            if (waiting.length >= maxWaiting) leftOut += 1
            else if (waiting.push({ ...request, environment, organisation }) === 1) begun.unsafeOffer(undefined)
          }),

        list: Effect.fn("RequestLog.list")(function* (tenant, filters, { after, take }) {
          yield* flush
          const where = sql.and([
            within(tenant),
            ...conditions(filters),
            ...(after === undefined ? [] : [sql`(l.at, l.id) < (${new Date(after.at)}, ${after.id}::bigint)`])
          ])
          return yield* find({ take, where })
        }, Effect.orDie),

        get: Effect.fn("RequestLog.get")(function* (tenant, requestId) {
          yield* flush
          const found = yield* find({ take: 1, where: sql`${within(tenant)} and l.request_id = ${requestId}` })
          return Option.fromNullable(found[0])
        }, Effect.orDie),

        row: Effect.fn("RequestLog.row")(function* (tenant, id) {
          yield* flush
          if (!/^\d{1,18}$/.test(id)) return Option.none()
          const found = yield* find({ take: 1, where: sql`${within(tenant)} and l.id = ${id}::bigint` })
          return Option.fromNullable(found[0])
        }, Effect.orDie),

        lastHour: Effect.fn("RequestLog.lastHour")(function* ({ environment, organisation }) {
          yield* flush
          const now = Math.floor((yield* Clock.currentTimeMillis) / minute)
          const first = now - 60
          const [from, until] = [new Date(first * minute), new Date((now + 1) * minute)]
          const rows = yield* countByMinute({ organisation, environment, from, until })
          const found = new Map(rows.map(({ minute, ...figures }) => [minute, figures]))
          return {
            total: found.get(null) ?? nothing,
            minutes: Array.from({ length: now - first + 1 }, (_, index) => ({
              at: (first + index) * minute,
              ...(found.get(first + index) ?? nothing)
            }))
          }
        }, Effect.orDie)
      })
    })
  )
}

const interval = "1 second"
const maxWaiting = 5000
/** Requests that are deleted in one statement. */
const atOnce = 5000
/** Milliseconds. */
const day = 24 * 60 * 60 * 1000
const minute = 60_000

const nothing: Figures = { requests: 0, refused: 0, failed: 0, p50: null, p95: null }

/** JSON as the database takes it: a text with NUL, or with half a character, would take all that waits with it. */
const storable = (json: string) => json.replaceAll(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, "$1\uFFFD")
