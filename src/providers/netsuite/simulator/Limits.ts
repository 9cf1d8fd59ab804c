import type { Limits } from "../../simulation/Limits.ts"
import { problem } from "./Answers.ts"

export const limited = problem({
  status: 429,
  code: "CONCURRENCY_LIMIT_EXCEEDED",
  detail: "Concurrent request limit exceeded. Request blocked."
})

/**
 * Requests of an account at a time, for all who call it, without further licences; nothing limits those of a day.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/subsect_1559222360.html
 */
export const limits: Limits = { windows: [], concurrency: { most: 5, refuse: limited } }
