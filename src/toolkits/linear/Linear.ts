import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../../providers/base/Authorization.ts"
import { type Limit, numberIn, type ReadLimits } from "../../providers/base/Limits.ts"
import { type Endpoint, Upstream } from "../../providers/base/Upstream.ts"
import { toolkit } from "../Toolkits.ts"
import { calls } from "./Calls.ts"
import { issueTools } from "./IssueTools.ts"
import { readError } from "./ReadError.ts"
import { workspaceTools } from "./WorkspaceTools.ts"

/**
 * Access tokens live for a day, and each refresh replaces the refresh token; scopes are separated by commas. The consent is
 * for one workspace. https://linear.app/developers/oauth-2-0-authentication
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://linear.app/oauth/authorize",
  tokenUrl: "https://api.linear.app/oauth/token",
  revokeUrl: "https://api.linear.app/oauth/revoke",
  scopes: ["read", "write"],
  scopeSeparator: ",",
  clientAuthentication: "body",
  tokenBody: "form",
  pkce: true,
  // a replaced token gives the same answer for half an hour
  rotation: {
    onReuse: "answers",
    graceSeconds: 1800,
    source: "https://linear.app/developers/oauth-2-0-authentication"
  },
  tokenRefusals: {
    answers: [{ code: "invalid_grant", says: "refresh token", status: 400, means: "person" }],
    source: "https://linear.app/developers/oauth-2-0-authentication"
  },
  authorizeParameters: { prompt: "consent" },
  identify: identify(
    () =>
      HttpClientRequest.post("https://api.linear.app/graphql").pipe(
        HttpClientRequest.bodyUnsafeJson({ query: "{ viewer { id } organization { id name } }" })
      ),
    Schema.Struct({
      data: Schema.Struct({
        viewer: Schema.Struct({ id: Schema.String }),
        organization: Schema.Struct({ id: Schema.String, name: Schema.String })
      })
    }),
    ({ data: { organization, viewer } }) => [{ id: `${organization.id}/${viewer.id}`, name: organization.name }]
  ),
  apply: bearer
}

/** https://linear.app/developers/rate-limiting */
const readLimits: ReadLimits = (headers) =>
  ["requests", "complexity"].flatMap((name): ReadonlyArray<Limit> => {
    const remaining = numberIn(headers[`x-ratelimit-${name}-remaining`])
    const resetAfter = (Number(headers[`x-ratelimit-${name}-reset`]) - Date.parse(headers.date ?? "")) / 1000
    return remaining === undefined ? [] : [{ name, remaining, ...(resetAfter > 0 ? { resetAfter } : {}) }]
  })

const endpoint: Endpoint = {
  slug: "linear",
  authorization,
  baseUrl: "https://api.linear.app",
  concurrency: 6,
  readError,
  readLimits,
  timeout: 30_000
}

export const Linear = toolkit(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const linear = calls(yield* upstream.caller(endpoint))
    return {
      slug: endpoint.slug,
      name: "Linear",
      description:
        "Search, read, create and change issues in Linear: states, assignees, labels, comments, relations, projects, cycles.",
      authorization,
      tools: [...issueTools(linear), ...workspaceTools(linear)]
    }
  })
)
