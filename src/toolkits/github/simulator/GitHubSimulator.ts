import { dailySample } from "../../../providers/simulation/DailySample.ts"
import type { Simulator } from "../../../providers/simulation/Simulator.ts"
import { failure, notFound } from "./Answers.ts"
import { contentRoutes } from "./ContentRoutes.ts"
import { issueRoutes } from "./IssueRoutes.ts"
import { limited, limitHeaders, limits } from "./Limits.ts"
import { oauth } from "./OAuth.ts"
import { pullRoutes } from "./PullRoutes.ts"
import { repositoryRoutes } from "./RepositoryRoutes.ts"
import { reviewRoutes } from "./ReviewRoutes.ts"
import { searchRoutes } from "./SearchRoutes.ts"
import { seed } from "./Seed.ts"

/** GitHub's REST API: repositories, contents, commits, issues, pull requests, reviews, searches, and OAuth of a GitHub App. */
export const simulator: Simulator = {
  slug: "github",
  routes: [
    ...repositoryRoutes,
    ...contentRoutes,
    ...issueRoutes,
    ...pullRoutes,
    ...reviewRoutes,
    ...searchRoutes,
    ...oauth.routes
  ],
  tokenOf: (request) => /^(?:Bearer|token) (.+)$/i.exec(request.headers.authorization ?? "")?.[1],
  accountOf: oauth.accountOf,
  sample: dailySample(seed),
  limits,
  headers: limitHeaders,
  failures: {
    unauthorized: failure(401, "Bad credentials"),
    badGrant: oauth.badGrant,
    notFound: () => notFound,
    methodNotAllowed: () => notFound,
    rateLimited: limited,
    // https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent
    anonymous: {
      status: 403,
      headers: { "content-type": "text/html" },
      body: "Request forbidden by administrative rules. Please make sure your request has a User-Agent header."
    },
    broken: (status) =>
      status === 403 ? failure(403, "Resource not accessible by integration") : failure(status, "Server Error")
  }
}
