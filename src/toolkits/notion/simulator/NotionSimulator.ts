import { dailySample } from "../../../providers/simulation/DailySample.ts"
import type { Simulator } from "../../../providers/simulation/Simulator.ts"
import { failure } from "./Answers.ts"
import { oauth } from "./OAuth.ts"
import { routes } from "./Routes.ts"
import { seed } from "./Seed.ts"

/** Notion's API with data sources: pages, blocks, searches, queries and people, and its OAuth 2.0. */
export const simulator: Simulator = {
  slug: "notion",
  routes: [...routes, ...oauth.routes],
  tokenOf: (request) => /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1],
  accountOf: oauth.accountOf,
  seed: dailySample(seed),
  failures: {
    unauthorized: failure(401, "unauthorized", "API token is invalid."),
    badGrant: oauth.badGrant,
    notFound: () => failure(400, "invalid_request_url", "Invalid request URL."),
    methodNotAllowed: () => failure(400, "invalid_request_url", "Invalid request URL."),
    rateLimited: (retryAfter) => ({
      ...failure(429, "rate_limited", "You have been rate limited. Please try again in a few minutes."),
      headers: { "retry-after": String(retryAfter) }
    }),
    broken: (status) =>
      status === 403
        ? failure(403, "restricted_resource", "Insufficient permissions for this endpoint.")
        : failure(status, "internal_server_error", "Unexpected error occurred.")
  }
}
