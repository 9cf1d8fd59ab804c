import { type HttpClient, HttpClientRequest, type UrlParams } from "@effect/platform"
import { Clock, Config, type ConfigError, Context, Effect, Either, Layer, Option, Redacted } from "effect"
import * as Metrics from "../../platform/Metrics.ts"
import { Credentials, type CredentialValues } from "../Credentials.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import {
  Down,
  Invalid,
  LimitReached,
  Malformed,
  Missing,
  ProviderError,
  type Reason,
  TimedOut,
  Unauthenticated,
  Unsupported
} from "../ProviderError.ts"
import { Transport } from "../Transport.ts"
import type { Authorization } from "./Authorization.ts"
import { Budget } from "./Budget.ts"
import { type ReadError, readFailure } from "./Errors.ts"

/** The facts of a provider that every call to it needs. */
export interface Endpoint {
  readonly slug: string
  readonly authorization: Authorization
  /** Origin of the API for a connection, without a slash at the end; a function where the credentials say it. */
  readonly baseUrl: string | ((values: CredentialValues["values"]) => string | undefined)
  /** Headers on every call. */
  readonly headers?: (values: CredentialValues["values"]) => { readonly [name: string]: string }
  /** Calls of one connection that may run at a time. */
  readonly concurrency: number
  readonly readError: ReadError
  /** Milliseconds one attempt may take. */
  readonly timeout: number
}

/** One call. */
export interface Call {
  /** What it is for, such as `contacts.list`: in spans, metrics and errors. */
  readonly operation: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /**
   * Path with `:name` places; `params` fill them, escaped, and else the values of the credentials (`:realmId`). Spans
   * carry the template only.
   */
  readonly path: string
  readonly params?: { readonly [name: string]: string }
  readonly query?: UrlParams.Input
  readonly json?: unknown
  readonly headers?: { readonly [name: string]: string }
  /** A POST that changes nothing (a search), or that the provider makes idempotent, may be repeated. */
  readonly repeatable?: boolean
}

export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** Parsed JSON; undefined when the answer has no body. */
  readonly body: unknown
}

/** Calls of one provider. */
export type Caller = (connection: ConnectionRef, call: Call) => Effect.Effect<Answer, ProviderError>

const attempts = 3
/** Milliseconds the caller of this service is kept waiting for a repeat; beyond it the failure is handed on. */
const patience = 2000

/** A path with its places filled; undefined where a value would lead out of its place (`..`), so that it names nothing. */
const fill = (path: string, params: NonNullable<Call["params"]>): string | undefined => {
  const places = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = ""]) => params[name] ?? "")
  return places.some((value) => value === "" || value === "." || value === "..")
    ? undefined
    : path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
}

const parse = (text: string): unknown =>
  Either.getOrElse(
    Either.try((): unknown => JSON.parse(text)),
    () => text
  )

/** A provider's words without the connection's secret, should they quote it. */
const hide = (words: string, { secret }: CredentialValues) => words.replaceAll(Redacted.value(secret), "[redacted]")

const withoutSecret = (reason: Reason, held: CredentialValues): Reason =>
  reason._tag === "Invalid"
    ? new Invalid({
        fields: Object.fromEntries(Object.entries(reason.fields).map(([name, words]) => [name, hide(words, held)]))
      })
    : reason

/** Repeating cannot do anything twice. */
const isRepeatable = (call: Call) => call.method === "GET" || call.method === "DELETE" || call.repeatable === true

/** The one way out to providers: credentials, refresh, budget, repeat, time limit, span. */
export class Upstream extends Context.Tag("tributary/providers/axes/Upstream")<
  Upstream,
  {
    /** The calls of a provider; reads the operator's `PROVIDER_<SLUG>_BASE_URL`. */
    readonly caller: (endpoint: Endpoint) => Effect.Effect<Caller, ConfigError.ConfigError>
  }
