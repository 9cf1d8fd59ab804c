import { Option, Schema } from "effect"
import { firm } from "../../../providers/simulation/SampleSoftware.ts"
import { type Complaint, oauthServer } from "../../../providers/simulation/OAuthServer.ts"
import type { Reply, Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { cloudIdOf, ok, site } from "./Answers.ts"

// https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/

const refused = (status: number, error: string, description: string): Reply => ({
  status,
  body: { error, error_description: description }
})

const words: { readonly [complaint in Complaint]: Reply } = {
  "content type": refused(400, "invalid_request", "Missing required parameter: grant_type"),
  parameter: refused(400, "invalid_request", "Unknown parameter"),
  client: refused(401, "access_denied", "Unauthorized"),
  "client secret": refused(401, "access_denied", "Unauthorized"),
  "grant type missing": refused(400, "invalid_request", "Missing required parameter: grant_type"),
  "grant type": refused(400, "unsupported_grant_type", "Unsupported grant type"),
  code: refused(403, "invalid_grant", "Invalid authorization code"),
  redirect: refused(403, "invalid_grant", "redirect_uri does not match"),
  verifier: refused(403, "invalid_grant", "Failed to verify code verifier"),
  "refresh token": refused(403, "unauthorized_client", "refresh_token is invalid")
}

const readJson = Schema.decodeOption(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** A token request is JSON, or a form. */
const parametersOf = ({ headers, text }: SimulatedRequest): URLSearchParams => {
  if (!(headers["content-type"] ?? "").startsWith("application/json")) return new URLSearchParams(text)
  const body = Option.getOrElse(readJson(text), () => ({}))
  return new URLSearchParams(Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]))
}

/** An hour. */
const lifetime = 3600

const scopes = "read:jira-work write:jira-work read:jira-user offline_access"

export const oauth = oauthServer({
  name: "Jira",
  account: firm.name,
  authorizePath: "/authorize",
  tokenPath: "/oauth/token",
  authorizeParameters: ["audience", "prompt"],
  scope: /^(offline_access|[a-z]+:[a-z:.-]+)$/,
  client: "body",
  parametersOf,
  lifetime,
  // a replaced refresh token can be used once more within ten minutes, should the answer have been lost
  replacedAfter: 600_000,
  refuse: (complaint) => words[complaint],
  answer: ({ accessToken, refreshToken }) => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: lifetime,
    token_type: "Bearer",
    scope: scopes
  })
})

/** The sites that a token is good for. */
export const resourcesRoute: Route = {
  method: "GET",
  path: "/oauth/token/accessible-resources",
  handle: (_, account) =>
    ok([
      {
        id: cloudIdOf(account.name),
        url: site,
        name: firm.slug,
        scopes: ["read:jira-work", "write:jira-work", "read:jira-user"],
        avatarUrl: "https://site-admin-avatar-cdn.prod.public.atl-paas.net/avatars/240/koala.png"
      }
    ])
}
