import type { Account } from "../../simulation/Account.ts"
import { oauthServer, standardErrors } from "../../simulation/OAuthServer.ts"
import type { Reply, Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import { names } from "./Organisation.ts"
import { consent, scopesOf } from "./Scopes.ts"
import { connectionsOf, disconnect, reconnect } from "./Tenants.ts"

// https://developer.xero.com/documentation/guides/oauth2/auth-flow/

/** Seconds that an access token is good for. */
const lifetime = 1800

export const oauth = oauthServer({
  name: "Xero",
  account: names.join(" and "),
  authorizePath: "/identity/connect/authorize",
  tokenPath: "/connect/token",
  scope:
    /^(offline_access|openid|profile|email|projects(\.read)?|bankfeeds|(accounting|finance|files|assets)(\.[a-z]+)*)$/,
  client: "basic",
  onlyForms: true,
  lifetime,
  // one that was replaced can be sent again for half an hour, should the answer have been lost
  // https://community.xero.com/developer/discussion/105714701/
  replacedAfter: 1_800_000,
  refuse: (complaint) => ({ status: 400, body: { error: standardErrors[complaint] } }),
  answer: ({ accessToken, account, refreshToken }) => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: lifetime,
    token_type: "Bearer",
    scope: scopesOf(account).join(" ")
  }),
  consented: (account, scopes) => {
    consent(account, scopes)
    reconnect(account)
  },
  revocation: { path: "/connect/revocation", anyToken: true, done: { status: 200 }, unknown: { status: 200 } }
})

// https://developer.xero.com/documentation/guides/oauth2/tenants

/** The organisations a token leads to. */
const connections = (_: SimulatedRequest, account: Account): Reply => ({ status: 200, body: connectionsOf(account) })

/** Takes one of them away. */
const removeConnection = ({ params }: SimulatedRequest, account: Account): Reply => ({
  status: disconnect(account, params["id"] ?? "") ? 204 : 404
})

export const oauthRoutes: ReadonlyArray<Route> = [
  ...oauth.routes,
  { method: "GET", path: "/connections", handle: connections },
  { method: "DELETE", path: "/connections/:id", handle: removeConnection }
]
