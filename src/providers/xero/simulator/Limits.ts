import { type Account, used } from "../../simulation/Account.ts"
import type { Reply } from "../../simulation/Simulator.ts"

// https://developer.xero.com/documentation/guides/oauth2/limits/

/** Calls of an organisation in a minute and in a day, and of the app in a minute. */
const most = { minute: 60, day: 5000, app: 10_000 }

const left = (account: Account, name: string, span: number, limit: number) =>
  String(Math.max(limit / 4, limit - used(account, `${account.name} ${name}`, span, 1)))

/** What is left of each limit, never less than a quarter: calls beyond one are not refused here. */
export const limitHeaders = (account: Account) => ({
  "x-minlimit-remaining": left(account, "minute", 60_000, most.minute),
  "x-daylimit-remaining": left(account, "day", 86_400_000, most.day),
  "x-appminlimit-remaining": left(account, "app", 60_000, most.app)
})

export const limited = (retryAfter: number): Reply => ({
  status: 429,
  headers: {
    "retry-after": String(retryAfter),
    "x-rate-limit-problem": "Minute",
    "x-minlimit-remaining": "0"
  }
})
