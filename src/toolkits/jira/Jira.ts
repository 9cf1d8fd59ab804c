import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../../providers/base/Authorization.ts"
import { type Endpoint, Upstream } from "../../providers/base/Upstream.ts"
import { toolkit } from "../Toolkits.ts"
import { calls } from "./Calls.ts"
import { issueTools } from "./IssueTools.ts"
import { projectTools } from "./ProjectTools.ts"
import { readError } from "./ReadError.ts"
import { workTools } from "./WorkTools.ts"

/**
 * OAuth 2.0 (3LO): access tokens live an hour, each refresh replaces the refresh token, which `offline_access` asks for. A
 * consent is for one site; its id, which is part of every path, comes from the list of accessible resources.
 * https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://auth.atlassian.com/authorize",
  tokenUrl: "https://auth.atlassian.com/oauth/token",
  // 90 days unused: https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/#use-a-refresh-token-to-get-another-access-token-and-refresh-token-pair
  refreshEnd: { after: 90 * 24 * 3600, isRenewed: true },
  scopes: ["read:jira-work", "write:jira-work", "read:jira-user", "offline_access"],
  clientAuthentication: "body",
  tokenBody: "json",
  pkce: false,
  authorizeParameters: { audience: "api.atlassian.com", prompt: "consent" },
  // the token before is answered for ten minutes, should the answer have been lost
  rotation: {
    onReuse: "answers",
    graceSeconds: 600,
    source: "https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/"
  },
  tokenRefusals: {
    answers: [
      { code: "unauthorized_client", says: "refresh_token is invalid", means: "person" },
      { code: "invalid_grant", says: "unknown or invalid refresh token", means: "person" }
    ],
    source: "https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/"
  },
  values: {
    cloudId: {
      pattern: /^[0-9a-f-]{36}$/,
      expected: "must be the id of a Jira site, such as 11223344-a1b2-3b33-c444-def123456789",
      needed: true
    }
  },
  identify: identify(
    () =>
      HttpClientRequest.get("https://api.atlassian.com/oauth/token/accessible-resources", {
        headers: { accept: "application/json" }
      }),
    Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, scopes: Schema.Array(Schema.String) })),
    (sites) =>
      // a consent to other products of Atlassian's lists their sites as well
      sites
        .filter(({ scopes }) => scopes.some((scope) => scope.includes("jira")))
        .map(({ id, name, scopes }) => ({ id, name, values: { cloudId: id }, scopes }))
  ),
  apply: bearer
}

const endpoint: Endpoint = {
  slug: "jira",
  authorization,
  baseUrl: "https://api.atlassian.com",
  concurrency: 8,
  readError,
  timeout: 30_000
}

export const Jira = toolkit(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const jira = yield* calls(yield* upstream.caller(endpoint))
    return {
      slug: endpoint.slug,
      name: "Jira",
      description:
        "Search, read, create and change issues in Jira: JQL, fields, comments, transitions, assignments, links, time.",
      authorization,
      tools: [...issueTools(jira), ...workTools(jira), ...projectTools(jira)]
    }
  })
)
