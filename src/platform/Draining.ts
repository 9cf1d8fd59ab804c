import { Config, Deferred, Duration, Effect, Layer, Queue } from "effect"
import { performance } from "node:perf_hooks"
import { requestTimeout } from "./Deadline.ts"
import { allCompleted } from "./RunToCompletion.ts"
import { Health, NotReady } from "./Health.ts"
import { HttpListener } from "./HttpListener.ts"
import { Shutdown } from "./Shutdown.ts"

/** `DRAIN_DELAY`: the time for which a service that is told to stop goes on as before, in seconds. */
export const drainDelay = Config.number().pipe(
  Config.validate({ message: "Expected seconds, 0 to 300", validation: (seconds) => seconds >= 0 && seconds <= 300 }),
  Config.nested("DRAIN_DELAY"),
  Config.withDefault(5),
  Config.map(Duration.seconds)
)

/** The time that streams have once nothing new comes in. */
const streamsEnd = Duration.seconds(10)

/** The time in which streams that have to end say so. */
const goodbye = Duration.seconds(1)

/** The time for requests on connections that have just been made. */
const settling = Duration.millis(250)

/** The time that writes whose callers are gone have to be finished and noted. */
const backgroundEnds = Duration.seconds(60)

/** Milliseconds within which a signal is the same one again: npm passes on what the whole process group was sent. */
const echo = 100

/**
 * Hears the signals to stop. The first begins it, each further one skips a wait. They are heard until the process
 * ends, so that none of them ends it while it closes its database.
 */
const stopSignals = Effect.gen(function* () {
  const further = yield* Queue.unbounded<NodeJS.Signals>()
  let first: { readonly signal: NodeJS.Signals; readonly at: number } | undefined
  const hear = (signal: NodeJS.Signals) => {
    const at = performance.now()
    if (first === undefined) first = { signal, at }
    else if (at > first.at + echo) further.unsafeOffer(signal)
  }
  process.on("SIGINT", hear).on("SIGTERM", hear)
  return {
    /** Somebody at a terminal waits for the end. */
    isAwaited: Effect.sync(() => first?.signal === "SIGINT" && process.stdin.isTTY),
    /** Lets something go on for a time, or until the next signal. */
    within: (time: Duration.Duration, effect: Effect.Effect<void>) =>
      Effect.raceAll([effect, Effect.sleep(time), Queue.take(further)].map(Effect.interruptible)).pipe(Effect.asVoid)
  }
})

/**
 * Stops the service without failing a request. It is not ready from then on, but serves as before until load balancers know;
 * then nothing new comes in, requests under way have their time, and streams are told to end.
 *
 * To be built on top of what serves, so that it comes first when that is released.
 */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const listener = yield* HttpListener
    const streams = yield* Shutdown
    const delay = yield* drainDelay
    const patience = Duration.seconds(yield* requestTimeout)
    const signals = yield* stopSignals
    let stopping = false

    yield* (yield* Health).register(
      "serving",
      Effect.suspend(() => (stopping ? new NotReady({ reason: "The service is stopping." }) : Effect.void))
    )

    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        stopping = true
        yield* listener.closeAfterAnswers
        const wait = (yield* signals.isAwaited) ? Duration.zero : delay
        yield* Effect.logInfo(
          Duration.equals(wait, Duration.zero)
            ? "Stopping"
            : `Stopping: requests are taken for another ${Duration.toSeconds(wait)} s, until load balancers have noticed`
        )
        yield* signals.within(wait, Effect.never)
        yield* listener.stopListening
        yield* Effect.sleep(settling)
        yield* signals.within(streamsEnd, listener.answered)
        yield* Deferred.succeed(streams, undefined)
        const left = Duration.subtract(patience, streamsEnd)
        yield* signals.within(Duration.max(left, goodbye), listener.answered)
        const cut = yield* listener.endConnections
        if (cut > 0) yield* Effect.logWarning(`Cut ${cut} requests short, which did not end in the time that they had`)
        yield* signals.within(backgroundEnds, allCompleted)
      })
    )
  })
)
