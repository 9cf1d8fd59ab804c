import type { Limits } from "../../simulation/Limits.ts"
import { failure } from "./Answers.ts"

// https://www.zoho.com/books/api/v3/introduction/#api-call-limit

/** No Retry-After. */
export const limited = () =>
  failure(
    429,
    44,
    "For security reasons you have been blocked for some time as you have exceeded the maximum number of requests per minute that can be sent from one account."
  )

/** Of an organisation on the Premium plan. */
export const limits: Limits = {
  windows: [
    { name: "minute", most: 100, window: 60_000, refuse: limited },
    {
      name: "day",
      most: 10_000,
      window: 86_400_000,
      isAligned: true,
      refuse: () => failure(429, 45, "You have exceeded the maximum number of requests per day.")
    }
  ],
  concurrency: { most: 10, refuse: failure(429, 1070, "You have exceeded the maximum number of concurrent requests.") }
}
