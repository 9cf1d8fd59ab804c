import { HttpClientRequest } from "@effect/platform"
import { type Effect, Encoding, Option, Redacted, Schema } from "effect"
import type { Environment } from "../ConnectionRef.ts"
import type { CredentialValues } from "../Credentials.ts"
import type { ProviderError } from "../ProviderError.ts"

/** The provider's own values that credentials hold, not secret, such as an account id. */
type Values = CredentialValues["values"]

/** Where an endpoint is; a function where the credentials' values say it, such as the data centre of the account. */
export type Place = string | ((values: Values) => string)

/** The address of a place. */
export const addressOf = (place: Place, values: Values): string => (typeof place === "string" ? place : place(values))

/** What a value looks like that comes from outside. Hosts are made of some, so one that does not match is never used. */
export interface ValueForm {
  /** Of the whole value. */
  readonly pattern: RegExp
  /** What would be right, as the end of a sentence: `must be an account id such as 1234567`. */
  readonly expected: string
  /** True where no call can be made without it, so that credentials from elsewhere must bring it. */
  readonly needed?: boolean
}

/** A value that the end user enters; `values` says what it must look like. */
export interface Field {
  /** Its name among the values. */
  readonly name: string
  readonly label: string
  readonly help?: string
  readonly placeholder?: string
  /** True for what may be left out. */
  readonly optional?: boolean
  /** All that may be entered. */
  readonly options?: ReadonlyArray<{ readonly value: string; readonly label: string }>
}

/** An account that credentials open. */
export interface Account {
  /** Tells the provider's accounts apart, for good. */
  readonly id: string
  /** What the provider calls it. */
  readonly name: string
  /** Values that belong to the credentials when this account is meant. */
  readonly values?: Values
  /** What was consented to, where the provider says it here. */
  readonly scopes?: ReadonlyArray<string>
}

/** How to find out whose credentials these are: one cheap call, which also shows that they work. */
export interface Identify {
  /** The call; the credentials are put on it. Absent: their values say it, or `introspectUrl` is asked. */
  readonly request?: (credentials: CredentialValues) => HttpClientRequest.HttpClientRequest
  /** The accounts in the call's JSON answer; the end user chooses where there are several. */
  readonly accounts: (answer: unknown, values: Values) => ReadonlyArray<Account>
}

/** `Identify` by an answer of a known shape; one of another shape names no account. */
export const identify = <A, I>(
  request: Identify["request"],
  answer: Schema.Schema<A, I>,
  accounts: (answer: A, values: Values) => ReadonlyArray<Account>
): Identify => {
  const decode = Schema.decodeUnknownOption(answer)
  return {
    ...(request === undefined ? {} : { request }),
    accounts: (given, values) =>
      Option.match(decode(given), { onNone: () => [], onSome: (read) => accounts(read, values) })
  }
}

/** What the end user enters, and what of it and of other values from outside is taken. */
interface Entered {
  readonly fields?: ReadonlyArray<Field>
  readonly values?: { readonly [name: string]: ValueForm }
}

/** Where access tokens come from. */
interface TokenEndpoint {
  readonly tokenUrl: Place
  /** True where tokens come from the host of the API, so that the operator's address of the API moves these calls too. */
  readonly tokensFromApi?: boolean
  readonly scopes: ReadonlyArray<string>
  /**
   * Values of the token answer, or of the redirect back, that belong to the credentials: name there -> name here,
   * such as `instance_url: "instanceUrl"`. Anyone can make a redirect, so of that only what `values` describes is kept.
   */
  readonly keep?: { readonly [answer: string]: string }
  /** The token endpoint's own names, beside `invalid_grant`, for access that is gone, such as `BAD_REFRESH_TOKEN`. */
  readonly refusals?: ReadonlyArray<string>
  readonly identify?: Identify
  /** Puts the credentials on a request. */
  readonly apply: Apply
}

/** When a refresh token ends; connecting again is all that helps then. */
export interface RefreshEnd {
  /** Seconds after it was handed out; absent where only the answer says it. */
  readonly after?: number
  /** The member of the token answer that says the seconds. */
  readonly told?: string
  /** True where each use hands out one that lasts anew, so that a connection in use does not end. */
  readonly isRenewed?: boolean
}

