import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import { clientAddress } from "../platform/ClientAddress.ts"
import { RateLimited } from "../platform/Errors.ts"
import { type Policy, RateLimiter } from "../platform/RateLimiter.ts"
import { requestLimit } from "../tenancy/Authentication.ts"

const perMinute = (name: string, limit: number): Policy => ({ name: `oauth-${name}`, limit, window: "1 minute" })

/** Requests of one address a minute. */
const policies = {
  register: perMinute("register", 10),
  authorize: perMinute("authorize", 60),
  token: perMinute("token", 120),
  revoke: perMinute("revoke", 60),
  pages: perMinute("pages", 120),
  metadata: perMinute("metadata", 300)
} as const

export type Limited = keyof typeof policies

/** Counts a request against the address that it came from. */
export const limits = Effect.map(
  Effect.all([RateLimiter, requestLimit, clientAddress]),
  ([{ take }, limit, addressOf]) =>
    (of: Limited, request: HttpServerRequest.HttpServerRequest) =>
      // an operator who limits no requests limits these elsewhere too
      limit === 0
        ? Effect.void
        : Effect.flatMap(take(addressOf(request), policies[of]), ({ allowed, retryAfter }) =>
            allowed ? Effect.void : new RateLimited({ retryAfter })
          )
)
