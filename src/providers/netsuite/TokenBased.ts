import { createHmac, randomBytes } from "node:crypto"
import { HttpClientRequest } from "@effect/platform"
import { Redacted } from "effect"
import type { Apply } from "../base/Authorization.ts"
import { escaped, type Pairs, signedText } from "../base/OAuth1.ts"

/**
 * Token-based authentication: OAuth 1.0a with HMAC-SHA256 over each request. In place of an access token such a connection
 * has what signs, made of both secrets; consumer key and token id stand beside it.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/article_0627022005.html
 */

/** Whether a connection's credentials are such a token. */
export const isTokenBased = (values: { readonly [name: string]: string }) => values.tokenId !== undefined

/** Signs a request. Each has a nonce and a time of its own, whatever the application's clock says. */
export const signed: Apply = (request, { secret, values }) => {
  const { accountId = "", consumerKey = "", tokenId = "" } = values
  const own: Pairs = [
    ["oauth_consumer_key", consumerKey],
    ["oauth_nonce", randomBytes(10).toString("hex")],
    ["oauth_signature_method", "HMAC-SHA256"],
    ["oauth_timestamp", String(Math.floor(Date.now() / 1000))],
    ["oauth_token", tokenId],
    ["oauth_version", "1.0"]
  ]
  const { origin, pathname, searchParams } = new URL(request.url)
  const signature = createHmac("sha256", Redacted.value(secret))
    .update(signedText(request.method, origin + pathname, [...own, ...searchParams, ...request.urlParams]))
    .digest("base64")
  const header = [["realm", accountId] as const, ...own, ["oauth_signature", signature] as const]
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(", ")
  return HttpClientRequest.setHeader(request, "authorization", `OAuth ${header}`)
}
