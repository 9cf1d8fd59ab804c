import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Queue } from "effect"
import * as Database from "../platform/Database.ts"
import { DiskSpace } from "../platform/DiskSpace.ts"
import { upkeep } from "../platform/Upkeep.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"

/** A request that was answered. Metadata only: no path, query, body, nor a header besides whom it names. */
export interface LoggedRequest {
  /** Milliseconds since 1970 at which it came in. */
  readonly at: number
  readonly method: string
  /** Template of the route, such as `/api/v1/crm/contact/:id`. */
  readonly route: string
  /** HTTP status. */
  readonly status: number
  /** Slugs of the providers and toolkits that were called for it. */
  readonly providers: ReadonlyArray<string>
  /** Until its answer began. */
  readonly milliseconds: number
  readonly traceId: string | null
  readonly requestId: string
  /** UUID of the API key that sent it. */
  readonly key: string
  /** The organisation's own id of the end user whom it named. */
  readonly endUser: string | null
}

/** `failed`: 4xx and 5xx. */
export type StatusFilter = "ok" | "failed" | "4xx" | "5xx"

export interface RequestFilters {
  readonly status?: StatusFilter | undefined
  /** Slug. */
  readonly provider?: string | undefined
  /** `next` of the page before. */
  readonly before?: string | undefined
}

export interface RequestPage {
  /** Newest first. */
  readonly requests: ReadonlyArray<LoggedRequest & { readonly id: string; readonly keyPrefix: string | null }>
  /** Undefined on the last page. */
  readonly next: string | undefined
}

/** Requests of a stretch of time in figures; milliseconds, null where there were no requests. */
export interface Figures {
  readonly requests: number
  /** Answered with 4xx. */
  readonly refused: number
  /** Answered with 5xx. */
  readonly failed: number
  readonly p50: number | null
  readonly p95: number | null
}

/** The last 60 whole minutes and the one that runs. */
export interface LastHour {
  readonly total: Figures
  /** Oldest first, one for each minute; `at` is its start in milliseconds since 1970. */
  readonly minutes: ReadonlyArray<Figures & { readonly at: number }>
}

/**
 * The log of requests that the console shows: of the last 7 days, and the newest 20,000 of an organisation's environment.
 *
 * What is noted waits in memory for at most a second and is written in one statement, by a fiber of its own, so that no
 * request waits for the log. It is a help to look at and no audit: what waits is lost with a killed process, and what
 * comes in while 5,000 wait, or while the database is away, is left out.
 */
export class RequestLog extends Context.Tag("tributary/console/RequestLog")<
  RequestLog,
  {
    readonly note: (tenant: Tenant, request: LoggedRequest) => Effect.Effect<void>
    /** What was noted by this process is there already. */
    readonly list: (tenant: Tenant, filters: RequestFilters) => Effect.Effect<RequestPage>
    readonly lastHour: (tenant: Tenant) => Effect.Effect<LastHour>
  }
