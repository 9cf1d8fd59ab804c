import { HttpClientRequest } from "@effect/platform"
import { type Effect, Encoding, Option, Redacted, Schema } from "effect"
import type { Environment } from "../ConnectionRef.ts"
import type { CredentialValues } from "../Credentials.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Rotation, TokenRefusals } from "./TokenRefusals.ts"

/** The provider's own values that credentials hold, not secret, such as an account id. */
type Values = CredentialValues["values"]

/** The address of an endpoint; a function where it depends on the credentials' values, such as the account's data centre. */
export type Place = string | ((values: Values) => string)

/** The address of a place. */
export const addressOf = (place: Place, values: Values): string => (typeof place === "string" ? place : place(values))

/** The form of a value from outside. Hosts are made of some, so one that does not match is never used. */
export interface ValueForm {
  /** Matches the whole value. */
  readonly pattern: RegExp
  /** The right form, as the end of a sentence: `must be an account id such as 1234567`. */
  readonly expected: string
  /** True where no call can be made without it, so that credentials from elsewhere must bring it. */
  readonly needed?: boolean
}

/** A value that the end user enters; `values` has its form. */
export interface Field {
  /** Its name among the values. */
  readonly name: string
  readonly label: string
  readonly help?: string
  readonly placeholder?: string
  /** True where it may be left out. */
  readonly optional?: boolean
  /** The only allowed values. */
  readonly options?: ReadonlyArray<{ readonly value: string; readonly label: string }>
}

/** An account that credentials open. */
export interface Account {
  /** Permanent id, unique among the provider's accounts. */
  readonly id: string
  /** The provider's name for it. */
  readonly name: string
  /** Values that the credentials get when this account is chosen. */
  readonly values?: Values
  /** Scopes that were consented to, where the provider states them here. */
  readonly scopes?: ReadonlyArray<string>
}

/** How to identify the account of credentials: one cheap call, which also shows that they work. */
export interface Identify {
  /** The call; the credentials are added to it. Absent: their values identify the account, or `introspectUrl` does. */
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

/** The fields that the end user fills in, and the forms of values accepted from there and elsewhere. */
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
   * Values of the token answer, or of the redirect back, that belong to the credentials: name there -> name here, such as
   * `instance_url: "instanceUrl"`. Anyone can make a redirect, so only those of its values that `values` describes are kept.
   */
  readonly keep?: { readonly [answer: string]: string }
  /** What the token service's error answers mean for a connection. */
  readonly tokenRefusals?: TokenRefusals
  readonly identify?: Identify
  /** Puts the credentials on a request. */
  readonly apply: Apply
}

/** When a refresh token ends; after that, only connecting again helps. */
export interface RefreshEnd {
  /** Seconds after it was issued; absent where only the answer states it. */
  readonly after?: number
  /** The member of the token answer with the seconds. */
  readonly told?: string
  /** True where each use issues one with a full lifetime, so that a connection in use does not end. */
  readonly isRenewed?: boolean
}

/** OAuth 2.0 with an end user's consent. */
export interface OAuth2 extends Entered, TokenEndpoint {
  readonly kind: "oauth2"
  readonly authorizeUrl: Place
  /** A text for the end user before they consent, such as how long consent lasts. */
  readonly help?: string
  /** Absent where refresh tokens do not end. */
  readonly refreshEnd?: RefreshEnd
  /** Absent where a refresh leaves the refresh token as it is. */
  readonly rotation?: Rotation
  /** RFC 7662: called about an access token, as the client, in place of the call of `identify`. */
  readonly introspectUrl?: Place
  /** RFC 7009, with `revokeBody` as the body's form (that of token requests). */
  readonly revokeUrl?: Place
  readonly revokeBody?: "form" | "json"
  /** True where revoking takes back all consent of the person to this client: every connection that relies on it. */
  readonly revokesAll?: boolean
  /** Withdraws consent for one of several accounts from `identify`, with an access token. */
  readonly disconnect?: (account: Account) => HttpClientRequest.HttpClientRequest
  /** Separator of scopes in the authorisation request; absent: a space. */
  readonly scopeSeparator?: string
  /** Scopes that accounts without the product behind them are spared, in a parameter of their own. */
  readonly optionalScopes?: { readonly parameter: string; readonly scopes: ReadonlyArray<string> }
  /** Place of the client's id and secret in a token request. */
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
 * A private key whose certificate the provider has: the client signs with it for each access token, without anyone's consent
 * (RFC 7523, section 2.2). `clientId`, `certificateId` and the key are entered; there is no refresh token.
 */
export interface Certificate extends Entered, TokenEndpoint {
  readonly kind: "certificate"
  /** Where the end user finds the values to enter. */
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
  /** The form of the address, and the rights it needs. */
  readonly help: string
  /** Tries it before it is kept: connects and reads something small. A wrong one fails: `Invalid` or `Unauthenticated`. */
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

/** A scheme of the provider's own before the token, such as `Zoho-oauthtoken`. */
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
 * The place of a key in basic authentication: as the user (with a constant or empty password), or as the password of a user
 * that is constant or among the values.
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
