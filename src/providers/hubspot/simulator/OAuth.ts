import type { Account } from "../../simulation/Account.ts"
import {
  isTokenGood,
  issueTokens,
  type Reply,
  revokeToken,
  type Route,
  type SimulatedRequest
} from "../../simulation/Simulator.ts"
import { failure, ok, portalId } from "./Answers.ts"

// Token endpoint: https://developers.hubspot.com/docs/api-reference/auth-oauth-v1/guide

/** An access token lives for half an hour. */
const expiresIn = 1800

const refused = (status: string, message: string): Reply => ({
  status: 400,
  body: { status, message, correlationId: crypto.randomUUID() }
})

const formOf = (request: SimulatedRequest) => new URLSearchParams(request.text)

const parameters = ["grant_type", "code", "redirect_uri", "client_id", "client_secret", "refresh_token", "scope"]

const token = (request: SimulatedRequest, account: Account): Reply => {
  const form = formOf(request)
  const type = request.headers["content-type"] ?? ""
  if (!type.startsWith("application/x-www-form-urlencoded")) {
    return failure(415, "VALIDATION_ERROR", "HTTP 415 Unsupported Media Type")
  }
  const unknown = [...form.keys(), ...request.query.keys()].find((name) => !parameters.includes(name))
  if (unknown !== undefined) return refused("BAD_REQUEST", `unknown parameter ${unknown}`)
  if ((form.get("client_id") ?? "") === "") return refused("BAD_CLIENT_ID", "missing or unknown client id")
  if ((form.get("client_secret") ?? "") === "") return refused("BAD_CLIENT_SECRET", "missing or invalid client secret")
  if (form.get("grant_type") !== "refresh_token") return refused("BAD_GRANT_TYPE", "missing or unknown grant type")
  const refreshToken = form.get("refresh_token") ?? ""
  if (!isTokenGood(account, "refresh", refreshToken)) {
    return refused("BAD_REFRESH_TOKEN", "missing or invalid refresh token")
  }
  const issued = issueTokens(account, expiresIn)
  // the refresh token stays the same
  revokeToken(account, issued.refreshToken)
  return ok({
    token_type: "bearer",
    refresh_token: refreshToken,
    access_token: issued.accessToken,
    expires_in: issued.expiresIn
  })
}

const scopes = ["contacts", "companies", "deals", "leads", "appointments", "owners"].flatMap((type) => [
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
    hub_domain: "fernhill-supply.example",
    scopes: ["oauth", ...scopes],
    hub_id: portalId,
    app_id: 3185402,
    expires_in: Math.floor((expiresAt - account.now) / 1000),
    user_id: 26104811,
    token_type: "access"
  })
}

/** The token that leads to the account: in the path, or the refresh token of a form. */
export const accountOf = (request: SimulatedRequest): string | undefined =>
  request.params.token ?? formOf(request).get("refresh_token") ?? formOf(request).get("code") ?? undefined

export const oauthRoutes: ReadonlyArray<Route> = [
  { method: "POST", path: "/oauth/v1/token", open: true, handle: token },
  { method: "GET", path: "/oauth/v1/access-tokens/:token", open: true, handle: about }
]
