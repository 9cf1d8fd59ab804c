import { dailySample } from "../../../providers/simulation/DailySample.ts"
import type { Simulator } from "../../../providers/simulation/Simulator.ts"
import { failure, limited } from "./Answers.ts"
import { limits } from "./Limits.ts"
import { messageRoutes } from "./MessageRoutes.ts"
import { oauth } from "./OAuth.ts"
import { seed } from "./Seed.ts"

/** Gmail's REST API, v1: messages, conversations, drafts, labels and searches, and Google's OAuth 2.0. */
export const simulator: Simulator = {
  slug: "gmail",
  routes: [...messageRoutes, ...oauth.routes],
  tokenOf: (request) => /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1],
  accountOf: oauth.accountOf,
  sample: dailySample(seed),
  limits,
  failures: {
    unauthorized: failure(
      401,
      "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential."
    ),
    badGrant: oauth.badGrant,
    notFound: () => failure(404, "Requested entity was not found."),
    methodNotAllowed: () => failure(405, "Request method is not allowed."),
    rateLimited: limited,
    broken: (status) => failure(status, status === 403 ? "Insufficient Permission" : "Backend Error")
  }
}