>() {
  static readonly layer = Layer.effect(
    Upstream,
    Effect.gen(function* () {
      const transport = yield* Transport
      const credentials = yield* Credentials
      const budget = yield* Budget

      const caller = Effect.fnUntraced(function* (endpoint: Endpoint) {
        const slug = endpoint.slug
        const operators = yield* Config.option(Config.url(`PROVIDER_${slug.toUpperCase()}_BASE_URL`))

        const fail = (call: Call, reason: Reason, more: { readonly status?: number; readonly detail?: string } = {}) =>
          new ProviderError({ provider: slug, operation: call.operation, reason, ...more })

        const originOf = ({ environment }: ConnectionRef, values: CredentialValues["values"]) =>
          Option.isSome(operators) && environment === "production"
            ? operators.value.href.replace(/\/$/, "")
            : typeof endpoint.baseUrl === "string"
              ? endpoint.baseUrl
              : endpoint.baseUrl(values)

        /** W3C trace context, for a host that the operator named; a third party is not told of our traces. */
        const traceOf = ({ environment }: ConnectionRef) =>
          Option.isNone(operators) || environment === "sandbox"
            ? Effect.succeed({})
            : Effect.currentSpan.pipe(
                Effect.map(({ spanId, traceId }) => ({ traceparent: `00-${traceId}-${spanId}-01` })),
                Effect.orElseSucceed(() => ({}))
              )

        const requestOf = (call: Call, held: CredentialValues, url: string) => {
          const plain = HttpClientRequest.make(call.method)(url, {
            headers: { accept: "application/json", ...endpoint.headers?.(held.values), ...call.headers },
            ...(call.query === undefined ? {} : { urlParams: call.query })
          })
          const withBody = call.json === undefined ? plain : HttpClientRequest.bodyUnsafeJson(plain, call.json)
          return endpoint.authorization.apply(withBody, held)
        }

        const send = (client: HttpClient.HttpClient, call: Call, request: HttpClientRequest.HttpClientRequest) =>
          client.execute(request).pipe(
            Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
            Effect.mapError((error) =>
              error._tag === "RequestError"
                ? fail(call, new Down(), { detail: "no connection" })
                : fail(call, new Malformed(), { detail: "the answer broke off" })
            ),
            Effect.timeoutFail({ duration: endpoint.timeout, onTimeout: () => fail(call, new TimedOut()) })
          )

        const attempt = (connection: ConnectionRef, call: Call, held: CredentialValues) =>
          Effect.gen(function* () {
            const client = transport.to(connection.environment, slug)
            if (client === undefined) {
              return yield* fail(call, new Unsupported(), { detail: `the sandbox has no simulator of ${slug}` })
            }
            const origin = originOf(connection, held.values)
            if (origin === undefined) {
              return yield* fail(call, new Unauthenticated(), { detail: "the connection's credentials lack its host" })
            }
            const path = fill(call.path, { ...held.values, ...call.params })
            if (path === undefined) return yield* fail(call, new Missing())
            const started = yield* Clock.currentTimeMillis
            const away = budget.away(connection, started)
            if (away > 0) return yield* fail(call, new LimitReached({ retryAfter: away }))
            const traced = yield* traceOf(connection)
            const request = HttpClientRequest.setHeaders(requestOf(call, held, origin + path), traced)
            const { response, text } = yield* send(client, call, request).pipe(
              Effect.tapError((error) =>
                measure(call, started, error.reason._tag === "TimedOut" ? "timeout" : "unreachable")
              )
            )
            const { headers, status } = response
            yield* measure(call, started, status)
            yield* Effect.annotateCurrentSpan({
              "http.response.status_code": status,
              "http.response.body.size": Buffer.byteLength(text)
            })
            const body = text === "" ? undefined : parse(text)
            if (status >= 200 && status < 300) {
              if (typeof body === "string")
                return yield* fail(call, new Malformed(), { status, detail: "the answer is not JSON" })
              return { status, headers, body } satisfies Answer
            }
            const now = yield* Clock.currentTimeMillis
            const { detail, reason } = readFailure(endpoint.readError, { status, headers, body, now })
            if (reason._tag === "LimitReached") budget.stayAway(connection, now, reason.retryAfter)
            return yield* fail(call, withoutSecret(reason, held), {
              status,
              // what is said about credentials may quote them
              ...(detail === undefined || reason._tag === "Unauthenticated" ? {} : { detail: hide(detail, held) })
            })
          })

        const measure = (call: Call, started: number, status: number | "timeout" | "unreachable") =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Metrics.providerRequest({
              provider: slug,
              operation: call.operation,
              status,
              seconds: (now - started) / 1000
            })
          )

        /** Milliseconds until a repeat may help; undefined when it cannot. */
        const pauseOf = (call: Call, error: ProviderError, tried: number): number | undefined => {
          if (tried >= attempts) return undefined
          // a refused limit did nothing, whatever the method
          if (error.reason._tag === "LimitReached") {
            const pause = error.reason.retryAfter * 1000
            return pause <= patience ? pause : undefined
          }
          return error.reason._tag === "Down" && isRepeatable(call) ? 100 * 2 ** tried : undefined
        }

        const repeating = (
          connection: ConnectionRef,
          call: Call,
          held: CredentialValues,
          tried: number
        ): Effect.Effect<Answer, ProviderError> =>
          attempt(connection, call, held).pipe(
            Effect.catchTag("ProviderError", (error) => {
              // the first try did it, and its answer was lost
              if (call.method === "DELETE" && tried > 1 && error.reason._tag === "Missing") {
                return Effect.succeed<Answer>({ status: 204, headers: {}, body: undefined })
              }
              const pause = pauseOf(call, error, tried)
              return pause === undefined
                ? Effect.fail(error)
                : Effect.annotateCurrentSpan({ "http.request.resend_count": tried }).pipe(
                    Effect.zipRight(Effect.sleep(pause)),
                    Effect.zipRight(repeating(connection, call, held, tried + 1))
                  )
            })
          )

        return (connection: ConnectionRef, call: Call) =>
          credentials.current(connection).pipe(
            Effect.flatMap((held) =>
              repeating(connection, call, held, 1).pipe(
                Effect.catchIf(
                  (error) => error.reason._tag === "Unauthenticated",
                  () =>
                    Effect.flatMap(credentials.refresh(connection, held), (fresh) =>
                      Effect.tapError(repeating(connection, call, fresh, 1), (error) =>
                        error.reason._tag === "Unauthenticated" ? credentials.refused(connection, fresh) : Effect.void
                      )
                    )
                )
              )
            ),
            (effect) => budget.spend(connection, endpoint.concurrency, effect),
            Effect.withSpan(`${slug} ${call.operation}`, {
              kind: "client",
              attributes: {
                provider: slug,
                "connection.id": connection.id,
                "http.request.method": call.method,
                "url.template": call.path
              }
            })
          )
      })

      return { caller }
    })
  )
}
