import type { Account } from "../../../providers/simulation/Account.ts"
import { leftOf, type Limits } from "../../../providers/simulation/Limits.ts"
import type { Reply, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { failure } from "./Answers.ts"

// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
// Searches: https://docs.github.com/en/rest/search/search#rate-limit

const minute = 60_000
const hour = 60 * minute

const isSearch = ({ path }: SimulatedRequest) => path.startsWith("/search/")
const isCode = ({ path }: SimulatedRequest) => path.startsWith("/search/code")

/** The state of a resource; when it is whole again is a time in seconds. */
const resource = (name: string, most: number, remaining: number, reset: number) => ({
  "x-ratelimit-limit": String(most),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(Math.ceil(reset / 1000)),
  "x-ratelimit-resource": name
})

const primary = (name: string, most: number, window: number, counts: (request: SimulatedRequest) => boolean) => ({
  name,
  most,
  window,
  isAligned: true,
  cost: (request: SimulatedRequest) => (counts(request) ? 1 : 0),
  refuse: (retryAfter: number, { now }: Account): Reply => ({
    ...failure(403, "API rate limit exceeded for user ID 4810220."),
    headers: resource(name, most, 0, now + retryAfter * 1000)
  })
})

/** A secondary limit, when a test says that it is reached, too. */
export const limited = (retryAfter: number): Reply => ({
  ...failure(403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."),
  headers: { "retry-after": String(retryAfter) }
})

const secondary = (name: string, most: number, window: number, cost: (request: SimulatedRequest) => number) => ({
  name,
  most,
  window,
  cost,
  refuse: limited
})

const core = primary("core", 5000, hour, (request) => !isSearch(request))

/** Creates content: everything that is made there counts. */
const creates = ({ method }: SimulatedRequest) => (method === "POST" ? 1 : 0)

export const limits: Limits = {
  windows: [
    core,
    primary("search", 30, minute, (request) => isSearch(request) && !isCode(request)),
    primary("code_search", 10, minute, isCode),
    secondary("points", 900, minute, ({ method }) => (method === "GET" ? 1 : 5)),
    secondary("content of a minute", 80, minute, creates),
    secondary("content of an hour", 500, hour, creates)
  ],
  concurrency: { most: 100, refuse: limited(60) }
}

export const limitHeaders = (account: Account) => ({
  ...resource("core", core.most, leftOf(account, core), (Math.floor(account.now / hour) + 1) * hour),
  date: new Date(account.now).toUTCString()
})
