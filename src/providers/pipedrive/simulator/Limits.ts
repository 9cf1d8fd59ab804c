import { Either } from "effect"
import { type Account, used } from "../../simulation/Account.ts"
import type { Method, Route } from "../../simulation/Simulator.ts"
import type { Handler, Verb } from "../../simulation/table/Routes.ts"

// https://pipedrive.readme.io/docs/core-api-concepts-rate-limiting

/** Requests of an OAuth app in two seconds, and tokens in a day, of a company on the Growth plan with ten seats. */
const most = { window: 2000, requests: 160, tokens: 30_000 * 2 * 10 }

export const burstHeaders = (remaining: number, reset: number) => ({
  "x-ratelimit-limit": String(most.requests),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset)
})

export const limitHeaders = (account: Account) => ({
  ...burstHeaders(
    Math.max(most.requests / 10, most.requests - used(account, "requests", most.window, 1)),
    most.window / 1000
  ),
  "x-daily-ratelimit-token-limit": String(most.tokens),
  "x-daily-ratelimit-token-remaining": String(
    Math.max(most.tokens / 10, most.tokens - used(account, "tokens", 86_400_000, 0))
  )
})

/** Tokens that requests cost. */
export type Costs = { readonly [verb in Verb]?: number }

/** A route that costs tokens of the day. */
const route = (method: Method, path: string, cost: number, handle: Handler): Route => ({
  method,
  path,
  handle: (request, account) => {
    used(account, "tokens", 86_400_000, cost)
    return Either.merge(handle(request, account))
  }
})

export const v2 = (method: Method, path: string, cost: number, handle: Handler): Route =>
  route(method, `/api/v2/${path}`, cost, handle)

/** API v1 is under two addresses. */
export const v1 = (method: Method, path: string, cost: number, handle: Handler): ReadonlyArray<Route> =>
  ["/v1", "/api/v1"].map((base) => route(method, `${base}/${path}`, cost, handle))
