import { Effect } from "effect"
import * as SingleFlightCache from "../../platform/SingleFlightCache.ts"
import { monotonic } from "../../platform/Monotonic.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"

/**
 * Batches that may be sent for a company. Intuit takes 40 a minute of an application, and then nothing for a minute, so a
 * process keeps below that; what there is no batch left for is asked call by call.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles
 */

/** Items of one batch. */
export const itemsAtOnce = 30

const most = 36
const minute = 60_000

/** Seconds for which it is remembered that other processes send batches too. */
const memory = 3600

interface Share {
  /** Batches a minute. */
  most: number
  /** When those of the last minute were sent, in milliseconds of the monotonic clock. */
  sent: ReadonlyArray<number>
}

export interface Batches {
  /** Whether one more may be sent; if so, it counts. */
  readonly take: (connection: ConnectionRef) => Effect.Effect<boolean>
  /** Notes that one was refused although few were sent: other processes send some as well, so this one halves its share. */
  readonly refused: (connection: ConnectionRef) => Effect.Effect<void>
}

export const makeBatches = (): Batches => {
  const shares = SingleFlightCache.make<Share>({ capacity: 10_000, ttl: memory })
  const shareOf = ({ id }: ConnectionRef) =>
    shares.get(
      id,
      Effect.sync(() => ({ most, sent: [] }))
    )
  return {
    take: (connection) =>
      Effect.zipWith(shareOf(connection), Effect.clock, (share, clock) => {
        const now = monotonic(clock)
        const sent = share.sent.filter((time) => time > now - minute)
        const isFree = sent.length < share.most
        share.sent = isFree ? [...sent, now] : sent
        return isFree
      }),
    refused: (connection) =>
      Effect.map(shareOf(connection), (share) => {
        share.most = Math.floor(share.most / 2)
      })
  }
}
