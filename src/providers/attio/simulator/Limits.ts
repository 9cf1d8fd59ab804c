import type { Limits } from "../../simulation/Limits.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"

// https://docs.attio.com/rest-api/guides/rate-limiting

export const limited = (retryAfter: number): Reply => ({
  status: 429,
  headers: { "retry-after": String(retryAfter) },
  body: {
    status_code: 429,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    message: "Rate limit exceeded, please try again later"
  }
})

/** Lists of records are asked for with a body. */
const isRead = ({ method, path }: SimulatedRequest) => method === "GET" || path.endsWith("/query")

const second = { window: 1000, refuse: limited }

export const limits: Limits = {
  windows: [
    { ...second, name: "reads", most: 100, cost: (request) => (isRead(request) ? 1 : 0) },
    { ...second, name: "writes", most: 25, cost: (request) => (isRead(request) ? 0 : 1) }
  ]
}
