import type { Account } from "../../simulation/Account.ts"
import { leftOf, type Limits } from "../../simulation/Limits.ts"
import type { Reply } from "../../simulation/Simulator.ts"

// https://developer.xero.com/documentation/guides/oauth2/limits/

const refused =
  (problem: "minute" | "day" | "appminute") =>
  (retryAfter: number): Reply => ({
    status: 429,
    headers: { "retry-after": String(retryAfter), "x-rate-limit-problem": problem }
  })

const minute = { name: "minute", most: 60, window: 60_000, refuse: refused("minute") }
const day = { name: "day", most: 5000, window: 86_400_000, refuse: refused("day") }
const app = { name: "app", most: 10_000, window: 60_000, isShared: true, refuse: refused("appminute") }

/** Of an organisation: calls at a time, in a minute and in a day; of the application: calls in a minute. */
export const limits: Limits = {
  windows: [minute, day, app],
  concurrency: { most: 5, refuse: { status: 429, headers: { "x-rate-limit-problem": "concurrent" } } },
  // the list of a login's organisations counts for none of them
  partOf: ({ headers, path }) => (path === "/connections" ? "" : (headers["xero-tenant-id"] ?? ""))
}

export const limitHeaders = (account: Account) => ({
  "x-minlimit-remaining": String(leftOf(account, minute)),
  "x-daylimit-remaining": String(leftOf(account, day)),
  "x-appminlimit-remaining": String(leftOf(account, app))
})

/** The limit of a minute, when a test says that it is reached. */
export const limited = (retryAfter: number): Reply => {
  const { headers, ...reply } = minute.refuse(retryAfter)
  return { ...reply, headers: { ...headers, "x-minlimit-remaining": "0" } }
}
