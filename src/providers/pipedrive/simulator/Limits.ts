import { Either } from "effect"
import type { Account } from "../../simulation/Account.ts"
import { leftOf, type Limits } from "../../simulation/Limits.ts"
import type { Method, Reply, Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import type { Handler, Verb } from "../../simulation/table/Routes.ts"
import { gatewayFailure } from "./Gateway.ts"

// https://pipedrive.readme.io/docs/core-api-concepts-rate-limiting

const window = 2000

/** Requests of an OAuth app in two seconds, of a company on the Growth plan. */
const requests = 160

const burstHeaders = (remaining: number, reset: number) => ({
  "x-ratelimit-limit": String(requests),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset)
})

const exceeded = gatewayFailure(429, "Rate limit exceeded")

/** The limit of two seconds, when a test says that it is reached, too. */
export const limited = (reset: number): Reply => ({ ...exceeded, headers: burstHeaders(0, reset) })

const isSearch = ({ path }: SimulatedRequest) => path.endsWith("/search")

const burst = { name: "burst", most: requests, window, refuse: limited }

const search = {
  ...burst,
  name: "search",
  most: 10,
  cost: (request: SimulatedRequest) => (isSearch(request) ? 1 : 0)
}

/** Tokens of the day, of ten seats. */
const tokens = {
  name: "tokens",
  most: 30_000 * 2 * 10,
  window: 86_400_000,
  isAligned: true,
  cost: (_: SimulatedRequest, ofRoute: number) => ofRoute,
  refuse: (): Reply => ({ ...exceeded, headers: { "x-daily-ratelimit-token-remaining": "0" } })
}

export const limits: Limits = { windows: [burst, search, tokens] }

export const limitHeaders = (account: Account) => ({
  ...burstHeaders(leftOf(account, burst), window / 1000),
  "x-daily-ratelimit-token-limit": String(tokens.most),
  "x-daily-ratelimit-token-remaining": String(leftOf(account, tokens))
})

/** Tokens that requests cost. */
export type Costs = { readonly [verb in Verb]?: number }

/** A route that costs tokens of the day. */
const route = (method: Method, path: string, cost: number, handle: Handler): Route => ({
  method,
  path,
  cost,
  handle: (request, account) => Either.merge(handle(request, account))
})

export const v2 = (method: Method, path: string, cost: number, handle: Handler): Route =>
  route(method, `/api/v2/${path}`, cost, handle)

/** API v1 is under two addresses. */
export const v1 = (method: Method, path: string, cost: number, handle: Handler): ReadonlyArray<Route> =>
  ["/v1", "/api/v1"].map((base) => route(method, `${base}/${path}`, cost, handle))
