import { Headers, HttpTraceContext } from "@effect/platform"
import { Clock, Effect, FiberSet, Layer, Option, Queue, Schedule, type Tracer } from "effect"
import { Events } from "../events/Events.ts"
import { sharesOf } from "../platform/Shares.ts"
import { Attempts, unanswered } from "./Attempts.ts"
import { contents } from "./Content.ts"
import { Outbox, type Taken } from "./Outbox.ts"
import { restAfter } from "./Schedule.ts"
import { sealing } from "./Secrets.ts"

const limits = { ofProcess: 256, ofQueue: 16 }

/** Where nothing could be looked for. */
const someLeft = { isAny: true, next: null }

/** Time in which a transaction that published something commits. */
const settling = "25 millis"

/** Well within a lease. */
const renewal = "3 seconds"

/** Time after a look that failed. */
const pause = "5 seconds"

/** Time that attempts have to end when the process does; what is left is due again once its lease ends. */
const farewell = "10 seconds"

/** These waits are about load, and not about when anything happens: they go by the machine's time. */
const byMachine = Effect.withClock(Clock.make())

/** Links to what told the event, which many deliveries share and which ended before them. */
const linksOf = ({ traceParent }: Taken): ReadonlyArray<Tracer.SpanLink> =>
  traceParent === null
    ? []
    : Option.toArray(HttpTraceContext.w3c(Headers.fromInput({ traceparent: traceParent }))).map((span) => ({
        _tag: "SpanLink",
        span,
        attributes: {}
      }))

/** Attempts what is due, for as long as the Layer lives. To be built on top of providers, whose records it reads. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const events = yield* Events
    const outbox = yield* Outbox
    const attempts = yield* Attempts
    const contentOf = yield* contents
    const { open } = yield* sealing
    const wakes = yield* Queue.sliding<void>(1)
    const fibers = yield* FiberSet.make<void>()
    const underWay = new Set<Taken>()

    const attempt = Effect.fnUntraced(function* (taken: Taken) {
      const { environment, event, includeRecord, mappingRevision, organisation, signsWithBoth, url, webhook } = taken
      const secrets = yield* open(webhook, taken.secrets)
      const { timestamp, type } = event
      const reader = { organisation, environment, mappingRevision }
      const data = includeRecord ? yield* contentOf(event, reader) : event.data
      return yield* attempts.make({
        url,
        secrets: signsWithBoth ? secrets : secrets.slice(0, 1),
        id: event.id,
        body: { type, timestamp, data }
      })
    })

    const deliver = (taken: Taken) =>
      attempt(taken).pipe(
        Effect.catchTag("DecryptionFailed", (error) =>
          Effect.as(Effect.logError(error.message), { ...unanswered("could not be signed"), milliseconds: 0 })
        ),
        Effect.tap(({ isDelivered, status }) =>
          Effect.annotateCurrentSpan({
            "webhook.delivered": isDelivered,
            ...(status === null ? {} : { "http.response.status_code": status })
          })
        ),
        Effect.flatMap((outcome) =>
          // while the database is away for a moment
          outbox
            .settle(taken, outcome)
            .pipe(
              Effect.sandbox,
              Effect.retry(Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(30))),
              byMachine
            )
        ),
        Effect.withSpan("deliver events", {
          root: true,
          kind: "consumer",
          captureStackTrace: false,
          links: linksOf(taken),
          attributes: {
            "messaging.system": "tributary",
            "messaging.destination.name": "events",
            "messaging.consumer.group.name": taken.webhook,
            "messaging.operation.name": "deliver",
            "messaging.operation.type": "process",
            "messaging.message.id": taken.event.id,
            "tributary.organisation.id": taken.organisation,
            "tributary.environment": taken.environment,
            "webhook.id": taken.webhook,
            "event.type": taken.event.type,
            "webhook.attempt": taken.attempts + 1
          }
        }),
        Effect.catchAllCause((cause) => Effect.logWarning("a delivery is attempted again later", cause)),
        Effect.ensuring(
          Effect.suspend(() => {
            underWay.delete(taken)
            return Queue.offer(wakes, undefined)
          })
        )
      )

    /** Begins what is due, as far as there is room; what ends makes some. Gives when more is due. */
    const look = Effect.gen(function* () {
      if (underWay.size >= limits.ofProcess) return someLeft
      const found = yield* Effect.withTracerEnabled(outbox.look(limits.ofQueue), false)
      const shares = sharesOf(found.waiting, [...underWay], limits, ({ webhook }) => webhook)
      if (shares.length === 0) return found
      for (const taken of yield* Effect.withTracerEnabled(outbox.take(shares), false)) {
        underWay.add(taken)
        yield* FiberSet.run(fibers, deliver(taken))
      }
      return found
    }).pipe(
      Effect.catchAllCause((cause) =>
        Effect.logWarning("deliveries to webhooks cannot be looked for; it is tried again", cause).pipe(
          Effect.zipRight(byMachine(Effect.sleep(pause))),
          Effect.as(someLeft)
        )
      )
    )

    const renew = Effect.suspend(() => (underWay.size === 0 ? Effect.void : outbox.renew([...underWay]))).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("the leases of deliveries were not renewed", cause)),
      Effect.withTracerEnabled(false)
    )

    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(byMachine(Effect.sleep(renewal)), renew)))
    yield* Effect.addFinalizer(() =>
      byMachine(Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(fibers)), farewell))
    )
    yield* Queue.take(events.due).pipe(
      Effect.zipRight(byMachine(Effect.sleep(settling))),
      Effect.zipRight(Queue.offer(wakes, undefined)),
      Effect.forever,
      Effect.forkScoped
    )
    yield* Effect.forkScoped(
      Effect.gen(function* () {
        for (let woken = true; ;) {
          const rest = restAfter(yield* look, woken)
          woken = Option.isSome(yield* byMachine(Effect.timeoutOption(Queue.take(wakes), rest)))
        }
      })
    )
  })
)
