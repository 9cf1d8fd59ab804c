import type { Limits } from "../../simulation/Limits.ts"
import { gatewayFault } from "./Faults.ts"

// https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles

/** No Retry-After: a throttled application is to wait a minute. */
export const limited = () =>
  gatewayFault(429, "ThrottleExceeded", "3001", "SERVICE", "The request limit was reached.  Try again later")

const minute = { window: 60_000, refuse: limited }

/** Of a company. */
export const limits: Limits = {
  windows: [
    { ...minute, name: "minute", most: 500 },
    { ...minute, name: "batches", most: 40, cost: ({ path }) => (path.endsWith("/batch") ? 1 : 0) }
  ],
  concurrency: { most: 10, refuse: limited() }
}
