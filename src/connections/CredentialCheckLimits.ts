import { Context, Duration, Effect, Layer } from "effect"
import { RateLimited } from "../platform/Errors.ts"
import { type Policy, RateLimiter } from "../platform/RateLimiter.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"

/** The caller that tries credentials: an organisation, or an end user of it in a connect session. */
export interface CredentialOwner extends Tenant {
  /** UUID; undefined for the organisation itself. */
  readonly endUser: string | undefined
}

/** A limit of trials in a time, and of those that a process runs at a time. */
interface Limit extends Policy {
  readonly atATime: number
}

const ofOrganisation: Limit = { name: "trials", limit: 60, window: "1 minute", atATime: 8 }
const ofEndUser: Limit = { name: "end user trials", limit: 10, window: "10 minutes", atATime: 2 }

/**
 * Limits trials of keys and connection strings: each is a call to a host that somebody named, with a secret that may be a
 * guess. An organisation's environment has 60 a minute and 8 at a time; of these each end user has, over all their connect
 * sessions, 10 in 10 minutes and 2 at a time, so that nobody uses them up for the others.
 */
export class CredentialCheckLimits extends Context.Tag("tributary/connections/CredentialCheckLimits")<
  CredentialCheckLimits,
  {
    /** Runs a check, or fails with the limit that was met. */
    readonly run: <A, E, R>(
      owner: CredentialOwner,
      check: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R>
  }
>() {
  static readonly layer = Layer.effect(
    CredentialCheckLimits,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const running = new Map<string, number>()

      const take = (key: string, policy: Limit) =>
        Effect.flatMap(limiter.take(key, policy), ({ allowed, limit, retryAfter }) => {
          const seconds = Duration.toSeconds(policy.window)
          return allowed
            ? Effect.void
            : new RateLimited({ retryAfter, limit: { name: policy.name, requests: limit, seconds } })
        })

      const enter = (key: string, { atATime, name }: Limit) =>
        Effect.suspend(() => {
          const count = running.get(key) ?? 0
          if (count >= atATime) return new RateLimited({ retryAfter: 1, limit: { name, requests: atATime } })
          running.set(key, count + 1)
          return Effect.void
        })

      const leave = (key: string) =>
        Effect.sync(() => {
          const left = (running.get(key) ?? 0) - 1
          if (left > 0) running.set(key, left)
          else running.delete(key)
        })

      return CredentialCheckLimits.of({
        run: ({ endUser, environment, organisation }, check) => {
          const limits: ReadonlyArray<readonly [string, Limit]> = [
            ...(endUser === undefined ? [] : [[endUser, ofEndUser] as const]),
            [`${organisation}/${environment}`, ofOrganisation]
          ]
          const counted = Effect.forEach(limits, ([key, limit]) => take(key, limit), { discard: true })
          return limits.reduceRight(
            (run, [key, limit]) =>
              Effect.acquireUseRelease(
                enter(key, limit),
                () => run,
                () => leave(key)
              ),
            Effect.zipRight(counted, check)
          )
        }
      })
    })
  )
}
