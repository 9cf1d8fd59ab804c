import { type HttpClient, HttpClientRequest, type HttpClientResponse, type UrlParams } from "@effect/platform"
import {
  Config,
  type ConfigError,
  Context,
  Effect,
  Either,
  FiberRef,
  identity,
  Layer,
  Option,
  type Scope,
  type Stream,
  type Tracer
} from "effect"
import * as Metrics from "../../platform/Metrics.ts"
import { monotonic } from "../../platform/Monotonic.ts"
import { whyUnread } from "../../platform/Answer.ts"
import { remembering } from "../../platform/Remembering.ts"
import { meaning, notedCalls, noting, type UpstreamCall } from "../../platform/RequestNotes.ts"
import { aboutToChange } from "../BeforeChange.ts"
import { Credentials, type CredentialValues } from "../Credentials.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import {
  Down,
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
import { fill, isPublic } from "./Addresses.ts"
import type { Authorization, ConnectionString } from "./Authorization.ts"
import { makeBreaker } from "./Breaker.ts"
import { Budget } from "./Budget.ts"
import { countCall } from "./CallCount.ts"
import { type CallTime, makeCallTime, notInTime } from "./CallTime.ts"
import { contentOf, makeDownloads, refusalOf } from "./Content.ts"
import { metLimits, type ReadLimits } from "./Limits.ts"
import { type ReadError, readFailure } from "./Errors.ts"
import { hiding, withoutSecret, withoutSecretIn } from "./Secrets.ts"
import { sparing } from "./Together.ts"

/** The facts of a provider that every call to it needs. */
export interface Endpoint {
  readonly slug: string
  readonly authorization: Exclude<Authorization, ConnectionString>
  /** Origin of the API for a connection, without a slash at the end; a function where the credentials say it. */
  readonly baseUrl: string | ((values: CredentialValues["values"]) => string | undefined)
  /** Headers on every call. */
  readonly headers?: (values: CredentialValues["values"]) => { readonly [name: string]: string }
  /** Calls of one connection that may run at a time. */
  readonly concurrency: number
  readonly readError: ReadError
  /** What its answers say about its limits; they are kept to before they are reached, and shown to callers. */
  readonly readLimits?: ReadLimits
  /** Milliseconds one attempt may take, from when it is sent. */
  readonly timeout: number
}

/** One call. */
export interface Call {
  /** What it is for, such as `contacts.list`: in spans, metrics and errors. */
  readonly operation: string
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
  /**
   * Path with `:name` places; `params` fill them, escaped, and else the values of the credentials (`:realmId`). Spans
   * carry the template only.
   */
  readonly path: string
  readonly params?: { readonly [name: string]: string }
  /**
   * Path and query of a caller's own request, sent as they are in place of `path`; goes with `download`. Whatever the status,
   * the answer is one. Only reads are repeated, and who goes away or is out of time breaks the call off, whatever it changes.
   */
  readonly target?: string
  readonly query?: UrlParams.Input
  readonly json?: unknown
  /** A body as it is; `type` is empty where none was stated. */
  readonly bytes?: { readonly type: string; readonly content: Uint8Array }
  /** A body that is sent as it comes in. It is there once, so the call is never repeated; it may take five minutes. */
  readonly content?: {
    readonly type: string
    readonly stream: Stream.Stream<Uint8Array>
    /** Bytes, where they are known. */
    readonly size?: number | undefined
  }
  readonly headers?: { readonly [name: string]: string }
  /** A POST that changes nothing, such as a search. */
  readonly reads?: boolean
  /** A POST or PUT that the provider makes idempotent may be repeated. */
  readonly repeatable?: boolean
  /** The answer is a text, such as the content of a note, and not JSON. */
  readonly text?: boolean
  /** The answer is a file, handed on as it comes in, for as long as this scope lives. */
  readonly download?: Scope.Scope
  /** An address that the provider gave, in place of its own host and the path; it gets no credentials. */
  readonly elsewhere?: string
}

export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** Parsed JSON, undefined when the answer has no body; or the text that the call asked for. */
  readonly body: unknown
  /** Of a download; fails when the answer breaks off or stands still, or its scope has ended. */
  readonly content?: Stream.Stream<Uint8Array, ProviderError>
}

