import { type Account, used } from "../../../providers/simulation/Account.ts"
import { dailySample } from "../../../providers/simulation/DailySample.ts"
import type { Simulator } from "../../../providers/simulation/Simulator.ts"
import { failure, notFound } from "./Answers.ts"
import { contentRoutes } from "./ContentRoutes.ts"
import { issueRoutes } from "./IssueRoutes.ts"
import { oauth } from "./OAuth.ts"
import { pullRoutes } from "./PullRoutes.ts"
import { repositoryRoutes } from "./RepositoryRoutes.ts"
import { reviewRoutes } from "./ReviewRoutes.ts"
import { searchRoutes } from "./SearchRoutes.ts"
import { seed } from "./Seed.ts"

// Limits: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
const hour = 3_600_000
const most = 5000

/** None is refused for the number of requests, so they never seem to be all used up: faults do that. */
const limitHeaders = (now: number, remaining: number) => ({
  "x-ratelimit-limit": String(most),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(Math.ceil((Math.floor(now / hour) + 1) * (hour / 1000))),
  "x-ratelimit-resource": "core",
  date: new Date(now).toUTCString()
})

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
  headers: (account: Account) => limitHeaders(account.now, Math.max(most / 10, most - used(account, "calls", hour, 1))),
  failures: {
    unauthorized: failure(401, "Bad credentials"),
    badGrant: oauth.badGrant,
    notFound: () => notFound,
    methodNotAllowed: () => notFound,
    rateLimited: (retryAfter) => ({
      ...failure(403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."),
      headers: { "retry-after": String(retryAfter) }
    }),
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
