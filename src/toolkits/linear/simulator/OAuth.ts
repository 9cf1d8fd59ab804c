import { type Complaint, oauthServer } from "../../../providers/simulation/OAuthServer.ts"
import { firm } from "../../../providers/simulation/SampleSoftware.ts"
import type { Reply } from "../../../providers/simulation/Simulator.ts"

// https://linear.app/developers/oauth-2-0-authentication

const refused = (status: number, error: string, description: string): Reply => ({
  status,
  body: { error, error_description: description }
})

const words: { readonly [complaint in Complaint]: Reply } = {
  "content type": refused(400, "invalid_request", "Content-Type must be application/x-www-form-urlencoded"),
  parameter: refused(400, "invalid_request", "Unknown parameter"),
  client: refused(401, "invalid_client", "Client authentication failed"),
  "client secret": refused(401, "invalid_client", "Client authentication failed"),
  "grant type missing": refused(400, "invalid_request", "Missing required parameter: grant_type"),
  "grant type": refused(400, "unsupported_grant_type", "The grant type is not supported"),
  code: refused(400, "invalid_grant", "The authorization code is invalid or has expired"),
  redirect: refused(400, "invalid_grant", "redirect_uri does not match"),
  verifier: refused(400, "invalid_grant", "The code verifier is invalid"),
  "refresh token": refused(400, "invalid_grant", "The refresh token is invalid or has expired")
}

/** A day. */
const lifetime = 86_400

export const oauth = oauthServer({
  name: "Linear",
  account: firm.name,
  authorizePath: "/oauth/authorize",
  tokenPath: "/oauth/token",
  authorizeParameters: ["prompt", "actor"],
  scope: /^(read|write|issues:create|comments:create|timeSchedule:write|admin)$/,
  scopeSeparator: ",",
  client: "body",
  onlyForms: true,
  parameters: ["grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "refresh_token"],
  lifetime,
  // a replaced refresh token gives the same answer for half an hour, should it have been lost
  replacedAfter: 1_800_000,
  refuse: (complaint) => words[complaint],
  answer: ({ accessToken, refreshToken }) => ({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: lifetime,
    refresh_token: refreshToken,
    scope: "read write"
  }),
  revocation: {
    path: "/oauth/revoke",
    open: true,
    anyToken: true,
    done: { status: 200, body: { success: true } },
    unknown: refused(400, "invalid_request", "The token is unknown")
  }
})
