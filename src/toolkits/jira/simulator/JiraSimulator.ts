import { dailySample } from "../../../providers/simulation/DailySample.ts"
import type { Simulator } from "../../../providers/simulation/Simulator.ts"
import { cloudIdOf, failure, gateway } from "./Answers.ts"
import { issueRoutes } from "./IssueRoutes.ts"
import { linkRoutes } from "./LinkRoutes.ts"
import { limited, limits } from "./Limits.ts"
import { oauth, resourcesRoute } from "./OAuth.ts"
import { projectRoutes } from "./ProjectRoutes.ts"
import { searchRoutes } from "./SearchRoutes.ts"
import { seed } from "./Seed.ts"
import { talkRoutes } from "./TalkRoutes.ts"

/** Jira Cloud's REST API behind Atlassian's gateway: JQL, issues, comments, transitions, projects, people, and OAuth 2.0 (3LO). */
export const simulator: Simulator = {
  slug: "jira",
  routes: [
    ...issueRoutes,
    ...linkRoutes,
    ...searchRoutes,
    ...talkRoutes,
    ...projectRoutes,
    resourcesRoute,
    ...oauth.routes
  ],
  tokenOf: (request) => /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1],
  accountOf: oauth.accountOf,
  values: (account) => ({ cloudId: cloudIdOf(account) }),
  sample: dailySample(seed),
  limits,
  failures: {
    unauthorized: gateway(401, "Unauthorized"),
    badGrant: oauth.badGrant,
    notFound: () => gateway(404, "Not Found"),
    methodNotAllowed: () => gateway(405, "Method Not Allowed"),
    rateLimited: limited,
    broken: (status) =>
      status === 403
        ? failure(403, ["You do not have permission to perform this action."])
        : failure(status, ["Internal server error"])
  }
}
