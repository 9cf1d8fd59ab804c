import { Config, Effect, FiberRef, Layer } from "effect"
import * as Metrics from "../../platform/Metrics.ts"
import { monotonic } from "../../platform/Monotonic.ts"
import { meaning } from "../../platform/RequestNotes.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Credentials, lastHeld } from "../Credentials.ts"
import { Down, type ProviderError } from "../ProviderError.ts"
import { makeAttempts, type Sending } from "./Attempt.ts"
import { makeBreaker } from "./Breaker.ts"
import { Budget } from "./Budget.ts"
import { makeCallTime } from "./CallTime.ts"
import { makeDownloads } from "./Content.ts"
import { sparing } from "./BatchedWrites.ts"
import { type Answer, type Call, type Caller, type Endpoint, isRead, Upstream } from "./Upstream.ts"

const attempts = 3
/** Milliseconds the caller of this service is kept waiting for a repeat; beyond it the failure is handed on. */
const patience = 2000

/** Milliseconds between attempts to find an account's new host. */
const stayPause = 60_000

const mostStayed = 10_000

/** Repeating cannot do anything twice. */
const isRepeatable = (call: Call) => isRead(call) || call.method === "DELETE" || call.repeatable === true

/** It is never sent again: its body is gone, or what it does is its caller's own affair. */
const isSentOnce = (call: Call) => call.content !== undefined || (call.target !== undefined && !isRead(call))

/** Calls that are made of attempts: with credentials, turns and time, and again where that helps. */
export const layer = Layer.scoped(
  Upstream,
  Effect.gen(function* () {
    const credentials = yield* Credentials
    const budget = yield* Budget
    const timed = yield* makeCallTime
    const attemptsOf = yield* makeAttempts
    const guarded = makeBreaker()
    const downloads = makeDownloads()

    const heldFor = (connection: ConnectionRef) =>
      Effect.flatMap(FiberRef.get(lastHeld), (last) =>
        last === undefined ? credentials.current(connection) : Effect.succeed(last)
      )

    const caller = Effect.fnUntraced(function* (endpoint: Endpoint) {
      const slug = endpoint.slug
      const operators = yield* Config.option(Config.url(`PROVIDER_${slug.toUpperCase()}_BASE_URL`))
      const { attempt, fail, outOfTime } = attemptsOf(endpoint, operators)

      /** Milliseconds until a repeat may help; undefined when it cannot. */
      const pauseOf = ({ call, time }: Sending, { reason }: ProviderError, tried: number): number | undefined => {
        if (tried >= attempts || isSentOnce(call)) return undefined
        // A refusal for a limit or a lock changed nothing, whatever the method.
        const pause =
          reason._tag === "LimitReached" || reason._tag === "Locked"
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

      /** By connection: until when no new host is looked for, in milliseconds of the monotonic clock. */
      const stayed = new Map<string, number>()

      const isMoved = ({ reason }: ProviderError) => reason._tag === "Malformed" && reason.isMoved === true

      /** Called when fresh credentials do not lead to a host that serves the account. */
      const noteStayed = ({ id }: ConnectionRef, now: number) => {
        stayed.delete(id)
        stayed.set(id, now + stayPause)
        const [oldest] = stayed.keys()
        if (stayed.size > mostStayed && oldest !== undefined) stayed.delete(oldest)
      }

      /**
       * Retries a call once at the host that fresh credentials name. A refusal there does not end the connection.
       */
      const moving = (sending: Sending) =>
        Effect.catchIf(renewing(sending), isMoved, (error) =>
          Effect.clockWith((clock) => {
            const { call, connection, held, said, span } = sending
            if ((stayed.get(connection.id) ?? 0) > monotonic(clock)) return Effect.fail(error)
            const answer = said.answer
            return Effect.withParentSpan(credentials.refresh(connection, held), span).pipe(
              Effect.flatMap((fresh) =>
                call.content === undefined
                  ? repeating({ ...sending, held: fresh }, 1)
                  : fail(call, new Down(), { detail: "the file was not taken; send it again" })
              ),
              Effect.catchIf(
                (again) => isMoved(again) || again.reason._tag === "Unauthenticated",
                () =>
                  Effect.suspend(() => {
                    noteStayed(connection, monotonic(clock))
                    said.answer = answer
                    return Effect.fail(error)
                  })
              )
            )
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
                      Effect.flatMap(Effect.zipRight(turned, Effect.zipRight(mayGo, heldFor(connection))), (held) =>
                        moving({ connection, call, held, said, span, time })
                      ),
                      time.isFinishing
                    )
                    return call.download === undefined
                      ? spent
                      : Effect.zipRight(downloads.hold(connection, call.download), spent)
                  })
              ).pipe(Effect.catchTag("Busy", (busy) => fail(call, busy)))
            ).pipe(
              Effect.catchAll((error) => (said.answer === undefined ? Effect.fail(error) : Effect.succeed(said.answer)))
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
