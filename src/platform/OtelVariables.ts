import { Config, type ConfigError, Effect, Either, Option } from "effect"
import { randomUUID } from "node:crypto"
import packageJson from "../../package.json" with { type: "json" }

/**
 * The `OTEL_*` variables that are honoured, as their specification has it
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/): one of them that makes no sense is said
 * once and is as if it were not set. Without a protocol it is `http/json`.
 */

type Signal = "traces" | "logs" | "metrics"

/** Where one signal goes, and how. */
export interface Export {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly isProtobuf: boolean
  /** Milliseconds that an export may take. */
  readonly timeout: number
}

/** Which traces are kept: a part of those that begin here, and of others as their caller says or as if they began here. */
export interface Sampler {
  /** From 0 to 1. */
  readonly ratio: number
  readonly isParentBased: boolean
}

export interface OtelSettings {
  readonly serviceName: string
  /** Of the resource, besides its name. */
  readonly attributes: { readonly [name: string]: string }
  /** Signals that are exported. */
  readonly exports: { readonly [signal in Signal]: Export | undefined }
  readonly sampler: Sampler
  /** Milliseconds between exports. */
  readonly intervals: { readonly [signal in Signal]: number }
}

const isAddress = (text: string) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === ""

const endpoint = Config.string("OTEL_EXPORTER_OTLP_ENDPOINT").pipe(
  Config.validate({
    message: "Expected the http:// or https:// address of an OTLP collector without credentials: http://localhost:4318",
    validation: isAddress
  }),
  Config.option
)

/** `key=value` pairs between commas; values are percent-encoded. */
const pairsIn = (text: string): Either.Either<{ readonly [name: string]: string }, string> =>
  Either.gen(function* () {
    const pairs: Array<readonly [string, string]> = []
    for (const pair of text.split(",").filter((pair) => pair.trim() !== "")) {
      const at = pair.indexOf("=")
      const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
      if (at < 1 || name === "") return yield* Either.left("expected name=value pairs between commas")
      const decoded = Either.try({
        try: () => [decodeURIComponent(name), decodeURIComponent(value)] as const,
        catch: () => "expected values that are percent-encoded"
      })
      pairs.push(yield* decoded)
    }
    return Object.fromEntries(pairs)
  })

const oneOf =
  <const Names extends ReadonlyArray<string>>(names: Names) =>
  (text: string): Either.Either<Names[number], string> =>
    Either.fromNullable(
      names.find((name) => name === text),
      () => `expected one of ${names.join(", ")}`
    )

const milliseconds = (text: string) =>
  /^\d{1,9}$/.test(text) ? Either.right(Number(text)) : Either.left("expected milliseconds, a whole number")

const ratio = (text: string) => {
  const number = Number(text)
  return text.trim() !== "" && number >= 0 && number <= 1
    ? Either.right(number)
    : Either.left("expected a number from 0 to 1")
}

/** A variable; absent, empty and senseless are the same, but the last of them is said. Values may be secret, and are not. */
const variable = <A>(name: string, read: (text: string) => Either.Either<A, string>) =>
  Effect.gen(function* () {
    const text = Option.getOrElse(yield* Config.option(Config.string(name)), () => "").trim()
    if (text === "") return undefined
    const found = read(text)
    if (Either.isRight(found)) return found.right
    yield* Effect.logWarning(`${name} is ignored: ${found.left}`)
    return undefined
  })

const samplers = {
  always_on: { ratio: 1, isParentBased: false },
  always_off: { ratio: 0, isParentBased: false },
  traceidratio: { ratio: undefined, isParentBased: false },
  parentbased_always_on: { ratio: 1, isParentBased: true },
  parentbased_always_off: { ratio: 0, isParentBased: true },
  parentbased_traceidratio: { ratio: undefined, isParentBased: true }
} as const

const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

const sampler = Effect.gen(function* () {
  const name = (yield* variable("OTEL_TRACES_SAMPLER", oneOf(samplerNames))) ?? "parentbased_always_on"
  const { isParentBased, ratio: fixed } = samplers[name]
  if (fixed !== undefined) return { ratio: fixed, isParentBased }
  return { ratio: (yield* variable("OTEL_TRACES_SAMPLER_ARG", ratio)) ?? 1, isParentBased }
})

const readers = {
  PROTOCOL: oneOf(["http/json", "http/protobuf"]),
  HEADERS: pairsIn,
  TIMEOUT: milliseconds
}

/** How a signal is sent, or how all are. */
const ways = (prefix: string) =>
  Effect.all({
    protocol: variable(`${prefix}_PROTOCOL`, readers.PROTOCOL),
    headers: variable(`${prefix}_HEADERS`, readers.HEADERS),
    timeout: variable(`${prefix}_TIMEOUT`, readers.TIMEOUT)
  })

/** A setting that is not made for a signal alone holds as it is made for all. */
const exportOf = Effect.fnUntraced(function* (
  signal: Signal,
  base: Option.Option<string>,
  ofAll: Effect.Effect.Success<ReturnType<typeof ways>>
) {
  const upper = signal.toUpperCase()
  const prefix = `OTEL_EXPORTER_OTLP_${upper}`
  const chosen = yield* variable(`OTEL_${upper}_EXPORTER`, oneOf(["otlp", "none"]))
  const own = yield* variable(`${prefix}_ENDPOINT`, (text) =>
    isAddress(text) ? Either.right(text) : Either.left("expected an http:// or https:// address without credentials")
  )
  const url = own ?? Option.getOrUndefined(Option.map(base, (text) => `${text.replace(/\/+$/, "")}/v1/${signal}`))
  if (url === undefined || chosen === "none") return undefined
  const { headers, protocol, timeout } = yield* ways(prefix)
  return {
    url,
    headers: headers ?? ofAll.headers ?? {},
    isProtobuf: (protocol ?? ofAll.protocol) === "http/protobuf",
    timeout: timeout ?? ofAll.timeout ?? 10_000
  } satisfies Export
})

const isOn = (text: string) => Either.right(text.toLowerCase() === "true")

/** The settings of the variables; undefined where nothing is exported. */
export const otelSettings: Effect.Effect<OtelSettings | undefined, ConfigError.ConfigError> = Effect.gen(function* () {
  if ((yield* variable("OTEL_SDK_DISABLED", isOn)) === true) return undefined
  const base = yield* endpoint
  const ofAll = yield* ways("OTEL_EXPORTER_OTLP")
  const exports = {
    traces: yield* exportOf("traces", base, ofAll),
    logs: yield* exportOf("logs", base, ofAll),
    metrics: yield* exportOf("metrics", base, ofAll)
  }
  if (Object.values(exports).every((one) => one === undefined)) return undefined
  const { "service.name": named, ...attributes } = (yield* variable("OTEL_RESOURCE_ATTRIBUTES", pairsIn)) ?? {}
  const serviceName = yield* variable("OTEL_SERVICE_NAME", Either.right)
  return {
    serviceName: serviceName ?? named ?? "tributary",
    attributes: {
      "service.version": packageJson.version,
      // tells processes apart that send the same series
      "service.instance.id": randomUUID(),
      ...attributes
    },
    exports,
    sampler: yield* sampler,
    intervals: {
      traces: (yield* variable("OTEL_BSP_SCHEDULE_DELAY", milliseconds)) ?? 5000,
      logs: (yield* variable("OTEL_BLRP_SCHEDULE_DELAY", milliseconds)) ?? 1000,
      metrics: (yield* variable("OTEL_METRIC_EXPORT_INTERVAL", milliseconds)) ?? 60_000
    }
  }
})
