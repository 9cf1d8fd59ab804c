import { dailySample } from "../../../providers/simulation/DailySample.ts"
import type { Simulator } from "../../../providers/simulation/Simulator.ts"
import { failure } from "./Answers.ts"
import { blockRoutes } from "./BlockRoutes.ts"
import { dataRoutes } from "./DataRoutes.ts"
import { limited, limits } from "./Limits.ts"
import { oauth } from "./OAuth.ts"
import { pageRoutes } from "./PageRoutes.ts"
import { seed } from "./Seed.ts"
import { talkRoutes } from "./TalkRoutes.ts"

/** Notion's API with data sources: pages, blocks, searches, queries, people and comments, and its OAuth 2.0. */
export const simulator: Simulator = {
  slug: "notion",
  routes: [...pageRoutes, ...blockRoutes, ...dataRoutes, ...talkRoutes, ...oauth.routes],
  tokenOf: (request) => /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1],
  accountOf: oauth.accountOf,
  sample: dailySample(seed),
  limits,
  failures: {
    unauthorized: failure(401, "unauthorized", "API token is invalid."),
    badGrant: oauth.badGrant,
    notFound: () => failure(400, "invalid_request_url", "Invalid request URL."),
    methodNotAllowed: () => failure(400, "invalid_request_url", "Invalid request URL."),
    rateLimited: limited,
    broken: (status) =>
      status === 403
        ? failure(403, "restricted_resource", "Insufficient permissions for this endpoint.")
        : failure(status, "internal_server_error", "Unexpected error occurred.")
  }
}
