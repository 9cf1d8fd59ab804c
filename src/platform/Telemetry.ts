import * as Otlp from "@effect/opentelemetry/Otlp"
import { FetchHttpClient, Headers, HttpClient, HttpClientResponse } from "@effect/platform"
import {
  Array,
  Cause,
  Config,
  ConfigError,
  Context,
  Effect,
  Either,
  Exit,
  FiberRef,
  FiberRefs,
  HashMap,
  Inspectable,
  Layer,
  LogLevel,
  Logger,
  Option,
  Predicate,
  Schedule,
  Tracer
} from "effect"
import { randomUUID } from "node:crypto"
import packageJson from "../../package.json" with { type: "json" }

/**
 * Console logs (`LOG_FORMAT`, `LOG_LEVEL`) and, when `OTEL_EXPORTER_OTLP_ENDPOINT` is set, traces, logs and metrics to
 * that collector. Provide it to everything else, so that all of it logs and traces the same way.
 */
export const layer = Layer.suspend(() => otlp.pipe(Layer.provideMerge(logging), Layer.provideMerge(redaction)))

/** Names of headers that hold secrets, ours and any provider's: shown as `<redacted>` wherever headers are printed. */
const redaction = Layer.scopedDiscard(
  Effect.locallyScoped(Headers.currentRedactedNames, [
    /auth|cookie|key|secret|signature|token/i,
    // OAuth redirects carry codes and states in their URLs.
    "location",
    "referer"
  ])
)

// logs

const withTrace = Logger.mapInputOptions<unknown, unknown>((options) =>
  Option.match(Context.getOption(FiberRefs.getOrDefault(options.context, FiberRef.currentContext), Tracer.ParentSpan), {
    onNone: () => options,
    onSome: ({ spanId, traceId }) => ({
      ...options,
      annotations: HashMap.set(HashMap.set(options.annotations, "traceId", traceId), "spanId", spanId)
    })
  })
)

/** One object a line: annotations (`requestId`, `traceId`, …) stand beside the message. */
const jsonLogger = Logger.map(
  withTrace(Logger.structuredLogger),
  ({ annotations, cause, logLevel, message, timestamp }) => {
    const parts = Array.ensure(message).map((part) => (part instanceof Error ? String(part) : part))
    return Inspectable.stringifyCircular({
      timestamp,
      level: logLevel,
      message: parts.length === 1 ? parts[0] : parts,
      ...annotations,
      cause
    })
  }
)

const loggers = {
  json: Logger.withConsoleLog(jsonLogger),
  logfmt: Logger.withConsoleLog(withTrace(Logger.logfmtLogger)),
  pretty: Logger.prettyLoggerDefault
}

const levels = new Map<string, LogLevel.LogLevel>([
  ["trace", LogLevel.Trace],
  ["debug", LogLevel.Debug],
  ["info", LogLevel.Info],
  ["warn", LogLevel.Warning],
  ["error", LogLevel.Error],
  ["fatal", LogLevel.Fatal],
  ["off", LogLevel.None]
])

const logging = Layer.unwrapEffect(
  Effect.gen(function* () {
    const format = yield* Config.literal(
      "pretty",
      "json",
      "logfmt"
    )("LOG_FORMAT").pipe(Config.withDefault(process.stdout.isTTY ? "pretty" : "json"))
    const level = yield* Config.string().pipe(
      Config.mapOrFail((text) =>
        Either.fromNullable(levels.get(text.toLowerCase()), () =>
          ConfigError.InvalidData([], `Expected one of (${[...levels.keys()].join(", ")}) but received "${text}"`)
        )
      ),
      Config.nested("LOG_LEVEL"),
      Config.withDefault(LogLevel.Info)
    )
    return Layer.merge(Logger.replace(Logger.defaultLogger, loggers[format]), Logger.minimumLogLevel(level))
  })
)

// collector

const endpoint = Config.url().pipe(
  Config.validate({
    message: "Expected the http:// or https:// address of an OTLP collector without credentials: http://localhost:4318",
    validation: ({ protocol, username }) => /^https?:$/.test(protocol) && username === ""
  }),
  Config.nested("OTEL_EXPORTER_OTLP_ENDPOINT")
)

/**
 * The client the exporters use. Each export ends within 5 s, retries included, and a failure is a defect: the exporter
 * then drops the batch and what follows for a minute. With an ordinary failure it would hold every batch through
 * retries as long as a collector's `Retry-After` says, and memory would grow.
 */
const collectorClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) => {
    let away = false
    return HttpClient.transform(client, (send, { url }) =>
      send.pipe(
        Effect.flatMap(HttpClientResponse.filterStatusOk),
        Effect.retry({ times: 2, schedule: Schedule.exponential("200 millis") }),
        Effect.timeout("5 seconds"),
        Effect.tapBoth({
          onFailure: (error) => {
            if (away) return Effect.void
            away = true
            const answer = error._tag === "ResponseError" ? `it answers ${error.response.status}` : "no answer"
            return Effect.logWarning(`Telemetry does not reach the collector at ${new URL(url).host}: ${answer}`)
          },
          onSuccess: () => {
            if (!away) return Effect.void
            away = false
            return Effect.logInfo(`Telemetry reaches the collector at ${new URL(url).host} again`)
          }
        }),
        Effect.orDie
      )
    )
  })
).pipe(Layer.provide(FetchHttpClient.layer))

const otlp = Layer.unwrapEffect(
  Effect.gen(function* () {
    const url = yield* Config.option(endpoint)
    if (Option.isNone(url)) return Layer.setTracer(unread)
    const serviceName = yield* Config.string("OTEL_SERVICE_NAME").pipe(Config.withDefault("tributary"))
    return Layer.unwrapEffect(Effect.map(Effect.tracer, (tracer) => Layer.setTracer(withoutSecrets(tracer)))).pipe(
      Layer.provideMerge(
        Otlp.layerJson({
          baseUrl: url.value.href,
          resource: { serviceName, serviceVersion: packageJson.version },
          shutdownTimeout: "1 second"
        })
      ),
      Layer.provide(collectorClient)
    )
  })
)

// spans

/**
 * Where no collector reads them, spans are the ids that log lines and `traceparent` carry. They hold nothing of what ran in
 * them, least of all its result: a span is older than that, and would keep it from being collected while young.
 */
const unread = Tracer.make({
  span: (name, parent, context, _links, startTime, kind) => ({
    _tag: "Span",
    name,
    parent,
    context,
    kind,
    sampled: true,
    traceId: Option.isSome(parent) ? parent.value.traceId : randomId(),
    spanId: randomId().slice(16),
    status: { _tag: "Started", startTime },
    attributes: nothing,
    links: [],
    attribute: ignore,
    event: ignore,
    addLinks: ignore,
    end: ignore
  }),
  context: (run) => run()
})

const randomId = () => randomUUID().replaceAll("-", "")
const nothing: ReadonlyMap<string, unknown> = new Map()
const ignore = () => {}

/**
 * The platform's HTTP spans, of our server and of calls to providers, hold the whole URL and every header. Queries carry
 * tokens (`/connect`), OAuth codes and searches for people, headers carry keys under any name; so what a span may hold
 * is listed here rather than what it may not.
 */
const withoutSecrets = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    context: (f, fiber) => tracer.context(f, fiber),
    span: (...args) => {
      const span = tracer.span(...args)
      const set = span.attribute.bind(span)
      span.attribute = (key, value) => {
        const header = /^http\.(?:request|response)\.header\.(.+)$/.exec(key)?.[1]
        if (header !== undefined ? harmlessHeaders.test(header) : key !== "client.address")
          set(key, harmless(key, value))
      }
      const end = span.end.bind(span)
      span.end = (time, exit) => end(time, withoutWords(exit))
      return span
    }
  })

/**
 * A failure by its name: what it says in words may quote what a caller or a provider sent. A success without what it gave,
 * which a span would keep alive as long as itself.
 */
const withoutWords = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit)) return Exit.void
  if (Cause.isInterruptedOnly(exit.cause)) return exit
  const name = nameOf(Cause.squash(exit.cause))
  const plain = new Error(name)
  plain.name = name
  plain.stack = name
  return Exit.fail(plain)
}

const nameOf = (error: unknown): string => {
  if (Predicate.hasProperty(error, "reason") && Predicate.hasProperty(error.reason, "_tag"))
    return String(error.reason._tag)
  if (Predicate.hasProperty(error, "code") && typeof error.code === "string") return error.code
  if (Predicate.hasProperty(error, "_tag")) return String(error._tag)
  return error instanceof Error ? error.name : "failure"
}

const harmlessHeaders = /^(accept|content-(encoding|length|type)|retry-after|x-request-id|.*rate-?limit.*)$/

const harmlessParameters = new Set([
  "created_after",
  "created_before",
  "include_remote_data",
  "limit",
  "offset",
  "page",
  "provider",
  "resource"
])

const harmless = (key: string, value: unknown): unknown => {
  if (typeof value !== "string") return value
  if (key === "url.query") return harmlessQuery(new URLSearchParams(value))
  if (key !== "url.full") return value
  if (!URL.canParse(value)) return "REDACTED"
  const url = new URL(value)
  const query = harmlessQuery(url.searchParams)
  return `${url.origin}${url.pathname}${query === "" ? "" : `?${query}`}`
}

const harmlessQuery = (query: URLSearchParams) =>
  Array.fromIterable(query)
    .map(([name, value]) => encodeURIComponent(name) + "=" + (harmlessParameters.has(name) ? value : "REDACTED"))
    .join("&")
