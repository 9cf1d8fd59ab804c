import type { Account } from "../../../providers/simulation/Account.ts"
import type { Limits, WindowLimit } from "../../../providers/simulation/Limits.ts"
import type { Reply, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { failure } from "./Answers.ts"

// https://developer.atlassian.com/cloud/jira/platform/rate-limiting/

/** A used-up limit, when a test says that it is reached, too. */
export const limited = (retryAfter: number): Reply => ({
  ...failure(429, ["Rate limit exceeded."]),
  headers: { "retry-after": String(retryAfter), "x-ratelimit-remaining": "0" }
})

const limit = (
  reason: string,
  given: Pick<WindowLimit, "cost" | "most" | "name" | "window"> & Partial<WindowLimit>
): WindowLimit => ({
  ...given,
  refuse: (retryAfter, { now }: Account) => {
    const { headers, ...reply } = limited(retryAfter)
    const reset = new Date(now + retryAfter * 1000).toISOString().replace(/\.\d+Z$/, "Z")
    return {
      ...reply,
      headers: {
        ...headers,
        "x-ratelimit-limit": String(given.most),
        "x-ratelimit-reset": reset,
        "ratelimit-reason": reason
      }
    }
  }
})

/** Requests about people and what they may do cost two points, others one. */
const points = ({ method, path }: SimulatedRequest) =>
  method === "GET" && /\/(?:myself|user|users|group|mypermissions)(?:\/|$)/.test(path) ? 2 : 1

/** The endpoint of a request: its address without what stands in its places. */
const endpointOf = ({ method, params, path }: SimulatedRequest): string => {
  const names = new Set(Object.values(params))
  const parts = path.split("/").map((part) => (names.has(decodeURIComponent(part)) ? "*" : part))
  return `${method} ${parts.join("/")}`
}

/** Requests of a second to one endpoint, by their method. */
const bursts = { GET: 100, POST: 100, PUT: 50, DELETE: 50 } as const

const isWrite = ({ method, params }: SimulatedRequest) => method !== "GET" && params.issue !== undefined

const perIssue = (most: number, seconds: number): WindowLimit =>
  limit("jira-per-issue-on-write", {
    name: `issue in ${seconds} seconds`,
    most,
    window: seconds * 1000,
    per: ({ params }) => params.issue ?? "",
    cost: (request) => (isWrite(request) ? 1 : 0)
  })

export const limits: Limits = {
  windows: [
    // of an application, at all sites together
    limit("jira-quota-global-based", {
      name: "points",
      most: 65_000,
      window: 3_600_000,
      isAligned: true,
      isShared: true,
      cost: points
    }),
    ...Object.entries(bursts).map(([method, most]) =>
      limit("jira-burst-based", {
        name: `burst of ${method}`,
        most,
        window: 1000,
        per: endpointOf,
        cost: (request) => (request.method === method ? 1 : 0)
      })
    ),
    perIssue(20, 2),
    perIssue(100, 30)
  ]
}
