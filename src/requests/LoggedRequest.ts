import { Schema } from "effect"
import { ErrorCode } from "../platform/ErrorCodes.ts"
import type { UpstreamCall } from "../platform/RequestNotes.ts"

/** A request that was answered. Metadata only: no query, no body, and of the path nothing but the id of a record. */
export interface LoggedRequest {
  /** Milliseconds since 1970 at which it came in. */
  readonly at: number
  readonly method: string
  /** Template of the route, such as `/api/v1/crm/contact/:id`. */
  readonly route: string
  /** HTTP status. */
  readonly status: number
  /** Code of the failure that was its answer. */
  readonly code: string | null
  /** That failure in words, without what was sent and without a provider's own. */
  readonly message: string | null
  /** Slugs of the providers and toolkits that it meant, whether they were reached or not. */
  readonly providers: ReadonlyArray<string>
  /** UUIDs of the connections that it meant. */
  readonly connections: ReadonlyArray<string>
  /** Such as `crm/contact`. */
  readonly resource: string | null
  /** The id that it named, or that of the record that it made. */
  readonly record: string | null
  readonly idempotencyKey: string | null
  /** Until its answer began. */
  readonly milliseconds: number
  readonly traceId: string | null
  readonly requestId: string
  /** UUID of the API key that sent it. */
  readonly key: string
  /** The organisation's own id of the end user whom it named. */
  readonly endUser: string | null
  /** Calls to providers that were made for it; where there were many, the first of them. */
  readonly calls: ReadonlyArray<UpstreamCall>
  /** How many there were. */
  readonly callsMade: number
}

const StoredCall = Schema.Struct({
  provider: Schema.String,
  connection: Schema.String,
  operation: Schema.String,
  method: Schema.String,
  status: Schema.NullOr(Schema.Int),
  outcome: Schema.Literal("answered", "timeout", "unreachable"),
  after: Schema.Number,
  milliseconds: Schema.Number
})

/** A request as it stands in the log. */
export const StoredRequest = Schema.Struct({
  /** Number of its row. */
  id: Schema.String,
  at: Schema.DateFromSelf,
  method: Schema.String,
  route: Schema.String,
  status: Schema.Int,
  code: Schema.NullOr(ErrorCode),
  message: Schema.NullOr(Schema.String),
  providers: Schema.Array(Schema.String),
  connections: Schema.Array(Schema.String),
  resource: Schema.NullOr(Schema.String),
  record: Schema.NullOr(Schema.String),
  idempotencyKey: Schema.NullOr(Schema.String),
  milliseconds: Schema.Int,
  traceId: Schema.NullOr(Schema.String),
  requestId: Schema.String,
  key: Schema.String,
  keyName: Schema.NullOr(Schema.String),
  keyPrefix: Schema.NullOr(Schema.String),
  endUser: Schema.NullOr(Schema.String),
  calls: Schema.Array(StoredCall),
  callsMade: Schema.Int
})
export type StoredRequest = typeof StoredRequest.Type

/** `failed`: 4xx and 5xx. */
export const StatusFilter = Schema.String.pipe(
  Schema.pattern(/^(ok|failed|[1-5]xx|[1-5]\d\d)$/),
  Schema.annotations({
    message: () => ({ message: "must be ok, failed, 4xx, 5xx or a status such as 409", override: true })
  })
)

/** The lowest and the highest status that a filter lets through. */
export const statusesOf = (filter: string): readonly [from: number, to: number] => {
  if (filter === "ok") return [0, 399]
  if (filter === "failed") return [400, 999]
  const first = Number(filter[0]) * 100
  return filter.endsWith("xx") ? [first, first + 99] : [Number(filter), Number(filter)]
}

/** Which requests; all that is given has to be true of them. */
export interface RequestFilters {
  /** As `StatusFilter` has it. */
  readonly status?: string | undefined
  readonly code?: string | undefined
  readonly endUser?: string | undefined
  /** Slug. */
  readonly provider?: string | undefined
  /** Such as `crm/contact`. */
  readonly resource?: string | undefined
  readonly record?: string | undefined
  /** UUID. */
  readonly connection?: string | undefined
  /** An id of whatever kind, or a code: of the request, its trace, end user, record, connection or failure. */
  readonly about?: string | undefined
}

/** Requests of a stretch of time in figures; milliseconds, null where there were no requests. */
export const Figures = Schema.Struct({
  requests: Schema.Int,
  /** Answered with 4xx. */
  refused: Schema.Int,
  /** Answered with 5xx. */
  failed: Schema.Int,
  p50: Schema.NullOr(Schema.Number),
  p95: Schema.NullOr(Schema.Number)
})
export type Figures = typeof Figures.Type

/** The last 60 whole minutes and the one that runs. */
export interface LastHour {
  readonly total: Figures
  /** Oldest first, one for each minute; `at` is its start in milliseconds since 1970. */
  readonly minutes: ReadonlyArray<Figures & { readonly at: number }>
}
