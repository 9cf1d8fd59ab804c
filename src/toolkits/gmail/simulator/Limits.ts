import type { Limits } from "../../../providers/simulation/Limits.ts"
import type { SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { exhausted, limited } from "./Answers.ts"

// Quota units: https://developers.google.com/workspace/gmail/api/reference/quota
// Projects made since May 2026 have less of them for a user; these are those of projects before.

/** Units of a request, by its method and what follows the user; the first that fits counts. */
const units: ReadonlyArray<readonly [request: RegExp, units: number]> = [
  [/^GET \/(?:profile|labels)/, 1],
  [/^POST \/(?:messages|drafts)\/send$/, 100],
  [/^(?:POST|DELETE) \/drafts/, 10],
  [/^PUT \/drafts/, 15],
  [/^(?:GET|POST) \/threads/, 10],
  [/^DELETE \/threads/, 20],
  [/^DELETE \/messages/, 10]
]

/** Most others cost as much. */
const usual = 5

const unitsOf = ({ method, path }: SimulatedRequest): number => {
  const request = `${method} ${path.replace(/^\/gmail\/v1\/users\/[^/]+/, "")}`
  return units.find(([pattern]) => pattern.test(request))?.[1] ?? usual
}

const minute = { window: 60_000, cost: unitsOf }

export const limits: Limits = {
  windows: [
    { ...minute, name: "user", most: 15_000, refuse: limited },
    {
      ...minute,
      name: "project",
      most: 1_200_000,
      isShared: true,
      refuse: exhausted("rateLimitExceeded", "Rate Limit Exceeded")
    }
  ]
}
