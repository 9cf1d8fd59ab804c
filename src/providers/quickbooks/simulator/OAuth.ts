import { Option, Schema } from "effect"
import { oauthServer, standardErrors } from "../../simulation/OAuthServer.ts"
import type { SimulatedRequest } from "../../simulation/Simulator.ts"

// https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0

/** Seconds. */
const lifetime = 3600
const refreshLifetime = 8_726_400

/** The id of an account's company: digits, made of the account's name. */
export const realmId = (account: string): string =>
  `9${Number.parseInt(account.replace(/[^0-9a-f]/g, "").slice(0, 12) || "0", 16)}`

const decodeToken = Schema.decodeOption(Schema.parseJson(Schema.Struct({ token: Schema.String })))

/** A form; revocations come as JSON too. */
const parametersOf = ({ headers, text }: SimulatedRequest) =>
  new URLSearchParams(
    (headers["content-type"] ?? "").includes("json") ? Option.getOrElse(decodeToken(text), () => ({})) : text
  )

export const oauth = oauthServer({
  name: "QuickBooks",
  account: "Bay Kitchen Works",
  authorizePath: "/connect/oauth2",
  tokenPath: "/oauth2/v1/tokens/bearer",
  scope: /^(com\.intuit\.quickbooks\.(accounting|payment)|openid|profile|email|phone|address)$/,
  client: "basic",
  parametersOf,
  lifetime,
  // a refresh token that was replaced is good for a day more (".../authentication-and-authorization/faq")
  replacedAfter: 86_400_000,
  refuse: (complaint) => ({
    status: complaint === "client" ? 401 : 400,
    body: { error: standardErrors[complaint] }
  }),
  answer: ({ accessToken, refreshToken }) => ({
    token_type: "bearer",
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: lifetime,
    x_refresh_token_expires_in: refreshLifetime
  }),
  redirected: ({ name }) => ({ realmId: realmId(name) }),
  revocation: {
    path: "/v2/oauth2/tokens/revoke",
    anyToken: true,
    done: { status: 200 },
    unknown: { status: 400, body: { error: "invalid_request" } }
  }
})
