import { type Clock, Effect, FiberRef } from "effect"
import * as Deadline from "../../platform/Deadline.ts"
import { makeTimeLimit, type TimeLimit } from "../../platform/TimeLimit.ts"
import { Busy } from "../ProviderError.ts"

/** The failure of a call that was not sent because its turn did not come. */
export const notInTime = new Busy({
  retryAfter: Deadline.retryAfter,
  why: "its turn, or its access token, did not come in time"
})

/** Milliseconds that a call may wait and take when it is made for no request. */
const longest = 300_000

const nanos = (milliseconds: number) => BigInt(milliseconds) * 1_000_000n

/**
 * The time of one call of a provider: it waits for its turn, for credentials and between attempts as long as its request's
 * deadline allows, and each attempt has a limit of its own, from when it is sent.
 */
export class CallTime {
  /** When the attempt was sent that is under way, as its sender told. */
  flight: number | undefined
  #isSent = false
  /** When the attempt under way has had a fair time. */
  #fairEnd = 0n
  readonly #clock: Clock.Clock
  readonly #deadline: Deadline.Deadline | undefined
  readonly #end: bigint
  readonly #limit: TimeLimit

  constructor(clock: Clock.Clock, deadline: Deadline.Deadline | undefined, end: bigint, limit: TimeLimit) {
    this.#clock = clock
    this.#deadline = deadline
    this.#end = end
    this.#limit = limit
  }

  /** When waiting ends. */
  get #waiting() {
    return this.#deadline === undefined ? this.#end : Deadline.callsEnd(this.#deadline)
  }

  /** Whether something was changed for the request, so that it is finished although its caller waits no longer. */
  get isFinishing() {
    return this.#deadline?.changed !== undefined
  }

  /** Whether something was sent that may have taken effect, or had no answer. */
  get isOpen() {
    return this.#isSent || this.isFinishing
  }

  /** Whether no attempt is under way, or one that has not had a fair time for its answer. */
  get isCutShort() {
    return this.flight === undefined || this.#clock.unsafeCurrentTimeNanos() < this.#fairEnd
  }

  /**
   * Notes that an attempt is sent now (`started`), which may take so many milliseconds; false when it is too late for that.
   * One that changes something (`changes`: at this provider) is then not cut short by the deadline.
   */
  readonly send = (started: number, milliseconds: number, changes: string | undefined): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const now = this.#clock.unsafeCurrentTimeNanos()
      const waiting = this.#waiting
      if (now >= waiting) return Effect.succeed(false)
      this.flight = started
      this.#isSent = true
      const own = now + nanos(milliseconds)
      const fair = now + (this.#deadline?.fair ?? Deadline.fair)
      this.#fairEnd = fair < own ? fair : own
      if (changes !== undefined && this.#deadline !== undefined) this.#deadline.changed = changes
      return Effect.as(this.#limit.move(changes === undefined && waiting < own ? waiting : own), true)
    })

  /** Notes that an attempt was answered: what comes next is waiting again. */
  readonly answered = Effect.suspend(() => {
    this.flight = undefined
    return this.#limit.move(this.#waiting)
  })

  /** Whether a pause of so many milliseconds leaves time for an attempt. */
  readonly leaves = (milliseconds: number) => this.#clock.unsafeCurrentTimeNanos() + nanos(milliseconds) < this.#waiting
}

/** Runs calls within their time. One whose time is up is interrupted, and ends with `onTimeout`. */
export const makeCallTime = Effect.map(
  makeTimeLimit,
  (within) =>
    <A, E, R, E2>(
      onTimeout: (time: CallTime) => Effect.Effect<never, E2>,
      use: (time: CallTime) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | E2, R> =>
      Effect.flatMap(FiberRef.get(Deadline.current), (deadline) =>
        Effect.clockWith((clock): Effect.Effect<A, E | E2, R> => {
          const now = clock.unsafeCurrentTimeNanos()
          const end = deadline === undefined ? now + nanos(longest) : Deadline.callsEnd(deadline)
          return within(end, (limit) => {
            const time = new CallTime(clock, deadline, end, limit)
            const late = Effect.suspend(() => onTimeout(time))
            const run: Effect.Effect<A, E | E2, R> = now < end ? use(time) : late
            return { run, late }
          })
        })
      )
)
