import { createHmac } from "node:crypto"
import type { Account as Org } from "../../simulation/Account.ts"
import {
  expireAccessTokens,
  isTokenGood,
  issueTokens,
  type Reply,
  revokeToken,
  type SimulatedRequest
} from "../../simulation/Simulator.ts"
import { me } from "./Records.ts"

// https://help.salesforce.com/s/articleView?id=sf.remoteaccess_oauth_refresh_token_flow.htm

const ok = (body: unknown): Reply => ({ status: 200, body })

const form = ({ text }: SimulatedRequest) => new URLSearchParams(text)

export const oauthError = (error: string, description: string): Reply => ({
  status: 400,
  body: { error, error_description: description }
})

/** Where an organisation's API is, when no port serves it. */
export const instanceUrl = (name: string) =>
  `https://${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-dev-ed.develop.my.salesforce.com`

const instanceOf = ({ headers }: SimulatedRequest, org: Org) =>
  headers["host"] === undefined ? instanceUrl(org.name) : `http://${headers["host"]}`

const identityOf = (request: SimulatedRequest, org: Org) =>
  `${instanceOf(request, org)}/id/${String(org.all("Organization")[0]?.Id)}/${me(org)}`

/** A new session for a refresh token. */
export const refreshed = (request: SimulatedRequest, org: Org): Reply => {
  const body = form(request)
  if (body.get("grant_type") !== "refresh_token") {
    return oauthError("unsupported_grant_type", "grant type not supported")
  }
  if ((body.get("client_id") ?? "") === "") return oauthError("invalid_client_id", "client identifier invalid")
  if (!isTokenGood(org, "refresh", body.get("refresh_token") ?? "")) {
    return oauthError("invalid_grant", "expired access/refresh token")
  }
  // a session of two hours; the refresh token stays the one it is
  const issued = issueTokens(org, 7200)
  revokeToken(org, issued.refreshToken)
  const id = identityOf(request, org)
  const issuedAt = String(org.now)
  return ok({
    access_token: issued.accessToken,
    signature: createHmac("sha256", "simulator").update(`${id}${issuedAt}`).digest("base64"),
    scope: "refresh_token api id",
    instance_url: instanceOf(request, org),
    id,
    token_type: "Bearer",
    issued_at: issuedAt
  })
}

const tokenToRevoke = (request: SimulatedRequest) => form(request).get("token") ?? request.query.get("token") ?? ""

/** The token of a request that needs no session: it leads to the organisation. */
export const tokenOf = (request: SimulatedRequest) => form(request).get("refresh_token") ?? tokenToRevoke(request)

export const revoked = (request: SimulatedRequest, org: Org): Reply => {
  const token = tokenToRevoke(request)
  if (!isTokenGood(org, "access", token) && !isTokenGood(org, "refresh", token)) {
    return oauthError("unsupported_token_type", "this token type is not supported")
  }
  // with a refresh token go the sessions it opened
  if (isTokenGood(org, "refresh", token)) expireAccessTokens(org)
  revokeToken(org, token)
  return { status: 200 }
}

export const userInfo = (request: SimulatedRequest, org: Org): Reply => {
  const user = org.get("User", me(org)) ?? {}
  return ok({
    sub: identityOf(request, org),
    user_id: user.Id,
    organization_id: org.all("Organization")[0]?.Id,
    preferred_username: user.Username,
    nickname: user.CommunityNickname,
    name: [user.FirstName, user.LastName].join(" "),
    email: user.Email,
    email_verified: true,
    given_name: user.FirstName,
    family_name: user.LastName,
    zoneinfo: user.TimeZoneSidKey,
    locale: user.LocaleSidKey,
    language: user.LanguageLocaleKey,
    active: true,
    user_type: "STANDARD",
    urls: { rest: `${instanceOf(request, org)}/services/data/v{version}/` },
    updated_at: user.LastModifiedDate
  })
}
