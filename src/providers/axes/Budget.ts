import { Context, Effect, Layer } from "effect"
import type { ConnectionRef } from "../ConnectionRef.ts"

/** A connection's share of its provider: how many calls run at once, and when it must stay away. */
export class Budget extends Context.Tag("tributary/providers/axes/Budget")<
  Budget,
  {
    /** Runs a call when fewer than `concurrency` calls of the connection run. */
    readonly spend: <A, E, R>(
      connection: ConnectionRef,
      concurrency: number,
      call: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /** Seconds the connection must still stay away; 0 when it may call. */
    readonly away: (connection: ConnectionRef, now: number) => number
    /** Notes that the provider asked the connection to stay away for so many seconds. */
    readonly stayAway: (connection: ConnectionRef, now: number, seconds: number) => void
  }
>() {
  static readonly layer = Layer.sync(Budget, () => {
    interface Share {
      readonly gate: Effect.Semaphore
      running: number
      until: number
    }
    const shares = new Map<string, Share>()
    const shareOf = (connection: ConnectionRef, concurrency: number): Share => {
      const found = shares.get(connection.id)
      if (found !== undefined) return found
      const made: Share = { gate: Effect.unsafeMakeSemaphore(concurrency), running: 0, until: 0 }
      shares.set(connection.id, made)
      return made
    }
    return {
      spend: (connection, concurrency, call) =>
        Effect.suspend(() => {
          const share = shareOf(connection, concurrency)
          share.running += 1
          return Effect.ensuring(
            share.gate.withPermits(1)(call),
            Effect.sync(() => {
              share.running -= 1
              // an idle share without a pause holds nothing worth keeping
              if (share.running === 0 && share.until === 0) shares.delete(connection.id)
            })
          )
        }),
      away: (connection, now) => {
        const share = shares.get(connection.id)
        if (share === undefined || share.until === 0) return 0
        if (share.until > now) return (share.until - now) / 1000
        share.until = 0
        return 0
      },
      stayAway: (connection, now, seconds) => {
        const share = shares.get(connection.id)
        if (share !== undefined) share.until = Math.max(share.until, now + seconds * 1000)
      }
    }
  })
}
