import { type Complaint, oauthServer, standardErrors } from "../../simulation/OAuthServer.ts"
import { workspace } from "./Workspace.ts"

/** Scopes that an application may have; this one has all of them. */
export const scopes = [
  "object_configuration:read",
  "record_permission:read-write",
  "note:read-write",
  "task:read-write",
  "user_management:read"
]

const words: { readonly [complaint in Complaint]: string } = {
  "content type": "The request must be a form.",
  parameter: "The request has an unknown parameter.",
  client: "The client is unknown.",
  "client secret": "The client secret is wrong.",
  "grant type missing": "grant_type is missing.",
  "grant type": "grant_type must be authorization_code.",
  code: "The code is invalid or has expired.",
  redirect: "redirect_uri does not match.",
  verifier: "The code verifier is wrong.",
  "refresh token": "The refresh token is invalid."
}

/** Seconds; tokens do not end. */
const lifetime = 10 * 365 * 24 * 3600

/**
 * No refresh token is handed out. Those that the sandbox opens its own accounts with are taken all the same.
 * https://docs.attio.com/docs/oauth/authorize, https://docs.attio.com/docs/oauth/token
 */
export const oauth = oauthServer({
  name: "Attio",
  account: workspace.name,
  authorizePath: "/authorize",
  tokenPath: "/oauth/token",
  scope: /^$/,
  client: "body",
  lifetime,
  refuse: (complaint) => ({
    status: 400,
    body: { error: standardErrors[complaint], error_description: words[complaint] }
  }),
  answer: ({ accessToken }) => ({ access_token: accessToken, token_type: "Bearer" })
})
