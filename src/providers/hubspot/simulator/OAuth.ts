import type { Account } from "../../simulation/Account.ts"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import { type Complaint, oauthServer, revokeConsent } from "../../simulation/OAuthServer.ts"
import { isTokenGood, type Reply, type Route, type SimulatedRequest } from "../../simulation/Simulator.ts"
import { failure, ok } from "./Answers.ts"

// Token endpoint: https://developers.hubspot.com/docs/api-reference/auth-oauth-v1/guide

const refused = (status: string, message: string): Reply => ({
  status: 400,
  body: { status, message, correlationId: crypto.randomUUID() }
})

const words: { readonly [complaint in Exclude<Complaint, "content type">]: readonly [string, string] } = {
  parameter: ["BAD_REQUEST", "unknown parameter"],
  client: ["BAD_CLIENT_ID", "missing or unknown client id"],
  "client secret": ["BAD_CLIENT_SECRET", "missing or invalid client secret"],
  "grant type missing": ["BAD_GRANT_TYPE", "missing or unknown grant type"],
  "grant type": ["BAD_GRANT_TYPE", "missing or unknown grant type"],
  code: ["BAD_AUTH_CODE", "missing or unknown auth code"],
  redirect: ["MISMATCH_REDIRECT_URI_AUTH_CODE", "redirect URI does not match the one of the auth code"],
  verifier: ["BAD_AUTH_CODE", "missing or unknown auth code"],
  "refresh token": ["BAD_REFRESH_TOKEN", "missing or invalid refresh token"]
}

const scopes = "oauth_scopes"

const hubDomain = "fernhill-supply.example"

export const oauth = oauthServer({
  name: "HubSpot",
  account: hubDomain,
  authorizePath: "/oauth/authorize",
  tokenPath: "/oauth/v1/token",
  authorizeParameters: ["optional_scope"],
  optionalScopes: "optional_scope",
  scope: /^(oauth|sales-email-read|crm\.[a-z._]+)$/,
  client: "body",
  onlyForms: true,
  parameters: ["grant_type", "code", "redirect_uri", "client_id", "client_secret", "refresh_token", "scope"],
  // half an hour
  lifetime: 1800,
  refuse: (complaint, name) => {
    if (complaint === "content type") return failure(415, "VALIDATION_ERROR", "HTTP 415 Unsupported Media Type")
    const [status, message] = words[complaint]
    return refused(status, name === undefined ? message : `${message} ${name}`)
  },
  answer: ({ accessToken, refreshToken }) => ({
    token_type: "bearer",
    refresh_token: refreshToken,
    access_token: accessToken,
    expires_in: 1800
  }),
  consented: (account, given) => account.put(scopes, "given", { scopes: given })
})

const usual = ["contacts", "companies", "deals", "leads", "appointments", "owners"].flatMap((type) => [
  `crm.objects.${type}.read`,
  ...(type === "owners" ? [] : [`crm.objects.${type}.write`])
])

const about = (request: SimulatedRequest, account: Account): Reply => {
  const accessToken = request.params.token ?? ""
  const expiresAt = account.get("oauth_token", accessToken)?.expiresAt
  if (!isTokenGood(account, "access", accessToken) || typeof expiresAt !== "number") {
    return failure(404, "OBJECT_NOT_FOUND", "Access token not found or expired")
  }
  return ok({
    token: accessToken,
    user: "integrations@fernhill-supply.example",
    hub_domain: hubDomain,
    scopes: account.get(scopes, "given")?.scopes ?? ["oauth", ...usual],
    hub_id: accountNumber(account, 8),
    app_id: 3185402,
    expires_in: Math.floor((expiresAt - account.now) / 1000),
    user_id: 26104811,
    token_type: "access"
  })
}

const remove = (request: SimulatedRequest, account: Account): Reply => {
  const token = request.params.token ?? ""
  if (!isTokenGood(account, "refresh", token)) return failure(404, "OBJECT_NOT_FOUND", "Refresh token not found")
  revokeConsent(account, token)
  return { status: 204 }
}

/** The token that leads to the account: in the path, or the refresh token or code of a form. */
export const accountOf = (request: SimulatedRequest): string | undefined =>
  request.params.token ?? oauth.accountOf(request)

export const oauthRoutes: ReadonlyArray<Route> = [
  ...oauth.routes,
  { method: "GET", path: "/oauth/v1/access-tokens/:token", open: true, handle: about },
  { method: "DELETE", path: "/oauth/v1/refresh-tokens/:token", open: true, handle: remove }
]
