import type { Account } from "../../simulation/Account.ts"
import { leftOf, type Limits } from "../../simulation/Limits.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"

// Limits: https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines
// Searches: https://developers.hubspot.com/docs/api-reference/search/guide

const window = 10_000
const most = 110

const rateHeaders = (remaining: number) => ({
  "x-hubspot-ratelimit-interval-milliseconds": String(window),
  "x-hubspot-ratelimit-max": String(most),
  "x-hubspot-ratelimit-remaining": String(remaining)
})

const refusal = (policyName: string, message: string): Reply => ({
  status: 429,
  body: {
    status: "error",
    message,
    errorType: "RATE_LIMIT",
    correlationId: crypto.randomUUID(),
    policyName,
    groupName: "publicapi:private-app-api-calls:ten-secondly:3185402",
    category: "RATE_LIMITS"
  }
})

const burstRefusal = () => refusal("TEN_SECONDLY_ROLLING", "You have reached your ten_secondly_rolling limit.")

const isSearch = ({ path }: SimulatedRequest) => path.endsWith("/search")

const burst = {
  name: "burst",
  most,
  window,
  cost: (request: SimulatedRequest) => (isSearch(request) ? 0 : 1),
  refuse: burstRefusal
}

/** Of an application in an account; nothing limits the calls of its day. */
export const limits: Limits = {
  windows: [
    burst,
    {
      name: "search",
      most: 5,
      window: 1000,
      cost: (request) => (isSearch(request) ? 1 : 0),
      // the words that HubSpot's own client waits and repeats a call for
      refuse: () => refusal("SECONDLY", "You have reached your secondly limit.")
    }
  ]
}

export const limitHeaders = (account: Account) => rateHeaders(leftOf(account, burst))

/** The limit of ten seconds, when a test says that it is reached. */
export const limited = (retryAfter: number): Reply => ({
  ...burstRefusal(),
  headers: { ...rateHeaders(0), "retry-after": String(retryAfter) }
})
