import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import * as OtlpResource from "@effect/opentelemetry/OtlpResource"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { FetchHttpClient, Headers, HttpClient, HttpClientResponse } from "@effect/platform"
import {
  Array,
  Cause,
  Config,
  ConfigError,
  Context,
  Duration,
  Effect,
  Either,
  Fiber,
  FiberRef,
  FiberRefs,
  HashMap,
  Inspectable,
  Layer,
  LogLevel,
  Logger,
  Option,
  Schedule,
  Schema,
  Tracer
} from "effect"
import { type Export, otelSettings } from "./OtelVariables.ts"
import { attributesOf, requestNotes } from "./RequestNotes.ts"
import { conventional } from "./Spans.ts"

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

/** The words for an error in a line, whether it was the message or the cause. */
const errorIn = (parts: ReadonlyArray<unknown>, cause: Cause.Cause<unknown>) =>
  [
    ...parts.flatMap((part) => (part instanceof Error ? [String(part)] : [])),
    ...(Cause.isEmpty(cause) ? [] : [Cause.pretty(cause, { renderErrorCause: true })])
  ].join("\n")

/**
 * Gives lines of all levels one shape: the message is one text, and what belongs to it are annotations: `error` where something
 * failed, and whose request it is about.
 */
const shaped = Logger.mapInputOptions<unknown, unknown>((options) => {
  const parts = Array.ensure(options.message)
  const said = parts.filter((part) => !(part instanceof Error))
  const error = errorIn(parts, options.cause)
  const notes = FiberRefs.getOrDefault(options.context, requestNotes)
  const more = [
    ...(notes === undefined ? [] : Object.entries(attributesOf(notes))),
    ...(error === "" ? [] : [["error", error] as const])
  ]
  return {
    ...options,
    message: said.map((part) => (typeof part === "string" ? part : Inspectable.stringifyCircular(part))).join(" "),
    cause: Cause.empty,
    annotations: more.reduce((all, [name, value]) => HashMap.set(all, name, value), options.annotations)
  }
})

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
const jsonLogger = Logger.map(Logger.structuredLogger, ({ annotations, logLevel, message, timestamp }) =>
  Inspectable.stringifyCircular({ timestamp, level: logLevel, message, ...annotations })
)

const loggers = {
  json: Logger.withConsoleLog(shaped(withTrace(jsonLogger))),
  logfmt: Logger.withConsoleLog(shaped(withTrace(Logger.logfmtLogger))),
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

/**
 * The client the exporters use. Each export ends within its time, retries included, and a failure is a defect: the exporter
 * then drops the batch and what follows for a minute. With an ordinary failure it would hold every batch through
 * retries as long as a collector's `Retry-After` says, and memory would grow.
 */
const collectorClient = (timeout: number, away: Set<string>) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      HttpClient.transform(client, (send, { url }) =>
        send.pipe(
          Effect.flatMap(HttpClientResponse.filterStatusOk),
          Effect.retry({ times: 2, schedule: Schedule.exponential("200 millis") }),
          Effect.timeout(timeout),
          Effect.tapBoth({
            onFailure: (error) => {
              if (away.has(new URL(url).host)) return Effect.void
              away.add(new URL(url).host)
              const answer = error._tag === "ResponseError" ? `it answers ${error.response.status}` : "no answer"
              return Effect.logWarning(
                `Telemetry does not reach the collector at ${new URL(url).host}: ${answer}. What cannot be sent is dropped`
              )
            },
            onSuccess: () => {
              if (!away.delete(new URL(url).host)) return Effect.void
              return Effect.logInfo(`Telemetry reaches the collector at ${new URL(url).host} again`)
            }
          }),
          Effect.orDie,
          withTimeToEnd
        )
      )
    )
  ).pipe(Layer.provide(FetchHttpClient.layer))

/** Time that the last export has when the service stops, and before it one that is under way. */
const timeToEnd = Duration.seconds(1)