/** A call on its way. */
interface Sending {
  readonly connection: ConnectionRef
  readonly call: Call
  readonly held: CredentialValues
  readonly span: Tracer.Span
  readonly time: CallTime
  /** Last answer to a caller's own request, where that was read as a failure. */
  readonly said: { answer: Answer | undefined }
}

/** What one attempt needs. */
interface Prepared {
  readonly client: HttpClient.HttpClient
  readonly request: HttpClientRequest.HttpClientRequest
  /** Milliseconds of the monotonic clock. */
  readonly started: number
}

/** An answer as it came in. */
interface Reply {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly text: string
  /** Of a caller's own request that failed. */
  readonly bytes?: Uint8Array
}

/** Calls of one provider. */
export type Caller = (connection: ConnectionRef, call: Call) => Effect.Effect<Answer, ProviderError>

const attempts = 3
/** Milliseconds the caller of this service is kept waiting for a repeat; beyond it the failure is handed on. */
const patience = 2000
/** Milliseconds that sending a file may take. */
const uploadTime = 300_000

const parse = (text: string): unknown =>
  Either.getOrElse(
    Either.try((): unknown => JSON.parse(text)),
    () => text
  )

/** Redirections are not followed; they are the answer to a caller's own request. */
const isSuccess = ({ target }: Call, status: number) => status >= 200 && status < (target === undefined ? 300 : 400)

/** Changes nothing at the provider. */
export const isRead = (call: Call) => call.method === "GET" || call.method === "HEAD" || call.reads === true

/** It changes something, and so once more when it is sent again. */
const changesOnce = (call: Call) => !isRead(call) && call.repeatable !== true

/** Repeating cannot do anything twice. */
const isRepeatable = (call: Call) => isRead(call) || call.method === "DELETE" || call.repeatable === true

/** It is never sent again: its body is gone, or what it does is its caller's own affair. */
const isSentOnce = (call: Call) => call.content !== undefined || (call.target !== undefined && !isRead(call))

/** The host of an address, as spans have it. */
const serverAt = remembering(1000, (address) => {
  if (!URL.canParse(address)) return undefined
  const { hostname, origin, port, protocol } = new URL(address)
  return { hostname, origin, port: Number(port === "" ? (protocol === "http:" ? 80 : 443) : port) }
})

/** Names the host of a call, and where on it: by the path's template, since the path itself and the query hold what was sent. */
const describeServer = (span: Tracer.Span, origin: string, { elsewhere, path }: Call) => {
  const server = serverAt(elsewhere === undefined || !URL.canParse(elsewhere) ? origin : new URL(elsewhere).origin)
  if (server === undefined) return
  span.attribute("server.address", server.hostname)
  span.attribute("server.port", server.port)
  span.attribute("url.full", elsewhere === undefined ? server.origin + path : server.origin)
}

/** The one way out to providers: credentials, refresh, budget, repeat, time limit, span. */
export class Upstream extends Context.Tag("tributary/providers/axes/Upstream")<
  Upstream,
  {
    /** The calls of a provider; reads the operator's `PROVIDER_<SLUG>_BASE_URL`. */
    readonly caller: (endpoint: Endpoint) => Effect.Effect<Caller, ConfigError.ConfigError>
  }
