import type { Limits } from "../../../providers/simulation/Limits.ts"
import type { Reply } from "../../../providers/simulation/Simulator.ts"
import { failure } from "./Answers.ts"

/** When a test says that the limit is reached, too. */
export const limited = (retryAfter: number): Reply => ({
  ...failure(429, "rate_limited", "You have been rate limited. Please try again in a few minutes."),
  headers: { "retry-after": String(retryAfter) }
})

/**
 * Three requests a second on average, which may be spent at any pace within a minute.
 * https://developers.notion.com/reference/request-limits
 */
export const limits: Limits = {
  windows: [{ name: "minute", most: 180, window: 60_000, isAligned: true, refuse: limited }]
}
