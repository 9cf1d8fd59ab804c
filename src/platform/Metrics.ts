import { Config, ConfigError, Effect, Either, Metric, MetricBoundaries, MetricLabel, MetricState, Option } from "effect"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import * as Address from "./Address.ts"

/** `METRICS_PORT`: the port of a separate listener for metrics, not `PORT`; absent: they are served beside the API. */
export const port = Config.all({
  own: Config.integer().pipe(
    Config.validate({ message: "Expected a port: 1 to 65535", validation: (n) => n >= 1 && n <= 65535 }),
    Config.nested("METRICS_PORT"),
    Config.option
  ),
  service: Address.port
}).pipe(
  Config.mapOrFail(({ own, service }) =>
    Option.contains(own, service)
      ? Either.left(ConfigError.InvalidData(["METRICS_PORT"], "Expected another port than that of the service (PORT)"))
      : Either.right(own)
  )
)

/** Whether metrics are served on the service's own port. */
export const areServedBeside = Config.map(port, Option.isNone)

/**
 * Metrics of the service. Every label comes from a small closed set (route templates, provider slugs, operation names,
 * statuses, policy names), never from a value of a request, so the number of series stays bounded.
 * Effect's own timers count milliseconds; these are in seconds, as Prometheus expects.
 */
const seconds = MetricBoundaries.fromIterable([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])

/** A metric with labels. Each combination of values makes its labels once, since Effect looks series up by them. */
const labelled = <Type, Out>(metric: Metric.Metric<Type, number, Out>, ...names: ReadonlyArray<string>) => {
  const known = new Map<string, ReadonlyArray<MetricLabel.MetricLabel>>()
  return (amount: number, ...values: ReadonlyArray<string>) => {
    const key = values.join("\n")
    const labels = known.get(key) ?? names.map((name, i) => MetricLabel.make(name, values[i] ?? ""))
    known.set(key, labels)
    metric.unsafeUpdate(amount, labels)
  }
}

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const httpRequests = labelled(counter("http_requests_total", "Requests answered"), "method", "route", "status")
const httpDuration = labelled(
  Metric.histogram("http_request_duration_seconds", seconds, "Time from request to answer"),
  "method",
  "route"
)
const providerRequests = labelled(
  counter("provider_requests_total", "Requests sent to providers"),
  "provider",
  "operation",
  "status"
)
const providerDuration = labelled(
  Metric.histogram("provider_request_duration_seconds", seconds, "Time from a request to a provider to its answer"),
  "provider",
  "operation"
)
const tokenRefreshes = labelled(
  counter("token_refreshes_total", "Access tokens refreshed at providers"),
  "provider",
  "outcome"
)
const pushes = labelled(counter("pushes_total", "Pushes of providers received"), "provider", "outcome")
const webhookAttempts = labelled(counter("webhook_attempts_total", "Attempts to deliver events to webhooks"), "outcome")
const webhookDuration = labelled(
  Metric.histogram("webhook_attempt_duration_seconds", seconds, "Time from an attempt to its answer"),
  "outcome"
)
const toolCalls = labelled(
  counter("tool_calls_total", "Calls of tools by agents, refused ones too"),
  "toolkit",
  "outcome"
)
const toolCallDuration = labelled(
  Metric.histogram("tool_call_duration_seconds", seconds, "Time that a call of a tool took"),
  "toolkit"
)
const providerErrors = labelled(
  counter("provider_errors_total", "Calls to providers that failed for good, by what was wrong"),
  "provider",
  "reason"
)
const nativeStates = labelled(
  counter("provider_native_states_total", "States of records that were read by their words, or not known at all"),
  "provider",
  "record_type",
  "outcome"
)
const budgetsLeft = labelled(
  Metric.gauge("provider_budget_remaining", {
    description:
      "Calls that a provider still lets through: of its connections that were used within a minute, the least"
  }),
  "provider",
  "limit"
)
const slotWaits = labelled(
  Metric.histogram("provider_slot_wait_seconds", seconds, "Time for which a call to a provider waited for its turn"),
  "provider"
)
const poolWaits = labelled(
  Metric.histogram("database_pool_wait_seconds", seconds, "Time for which a statement waited for a connection")
)
const poolConnections = labelled(
  Metric.gauge("database_pool_connections", { description: "Connections to the database, and statements that wait" }),
  "state"
)
const connectionsNow = labelled(
  Metric.gauge("connections", { description: "Connections of all organisations" }),
  "provider",
  "status"
)
const cacheReads = labelled(counter("cache_reads_total", "Reads of what is kept in memory"), "cache", "outcome")
const rateLimits = labelled(counter("rate_limited_total", "Takes refused by a rate limit policy"), "policy")