>() {
  static readonly layer = Layer.scoped(
    Upstream,
    Effect.gen(function* () {
      const transport = yield* Transport
      const credentials = yield* Credentials
      const budget = yield* Budget
      const timed = yield* makeCallTime
      const guarded = makeBreaker()
      const downloads = makeDownloads()

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
        const traceOf = ({ environment }: ConnectionRef, { sampled, spanId, traceId }: Tracer.Span) =>
          Option.isNone(operators) || environment === "sandbox"
            ? {}
            : { traceparent: `00-${traceId}-${spanId}-${sampled ? "01" : "00"}` }

        const requestOf = (call: Call, held: CredentialValues, url: string) => {
          if (call.elsewhere !== undefined) return HttpClientRequest.make(call.method)(url)
          const plain = HttpClientRequest.make(call.method)(url, {
            headers: {
              ...(call.target === undefined
                ? { accept: call.text === true || call.download !== undefined ? "*/*" : "application/json" }
                : {}),
              ...endpoint.headers?.(held.values),
              ...call.headers
            },
            ...(call.query === undefined ? {} : { urlParams: call.query })
          })
          return endpoint.authorization.apply(withBody(plain, call), held)
        }

        const withBody = (request: HttpClientRequest.HttpClientRequest, { bytes, content, json }: Call) => {
          if (content !== undefined) {
            return HttpClientRequest.bodyStream(request, content.stream, {
              contentType: content.type,
              contentLength: content.size
            })
          }
          if (bytes !== undefined) return HttpClientRequest.bodyUint8Array(request, bytes.content, bytes.type)
          return json === undefined ? request : HttpClientRequest.bodyUnsafeJson(request, json)
        }

        const send = ({ call, connection, span, time }: Sending, { client, request, started }: Prepared) => {
          const reply = client.execute(request).pipe(
            Effect.tap((response) => noteLimits(connection, call, response)),
            Effect.flatMap((response) =>
              call.download !== undefined && isSuccess(call, response.status)
                ? Effect.succeed<Reply>({ response, text: "" })
                : call.target === undefined
                  ? Effect.map(response.text, (text): Reply => ({ response, text }))
                  : Effect.map(refusalOf(response), (refusal): Reply => ({ response, ...refusal }))
            ),
            Effect.mapError((error) =>
              error._tag === "RequestError"
                ? fail(call, new Down(), { detail: "no connection" })
                : fail(call, new Malformed(), { detail: whyUnread(error) })
            ),
            Effect.tapError(() => Effect.zipRight(time.answered, measure(connection, call, started, "unreachable"))),
            Effect.tap(({ response: { headers, status }, text }) => {
              span.attribute("http.response.status_code", status)
              span.attribute("http.response.body.size", Number(headers["content-length"] ?? Buffer.byteLength(text)))
              return Effect.zipRight(time.answered, measure(connection, call, started, status))
            })
          )
          const limit = call.content === undefined ? endpoint.timeout : uploadTime
          const changes = isRead(call) || call.target !== undefined ? undefined : slug
          return Effect.flatMap(time.send(started, limit, changes), (isInTime) =>
            isInTime ? reply : outOfTime(connection, call, time)
          )
        }

        /** The end of a call whose time is up. */
        const outOfTime = (connection: ConnectionRef, call: Call, { flight, isCutShort, isOpen }: CallTime) =>
          Effect.zipRight(
            flight === undefined ? Effect.void : measure(connection, call, flight, "timeout"),
            fail(call, isOpen ? new TimedOut(isCutShort ? { isCutShort } : {}) : notInTime)
          )

        /** What an attempt needs to be sent. */
        const prepared = Effect.fnUntraced(function* ({ call, connection, held, said, span }: Sending) {
          said.answer = undefined
          const client = transport.to(connection.environment, slug)
          if (client === undefined) {
            return yield* fail(call, new Unsupported(), { detail: `the sandbox has no simulator of ${slug}` })
          }
          const origin = originOf(connection, held.values)
          if (origin === undefined) {
            return yield* fail(call, new Unauthenticated(), { detail: "the connection's credentials lack its host" })
          }
          const path = call.target ?? fill(call.path, { ...held.values, ...call.params })
          if (path === undefined) return yield* fail(call, new Missing())
          if (call.elsewhere !== undefined && !isPublic(call.elsewhere)) {
            return yield* fail(call, new Malformed(), { detail: "the address it gave is not one to call" })
          }
          const started = monotonic(yield* Effect.clock)
          const away = budget.take(connection, started)
          if (away > 0) return yield* fail(call, new LimitReached({ retryAfter: away }))
          yield* countCall
          const traced = call.elsewhere === undefined ? traceOf(connection, span) : {}
          describeServer(span, origin, call)
          const request = HttpClientRequest.setHeaders(requestOf(call, held, call.elsewhere ?? origin + path), traced)
          return { client, request, started } satisfies Prepared
        })

        const read = (sending: Sending, reply: Reply): Effect.Effect<Answer, ProviderError> => {
          const { call } = sending
          const { response, text } = reply
          const { headers, status } = response
          if (!isSuccess(call, status)) return refused(sending, reply)
          if (call.download !== undefined) {
            const failing = (reason: Reason, detail: string) => fail(call, reason, { detail })
            return Effect.map(contentOf(response, call.download, endpoint.timeout, failing), (content): Answer => ({
              status,
              headers,
              body: undefined,
              content
            }))
          }
          if (call.text === true) return Effect.succeed({ status, headers, body: text })
          const body = text === "" ? undefined : parse(text)
          return typeof body === "string"
            ? fail(call, new Malformed(), { status, detail: "the answer is not JSON" })
            : Effect.succeed({ status, headers, body })
        }

        const refused = Effect.fnUntraced(function* (
          { call, connection, held, said }: Sending,
          { bytes, response: { headers, request, status }, text }: Reply
        ) {
          if (call.elsewhere !== undefined) {
            // what another host says is not about these credentials, nor about these limits
            const reason = status >= 500 ? new Down() : new Malformed()
            return yield* fail(call, reason, { status, detail: "nothing is at the address it gave" })
          }
          const clock = yield* Effect.clock
          const body = text === "" ? undefined : parse(text)
          const now = clock.unsafeCurrentTimeMillis()
          const { detail, reason } = readFailure(endpoint.readError, { status, headers, body, now })
          if (reason._tag === "LimitReached") yield* budget.stayAway(connection, monotonic(clock), reason.retryAfter)
          const hide = hiding(held, request)
          // what is said about tokens nobody has seen, and may quote them; whoever entered a key can mend it
          const isUntold = reason._tag === "Unauthenticated" && endpoint.authorization.kind !== "key"
          if (bytes !== undefined)
            said.answer = { status, body: undefined, ...withoutSecretIn(headers, bytes, text, hide) }
          return yield* fail(call, withoutSecret(reason, hide), {
            status,
            ...(detail === undefined || isUntold ? {} : { detail: hide(detail) })
          })
        })

        // not as a generator, which would hold on to the reply as long as it is held itself
        const attempt = (sending: Sending) =>
          prepared(sending).pipe(
            changesOnce(sending.call) ? Effect.zipLeft(aboutToChange) : identity,
            Effect.flatMap((ready) => send(sending, ready)),
            Effect.flatMap((reply) => read(sending, reply))
          )

        /** Counts an attempt that has ended, and notes it with the request that it was made for. */
        const measure = (
          connection: ConnectionRef,
          { method, operation }: Call,
          started: number,
          status: number | "timeout" | "unreachable"
        ) =>
          Effect.clockWith((clock) => {
            const milliseconds = monotonic(clock) - started
            const ended = clock.unsafeCurrentTimeMillis()
            const of: Omit<UpstreamCall, "after"> = {
              provider: slug,
              connection: connection.id,
              operation,
              method,
              ...(typeof status === "number" ? { status, outcome: "answered" } : { status: null, outcome: status }),
              milliseconds
            }
            return Effect.zipRight(
              Metrics.providerRequest({ provider: slug, operation, status, seconds: milliseconds / 1000 }),
              noting((notes) => {
                notes.callsMade += 1
                if (notes.calls.length >= notedCalls) return
                notes.calls.push({ ...of, after: Math.max(0, Math.round(ended - milliseconds - notes.startedAt)) })
              })
            )
          })

        const noteLimits = (
          connection: ConnectionRef,
          call: Call,
          { headers, status }: HttpClientResponse.HttpClientResponse
        ) => {
          const limits = call.elsewhere === undefined ? endpoint.readLimits?.(headers) : undefined
          if (limits === undefined || limits.length === 0) return Effect.void
          return Effect.gen(function* () {
            // a refusal says by itself how long to stay away
            const now = (yield* Effect.clock).unsafeCurrentTimeMillis()
            for (const { name, remaining } of limits) Metrics.budgetLeft(slug, name, remaining, now)
            if (status < 400) yield* budget.note(connection, monotonic(yield* Effect.clock), limits)
            const met = yield* FiberRef.get(metLimits)
            met?.note(slug, limits)
          })
        }

        /** Milliseconds until a repeat may help; undefined when it cannot. */
        const pauseOf = ({ call, time }: Sending, { reason }: ProviderError, tried: number): number | undefined => {
          if (tried >= attempts || isSentOnce(call)) return undefined
          // a refused limit did nothing, whatever the method
          const pause =
            reason._tag === "LimitReached"
              ? reason.retryAfter * 1000
              : reason._tag === "Down" && isRepeatable(call)
                ? Math.max(100 * 2 ** tried, (reason.retryAfter ?? 0) * 1000)
                : Infinity
          return pause <= patience && time.leaves(pause) ? pause : undefined
        }

        const repeating = (sending: Sending, tried: number): Effect.Effect<Answer, ProviderError> =>
          attempt(sending).pipe(
            Effect.catchTag("ProviderError", (error) => {
              const { call, span } = sending
              // the first try did it, and its answer was lost
              if (call.method === "DELETE" && tried > 1 && error.reason._tag === "Missing") {
                return Effect.succeed<Answer>({ status: 204, headers: {}, body: undefined })
              }
              const pause = pauseOf(sending, error, tried)
              if (pause === undefined) return Effect.fail(error)
              span.attribute("http.request.resend_count", tried)
              return Effect.zipRight(Effect.sleep(pause), repeating(sending, tried + 1))
            })
          )

        /** Sends a call, and once more when the provider takes the credentials for wrong: with fresh ones where there are any. */
        const renewing = (sending: Sending) =>
          repeating(sending, 1).pipe(
            Effect.catchIf(
              (error) => error.reason._tag === "Unauthenticated",
              (error) => {
                const { call, connection, held, said, span } = sending
                said.answer = undefined
                const refreshed = Effect.withParentSpan(credentials.refresh(connection, held), span)
                return Effect.flatMap(refreshed, (fresh) =>
                  call.content !== undefined
                    ? Effect.fail(
                        fresh.version === held.version
                          ? error
                          : fail(call, new Down(), { detail: "the file was not taken; send it again" })
                      )
                    : Effect.tapError(repeating({ ...sending, held: fresh }, 1), (error) =>
                        error.reason._tag === "Unauthenticated" ? credentials.refused(connection, fresh) : Effect.void
                      )
                )
              }
            )
          )

        const sent: Caller = (connection, call) =>
          Effect.useSpan(
            `${slug} ${call.operation}`,
            {
              kind: "client",
              captureStackTrace: false,
              attributes: {
                provider: slug,
                "connection.id": connection.id,
                "http.request.method": call.method,
                "url.template": call.path
              }
            },
            (span) => {
              const said: Sending["said"] = { answer: undefined }
              const sending = guarded(connection, call, (mayGo) =>
                timed(
                  (time) => outOfTime(connection, call, time),
                  (time) =>
                    Effect.clockWith((clock) => {
                      const asked = monotonic(clock)
                      const turned = Effect.suspend(() => Metrics.slotWaited(slug, monotonic(clock) - asked))
                      const spent = budget.spend(
                        connection,
                        endpoint.concurrency,
                        Effect.flatMap(
                          Effect.zipRight(turned, Effect.zipRight(mayGo, credentials.current(connection))),
                          (held) => renewing({ connection, call, held, said, span, time })
                        ),
                        time.isFinishing
                      )
                      return call.download === undefined
                        ? spent
                        : Effect.zipRight(downloads.hold(connection, call.download), spent)
                    })
                ).pipe(Effect.catchTag("Busy", (busy) => fail(call, busy)))
              ).pipe(
                Effect.catchAll((error) =>
                  said.answer === undefined ? Effect.fail(error) : Effect.succeed(said.answer)
                )
              )
              return Effect.zipRight(
                meaning({ id: connection.id, provider: slug }),
                Effect.tapError(sending, ({ reason }) => Metrics.providerError(slug, reason._tag))
              )
            }
          )
        return (connection: ConnectionRef, call: Call) => sparing(endpoint.concurrency, sent(connection, call))
      })

      return { caller }
    })
  )
}
