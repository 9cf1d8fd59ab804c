import type { Account } from "../../../providers/simulation/Account.ts"
import { leftOf, type Limits } from "../../../providers/simulation/Limits.ts"
import type { Reply } from "../../../providers/simulation/Simulator.ts"
import { refusal } from "./Answers.ts"

// Requests of an OAuth application for a user; what they cost by their complexity is not counted here.
// https://linear.app/developers/rate-limiting

const hour = 3_600_000
const most = 5000

/** A used-up limit has status 400. */
export const limited = (retryAfter: number): Reply => ({
  ...refusal(
    [
      {
        message: "Rate limit exceeded",
        code: "RATELIMITED",
        type: "ratelimited",
        status: 429,
        words: `Rate limit exceeded. Only ${most} requests are allowed per 1 hour.`
      }
    ],
    400
  ),
  headers: {
    "retry-after": String(retryAfter),
    "x-ratelimit-requests-limit": String(most),
    "x-ratelimit-requests-remaining": "0"
  }
})

const requests = { name: "requests", most, window: hour, isAligned: true, refuse: limited }

export const limits: Limits = { windows: [requests] }

export const limitHeaders = (account: Account) => ({
  "x-ratelimit-requests-limit": String(most),
  "x-ratelimit-requests-remaining": String(leftOf(account, requests)),
  "x-ratelimit-requests-reset": String((Math.floor(account.now / hour) + 1) * hour),
  date: new Date(account.now).toUTCString()
})