>() {
  static readonly layer = Layer.scoped(
    RequestLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const disk = yield* DiskSpace
      const one = yield* Effect.makeSemaphore(1)
      const begun = yield* Queue.sliding<void>(1)
      let waiting: Array<LoggedRequest & Tenant> = []
      let leftOut = 0

      const flush = Effect.gen(function* () {
        if (waiting.length === 0) return
        const [requests, lost] = [waiting.map((request, place) => ({ ...request, place })), leftOut]
        waiting = []
        leftOut = 0
        if (lost > 0) yield* Effect.logWarning(`${lost} requests were left out of the request log: too many at once`)
        yield* sql`
          insert into request_log (organisation_id, environment, api_key_id, at, method, route, status, providers,
            duration_ms, trace_id, request_id, end_user)
          select n.organisation, n.environment, key, to_timestamp(at / 1000.0), method, route, status, providers,
            milliseconds, "traceId", "requestId", "endUser"
          from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) as n (organisation uuid, environment text,
            key uuid, at float8, method text, route text, status integer, providers text[], milliseconds integer,
            "traceId" text, "requestId" text, "endUser" text, place integer)
          -- neither of whoever was erased meanwhile
          where exists (select from organisations o where o.id = n.organisation) and not exists (
            select from erasures e
            where e.organisation_id = n.organisation and e.environment = n.environment
              and e.digest = sha256(convert_to(n."endUser", 'UTF8')) and e.erased_at >= to_timestamp(n.at / 1000.0))
          order by n.place`
      }).pipe(
        Effect.catchAll((error) =>
          Database.isFull(error)
            ? disk.ranOut
            : Effect.logWarning("requests could not be written to the request log", error)
        ),
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

      const prune = Effect.gen(function* () {
        const oldest = new Date((yield* Clock.currentTimeMillis) - maxAge)
        yield* sql`delete from request_log where at < ${oldest}`
        yield* sql`
          delete from request_log where id in (
            select id from (
              select id, row_number() over (partition by organisation_id, environment order by at desc, id desc) as place
              from request_log
            ) as placed
            where place > ${maxKept}
          )`
      })
      yield* upkeep(prune, "10 minutes")

      const within = ({ environment, organisation }: Tenant) =>
        sql`l.organisation_id = ${organisation} and l.environment = ${environment}`

      return RequestLog.of({
        note: ({ environment, organisation }, request) =>
          Effect.sync(() => {
            if (waiting.length >= maxWaiting) leftOut += 1
            else if (waiting.push({ ...request, environment, organisation }) === 1) begun.unsafeOffer(undefined)
          }),

        list: Effect.fn("RequestLog.list")(function* (tenant, { before, provider, status }) {
          yield* flush
          const [from, to] = status === undefined ? [0, 999] : statuses[status]
          const rows = yield* sql<Row>`
            select l.id::text, l.at, l.method, l.route, l.status, l.providers, l.duration_ms, l.trace_id, l.request_id,
              l.api_key_id, l.end_user, k.prefix
            from request_log l left join api_keys k on k.id = l.api_key_id
            where ${sql.and([
              within(tenant),
              sql`l.status between ${from} and ${to}`,
              ...(provider === undefined ? [] : [sql`${provider} = any(l.providers)`]),
              ...(before === undefined || !/^\d{1,18}$/.test(before)
                ? []
                : [sql`(l.at, l.id) < (select at, id from request_log where id = ${before}::bigint)`])
            ])}
            order by l.at desc, l.id desc limit ${pageSize + 1}`
          const requests = rows.slice(0, pageSize).map(requestOf)
          return { requests, next: rows.length > pageSize ? requests.at(-1)?.id : undefined }
        }, Effect.orDie),

        lastHour: Effect.fn("RequestLog.lastHour")(function* (tenant) {
          yield* flush
          const now = Math.floor((yield* Clock.currentTimeMillis) / minute)
          const first = now - 60
          const rows = yield* sql<Figures & { readonly minute: number | null }>`
            select minute, count(*)::int as requests,
              count(*) filter (where status between 400 and 499)::int as refused,
              count(*) filter (where status >= 500)::int as failed,
              percentile_cont(0.5) within group (order by duration_ms) as p50,
              percentile_cont(0.95) within group (order by duration_ms) as p95
            from (
              select floor(extract(epoch from l.at) / 60)::int as minute, l.status, l.duration_ms
              from request_log l
              where ${within(tenant)} and l.at >= ${new Date(first * minute)} and l.at < ${new Date((now + 1) * minute)}
            ) as recent
            group by grouping sets ((minute), ())`
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
const maxKept = 20_000
const pageSize = 50
/** Milliseconds. */
const maxAge = 7 * 24 * 60 * 60 * 1000
const minute = 60_000

const statuses: { readonly [filter in StatusFilter]: readonly [from: number, to: number] } = {
  ok: [0, 399],
  failed: [400, 999],
  "4xx": [400, 499],
  "5xx": [500, 999]
}

const nothing: Figures = { requests: 0, refused: 0, failed: 0, p50: null, p95: null }

interface Row {
  readonly id: string
  readonly at: Date
  readonly method: string
  readonly route: string
  readonly status: number
  readonly providers: ReadonlyArray<string>
  readonly duration_ms: number
  readonly trace_id: string | null
  readonly request_id: string
  readonly api_key_id: string
  readonly end_user: string | null
  readonly prefix: string | null
}

const requestOf = (row: Row) => ({
  id: row.id,
  at: row.at.getTime(),
  method: row.method,
  route: row.route,
  status: row.status,
  providers: row.providers,
  milliseconds: row.duration_ms,
  traceId: row.trace_id,
  requestId: row.request_id,
  key: row.api_key_id,
  endUser: row.end_user,
  keyPrefix: row.prefix
})
