import { Config, Context, Effect, Layer, Option } from "effect"
import { Redis } from "../../platform/Redis.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { pauseFor } from "./Errors.ts"
import type { Limit } from "./Limits.ts"
import { makeSharedSlots } from "./SharedSlots.ts"

/**
 * A connection's share of its provider: how many calls run at once, and when it must stay away, because the provider said
 * so or because its limits are used up. With Redis the share is one for all processes.
 */
export class Budget extends Context.Tag("tributary/providers/axes/Budget")<
  Budget,
  {
    /** Runs a call when fewer than `concurrency` calls of the connection run. */
    readonly spend: <A, E, R>(
      connection: ConnectionRef,
      concurrency: number,
      call: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /** Counts one attempt that is about to start; gives the seconds the connection must stay away instead, 0 for none. */
    readonly take: (connection: ConnectionRef, now: number) => number
    /** Notes what an answer said about the provider's limits. */
    readonly note: (connection: ConnectionRef, now: number, limits: ReadonlyArray<Limit>) => Effect.Effect<void>
    /** Notes that the provider asked the connection to stay away for so many seconds. */
    readonly stayAway: (connection: ConnectionRef, now: number, seconds: number) => Effect.Effect<void>
  }
>() {
  /** Shares of this process alone. */
  static readonly layerMemory: Layer.Layer<Budget> = Layer.sync(Budget, () => {
    const shares = makeShares()
    return Budget.of({
      spend: shares.spend,
      take: shares.take,
      note: (connection, now, limits) => Effect.sync(() => void shares.note(connection, now, limits)),
      stayAway: (connection, now, seconds) => Effect.sync(() => shares.stayAway(connection, now, seconds))
    })
  })

  /** Shares of all processes on one Redis. While Redis is away each process keeps to its own. */
  static readonly layerRedis: Layer.Layer<Budget, never, Redis> = Layer.scoped(
    Budget,
    Effect.gen(function* () {
      const slots = yield* makeSharedSlots
      const shares = makeShares()
      return Budget.of({
        spend: (connection, concurrency, call) => {
          const onPause = (now: number, seconds: number) => shares.stayAway(connection, now, seconds)
          return shares.spend(connection, concurrency, slots.within(connection, concurrency, onPause, call))
        },
        take: shares.take,
        note: (connection, now, limits) =>
          Effect.suspend(() => {
            const away = shares.note(connection, now, limits)
            return away === 0 ? Effect.void : slots.pause(connection, away)
          }),
        stayAway: (connection, now, seconds) =>
          Effect.suspend(() => {
            shares.stayAway(connection, now, seconds)
            return slots.pause(connection, pauseFor(seconds))
          })
      })
    })
  )

  /** Shared through Redis when `REDIS_URL` is set, else per process. */
  static readonly layer = Layer.unwrapEffect(
    Effect.map(
      Config.option(Config.redacted("REDIS_URL")),
      Option.match({
        onNone: () => Budget.layerMemory,
        onSome: () => Layer.provide(Budget.layerRedis, Redis.layer)
      })
    )
  )
}

/** Most seconds that a used-up limit keeps a connection away: the provider is asked again after that. */
const longestPause = 60

interface Share {
  running: number
  /** Calls that wait for another to end, in the order in which they came. */
  readonly waiting: Set<() => void>
  until: number
  readonly limits: Map<string, { left: number; resetsAt: number }>
}

const makeShares = () => {
  const shares = new Map<string, Share>()
  const shareOf = (connection: ConnectionRef): Share => {
    const found = shares.get(connection.id)
    if (found !== undefined) return found
    const made: Share = { running: 0, waiting: new Set(), until: 0, limits: new Map() }
    shares.set(connection.id, made)
    return made
  }

  /** Waits for its turn. A place that is left goes to who waited longest, which Effect's semaphore does not promise. */
  const enter = (connection: ConnectionRef, concurrency: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const share = shareOf(connection)
      if (share.running < concurrency) {
        share.running += 1
        return Effect.void
      }
      const turn = Effect.async<void>((resume) => {
        const go = () => resume(Effect.void)
        share.waiting.add(go)
        // who goes away when the turn has come already leaves the place to the next
        return Effect.suspend(() => (share.waiting.delete(go) ? Effect.void : leave(connection)))
      })
      return Effect.interruptible(turn)
    })

  const leave = (connection: ConnectionRef) =>
    Effect.sync(() => {
      const share = shareOf(connection)
      const [next] = share.waiting
      if (next !== undefined) {
        share.waiting.delete(next)
        next()
        return
      }
      share.running -= 1
      // an idle share without a pause or a limit holds nothing worth keeping
      if (share.running === 0 && share.until === 0 && share.limits.size === 0) shares.delete(connection.id)
    })

  const awayOf = (share: Share, now: number) => {
    const [longest = 0] = [...share.limits.values()]
      .filter(({ left, resetsAt }) => left <= 0 && resetsAt > now)
      .map(({ resetsAt }) => resetsAt - now)
      .sort((a, b) => b - a)
    return Math.max(0, share.until - now, longest) / 1000
  }

  return {
    spend: <A, E, R>(connection: ConnectionRef, concurrency: number, call: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        enter(connection, concurrency),
        () => call,
        () => leave(connection)
      ),

    take: (connection: ConnectionRef, now: number) => {
      const share = shares.get(connection.id)
      if (share === undefined) return 0
      if (share.until <= now) share.until = 0
      for (const [name, { resetsAt }] of share.limits) if (resetsAt <= now) share.limits.delete(name)
      const away = awayOf(share, now)
      if (away === 0) for (const limit of share.limits.values()) limit.left -= 1
      return away
    },

    /** Gives the seconds that the connection must stay away now. */
    note: (connection: ConnectionRef, now: number, limits: ReadonlyArray<Limit>) => {
      const share = shares.get(connection.id)
      if (share === undefined) return 0
      for (const { name, remaining, resetAfter = longestPause } of limits) {
        const resetsAt = now + Math.min(resetAfter, longestPause) * 1000
        // what is under way was not counted yet
        share.limits.set(name, { left: remaining - Math.max(0, share.running - 1), resetsAt })
      }
      return awayOf(share, now)
    },

    stayAway: (connection: ConnectionRef, now: number, seconds: number) => {
      const share = shares.get(connection.id)
      if (share !== undefined) share.until = Math.max(share.until, now + pauseFor(seconds) * 1000)
    }
  }
}
