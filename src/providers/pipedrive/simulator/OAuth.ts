import { type Complaint, oauthServer, standardErrors } from "../../simulation/OAuthServer.ts"
import type { SimulatedRequest } from "../../simulation/Simulator.ts"
import { scopesOf } from "./Features.ts"
import { company } from "./Settings.ts"

// https://pipedrive.readme.io/docs/marketplace-oauth-authorization

/** Where an account's API is, when no port serves it. */
export const apiDomain = (account: string): string =>
  `https://${account.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-sandbox.pipedrive.com`

const domainOf = ({ headers }: SimulatedRequest, account: string) =>
  headers.host === undefined ? apiDomain(account) : `http://${headers.host}`

/** Refusals by their messages: https://pipedrive.readme.io/docs/marketplace-oauth-and-api-proxy-status-codes */
const messages: { readonly [complaint in Complaint]: string } = {
  "content type": "Invalid request: content must be application/x-www-form-urlencoded",
  parameter: "Invalid request: unknown parameter",
  client: "Invalid client: cannot retrieve client credentials",
  "client secret": "Invalid client: client is invalid",
  "grant type missing": "Missing parameter: `grant_type`",
  "grant type": "Unsupported grant type: `grant_type` is invalid",
  code: "Invalid grant: authorization code is invalid",
  redirect: "Invalid grant: redirect_uri does not match",
  verifier: "Invalid grant: code verifier is invalid",
  "refresh token": "Invalid grant: refresh_token is invalid"
}

const lifetime = 3599

export const oauth = oauthServer({
  name: "Pipedrive",
  account: company.name,
  authorizePath: "/oauth/authorize",
  tokenPath: "/oauth/token",
  scope: /^(base|admin|[a-z-]+:(full|read))$/,
  client: "basic",
  onlyForms: true,
  lifetime,
  // a refresh token is exchanged once
  replacedAfter: 0,
  refuse: (complaint) => ({
    status: 400,
    body: { success: false, error: standardErrors[complaint], message: messages[complaint] }
  }),
  answer: ({ accessToken, account, refreshToken, request }) => ({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: lifetime,
    refresh_token: refreshToken,
    scope: scopesOf(account).join(","),
    api_domain: domainOf(request, account.name)
  }),
  // https://pipedrive.readme.io/docs/marketplace-oauth-authorization#step-7-refreshing-the-tokens
  revocation: { path: "/oauth/revoke", done: { status: 200 }, unknown: { status: 200 } }
})