/** Lets what is interrupted go on for a while: an export under way when the service stops would be lost. */
const withTimeToEnd = <A, E, R>(send: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDaemon(send), (fiber) =>
    Effect.onInterrupt(Fiber.join(fiber), () =>
      Effect.zipRight(
        Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), timeToEnd),
        Fiber.interruptFork(fiber)
      )
    )
  )

/** Adds to spans what OpenTelemetry's conventions ask for, and the library that writes them leaves out. */
const corrected = (data: unknown, resource: OtlpResource.Resource): unknown => {
  if (!isTraces(data)) return data
  return {
    ...data,
    resourceSpans: data.resourceSpans.map(({ scopeSpans }) => ({
      resource,
      scopeSpans: scopeSpans.map(({ spans, ...scope }) => ({
        ...scope,
        spans: spans.map(({ attributes, status, ...span }) => ({
          ...span,
          // it says of every failure that it was an interruption
          attributes: attributes.filter(({ key }) => key !== "span.label" && key !== "status.interrupted"),
          // and of all others that they are right, which only whoever runs the service can say
          status: status.code === failed ? status : { code: unset }
        }))
      }))
    }))
  }
}

/** Codes of a span's status. */
const unset = 0
const failed = 2

const isTraces = Schema.is(
  Schema.Struct({
    resourceSpans: Schema.Array(
      Schema.Struct({
        scopeSpans: Schema.Array(
          Schema.Struct({
            spans: Schema.Array(
              Schema.Struct({
                attributes: Schema.Array(Schema.Struct({ key: Schema.String })),
                status: Schema.Struct({ code: Schema.Int })
              })
            )
          })
        )
      })
    )
  })
)

/** An exporter of one signal, of what that needs. */
const exporting = <A, E, R>(
  { isProtobuf, timeout }: Export,
  { away, resource }: { readonly resource: OtlpResource.Resource; readonly away: Set<string> },
  layer: Layer.Layer<A, E, R | OtlpSerialization.OtlpSerialization | HttpClient.HttpClient>
) =>
  layer.pipe(
    Layer.provide(
      Layer.effect(
        OtlpSerialization.OtlpSerialization,
        Effect.map(OtlpSerialization.OtlpSerialization, (plain) => ({
          ...plain,
          traces: (data) => plain.traces(corrected(data, resource))
        }))
      )
    ),
    Layer.provide(isProtobuf ? OtlpSerialization.layerProtobuf : OtlpSerialization.layerJson),
    Layer.provide(collectorClient(timeout, away))
  )

const otlp = Layer.unwrapEffect(
  Effect.gen(function* () {
    const settings = yield* otelSettings
    if (settings === undefined) return Layer.empty
    const { attributes, exports, intervals, sampler, serviceName } = settings
    const resource = { serviceName, attributes }
    const told = { resource: OtlpResource.make(resource), away: new Set<string>() }
    const optionsOf = ({ headers, url }: Export, interval: number) => ({
      url,
      headers,
      resource,
      exportInterval: interval,
      shutdownTimeout: timeToEnd
    })
    const { logs, metrics, traces } = exports
    return Layer.mergeAll(
      logs === undefined
        ? Layer.empty
        : exporting(
            logs,
            told,
            Layer.unwrapScoped(
              Effect.map(OtlpLogger.make(optionsOf(logs, intervals.logs)), (logger) => Logger.add(shaped(logger)))
            )
          ),
      metrics === undefined
        ? Layer.empty
        : exporting(metrics, told, OtlpMetrics.layer(optionsOf(metrics, intervals.metrics))),
      traces === undefined
        ? Layer.empty
        : exporting(
            traces,
            told,
            Layer.unwrapScoped(
              Effect.map(OtlpTracer.make(optionsOf(traces, intervals.traces)), (tracer) =>
                Layer.setTracer(conventional(tracer, sampler))
              )
            )
          )
    )
  })
)
