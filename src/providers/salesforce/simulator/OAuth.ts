import { createHmac } from "node:crypto"
import type { Account as Org } from "../../simulation/Account.ts"
import { type Complaint, oauthServer } from "../../simulation/OAuthServer.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"
import { me } from "./Ids.ts"

// https://help.salesforce.com/s/articleView?id=sf.remoteaccess_oauth_refresh_token_flow.htm

const ok = (body: unknown): Reply => ({ status: 200, body })

const oauthError = (error: string, description: string): Reply => ({
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

const messages: { readonly [complaint in Complaint]: readonly [error: string, description: string] } = {
  "content type": ["invalid_request", "unsupported content type"],
  parameter: ["invalid_request", "unknown parameter"],
  client: ["invalid_client_id", "client identifier invalid"],
  "client secret": ["invalid_client", "invalid client credentials"],
  "grant type missing": ["unsupported_grant_type", "grant type not supported"],
  "grant type": ["unsupported_grant_type", "grant type not supported"],
  code: ["invalid_grant", "expired authorization code"],
  redirect: ["redirect_uri_mismatch", "redirect_uri must match configuration"],
  verifier: ["invalid_grant", "invalid code verifier"],
  "refresh token": ["invalid_grant", "expired access/refresh token"]
}

const noSuchToken = oauthError("unsupported_token_type", "this token type is not supported")

export const oauth = oauthServer({
  name: "Salesforce",
  account: "Northwind Instruments",
  authorizePath: "/services/oauth2/authorize",
  tokenPath: "/services/oauth2/token",
  authorizeParameters: ["prompt", "display", "login_hint", "nonce"],
  scope: /^(api|refresh_token|offline_access|id|profile|email|openid|full|web|visualforce|[a-z_]+_api)$/,
  client: "body without secret",
  // a session of two hours
  lifetime: 7200,
  // Refresh token rotation is a setting of an application: https://help.salesforce.com/s/articleView?id=005316711&type=1
  replacedAfter: 0,
  isReplacing: (client) => client.includes("rotating"),
  reuseRevokes: true,
  // https://help.salesforce.com/s/articleView?id=release-notes.rn_security_refresh_token_requests.htm&release=250&type=5
  overlap: oauthError("invalid_grant", "token request is already being processed"),
  refuse: (complaint) => oauthError(...messages[complaint]),
  answer: ({ accessToken, account, isRefresh, refreshToken, request }) => {
    const id = identityOf(request, account)
    const issuedAt = String(account.now)
    return {
      access_token: accessToken,
      // one that stays is not told again
      ...(isRefresh && new URLSearchParams(request.text).get("refresh_token") === refreshToken
        ? {}
        : { refresh_token: refreshToken }),
      signature: createHmac("sha256", "simulator").update(`${id}${issuedAt}`).digest("base64"),
      scope: "refresh_token api id",
      instance_url: instanceOf(request, account),
      id,
      token_type: "Bearer",
      issued_at: issuedAt
    }
  },
  // https://help.salesforce.com/s/articleView?id=sf.remoteaccess_revoke_token.htm
  revocation: {
    path: "/services/oauth2/revoke",
    methods: ["GET", "POST"],
    open: true,
    anyToken: true,
    done: { status: 200 },
    unknown: noSuchToken
  }
})

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
    updated_at: new Date(String(user.LastModifiedDate)).toISOString().replace(/\.\d+Z$/, "Z")
  })
}
