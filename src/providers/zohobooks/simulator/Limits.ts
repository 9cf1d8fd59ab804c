import type { Limits } from "../../simulation/Limits.ts"
import type { Reply } from "../../simulation/Simulator.ts"
import { failure } from "./Answers.ts"

// Of an organisation on a paid plan, without Retry-After: https://www.zoho.com/books/api/v3/introduction/#api-call-limit

/** The limit of a minute, also when a test says that it is reached. */
export const limited = (): Reply =>
  failure(
    429,
    44,
    "For security reasons you have been blocked for some time as you have exceeded the maximum number of requests per minute that can be sent from one account."
  )

export const limits: Limits = {
  windows: [
    { name: "minute", most: 100, window: 60_000, refuse: limited },
    {
      name: "day",
      most: 10_000,
      window: 86_400_000,
      isAligned: true,
      refuse: () => failure(429, 45, "You have exceeded the maximum call rate limit of 10000 per day.")
    }
  ],
  concurrency: { most: 10, refuse: failure(429, 1070, "You have exceeded the maximum number of in process requests.") }
}
