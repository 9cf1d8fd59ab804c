import { Clock, Effect, FiberRef } from "effect"

/** Facts of the calls to providers that were sent for some work, by all of its fibers. */
interface Count {
  calls: number
  /**
   * Milliseconds by which this clock is ahead of the provider's, too many by those on the way, and by a second at most;
   * undefined: it did not say.
   */
  ahead: number | undefined
}

export type Sent = Readonly<Count>

const current = FiberRef.unsafeMake<Count | undefined>(undefined)

/** Counts one call. */
export const countCall: Effect.Effect<void> = Effect.map(FiberRef.get(current), (count) => {
  if (count !== undefined) count.calls += 1
})

/** Notes the provider's time, of the `Date` of an answer. */
export const noteTime = (date: string | undefined): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(current), (count) => {
    const stated = count === undefined ? Number.NaN : Date.parse(date ?? "")
    if (count === undefined || Number.isNaN(stated)) return Effect.void
    return Effect.map(Clock.currentTimeMillis, (now) => {
      // the answer that took least on its way says most
      count.ahead = Math.min(count.ahead ?? Infinity, now - stated)
    })
  })

/** Runs work and gives the facts of its calls so far, however it ends. */
export const counting = <A, E, R>(work: (sent: Sent) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const count: Count = { calls: 0, ahead: undefined }
    return Effect.locally(work(count), current, count)
  })
