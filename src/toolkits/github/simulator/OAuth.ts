import { Option, Schema } from "effect"
import { type Complaint, oauthServer } from "../../../providers/simulation/OAuthServer.ts"
import type { Reply, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { failure } from "./Answers.ts"
import { me } from "./Tables.ts"

const readBody = Schema.decodeOption(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String })))

// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app

/** Errors of the token endpoint come with status 200. */
const refused = (error: string, description: string): Reply => ({
  status: 200,
  body: {
    error,
    error_description: description,
    error_uri: "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/"
  }
})

const badClient = refused("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
const badCode = refused("bad_verification_code", "The code passed is incorrect or expired.")
const badGrant = refused("unsupported_grant_type", "The grant type is not supported.")

const words: { readonly [complaint in Complaint]: Reply } = {
  "content type": failure(415, "Unsupported Media Type"),
  parameter: refused("invalid_request", "The request has a parameter that is not known."),
  client: badClient,
  "client secret": badClient,
  "grant type missing": badGrant,
  "grant type": badGrant,
  code: badCode,
  redirect: refused(
    "redirect_uri_mismatch",
    "The redirect_uri MUST match the registered callback URL for this application."
  ),
  verifier: badCode,
  "refresh token": refused("bad_refresh_token", "The refresh token passed is incorrect or expired.")
}

/**
 * A form or JSON; without a grant type it is about a code.
 * https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#2-users-are-redirected-back-to-your-site-by-github
 */
const parametersOf = ({ headers, text }: SimulatedRequest): URLSearchParams => {
  const isJson = (headers["content-type"] ?? "").startsWith("application/json")
  const given = new URLSearchParams(isJson ? Option.getOrElse(readBody(text), () => ({})) : text)
  if (given.has("code") && !given.has("grant_type")) given.set("grant_type", "authorization_code")
  return given
}

/** Eight hours, and half a year. */
const lifetime = 28_800
const refreshLifetime = 15_811_200

/** The tokens of a GitHub App: each refresh replaces the refresh token at once. */
export const oauth = oauthServer({
  name: "GitHub",
  account: me,
  authorizePath: "/login/oauth/authorize",
  tokenPath: "/login/oauth/access_token",
  authorizeParameters: ["login", "allow_signup", "prompt"],
  scope: /^[a-z_]+(:[a-z_]+)?$/,
  client: "body",
  parametersOf,
  parameters: [
    "grant_type",
    "client_id",
    "client_secret",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "repository_id"
  ],
  lifetime,
  replacedAfter: 0,
  refuse: (complaint) => words[complaint],
  answer: ({ accessToken, refreshToken }) => ({
    access_token: accessToken,
    expires_in: lifetime,
    refresh_token: refreshToken,
    refresh_token_expires_in: refreshLifetime,
    scope: "",
    token_type: "bearer"
  })
})
