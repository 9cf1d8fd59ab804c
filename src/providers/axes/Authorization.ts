import { HttpClientRequest } from "@effect/platform"
import { Redacted } from "effect"
import type { CredentialValues } from "../Credentials.ts"

/** How an application gets an end user's consent and keeps it. */
export interface OAuth2 {
  readonly kind: "oauth2"
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly revokeUrl?: string
  readonly scopes: ReadonlyArray<string>
  /** Where the client's id and secret go on a token request. */
  readonly clientAuthentication: "basic" | "body"
  readonly tokenBody: "form" | "json"
  readonly pkce: boolean
  /** Constant query parameters of the authorisation request. */
  readonly authorizeParameters?: { readonly [name: string]: string }
  /**
   * Values of the token answer, or of the redirect back, that belong to the credentials: name there -> name here,
   * such as `instance_url: "instanceUrl"`.
   */
  readonly keep?: { readonly [answer: string]: string }
  /** The token endpoint's own names, beside `invalid_grant`, for consent that is gone, such as `BAD_REFRESH_TOKEN`. */
  readonly refusals?: ReadonlyArray<string>
  /** Puts the credentials on a request. */
  readonly apply: Apply
}

/** A key the end user copies from the provider. */
export interface ApiKey {
  readonly kind: "key"
  /** Where the end user finds it. */
  readonly help: string
  readonly apply: Apply
}

export type Authorization = OAuth2 | ApiKey

export type Apply = (
  request: HttpClientRequest.HttpClientRequest,
  credentials: CredentialValues
) => HttpClientRequest.HttpClientRequest

/** `Authorization: Bearer <token>`. */
export const bearer: Apply = (request, credentials) => HttpClientRequest.bearerToken(request, credentials.secret)

/** Some scheme of the provider's own in front of the token, such as `Zoho-oauthtoken`. */
export const scheme =
  (name: string): Apply =>
  (request, credentials) =>
    HttpClientRequest.setHeader(request, "authorization", `${name} ${Redacted.value(credentials.secret)}`)

/** The token in a header of the provider's own. */
export const header =
  (name: string): Apply =>
  (request, credentials) =>
    HttpClientRequest.setHeader(request, name, Redacted.value(credentials.secret))
