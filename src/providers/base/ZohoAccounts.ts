import type { CredentialValues } from "../Credentials.ts"
import { type Identify, type OAuth2, scheme, type ValueForm } from "./Authorization.ts"

// Authorization of all Zoho products, which share one accounts server in each data centre.

/**
 * The data centres: their names in the redirect, and the ends of their hosts. An account is in one of them, and its tokens
 * are valid and renewed only there.
 * https://www.zoho.com/accounts/protocol/oauth/multi-dc.html
 */
const centres: ReadonlyArray<readonly [location: string, api: string, accounts: string]> = [
  ["us", "zohoapis.com", "zoho.com"],
  ["eu", "zohoapis.eu", "zoho.eu"],
  ["in", "zohoapis.in", "zoho.in"],
  ["au", "zohoapis.com.au", "zoho.com.au"],
  ["jp", "zohoapis.jp", "zoho.jp"],
  ["ca", "zohoapis.ca", "zohocloud.ca"],
  ["sa", "zohoapis.sa", "zoho.sa"],
  ["uk", "zohoapis.uk", "zoho.uk"],
  ["cn", "zohoapis.com.cn", "zoho.com.cn"]
]

/** Subdomains of the API host: production, sandbox and developer environments, which share the accounts server. */
const environments = ["www", "sandbox", "developer"]

const apiHost = new RegExp(
  `^https://(?:${environments.join("|")})\\.(${centres.map(([, api]) => api.replaceAll(".", "\\.")).join("|")})/*$`
)

const countries = new Intl.DisplayNames("en", { type: "region" })

/** The data centres, for people to choose from. */
const dataCentres = centres.map(([value]) => ({
  value,
  label: value === "eu" ? "Europe" : (countries.of(value === "uk" ? "GB" : value.toUpperCase()) ?? value)
}))

/**
 * The accounts server of a connection's tokens. The redirect names it too (`accounts-server`), but anyone can make a
 * redirect, and the client's secret goes there, so only a known server is accepted.
 */
export const accountsServer = ({ apiDomain, location }: CredentialValues["values"]): string => {
  const [, host] = apiHost.exec(apiDomain ?? "") ?? []
  const found = centres.find(([, api]) => host === api) ?? centres.find(([name]) => name === location) ?? centres[0]
  return `https://accounts.${found?.[2] ?? "zoho.com"}`
}

/** The address of the API in the data centre of a connection, as its token answer named it. */
export const apiOf = ({ apiDomain }: CredentialValues["values"]): string | undefined => apiDomain?.replace(/\/+$/, "")

/** The address of the API, for people to read. */
export const zohoRoot = "https://www.zohoapis.{data centre}"

interface Product {
  readonly scopes: ReadonlyArray<string>
  readonly identify: Identify
  /** Values besides the host and the data centre. */
  readonly values?: { readonly [name: string]: ValueForm }
}

/**
 * The token answer names the host of the account's data centre. A refresh token comes only with offline access, and only
 * when the end user is asked; refreshing does not replace it.
 * https://www.zoho.com/accounts/protocol/oauth/web-apps/authorization.html
 */
export const zohoOAuth = ({ identify, scopes, values }: Product): OAuth2 => ({
  kind: "oauth2",
  authorizeUrl: (held) => `${accountsServer(held)}/oauth/v2/auth`,
  tokenUrl: (held) => `${accountsServer(held)}/oauth/v2/token`,
  revokeUrl: (held) => `${accountsServer(held)}/oauth/v2/token/revoke`,
  scopes,
  scopeSeparator: ",",
  clientAuthentication: "body",
  tokenBody: "form",
  pkce: false,
  authorizeParameters: { access_type: "offline", prompt: "consent" },
  keep: { api_domain: "apiDomain", location: "location" },
  fields: [
    {
      name: "location",
      label: "Data centre",
      optional: true,
      help: "Leave it open: Zoho finds it, unless your account is in China.",
      options: dataCentres
    }
  ],
  values: {
    apiDomain: {
      pattern: apiHost,
      expected:
        "must be the address of a data centre such as https://www.zohoapis.eu, or of a sandbox such as https://sandbox.zohoapis.eu",
      needed: true
    },
    location: { pattern: /^[a-z]{2}$/, expected: "must be a data centre such as us or eu" },
    ...values
  },
  identify,
  // Errors come with status 200. Limits: https://www.zoho.com/crm/developer/docs/api/v8/token-validity.html
  tokenRefusals: {
    answers: [
      { code: "Access Denied", says: "too many requests", means: "wait" },
      { code: "invalid_code", means: "person" },
      { code: "invalid_token", means: "person" }
    ],
    source: "https://www.zoho.com/crm/developer/docs/api/v8/access-refresh.html"
  },
  apply: scheme("Zoho-oauthtoken")
})
