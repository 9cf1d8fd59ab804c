import { Config, Context, Effect, Layer, Option } from "effect"
import { Redis } from "../../platform/Redis.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Busy } from "../ProviderError.ts"
import { pauseFor } from "./Errors.ts"
import type { Limit } from "./Limits.ts"
import { makeSharedCallSlots } from "./SharedCallSlots.ts"
import { makeFairQueue } from "./FairQueue.ts"

/**
 * A connection's share of its provider: how many calls run at once, and when it must stay away, because the provider said
 * so or because its limits are used up. With Redis the share is one for all processes. `now` is in milliseconds of the
 * monotonic clock.
 */
export class Budget extends Context.Tag("tributary/providers/base/Budget")<
  Budget,
  {
    /**
     * Runs a call when fewer than `concurrency` calls of the connection run, and its organisation has a share of the
     * provider's left. Refuses it at once when too many wait, except one that finishes (`isFinishing`) what was begun.
     */
    readonly spend: <A, E, R>(
      connection: ConnectionRef,
      concurrency: number,
      call: Effect.Effect<A, E, R>,
      isFinishing?: boolean
    ) => Effect.Effect<A, E | Busy, R>
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
      const slots = yield* makeSharedCallSlots
      const shares = makeShares()
      return Budget.of({
        spend: (connection, concurrency, call, isFinishing) => {
          const onPause = (now: number, seconds: number) => shares.stayAway(connection, now, seconds)
          const shared = slots.within(connection, concurrency, onPause, call)
          return shares.spend(connection, concurrency, shared, isFinishing)
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

/** When a connection must stay away. */
interface Share {
  /** Milliseconds of the monotonic clock; 0 for no pause. */
  until: number
  readonly limits: Map<string, { left: number; resetsAt: number }>
}

const makeShares = () => {
  const shares = new Map<string, Share>()
  const turns = makeFairQueue()

  const shareOf = ({ id }: ConnectionRef): Share => {
    const found = shares.get(id)
    if (found !== undefined) return found
    const made: Share = { until: 0, limits: new Map() }
    shares.set(id, made)
    return made
  }

  const awayOf = (share: Share, now: number) => {
    const [longest = 0] = [...share.limits.values()]
      .filter(({ left, resetsAt }) => left <= 0 && resetsAt > now)
      .map(({ resetsAt }) => resetsAt - now)
      .sort((a, b) => b - a)
    return Math.max(0, share.until - now, longest) / 1000
  }

  return {
    spend: <A, E, R>(
      connection: ConnectionRef,
      concurrency: number,
      call: Effect.Effect<A, E, R>,
      isFinishing: boolean = false
    ) => turns.take(connection, concurrency, call, isFinishing),

    take: (connection: ConnectionRef, now: number) => {
      const share = shares.get(connection.id)
      if (share === undefined) return 0
      if (share.until <= now) share.until = 0
      for (const [name, { resetsAt }] of share.limits) if (resetsAt <= now) share.limits.delete(name)
      // a share without a pause or a limit holds nothing worth keeping
      if (share.until === 0 && share.limits.size === 0) shares.delete(connection.id)
      const away = awayOf(share, now)
      if (away === 0) for (const limit of share.limits.values()) limit.left -= 1
      return away
    },

    /** Gives the seconds that the connection must stay away now. */
    note: (connection: ConnectionRef, now: number, limits: ReadonlyArray<Limit>) => {
      const share = shareOf(connection)
      // what is under way was not counted yet
      const under = Math.max(0, turns.running(connection) - 1)
      for (const { name, remaining, resetAfter = longestPause } of limits) {
        share.limits.set(name, { left: remaining - under, resetsAt: now + Math.min(resetAfter, longestPause) * 1000 })
      }
      return awayOf(share, now)
    },

    stayAway: (connection: ConnectionRef, now: number, seconds: number) => {
      const share = shareOf(connection)
      share.until = Math.max(share.until, now + pauseFor(seconds) * 1000)
    }
  }
}
