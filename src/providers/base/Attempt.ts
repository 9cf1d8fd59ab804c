import { type HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Effect, Either, FiberRef, identity, Option, type Tracer } from "effect"
import { whyUnread } from "../../platform/Answer.ts"
import * as Metrics from "../../platform/Metrics.ts"
import { monotonic } from "../../platform/Monotonic.ts"
import { memoize } from "../../platform/Memoize.ts"
import { noteCall } from "../../platform/RequestNotes.ts"
import { aboutToChange } from "../BeforeChange.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { CredentialValues } from "../Credentials.ts"
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
import { Budget } from "./Budget.ts"
import { countCall, noteTime } from "./CallCount.ts"
import { type CallTime, notInTime } from "./CallTime.ts"
import { contentOf, refusalOf } from "./Content.ts"
import { isFromOldHost, readFailure } from "./Errors.ts"
import { metLimits } from "./Limits.ts"
import { hiding, withoutSecret, withoutSecretIn } from "./Secrets.ts"
import { type Answer, type Call, type Endpoint, isRead } from "./Upstream.ts"

/** A call on its way. */
export interface Sending {
  readonly connection: ConnectionRef
  readonly call: Call
  readonly held: CredentialValues
  readonly span: Tracer.Span
  readonly time: CallTime
  /** Last answer to a caller's own request, where that was read as a failure. */
  readonly said: { answer: Answer | undefined }
}

/** Everything that one attempt needs. */
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

/** The host of an address, as spans have it. */
const serverAt = memoize(1000, (address) => {
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

/** Milliseconds that sending a file may take. */
const uploadTime = 300_000

const parse = (text: string): unknown =>
  Either.getOrElse(
    Either.try((): unknown => JSON.parse(text)),
    () => text
  )

/** It changes something, and so once more when it is sent again. */
const changesOnce = (call: Call) => !isRead(call) && call.repeatable !== true

/** Single attempts at the calls of a provider; `operators`: the operator's own address of it. */
export const makeAttempts = Effect.gen(function* () {
  const transport = yield* Transport
  const budget = yield* Budget

  return (endpoint: Endpoint, operators: Option.Option<URL>) => {
    const slug = endpoint.slug

    /** Redirects are never followed. For a passthrough request they are the answer, unless the account has moved to another host. */
    const isSuccess = ({ target }: Call, status: number) =>
      status >= 200 &&
      status < (target === undefined ? 300 : 400) &&
      !(endpoint.movesHosts === true && (status === 301 || status === 308))

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
        Effect.tap(({ headers }) => noteTime(headers["date"])),
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

    /** Prepares an attempt. */
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
        return yield* fail(call, new Malformed(), { detail: "the address it gave may not be called" })
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
      const answer = { status, headers, body, now }
      const { detail, reason } =
        endpoint.movesHosts === true && isFromOldHost(answer)
          ? { reason: new Malformed({ isMoved: true }), detail: "its host no longer serves this account" }
          : readFailure(endpoint.readError, answer)
      if (reason._tag === "LimitReached") yield* budget.stayAway(connection, monotonic(clock), reason.retryAfter)
      const hide = hiding(held, request)
      // what is said about tokens nobody has seen, and may quote them; whoever entered a key can mend it
      const isUntold = reason._tag === "Unauthenticated" && endpoint.authorization.kind !== "key"
      if (bytes !== undefined) said.answer = { status, body: undefined, ...withoutSecretIn(headers, bytes, text, hide) }
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
        return Effect.zipRight(
          Metrics.providerRequest({ provider: slug, operation, status, seconds: milliseconds / 1000 }),
          noteCall(
            {
              provider: slug,
              connection: connection.id,
              operation,
              method,
              ...(typeof status === "number" ? { status, outcome: "answered" } : { status: null, outcome: status }),
              milliseconds
            },
            clock
          )
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
        const now = (yield* Effect.clock).unsafeCurrentTimeMillis()
        for (const { name, remaining } of limits) Metrics.budgetLeft(slug, name, remaining, now)
        // a refusal says by itself how long to stay away
        if (status < 400) yield* budget.note(connection, monotonic(yield* Effect.clock), limits)
        const met = yield* FiberRef.get(metLimits)
        met?.note(slug, limits)
      })
    }

    return { attempt, fail, outOfTime }
  }
})
