import { Config, Effect, FiberRef } from "effect"

/** Until when a caller waits, and how far its request got. All fibers that work for the request share one. */
export interface Deadline {
  /** When the caller has its answer, in nanoseconds of the monotonic clock. */
  readonly answer: bigint
  /** When calls to providers end: a little earlier, so that what came in by then is answered. */
  readonly calls: bigint
  /** Nanoseconds that a provider fairly has for one call: one cut short before is no failure of the provider. */
  readonly fair: bigint
  /** Slug of the provider that a change was sent to: from then on the request is finished, whether its caller waits or not. */
  changed: string | undefined
  /** Whether something was begun for the request that goes on to its end, whether its caller waits or not. */
  begun: boolean
}

/** The deadline of the request, or of the tool call, that a fiber works for. */
export const current: FiberRef.FiberRef<Deadline | undefined> = FiberRef.unsafeMake<Deadline | undefined>(undefined)

/** `REQUEST_TIMEOUT`: seconds a request may take; uploads, downloads, tool calls and chat have limits of their own. */
export const requestTimeout = Config.integer().pipe(
  Config.validate({
    message: "Expected whole seconds, 1 to 3600",
    validation: (seconds) => seconds >= 1 && seconds <= 3600
  }),
  Config.nested("REQUEST_TIMEOUT"),
  Config.withDefault(30)
)

/** Seconds that a request may take which carries a file, and an answer to be read that is handed on as it comes in. */
export const fileTime = 300

/** Seconds until a request that met its deadline is worth sending again. */
export const retryAfter = 5

const second = 1_000_000_000n

/** Time that a provider fairly has for one call; of a shorter request, a third of its time. */
export const fair = 10n * second

/** Time past its caller's deadline in which a request that changed something is finished. */
const finishing = 60n * second

/** Starts a deadline so many seconds from now. */
export const after = (seconds: number): Effect.Effect<Deadline> =>
  Effect.clockWith((clock) => Effect.sync(() => from(clock.unsafeCurrentTimeNanos(), seconds)))

/** A deadline so many seconds after a moment of the monotonic clock. */
export const from = (now: bigint, seconds: number): Deadline => {
  const time = BigInt(seconds) * second
  const spare = time / 10n
  const answer = now + time
  return {
    answer,
    calls: answer - (spare < second / 2n ? spare : second / 2n),
    fair: time / 3n < fair ? time / 3n : fair,
    changed: undefined,
    begun: false
  }
}

/** When calls for a request end: one that changed something goes on, so that it ends as a whole. */
export const callsEnd = ({ answer, calls, changed }: Deadline) => (changed === undefined ? calls : answer + finishing)

/** Runs reads that a caller is not kept waiting for, although something was changed. */
export const dispensable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(FiberRef.get(current), (deadline) =>
    deadline === undefined ? effect : Effect.locally(effect, current, { ...deadline, changed: undefined })
  )

/** Milliseconds left for calls; infinite outside of requests. */
export const left: Effect.Effect<number> = Effect.flatMap(FiberRef.get(current), (deadline) =>
  deadline === undefined
    ? Effect.succeed(Infinity)
    : Effect.clockWith((clock) =>
        Effect.sync(() => Number(callsEnd(deadline) - clock.unsafeCurrentTimeNanos()) / 1_000_000)
      )
)
