import { type HttpClientError, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Clock, Context, Duration, Effect, identity, Layer, type Redacted, Stream } from "effect"
import { close } from "../platform/Answer.ts"
import type { HostRefused, HostUnknown } from "../platform/Dialer.ts"
import { GuardedClient } from "../platform/GuardedClient.ts"
import * as Metrics from "../platform/Metrics.ts"
import { userAgent } from "../platform/UserAgent.ts"
import { retryAfter } from "../providers/base/Errors.ts"
import { headersOf } from "./Secrets.ts"

/** An event, and the webhook that it is sent to. */
export interface Sent {
  readonly url: string
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Stays the same however often it is sent. */
  readonly id: string
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: object }
}

/** Outcome of an attempt. */
export interface Outcome {
  readonly isDelivered: boolean
  /** HTTP status; null where there was no answer. */
  readonly status: number | null
  /** The beginning of the answer; null where there was none. */
  readonly answer: string | null
  /** Why it failed; null where it did not. */
  readonly error: string | null
  /** Seconds for which the endpoint asked to be left alone. */
  readonly pause: number
  readonly milliseconds: number
}

/** Time that an endpoint has to answer. */
const patience = "10 seconds"

/** Time that the beginning of its answer has, once it is known how it answered. */
const readingTime = "1 second"

/** Bytes of an answer that are read, and characters that are kept of it. */
const readBytes = 4096
const keptCharacters = 1000

/** Sends one message to one endpoint, once. */
export class Attempts extends Context.Tag("tributary/webhooks/Attempts")<
  Attempts,
  { readonly make: (sent: Sent) => Effect.Effect<Outcome> }
>() {
  static readonly layer = Layer.effect(
    Attempts,
    Effect.gen(function* () {
      const client = yield* GuardedClient
      const sender = yield* userAgent

      const send = Effect.fnUntraced(function* ({ body, id, secrets, url }: Sent) {
        const now = yield* Clock.currentTimeMillis
        const message = { id, timestamp: Math.floor(now / 1000), body: JSON.stringify(body) }
        const response = yield* client.send(
          HttpClientRequest.post(url).pipe(
            HttpClientRequest.setHeaders({ ...headersOf(message, secrets), "user-agent": sender }),
            HttpClientRequest.bodyText(message.body, "application/json")
          )
        )
        const { headers, status } = response
        return {
          ...judged(status),
          status,
          answer: yield* beginningOf(response),
          pause: status === 429 || status === 503 ? retryAfter({ headers, now }, 0) : 0
        }
      })

      return {
        make: Effect.fnUntraced(function* (sent) {
          const [duration, outcome] = yield* send(sent).pipe(
            Effect.catchAll((failure) => Effect.succeed(unanswered(reasonOf(failure)))),
            Effect.timeoutTo({
              duration: patience,
              onSuccess: identity,
              onTimeout: () => unanswered(`no answer within ${patience}`)
            }),
            Effect.timed
          )
          yield* Metrics.webhookAttempt({ status: outcome.status, seconds: Duration.toSeconds(duration) })
          return { ...outcome, milliseconds: Math.round(Duration.toMillis(duration)) }
        })
      }
    })
  )
}

const judged = (status: number) => {
  if (status >= 200 && status < 300) return { isDelivered: true, error: null }
  const isRedirect = status >= 300 && status < 400
  return { isDelivered: false, error: `answered ${status}${isRedirect ? ", and redirects are not followed" : ""}` }
}

/** The outcome of an attempt that had no answer. */
export const unanswered = (error: string): Omit<Outcome, "milliseconds"> => ({
  isDelivered: false,
  status: null,
  answer: null,
  error,
  pause: 0
})

/** Why there was no answer: names of errors only, since messages may hold the address. */
const reasonOf = (failure: HostRefused | HostUnknown | HttpClientError.HttpClientError): string => {
  if (failure._tag === "HostRefused" || failure._tag === "HostUnknown") return failure.message
  const { cause } = failure
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
  return /^[A-Z0-9_]+$/.test(code) ? `could not be reached (${code})` : "could not be reached"
}

const beginningOf = (response: HttpClientResponse.HttpClientResponse) =>
  response.stream.pipe(
    Stream.runFoldWhile(
      Buffer.alloc(0),
      (held) => held.length < readBytes,
      (held, chunk) => Buffer.concat([held, chunk])
    ),
    Effect.timeoutTo({ duration: readingTime, onSuccess: identity, onTimeout: () => Buffer.alloc(0) }),
    Effect.orElseSucceed(() => Buffer.alloc(0)),
    Effect.map((held) => held.subarray(0, readBytes).toString("utf8").slice(0, keptCharacters)),
    Effect.ensuring(close(response))
  )
