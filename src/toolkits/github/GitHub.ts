import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../../providers/base/Authorization.ts"
import type { ReadLimits } from "../../providers/base/Limits.ts"
import { type Endpoint, Upstream } from "../../providers/base/Upstream.ts"
import { toolkit } from "../Toolkits.ts"
import { calls } from "./Calls.ts"
import { fileTools } from "./FileTools.ts"
import { issueTools } from "./IssueTools.ts"
import { labelTools } from "./LabelTools.ts"
import { pullRequestTools } from "./PullRequestTools.ts"
import { readError } from "./ReadError.ts"
import { repositoryTools } from "./RepositoryTools.ts"
import { reviewTools } from "./ReviewTools.ts"

const headers = {
  accept: "application/vnd.github+json",
  "x-github-api-version": "2022-11-28"
}

/**
 * A GitHub App or an OAuth app; PKCE is for both. Tokens of a GitHub App live for eight hours, and each refresh replaces the
 * refresh token; an app sets its permissions when it is registered and ignores scopes. Tokens of an OAuth app do not expire
 * unless the app says so. Errors of the token endpoint come with status 200.
 * https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens
 * GitHub Enterprise Server: PROVIDER_GITHUB_BASE_URL is `https://<host>/api/v3`, and the OAuth addresses are on that host.
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://github.com/login/oauth/authorize",
  tokenUrl: "https://github.com/login/oauth/access_token",
  refreshEnd: { told: "refresh_token_expires_in", isRenewed: true },
  scopes: ["repo", "read:user", "read:org"],
  clientAuthentication: "body",
  tokenBody: "form",
  pkce: true,
  rotation: {
    onReuse: "refuses",
    source:
      "https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens"
  },
  tokenRefusals: {
    answers: [
      { code: "bad_refresh_token", means: "person" },
      { code: "bad_verification_code", means: "refresh" }
    ],
    source:
      "https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors"
  },
  // https://docs.github.com/en/rest/users/users#get-the-authenticated-user
  identify: identify(
    () => HttpClientRequest.get("https://api.github.com/user", { headers }),
    Schema.Struct({ id: Schema.Number, login: Schema.String }),
    ({ id, login }) => [{ id: String(id), name: login }]
  ),
  apply: bearer
}

/**
 * 5,000 requests an hour for an account; searches have limits of their own, which do not hold up other calls.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
const readLimits: ReadLimits = (headers) => {
  const remaining = Number(headers["x-ratelimit-remaining"] ?? Number.NaN)
  const resetAfter = Number(headers["x-ratelimit-reset"]) - Date.parse(headers.date ?? "") / 1000
  return headers["x-ratelimit-resource"] === "core" && Number.isFinite(remaining)
    ? [{ name: "core", remaining, ...(resetAfter > 0 ? { resetAfter } : {}) }]
    : []
}

const endpoint: Endpoint = {
  slug: "github",
  authorization,
  baseUrl: "https://api.github.com",
  headers: () => headers,
  concurrency: 8,
  readError,
  readLimits,
  timeout: 30_000
}

export const GitHub = toolkit(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const github = calls(yield* upstream.caller(endpoint))
    return {
      slug: endpoint.slug,
      name: "GitHub",
      description:
        "Read and change code, issues and pull requests on GitHub: repositories, files, branches, commits, reviews, checks, searches.",
      authorization,
      tools: [
        ...repositoryTools(github),
        ...fileTools(github),
        ...issueTools(github),
        ...labelTools(github),
        ...pullRequestTools(github),
        ...reviewTools(github)
      ]
    }
  })
)
