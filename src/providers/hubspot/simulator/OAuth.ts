import type { Account } from "../../simulation/Account.ts"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import { type Complaint, type OAuthFacts, oauthServer, revokeConsent } from "../../simulation/OAuthServer.ts"
import { isTokenGood, type Reply, type Route, type SimulatedRequest } from "../../simulation/Simulator.ts"
import { failure, ok } from "./Answers.ts"
import { granted } from "./Features.ts"

// Tokens: https://developers.hubspot.com/docs/api-reference/latest/authentication/manage-oauth-tokens
// Version 1, until 2027-02-16: https://developers.hubspot.com/docs/api-reference/legacy/authentication/oauth-tokens/v1/guide

// https://developers.hubspot.com/changelog/new-oauth-v3-api-endpoints-and-standardized-error-responses
const refused = (error: string, status: string, message: string): Reply => ({
  status: 400,
  body: { error, error_description: message, status, message, correlationId: crypto.randomUUID() }
})

type Words = readonly [error: string, status: string, message: string]

const noGrantType: Words = ["unsupported_grant_type", "BAD_GRANT_TYPE", "missing or unknown grant type"]

const words: { readonly [complaint in Exclude<Complaint, "content type">]: Words } = {
  parameter: ["invalid_request", "BAD_REQUEST", "unknown parameter"],
  client: ["invalid_client", "BAD_CLIENT_ID", "missing or unknown client id"],
  "client secret": ["invalid_client", "BAD_CLIENT_SECRET", "missing or invalid client secret"],
  "grant type missing": noGrantType,
  "grant type": noGrantType,
  code: ["invalid_grant", "BAD_AUTH_CODE", "missing or unknown auth code"],
  redirect: [
    "invalid_grant",
    "MISMATCH_REDIRECT_URI_AUTH_CODE",
    "redirect URI does not match the one of the auth code"
  ],
  verifier: ["invalid_grant", "BAD_CODE_VERIFIER", "missing or invalid code verifier"],
  // the changelog has invalid_grant; applications have been told this
  "refresh token": ["invalid_request", "BAD_REFRESH_TOKEN", "missing or invalid refresh token"]
}

const scopes = "oauth_scopes"

const hubDomain = "fernhill-supply.example"

const usual = ["contacts", "companies", "deals", "leads", "appointments", "owners"].flatMap((type) => [
  `crm.objects.${type}.read`,
  ...(type === "owners" ? [] : [`crm.objects.${type}.write`])
])

/** Scopes that were consented to, as far as the account has them. */
export const scopesOf = (account: Account): ReadonlyArray<string> => {
  const given = account.get(scopes, "given")?.scopes
  return granted(account, Array.isArray(given) ? given.map(String) : ["oauth", ...usual])
}

/** The part of an introspection that is the same for any token of an account. */
const aboutHub = (account: Account) => ({
  hub_id: accountNumber(account, 8),
  scopes: scopesOf(account),
  user_id: 26104811
})

const formParameters = ["grant_type", "code", "redirect_uri", "client_id", "client_secret", "refresh_token", "scope"]

const tokenPath = "/oauth/2026-03/token"

const facts: OAuthFacts = {
  name: "HubSpot",
  account: hubDomain,
  authorizePath: "/oauth/authorize",
  tokenPath,
  authorizeParameters: ["optional_scope"],
  optionalScopes: "optional_scope",
  scope: /^(oauth|sales-email-read|crm\.[a-z._]+)$/,
  client: "body",
  onlyForms: true,
  parameters: [...formParameters, "code_verifier"],
  // half an hour
  lifetime: 1800,
  refuse: (complaint, name) => {
    if (complaint === "content type") return failure(415, "VALIDATION_ERROR", "HTTP 415 Unsupported Media Type")
    const [error, status, message] = words[complaint]
    return refused(error, status, name === undefined ? message : `${message} ${name}`)
  },
  answer: ({ accessToken, account, refreshToken }) => ({
    token_type: "bearer",
    token_use: "access_token",
    refresh_token: refreshToken,
    access_token: accessToken,
    expires_in: 1800,
    ...aboutHub(account)
  }),
  consented: (account, given) => account.put(scopes, "given", { scopes: given }),
  revocation: { path: `${tokenPath}/revoke`, done: { status: 200 }, unknown: { status: 200 } }
}

const oauth = oauthServer(facts)

const v1 = oauthServer({ ...facts, tokenPath: "/oauth/v1/token", parameters: formParameters })

/** Seconds that an access token is still good for; undefined when it is none. */
const lifeOf = (account: Account, accessToken: string): number | undefined => {
  const expiresAt = account.get("oauth_token", accessToken)?.expiresAt
  return isTokenGood(account, "access", accessToken) && typeof expiresAt === "number"
    ? Math.floor((expiresAt - account.now) / 1000)
    : undefined
}

const common = (account: Account, token: string) => ({
  token,
  user: "integrations@fernhill-supply.example",
  hub_domain: hubDomain,
  app_id: 3185402,
  ...aboutHub(account)
})

const unknownToken: Reply = { status: 200, body: { active: false } }

/** RFC 7662. The client and the token stand in the form, and nowhere else. */
const introspect = (request: SimulatedRequest, account: Account): Reply => {
  const form = new URLSearchParams(request.text)
  const client = form.get("client_id") ?? ""
  if (client === "") return refused(...words.client)
  if ((form.get("client_secret") ?? "") === "") return refused(...words["client secret"])
  const token = form.get("token") ?? ""
  const life = lifeOf(account, token)
  const told = { active: true, ...common(account, token), client_id: client, token_type: "Bearer" }
  if (life !== undefined) return ok({ ...told, token_use: "access_token", expires_in: life })
  return isTokenGood(account, "refresh", token) ? ok({ ...told, token_use: "refresh_token" }) : unknownToken
}

const about = (request: SimulatedRequest, account: Account): Reply => {
  const accessToken = request.params.token ?? ""
  const life = lifeOf(account, accessToken)
  return life === undefined
    ? failure(404, "OBJECT_NOT_FOUND", "Access token not found or expired")
    : ok({ ...common(account, accessToken), expires_in: life, token_type: "access" })
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

/** To a request about a token that belongs to no account. */
export const badGrant = (request: SimulatedRequest): Reply =>
  request.path === `${tokenPath}/introspect` ? unknownToken : oauth.badGrant(request)

export const oauthRoutes: ReadonlyArray<Route> = [
  ...oauth.routes,
  ...v1.routes.filter(({ path }) => path === "/oauth/v1/token"),
  { method: "POST", path: `${tokenPath}/introspect`, open: true, handle: introspect },
  { method: "GET", path: "/oauth/v1/access-tokens/:token", open: true, handle: about },
  { method: "DELETE", path: "/oauth/v1/refresh-tokens/:token", open: true, handle: remove }
]
