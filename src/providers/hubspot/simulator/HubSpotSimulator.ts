import type { Account } from "../../simulation/Account.ts"
import { dailySample } from "../../simulation/DailySample.ts"
import type { Simulator } from "../../simulation/Simulator.ts"
import { seed } from "./Seed.ts"
import { failure } from "./Answers.ts"
import { associationRoutes } from "./AssociationRoutes.ts"
import { features } from "./Features.ts"
import { accountOf, badGrant, oauthRoutes, scopesOf } from "./OAuth.ts"
import { objectRoutes } from "./Objects.ts"
import { settingsRoutes } from "./Settings.ts"

// Limits: https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines
const rate = { window: 10_000, most: 110 }

/** Requests in the running window. None is refused for their number, so they never seem to be all used up: faults do that. */
const rateHeaders = ({ memory, now }: Account) => {
  const window = Math.floor(now / rate.window)
  const count = memory.get("window") === window ? (memory.get("count") ?? 0) + 1 : 1
  memory.set("window", window).set("count", count)
  return limitHeaders(Math.max(rate.most / 10, rate.most - count))
}

const limitHeaders = (remaining: number) => ({
  "x-hubspot-ratelimit-interval-milliseconds": String(rate.window),
  "x-hubspot-ratelimit-max": String(rate.most),
  "x-hubspot-ratelimit-remaining": String(remaining)
})

/** HubSpot's CRM: records, search, associations, owners, pipelines, properties, OAuth tokens. */
export const simulator: Simulator = {
  slug: "hubspot",
  routes: [...objectRoutes, ...associationRoutes, ...settingsRoutes, ...oauthRoutes],
  tokenOf: (request) => /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1],
  accountOf,
  sample: dailySample(seed),
  features,
  scopes: scopesOf,
  headers: rateHeaders,
  failures: {
    unauthorized: failure(
      401,
      "EXPIRED_AUTHENTICATION",
      "The OAuth token used to make this call expired 2 second(s) ago."
    ),
    badGrant,
    notFound: (request) => failure(404, "OBJECT_NOT_FOUND", `Unable to find a resource at ${request.path}`),
    methodNotAllowed: () => failure(405, "VALIDATION_ERROR", "HTTP 405 Method Not Allowed"),
    rateLimited: (retryAfter) => ({
      status: 429,
      headers: { ...limitHeaders(0), "retry-after": String(retryAfter) },
      body: {
        status: "error",
        message: "You have reached your ten_secondly_rolling limit.",
        errorType: "RATE_LIMIT",
        correlationId: crypto.randomUUID(),
        policyName: "TEN_SECONDLY_ROLLING",
        groupName: "publicapi:private-app-api-calls:ten-secondly:3185402",
        category: "RATE_LIMITS"
      }
    }),
    broken: (status) =>
      status === 403
        ? failure(
            403,
            "MISSING_SCOPES",
            "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes.",
            { errors: [{ message: "One or more of the following scopes are required." }] }
          )
        : failure(status, status >= 500 ? "INTERNAL_ERROR" : "VALIDATION_ERROR", "internal error")
  }
}
