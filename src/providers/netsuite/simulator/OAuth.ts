import { oauthServer, standardErrors } from "../../simulation/OAuthServer.ts"
import type { SimulatedRequest } from "../../simulation/Simulator.ts"
import { accountId } from "./Fields.ts"

// https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158082518856.html

/** Seconds. */
const lifetime = 3600
const week = 7 * 24 * 3600

const tokenPath = "/services/rest/auth/oauth2/v1/token"

const scope = /^(rest_webservices|restlets|suite_analytics)$/

const assertionErrors = { request: "invalid_request", client: "invalid_client", claims: "invalid_grant" } as const

export const oauth = oauthServer({
  name: "NetSuite",
  account: "Halcyon Instruments",
  authorizePath: "/app/login/oauth2/authorize.nl",
  tokenPath,
  authorizeParameters: ["prompt"],
  scope,
  client: "basic",
  onlyForms: true,
  lifetime,
  // https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_160855594402.html: not replaced either
  refreshLifetime: week,
  // https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_162790605110.html
  assertions: {
    audience: ({ name }) => `https://${accountId(name)}.suitetalk.api.netsuite.com${tokenPath}`,
    longest: 3600,
    scope,
    refuse: (complaint) => ({ status: complaint === "client" ? 401 : 400, body: { error: assertionErrors[complaint] } })
  },
  refuse: (complaint) => ({
    status: complaint === "client" ? 401 : 400,
    body: { error: standardErrors[complaint] }
  }),
  answer: ({ accessToken, isRefresh, refreshToken }) => ({
    access_token: accessToken,
    // that of a confidential client stays as it is, and is not told again
    ...(isRefresh ? {} : { refresh_token: refreshToken }),
    expires_in: String(lifetime),
    token_type: "bearer"
  }),
  // https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158081944642.html
  redirected: ({ name }) => ({ company: accountId(name), role: "3", entity: "5" }),
  // https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_161071224088.html
  revocation: {
    path: "/services/rest/auth/oauth2/v1/revoke",
    done: { status: 200 },
    unknown: { status: 400, body: { error: "invalid_request" } }
  }
})

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

/**
 * The token of a signed request: OAuth 1.0 with HMAC-SHA256. Its secrets are not known here, so only the form counts.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/article_0627022005.html
 */
const signedToken = (header: string): string | undefined => {
  const parameters = new Map(
    [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, unescaped(value)])
  )
  const has = (name: string, form: RegExp) => form.test(parameters.get(name) ?? "")
  const isWhole =
    has("realm", /^\w[\w-]*$/) &&
    has("oauth_consumer_key", /./) &&
    has("oauth_nonce", /^[\w-]{6,64}$/) &&
    has("oauth_timestamp", /^\d{10}$/) &&
    has("oauth_signature_method", /^HMAC-SHA256$/) &&
    // 32 bytes
    has("oauth_signature", /^[A-Za-z\d+/]{43}=$/)
  return isWhole ? parameters.get("oauth_token") : undefined
}

export const tokenOf = ({ headers }: SimulatedRequest): string | undefined => {
  const header = headers.authorization ?? ""
  return /^OAuth /i.test(header) ? signedToken(header) : /^Bearer (\S+)$/i.exec(header)?.[1]
}