/** `route` is the route's template (`/crm/contact/:id`), or `unmatched`; never the path itself. */
export const httpRequest = (request: {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}) =>
  Effect.sync(() => {
    const method = methods.has(request.method) ? request.method : "OTHER"
    httpRequests(1, method, request.route, String(request.status))
    httpDuration(request.seconds, method, request.route)
  })

/** `status` is the HTTP status, or the outcome if there was none. */
export const providerRequest = (request: {
  readonly provider: string
  readonly operation: string
  readonly status: number | "timeout" | "unreachable"
  readonly seconds: number
}) =>
  Effect.sync(() => {
    const { operation, provider, status } = request
    providerRequests(1, provider, operation, String(status))
    providerDuration(request.seconds, provider, operation)
  })

export const tokenRefresh = (provider: string, outcome: "refreshed" | "refused" | "failed") =>
  Effect.sync(() => tokenRefreshes(1, provider, outcome))

/** `unknown`: valid, but for an account that nobody has connected. */
export const pushed = (provider: string, outcome: "accepted" | "rejected" | "unknown") =>
  Effect.sync(() => pushes(1, provider, outcome))
/** `status` is the HTTP status; null: there was no answer. */
export const webhookAttempt = (attempt: { readonly status: number | null; readonly seconds: number }) =>
  Effect.sync(() => {
    const outcome = attempt.status === null ? "unanswered" : `${Math.floor(attempt.status / 100)}xx`
    webhookAttempts(1, outcome)
    webhookDuration(attempt.seconds, outcome)
  })

/** `toolkit` is a slug, or `unknown`. */
export const toolCall = (call: { readonly toolkit: string; readonly outcome: string; readonly seconds: number }) =>
  Effect.sync(() => {
    toolCalls(1, call.toolkit, call.outcome)
    toolCallDuration(call.seconds, call.toolkit)
  })

/** `reason`: the tag of a `ProviderError`'s reason. */
export const providerError = (provider: string, reason: string) =>
  Effect.sync(() => providerErrors(1, provider, reason.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()))

/** `words`: no code told the state, so its English name did; `unknown`: neither is in the adapter's table. */
export const nativeState = (provider: string, recordType: string, outcome: "words" | "unknown") =>
  Effect.sync(() => nativeStates(1, provider, recordType, outcome))

const leasts = new Map<string, { readonly remaining: number; readonly until: number }>()

/** `limit`: the provider's name for it; `now` in milliseconds. */
export const budgetLeft = (provider: string, limit: string, remaining: number, now: number) => {
  const name = `${provider}\n${limit}`
  const known = leasts.get(name)
  if (known !== undefined && known.until > now && known.remaining <= remaining) return
  leasts.set(name, { remaining, until: now + 60_000 })
  budgetsLeft(remaining, provider, limit)
}

export const slotWaited = (provider: string, milliseconds: number) =>
  Effect.sync(() => slotWaits(milliseconds / 1000, provider))

export const poolWaited = (milliseconds: number) => poolWaits(milliseconds / 1000)

/** Sets the connections of the database pool, and the statements that wait for one. */
export const poolHas = (of: { readonly idle: number; readonly used: number; readonly waiting: number }) => {
  for (const [state, count] of Object.entries(of)) poolConnections(count, state)
}

export const cacheRead = (cache: string, isHit: boolean) => cacheReads(1, cache, isHit ? "hit" : "miss")

const counted = new Map<string, readonly [provider: string, status: string]>()

/** Sets the current numbers of connections; kinds that are no longer listed become 0. */
export const connectionsCounted = (
  all: ReadonlyArray<{ readonly provider: string; readonly status: string; readonly count: number }>
) =>
  Effect.sync(() => {
    for (const labels of counted.values()) connectionsNow(0, ...labels)
    for (const { count, provider, status } of all) {
      counted.set(`${provider}\n${status}`, [provider, status])
      connectionsNow(count, provider, status)
    }
  })

const looks = new Set<Effect.Effect<void>>()
let lookedAt = -Infinity

/** Has something counted whenever metrics are requested, until the scope closes, at most every 10 seconds. */
export const looking = (look: Effect.Effect<void>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      looks.add(look)
      lookedAt = -Infinity
    }),
    () => Effect.sync(() => looks.delete(look))
  )

/** Runs the counts made on request; for a second at most, since an unavailable database must not hide the rest. */
export const look = Effect.suspend(() => {
  const now = performance.now()
  if (now - lookedAt < 10_000) return Effect.void
  lookedAt = now
  return Effect.forEach(looks, (one) => one, { concurrency: "unbounded", discard: true }).pipe(
    Effect.timeoutOption("1 second"),
    Effect.withTracerEnabled(false),
    Effect.asVoid
  )
})

