import { type Complaint, oauthServer } from "../../../providers/simulation/OAuthServer.ts"
import type { Reply } from "../../../providers/simulation/Simulator.ts"
import { me } from "./Tables.ts"

// https://developers.google.com/identity/protocols/oauth2/web-server

const refused = (status: number, error: string, description: string): Reply => ({
  status,
  body: { error, error_description: description }
})

const badClient = refused(401, "invalid_client", "The OAuth client was not found.")

const words: { readonly [complaint in Complaint]: Reply } = {
  "content type": refused(400, "invalid_request", "Missing required parameter: grant_type"),
  parameter: refused(400, "invalid_request", "Parameter not allowed for this message type"),
  client: badClient,
  "client secret": refused(400, "invalid_request", "client_secret is missing."),
  "grant type missing": refused(400, "invalid_request", "Missing required parameter: grant_type"),
  "grant type": refused(400, "unsupported_grant_type", "Invalid grant_type"),
  code: refused(400, "invalid_grant", "Malformed auth code."),
  redirect: refused(400, "redirect_uri_mismatch", "Bad Request"),
  verifier: refused(400, "invalid_grant", "Invalid code verifier."),
  "refresh token": refused(400, "invalid_grant", "Token has been expired or revoked.")
}

/** An hour. */
const lifetime = 3600

/** Refresh tokens stay, and come with the first tokens only. */
export const oauth = oauthServer({
  name: "Gmail",
  account: me.email,
  authorizePath: "/o/oauth2/v2/auth",
  tokenPath: "/token",
  authorizeParameters: ["access_type", "prompt", "include_granted_scopes", "login_hint"],
  scope: /^(https:\/\/mail\.google\.com\/|https:\/\/www\.googleapis\.com\/auth\/gmail\.[a-z.]+|openid|email|profile)$/,
  client: "body",
  onlyForms: true,
  parameters: ["grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "refresh_token"],
  lifetime,
  refuse: (complaint) => words[complaint],
  answer: ({ accessToken, isRefresh, refreshToken }) => ({
    access_token: accessToken,
    expires_in: lifetime,
    scope: "https://www.googleapis.com/auth/gmail.modify",
    token_type: "Bearer",
    ...(isRefresh ? {} : { refresh_token: refreshToken })
  }),
  revocation: {
    path: "/revoke",
    open: true,
    anyToken: true,
    done: { status: 200, body: {} },
    unknown: refused(400, "invalid_token", "Token expired or revoked")
  }
})
