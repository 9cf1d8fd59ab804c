import type { Account } from "../../../providers/simulation/Account.ts"
import { leftOf, type Limits, type WindowLimit } from "../../../providers/simulation/Limits.ts"
import type { Reply, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { refusal } from "./Answers.ts"

// Requests of an OAuth application for a user, and points of what they ask for. https://linear.app/developers/rate-limiting

const hour = 3_600_000
const most = { requests: 5000, complexity: 2_000_000 }

/** A used-up limit has status 400. */
const used =
  (name: keyof typeof most, of: string) =>
  (retryAfter: number): Reply => ({
    ...refusal(
      [
        {
          message: "Rate limit exceeded",
          code: "RATELIMITED",
          type: "ratelimited",
          status: 429,
          words: `Rate limit exceeded. Only ${most[name]} ${of} are allowed per 1 hour.`
        }
      ],
      400
    ),
    headers: {
      "retry-after": String(retryAfter),
      [`x-ratelimit-${name}-limit`]: String(most[name]),
      [`x-ratelimit-${name}-remaining`]: "0"
    }
  })

export const limited = used("requests", "requests")

/** The limits, given the points of a request. */
export const limitsOf = (pointsOf: (request: SimulatedRequest) => number) => {
  const shared = { window: hour, isAligned: true }
  const requests: WindowLimit = { ...shared, name: "requests", most: most.requests, refuse: limited }
  const complexity: WindowLimit = {
    ...shared,
    name: "complexity",
    most: most.complexity,
    cost: pointsOf,
    refuse: used("complexity", "complexity points")
  }
  const windows = [requests, complexity]
  return {
    limits: { windows } satisfies Limits,
    headers: (account: Account) => ({
      ...Object.fromEntries(
        windows.flatMap((limit) => [
          [`x-ratelimit-${limit.name}-limit`, String(limit.most)],
          [`x-ratelimit-${limit.name}-remaining`, String(leftOf(account, limit))],
          [`x-ratelimit-${limit.name}-reset`, String((Math.floor(account.now / hour) + 1) * hour)]
        ])
      ),
      date: new Date(account.now).toUTCString()
    })
  }
}