export const rateLimited = (policy: string) => Effect.sync(() => rateLimits(1, policy))

/** All metrics in the Prometheus text format 0.0.4. */
export const render: Effect.Effect<string> = Effect.sync(() => {
  const families = new Map<string, Family>()
  for (const { metricKey, metricState } of Metric.unsafeSnapshot()) {
    // one series per fiber event of the runtime: large, and says nothing about the service
    if (metricKey.name.startsWith("effect_")) continue
    const rows = rowsOf(metricState)
    if (rows === undefined) continue
    const name = metricKey.name.replace(/[^a-zA-Z0-9_:]/g, "_")
    const labels = metricKey.tags.map(({ key, value }) => [key, value] as const)
    const lines = rows.values.map(({ suffix = "", le, value }) =>
      line(`${name}${suffix}`, le === undefined ? labels : [...labels, ["le", number(le)]], value)
    )
    const family = families.get(name) ?? { help: metricKey.description, type: rows.type, lines: [] }
    families.set(name, { ...family, lines: [...family.lines, ...lines] })
  }
  const text = [...families, ...processFamilies()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { help, lines, type }]) => [
      ...Option.match(help, { onNone: () => [], onSome: (help) => [`# HELP ${name} ${escapeHelp(help)}`] }),
      `# TYPE ${name} ${type}`,
      ...lines
    ])
  return `${text.join("\n")}\n`
})

interface Family {
  readonly help: Option.Option<string>
  readonly type: "counter" | "gauge" | "histogram"
  readonly lines: ReadonlyArray<string>
}

interface Row {
  readonly suffix?: string
  readonly le?: number
  readonly value: number | bigint
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const rowsOf = (
  state: MetricState.MetricState.Untyped
): { readonly type: Family["type"]; readonly values: ReadonlyArray<Row> } | undefined => {
  if (MetricState.isCounterState(state)) return { type: "counter", values: [{ value: state.count }] }
  if (MetricState.isGaugeState(state)) return { type: "gauge", values: [{ value: state.value }] }
  if (MetricState.isHistogramState(state)) {
    return {
      type: "histogram",
      values: [
        ...state.buckets.map(([le, value]) => ({ suffix: "_bucket", le, value })),
        { suffix: "_sum", value: state.sum },
        { suffix: "_count", value: state.count }
      ]
    }
  }
  return undefined
}

/** Delay of the event loop, sampled every 20 ms. Begins with the first request for metrics, and again with each one. */
const delays = monitorEventLoopDelay({ resolution: 20 })

const delayLines = () => {
  delays.enable()
  const lines = [50, 99, 100].map((percent) => {
    // without a sample no delay is known
    const late = delays.count === 0 ? 0 : Math.max(0, delays.percentile(percent) / 1e9 - 0.02)
    return line("nodejs_event_loop_delay_seconds", [["quantile", String(percent / 100)]], late)
  })
  delays.reset()
  return lines
}

/** The process at the moment of the request. The event loop's utilisation is `rate(active) / rate(active + idle)`. */
const processFamilies = (): ReadonlyArray<readonly [string, Family]> => {
  const { heapUsed, rss } = process.memoryUsage()
  const { system, user } = process.cpuUsage()
  const { active, idle } = performance.eventLoopUtilization()
  const family = (name: string, type: Family["type"], help: string, value: number) =>
    [name, { help: Option.some(help), type, lines: [line(name, [], value)] }] as const
  return [
    family("process_cpu_seconds_total", "counter", "CPU time, user and system", (user + system) / 1e6),
    family("process_resident_memory_bytes", "gauge", "Resident memory", rss),
    family("process_start_time_seconds", "gauge", "Start, as Unix time", performance.timeOrigin / 1e3),
    family("nodejs_heap_size_used_bytes", "gauge", "JavaScript heap in use", heapUsed),
    family("nodejs_event_loop_active_seconds_total", "counter", "Time the event loop was busy", active / 1e3),
    [
      "nodejs_event_loop_delay_seconds",
      {
        help: Option.some("How late the event loop was since metrics were last asked for"),
        type: "gauge",
        lines: delayLines()
      }
    ],
    family("nodejs_event_loop_idle_seconds_total", "counter", "Time the event loop was waiting", idle / 1e3)
  ]
}

const line = (name: string, labels: ReadonlyArray<readonly [string, string]>, value: number | bigint) => {
  const pairs = labels.map(([key, value]) => `${key.replace(/[^a-zA-Z0-9_]/g, "_")}="${escapeLabel(value)}"`)
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${number(value)}`
}

const number = (value: number | bigint) => (value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value))

const escapeHelp = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"')