/** How an application gets an end user's consent and keeps it. */
export interface OAuth2 extends Entered, TokenEndpoint {
  readonly kind: "oauth2"
  readonly authorizeUrl: Place
  /** For the end user to read before they consent, such as how long it lasts. */
  readonly help?: string
  /** Absent where refresh tokens do not end. */
  readonly refreshEnd?: RefreshEnd
  /** RFC 7662: asked about an access token, as the client, in place of the call of `identify`. */
  readonly introspectUrl?: Place
  /** RFC 7009, with `revokeBody` as the body's form (that of token requests). */
  readonly revokeUrl?: Place
  readonly revokeBody?: "form" | "json"
  /** True where that takes back all that the person ever consented to for this client: every connection that lives on it. */
  readonly revokesAll?: boolean
  /** Takes consent back for one of several accounts, which `identify` gave, with an access token. */
  readonly disconnect?: (account: Account) => HttpClientRequest.HttpClientRequest
  /** Between scopes in the authorisation request; a space unless given. */
  readonly scopeSeparator?: string
  /** Scopes that an account without the product behind them is not asked for, in a parameter of their own. */
  readonly optionalScopes?: { readonly parameter: string; readonly scopes: ReadonlyArray<string> }
  /** Where the client's id and secret go on a token request. */
  readonly clientAuthentication: "basic" | "body"
  readonly tokenBody: "form" | "json"
  /** Proof Key for Code Exchange with S256 (RFC 7636). */
  readonly pkce: boolean
  /** Constant query parameters of the authorisation request. */
  readonly authorizeParameters?: { readonly [name: string]: string }
}

/** Kinds of private keys: bits of RSA keys, which sign by `rsa`, and curves of EC keys, each with a signature of its own. */
export interface KeyKinds {
  readonly bits: ReadonlyArray<number>
  readonly rsa: "PS256" | "RS256"
  readonly curves: ReadonlyArray<"P-256" | "P-384" | "P-521">
}

/**
 * A private key whose certificate the provider has: the client signs with it for each access token, and nobody consents (RFC
 * 7523, section 2.2). `clientId`, `certificateId` and the key are entered; there is no refresh token.
 */
export interface Certificate extends Entered, TokenEndpoint {
  readonly kind: "certificate"
  /** Where the end user finds what is to be entered. */
  readonly help: string
  readonly keys: KeyKinds
  /** Claims of the assertion beside `iss`, `aud`, `iat` and `exp`. */
  readonly claims?: { readonly [name: string]: unknown }
}

/** A key the end user copies from the provider. */
export interface ApiKey extends Entered {
  readonly kind: "key"
  /** Where the end user finds it. */
  readonly help: string
  /** Tried with a new key before it is kept. */
  readonly identify?: Identify
  readonly apply: Apply
}

/** An address of a database, with its password. */
export interface ConnectionString extends Entered {
  readonly kind: "connectionString"
  /** What it must look like, and which rights it needs. */
  readonly help: string
  /** Tried before it is kept: connects and reads something small. Fails with `Invalid` or `Unauthenticated` when it is wrong. */
  readonly check: (
    connectionString: Redacted.Redacted,
    environment: Environment
  ) => Effect.Effect<Account, ProviderError>
}

export type Authorization = OAuth2 | Certificate | ApiKey | ConnectionString

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

/**
 * Where a key goes in basic authentication: in place of the user (with a constant or empty password), or of the password of
 * a user that is constant or stands among the values.
 */
export type Basic =
  { readonly key: "user"; readonly password?: string } | { readonly key: "password"; readonly user: Place }

/** `Authorization: Basic <user:password>` in base64 (RFC 7617), such as `basic({ key: "user" })`. */
export const basic =
  (parts: Basic): Apply =>
  (request, { secret, values }) => {
    const key = Redacted.value(secret)
    const pair = parts.key === "user" ? `${key}:${parts.password ?? ""}` : `${addressOf(parts.user, values)}:${key}`
    return HttpClientRequest.setHeader(request, "authorization", `Basic ${Encoding.encodeBase64(pair)}`)
  }
