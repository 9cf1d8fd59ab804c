import type { Account as Org } from "../../simulation/Account.ts"
import { leftOf, type Limits } from "../../simulation/Limits.ts"
import type { Reply } from "../../simulation/Simulator.ts"
import { fault, limitExceeded, refusal } from "./Faults.ts"

// https://developer.salesforce.com/docs/atlas.en-us.salesforce_app_limits_cheatsheet.meta/salesforce_app_limits_cheatsheet/salesforce_app_limits_platform_api.htm

const usage = (used: number, allowed: number) => ({ "sforce-limit-info": `api-usage=${used}/${allowed}` })

/** Requests of a Developer Edition in 24 hours. */
const allowed = 15_000

/** When a test says that the day's requests are spent, too: neither 429 nor Retry-After. */
export const limited = (): Reply => ({ ...refusal(limitExceeded), headers: usage(allowed, allowed) })

const daily = { name: "daily", most: allowed, window: 86_400_000, refuse: limited }

/** Of an organisation; requests of less than 20 seconds may run at once as they like. */
export const limits: Limits = {
  windows: [daily],
  concurrency: {
    most: 5,
    after: 20_000,
    refuse: refusal(
      fault("REQUEST_LIMIT_EXCEEDED", "ConcurrentRequests (Concurrent API Requests) Limit exceeded.", undefined, 403)
    )
  }
}

export const dailyRequests = (org: Org) => ({ Max: allowed, Remaining: leftOf(org, daily) })

export const limitHeaders = (org: Org) => usage(allowed - leftOf(org, daily), allowed)
