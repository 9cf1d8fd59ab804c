import { Context, Duration, Effect, Layer } from "effect"
import { RateLimited } from "../platform/Errors.ts"
import { type Policy, RateLimiter } from "../platform/RateLimiter.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"

/** The caller that tries credentials: an organisation, or an end user in a connect session of it. */
export interface Trier extends Tenant {
  readonly session: string | undefined
}

const ofOrganisation: Policy = { name: "trials", limit: 60, window: "1 minute" }
const ofSession: Policy = { name: "session trials", limit: 10, window: "10 minutes" }

/** Trials of an organisation's environment that a process runs at a time. */
const atATime = 8

/**
 * Limits trials of keys and connection strings: each is a call to a host that somebody named, with a secret that may be a
 * guess. An organisation's environment has 60 a minute and 8 at a time, a connect session 10 in 10 minutes.
 */
export class Trials extends Context.Tag("tributary/connections/Trials")<
  Trials,
  {
    /** Runs a trial, or fails with the limit that was met. */
    readonly run: <A, E, R>(trier: Trier, trial: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RateLimited, R>
  }
>() {
  static readonly layer = Layer.effect(
    Trials,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const running = new Map<string, number>()

      const take = (key: string, policy: Policy) =>
        Effect.flatMap(limiter.take(key, policy), ({ allowed, limit, retryAfter }) => {
          const seconds = Duration.toSeconds(policy.window)
          return allowed
            ? Effect.void
            : new RateLimited({ retryAfter, limit: { name: policy.name, requests: limit, seconds } })
        })

      const enter = (key: string) =>
        Effect.suspend(() => {
          const count = running.get(key) ?? 0
          if (count >= atATime) {
            return new RateLimited({ retryAfter: 1, limit: { name: ofOrganisation.name, requests: atATime } })
          }
          running.set(key, count + 1)
          return Effect.void
        })

      const leave = (key: string) =>
        Effect.sync(() => {
          const left = (running.get(key) ?? 0) - 1
          if (left > 0) running.set(key, left)
          else running.delete(key)
        })

      return Trials.of({
        run: ({ environment, organisation, session }, trial) => {
          const key = `${organisation}/${environment}`
          const counted = Effect.zipRight(
            session === undefined ? Effect.void : take(session, ofSession),
            take(key, ofOrganisation)
          )
          return Effect.acquireUseRelease(
            enter(key),
            () => Effect.zipRight(counted, trial),
            () => leave(key)
          )
        }
      })
    })
  )
}
