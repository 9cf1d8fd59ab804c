import { type Complaint, oauthServer } from "./OAuthServer.ts"
import type { Reply, SimulatedRequest } from "./Simulator.ts"

// The accounts server of all Zoho products: https://www.zoho.com/accounts/protocol/oauth/web-apps/authorization.html

/** The parts of a multipart form; Zoho's own libraries send one. */
const parts = (text: string, boundary: string): ReadonlyArray<readonly [string, string]> =>
  text.split(`--${boundary}`).flatMap((part) => {
    const [, name, value] = /^\r?\n.*?name="([^"]*)"[^]*?\r?\n\r?\n([^]*?)\r?\n$/.exec(part) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })

/** The parameters of a token request, from its address or its body. */
const parametersOf = ({ headers, query, text }: SimulatedRequest) => {
  const boundary = /boundary="?([^";]+)/.exec(headers["content-type"] ?? "")?.[1]
  const body = boundary === undefined ? new URLSearchParams(text) : parts(text, boundary)
  return new URLSearchParams(Object.fromEntries([...query, ...body]))
}

/** Errors, which come with status 200. https://www.zoho.com/crm/developer/docs/api/v8/access-refresh.html */
const errors: { readonly [complaint in Complaint]: string } = {
  "content type": "invalid_request",
  parameter: "invalid_request",
  client: "invalid_client",
  "client secret": "invalid_client_secret",
  "grant type missing": "unsupported_grant_type",
  "grant type": "unsupported_grant_type",
  code: "invalid_code",
  redirect: "invalid_redirect_uri",
  verifier: "invalid_code",
  "refresh token": "invalid_code"
}

/** Seconds that an access token lasts. */
const lifetime = 3600

const ok = (body: unknown): Reply => ({ status: 200, body })

interface Product {
  readonly name: string
  /** The account's name on the page where consent is given. */
  readonly account: string
  /** Pattern of scopes. */
  readonly scope: RegExp
  /** Scopes of the tokens. */
  readonly granted: string
}

export const zohoOAuth = ({ granted, ...product }: Product) =>
  oauthServer({
    ...product,
    authorizePath: "/oauth/v2/auth",
    tokenPath: "/oauth/v2/token",
    authorizeParameters: ["access_type", "prompt"],
    scopeSeparator: ",",
    client: "body",
    parametersOf,
    lifetime,
    refuse: (complaint) => ok({ error: errors[complaint] }),
    answer: ({ accessToken, isRefresh, refreshToken, request }) => ({
      access_token: accessToken,
      // a refresh does not replace the refresh token, and does not repeat it
      ...(isRefresh ? {} : { refresh_token: refreshToken }),
      scope: granted,
      api_domain: request.headers.host === undefined ? "https://www.zohoapis.com" : `http://${request.headers.host}`,
      token_type: "Bearer",
      expires_in: lifetime
    }),
    // https://www.zoho.com/accounts/protocol/oauth/multi-dc.html
    redirected: () => ({ location: "us", "accounts-server": "https://accounts.zoho.com" }),
    revocation: {
      path: "/oauth/v2/token/revoke",
      open: true,
      done: ok({ status: "success" }),
      unknown: { status: 400, body: { error: "invalid_token", status: "failure" } }
    }
  })
