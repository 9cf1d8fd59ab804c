import type { CredentialValues } from "../Credentials.ts"

/**
 * The data centres: what the redirect calls them, and the ends of their hosts. An account is in one of them, and its
 * tokens are good and renewed only there.
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

const countries = new Intl.DisplayNames("en", { type: "region" })

/** The data centres, for people to choose from. */
export const dataCentres = centres.map(([value]) => ({
  value,
  label: value === "eu" ? "Europe" : (countries.of(value === "uk" ? "GB" : value.toUpperCase()) ?? value)
}))

/**
 * The accounts server that a connection's tokens come from. The redirect names it too (`accounts-server`), but anyone can
 * make a redirect, and the client's secret goes there: only a server that is known is taken.
 */
export const accountsServer = ({ apiDomain, location }: CredentialValues["values"]): string => {
  const host = apiDomain?.replace(/^https:\/\/|\/+$/g, "")
  const found =
    centres.find(([, api]) => host === `www.${api}`) ?? centres.find(([name]) => name === location) ?? centres[0]
  return `https://accounts.${found?.[2] ?? "zoho.com"}`
}
