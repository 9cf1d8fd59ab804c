import { type HttpClient, HttpClientRequest } from "@effect/platform"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { AnswerTooLarge } from "../platform/AnswerLimit.ts"
import { close } from "../platform/Answer.ts"
import { type Account, addressOf, type Certificate, type OAuth2 } from "../providers/base/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import type { CredentialValues } from "../providers/Credentials.ts"
import { monotonic } from "../platform/Monotonic.ts"
import { noteCall, type UpstreamCall } from "../platform/RequestNotes.ts"
import { Transport } from "../providers/Transport.ts"
import { assertedRequest } from "./Assertions.ts"
import { withBaseUrlOverride } from "./BaseUrlOverride.ts"
import { type OAuthClient, oauthClient, oauthClientOf } from "./OAuthClient.ts"
import { findRefusal } from "../providers/base/TokenRefusals.ts"
import {
  codesOf,
  decodeAnswer,
  descriptionOf,
  endOf,
  keptOf,
  rawCodesOf,
  retryAfterOf,
  scopesIn
} from "./TokenAnswers.ts"

/**
 * Why a token endpoint gave no tokens.
 *
 * - `refused`: it rejects the token, code or certificate; `isFinal` if only connecting again can help
 * - `again`: another request with the same token is in progress
 * - `client`: it does not accept this service's client or request, so the operator's settings are wrong
 * - `limited`, `unavailable`, `timeout`: a later attempt may succeed
 * - `malformed`: the answer does not follow the protocol
 */
export class TokenError extends Schema.TaggedError<TokenError>()("TokenError", {
  provider: Schema.String,
  reason: Schema.Literal("refused", "again", "client", "limited", "unavailable", "timeout", "malformed"),
  /** HTTP status of the answer, if there was one. */
  status: Schema.optional(Schema.Int),
  /** The endpoint's error code, such as `invalid_grant`. */
  code: Schema.optional(Schema.String),
  isFinal: Schema.optional(Schema.Boolean),
  /** True if the request may have taken effect, because no answer arrived or it could not be read. */
  isAnswerLost: Schema.optional(Schema.Boolean),
  /** Seconds, if the endpoint says so; 15 minutes at most. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  override get message() {
    const said = [this.status, this.code].filter((part) => part !== undefined)
    return `${this.provider} token endpoint: ${this.reason}${said.length === 0 ? "" : ` (${said.join(" ")})`}`
  }
}

/** Code of an answer that was abandoned for its size. */
export const tooLarge = "answer_too_large"

/** A token endpoint's answer. */
export interface Tokens {
  readonly accessToken: Redacted.Redacted
  /** Undefined when it sent none: the one in the request stays valid. */
  readonly refreshToken: Redacted.Redacted | undefined
  /** Milliseconds since the epoch; undefined when the endpoint does not say. */
  readonly expiresAt: number | undefined
  /** Milliseconds since the epoch when the refresh token sent here ends; undefined when there is none or it does not. */
  readonly reauthBy: number | undefined
  /** The provider's own values, as its `keep` names them. */
  readonly values: { readonly [name: string]: string }
  /** Scopes that were consented to. */
  readonly scopes: ReadonlyArray<string>
}

/** The grant of a token request. */
export type Grant =
  | { readonly grantType: "refresh_token"; readonly refreshToken: Redacted.Redacted }
  | {
      readonly grantType: "authorization_code"
      readonly code: Redacted.Redacted
      /** The one of the authorisation request. */
      readonly redirectUri: string
      /** PKCE verifier behind the authorisation request's challenge; undefined without PKCE. */
      readonly verifier: Redacted.Redacted | undefined
    }

/** The provider, environment and connection of an authorisation. */
export interface Subject<Way = OAuth2> {
  readonly provider: string
  readonly environment: Environment
  readonly authorization: Way
  /** Values in the connection's credentials besides the tokens. */
  readonly values: Tokens["values"]
  /** UUID of the connection to renew; undefined before there is one. */
  readonly connection?: string
}

/** Milliseconds that a caller waits for a token endpoint. */
export const timeout = 10_000

/** Milliseconds after which a token request counts as lost. */
export const answerLimit = 60_000

/** Whether there is a client to ask for consent with: simulators take any, the operator sets the one for production. */
export const isConfigured = ({ environment, provider }: Pick<Subject, "provider" | "environment">) =>
  environment === "sandbox"
    ? Effect.map(Transport, (transport) => transport.to(environment, provider) !== undefined)
    : Effect.map(oauthClient(provider), Option.isSome)

/**
 * The address to send an end user to for consent; undefined without a client. `state` comes back with the answer, and PKCE's
 * challenge is made from `verifier`.
 */
export const authorizeUrl = Effect.fn("OAuth.authorizeUrl")(function* (
  { authorization, environment, provider, values }: Subject,
  request: { readonly state: string; readonly verifier: string; readonly redirectUri: string }
) {
  const found = yield* oauthClientOf(provider, environment)
  if (found === undefined) return undefined
  const url = new URL(Option.getOrElse(found.authorizeUrl, () => addressOf(authorization.authorizeUrl, values)))
  const { authorizeParameters, optionalScopes, pkce, scopes, scopeSeparator = " " } = authorization
  const parameters = {
    response_type: "code",
    client_id: found.id,
    redirect_uri: request.redirectUri,
    scope: Option.getOrElse(found.scopes, () => scopes).join(scopeSeparator),
    ...(optionalScopes === undefined || Option.isSome(found.scopes)
      ? {}
      : { [optionalScopes.parameter]: optionalScopes.scopes.join(scopeSeparator) }),
    ...authorizeParameters,
    state: request.state,
    ...(pkce ? { code_challenge: challengeOf(request.verifier), code_challenge_method: "S256" } : {})
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== "") url.searchParams.set(name, value)
  // not every provider reads a plus as a space
  url.search = url.search.replaceAll("+", "%20")
  return url
})

/** RFC 7636, section 4.2 (https://datatracker.ietf.org/doc/html/rfc7636#section-4.2). */
const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url")

/**
 * Asks a provider's token endpoint once. Production uses the operator's `PROVIDER_<SLUG>_CLIENT_ID`, `_CLIENT_SECRET` and
 * `_TOKEN_URL`; the sandbox asks the provider's simulator.
 */
export const exchange = Effect.fn("OAuth.exchange", { kind: "client" })(function* (
  subject: Subject,
  grant: Grant,
  limit: number = timeout
) {
  const { authorization, environment, provider, values } = subject
  yield* Effect.annotateCurrentSpan({ "oauth.grant_type": grant.grantType })
  const client = yield* oauthClientOf(provider, environment)
  if (client === undefined) return yield* new TokenError({ provider, reason: "client", code: "not_configured" })
  const url = Option.getOrElse(client.tokenUrl, () => addressOf(authorization.tokenUrl, values))
  const request = yield* requestTo(subject, client, url, parametersOf(grant))
  return yield* ask(
    subject,
    request,
    Option.getOrElse(client.scopes, () => authorization.scopes),
    limit
  )
})

/**
 * Requests an access token that a private key signs for. The client is the end user's own, so its errors are theirs to mend.
 */
export const assert = Effect.fn("OAuth.assert", { kind: "client" })(function* (
  subject: Subject<Certificate>,
  privateKey: Redacted.Redacted
) {
  const { authorization, provider } = subject
  yield* Effect.annotateCurrentSpan({ "oauth.grant_type": "client_credentials" })
  const request = yield* Effect.mapError(
    assertedRequest(subject, privateKey),
    () => new TokenError({ provider, reason: "refused", code: "unusable_key" })
  )
  return yield* ask(subject, request, authorization.scopes, timeout)
})

/** Span attributes of a token request: its host, and nothing that was sent. */
const endpointOf = ({ method, url }: HttpClientRequest.HttpClientRequest) => {
  if (!URL.canParse(url)) return {}
  const { hostname, origin, pathname, port, protocol } = new URL(url)
  return {
    "http.request.method": method,
    "server.address": hostname,
    "server.port": Number(port === "" ? (protocol === "http:" ? 80 : 443) : port),
    "url.full": origin + pathname
  }
}

/** Sends a token request and reads the answer; `asked`: the scopes, where the answer names none. */
const ask = Effect.fnUntraced(function* (
  { authorization, connection, environment, provider }: Subject<OAuth2 | Certificate>,
  request: HttpClientRequest.HttpClientRequest,
  asked: ReadonlyArray<string>,
  limit: number
) {
  yield* Effect.annotateCurrentSpan({ provider, ...endpointOf(request) })
  const fail = (
    reason: TokenError["reason"],
    more: Partial<Pick<TokenError, "status" | "code" | "retryAfter" | "isFinal" | "isAnswerLost">> = {}
  ) => new TokenError({ provider, reason, ...more })

  const transport = (yield* Transport).to(environment, provider)
  if (transport === undefined) return yield* fail("unavailable")

  const clock = yield* Effect.clock
  const startedAt = clock.unsafeCurrentTimeMillis()
  const started = monotonic(clock)
  const ended = (how: Pick<UpstreamCall, "status" | "outcome">) =>
    connection === undefined
      ? Effect.void
      : noteCall(
          {
            provider,
            connection,
            operation: "token",
            method: "POST",
            ...how,
            milliseconds: monotonic(clock) - started
          },
          clock
        )
  const { response, text } = yield* transport.execute(request).pipe(
    Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
    Effect.mapError((error) =>
      error._tag === "RequestError"
        ? fail("unavailable", { isAnswerLost: !wasNeverSent(error.cause) })
        : fail("malformed", {
            isAnswerLost: error.response.status < 300,
            ...(error.cause instanceof AnswerTooLarge ? { code: tooLarge } : {})
          })
    ),
    Effect.timeoutFail({ duration: limit, onTimeout: () => fail("timeout", { isAnswerLost: true }) }),
    Effect.tapError(({ reason }) =>
      ended({
        status: null,
        outcome: reason === "timeout" ? "timeout" : reason === "malformed" ? "answered" : "unreachable"
      })
    )
  )

  const { status } = response
  yield* ended({ status, outcome: "answered" })
  yield* Effect.annotateCurrentSpan({ "http.response.status_code": status })
  const answer = Option.getOrUndefined(decodeAnswer(text))
  // Some endpoints send their errors with status 200.
  if (status >= 200 && status < 300 && answer?.access_token !== undefined && typeof answer["error"] !== "string") {
    return {
      accessToken: Redacted.make(answer.access_token),
      refreshToken: answer.refresh_token === undefined ? undefined : Redacted.make(answer.refresh_token),
      expiresAt: answer.expires_in === undefined ? undefined : startedAt + answer.expires_in * 1000,
      reauthBy: endOf(authorization, answer, startedAt),
      values: keptOf(authorization, answer),
      // an answer that names no scopes grants all that were requested (RFC 6749, section 5.1)
      scopes: scopesIn(answer) ?? asked
    } satisfies Tokens
  }
  if (status < 300 && answer?.["error"] === undefined && answer?.["status"] === undefined) {
    return yield* fail("malformed", { status, isAnswerLost: true })
  }
  const now = yield* Clock.currentTimeMillis
  const codes = codesOf(answer)
  const row = findRefusal(authorization.tokenRefusals, {
    status,
    codes: rawCodesOf(answer),
    description: descriptionOf(answer)
  })
  const code = codes.find((one) => one === row?.code) ?? codes[0]
  const named = { status, ...(code === undefined ? {} : { code }) }
  switch (row?.means) {
    case undefined:
      break
    case "person":
      return yield* fail("refused", { ...named, isFinal: true })
    case "refresh":
      return yield* fail("refused", named)
    case "retry":
      return yield* fail("again", named)
    case "wait":
      return yield* fail("limited", { retryAfter: limitSeconds, ...named, ...retryAfterOf(response, now) })
  }
  if (codes.includes("invalid_grant")) return yield* fail("refused", { status, code: "invalid_grant" })
  if (status === 429 || status >= 500) {
    return yield* fail(status === 429 ? "limited" : "unavailable", { status, ...retryAfterOf(response, now) })
  }
  if (status === 401 || status === 403 || codes.some((one) => clientErrors.includes(one))) {
    return yield* fail("client", named)
  }
  // Count an unknown error as a refusal. Otherwise the connection would keep failing and nobody would be told.
  return yield* code === undefined ? fail("malformed", { status }) : fail("refused", named)
})

/**
 * Takes consent back at the provider, with the refresh token where there is one. Does nothing where the provider offers no
 * way to.
 */
export const revoke = Effect.fn("OAuth.revoke")(function* (subject: Subject, token: Redacted.Redacted) {
  const { authorization, environment, provider, values } = subject
  yield* Effect.annotateCurrentSpan({ provider })
  const transport = (yield* Transport).to(environment, provider)
  const client = yield* oauthClientOf(provider, environment)
  const { revokeBody, revokeUrl } = authorization
  if (transport === undefined || client === undefined || revokeUrl === undefined) return
  const url = beside(client.tokenUrl, addressOf(revokeUrl, values))
  const request = yield* requestTo(subject, client, url, { token: Redacted.value(token) }, revokeBody)
  yield* endConsent(transport, provider, request)
})

/** A request about an access token (RFC 7662); undefined where the provider takes none, and without a client. */
export const introspection = Effect.fn("OAuth.introspection")(function* (subject: Subject, token: Redacted.Redacted) {
  const { authorization, environment, provider, values } = subject
  const client = yield* oauthClientOf(provider, environment)
  if (client === undefined || authorization.introspectUrl === undefined) return undefined
  const url = beside(client.tokenUrl, addressOf(authorization.introspectUrl, values))
  return yield* requestTo(subject, client, url, { token: Redacted.value(token), token_type_hint: "access_token" })
})

/** Takes consent back for one of several accounts; does nothing where the provider offers no way to. */
export const disconnect = Effect.fn("OAuth.disconnect")(function* (
  { authorization, environment, provider }: Subject,
  account: Account,
  credentials: CredentialValues
) {
  yield* Effect.annotateCurrentSpan({ provider })
  const transport = (yield* Transport).to(environment, provider)
  const own = authorization.disconnect?.(account)
  if (transport === undefined || own === undefined) return
  const request = authorization.apply(yield* withBaseUrlOverride(provider, environment, own), credentials)
  yield* endConsent(transport, provider, request)
})

const endConsent = (
  transport: HttpClient.HttpClient,
  provider: string,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<void, TokenError> =>
  transport.execute(request).pipe(
    // nobody reads the body
    Effect.tap(close),
    Effect.mapError(() => new TokenError({ provider, reason: "unavailable" })),
    Effect.timeoutFail({ duration: timeout, onTimeout: () => new TokenError({ provider, reason: "timeout" }) }),
    Effect.filterOrFail(
      ({ status }) => status < 400,
      ({ status }) => new TokenError({ provider, reason: "refused", status })
    )
  )

/** A path of the provider on the host of the operator's own token endpoint, if there is one. */
const beside = (tokenUrl: Option.Option<string>, address: string) =>
  Option.match(tokenUrl, {
    onNone: () => address,
    onSome: (own) => new URL(new URL(address).pathname, own).href
  })

const parametersOf = (grant: Grant): { readonly [name: string]: string } =>
  grant.grantType === "refresh_token"
    ? { grant_type: grant.grantType, refresh_token: Redacted.value(grant.refreshToken) }
    : {
        grant_type: grant.grantType,
        code: Redacted.value(grant.code),
        redirect_uri: grant.redirectUri,
        ...(grant.verifier === undefined ? {} : { code_verifier: Redacted.value(grant.verifier) })
      }

/** A request by the client to its authorisation server. */
const requestTo = (
  { authorization, environment, provider }: Subject,
  client: OAuthClient,
  url: string,
  parameters: { readonly [name: string]: string },
  form = authorization.tokenBody
): Effect.Effect<HttpClientRequest.HttpClientRequest> => {
  const { clientAuthentication, tokensFromApi = false } = authorization
  const inBody = clientAuthentication === "body"
  const body = {
    ...parameters,
    ...(inBody ? { client_id: client.id, client_secret: Redacted.value(client.secret) } : {})
  }
  const request = HttpClientRequest.post(url, { headers: { accept: "application/json" } }).pipe(
    form === "json" ? HttpClientRequest.bodyUnsafeJson(body) : HttpClientRequest.bodyUrlParams(body),
    inBody
      ? (request) => request
      : HttpClientRequest.basicAuth(formEncoded(client.id), formEncoded(Redacted.value(client.secret)))
  )
  return tokensFromApi && Option.isNone(client.tokenUrl)
    ? withBaseUrlOverride(provider, environment, request)
    : Effect.succeed(request)
}

/** RFC 6749, section 2.3.1: a client's id may have a colon in it, and a secret anything. */
const formEncoded = (text: string) => new URLSearchParams([["", text]]).toString().slice(1)

/** Default wait in seconds after a limit. */
const limitSeconds = 60

/** Codes of system errors that occur before a request is sent. */
const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]

/** Whether a request failed before it was sent, so it cannot have taken effect. */
const wasNeverSent = (cause: unknown, depth = 0): boolean => {
  if (typeof cause !== "object" || cause === null || depth > 5) return cause === undefined && depth === 0
  if ("code" in cause && typeof cause.code === "string") return unsent.includes(cause.code)
  return "cause" in cause && wasNeverSent(cause.cause, depth + 1)
}

/** RFC 6749, section 5.2 (https://datatracker.ietf.org/doc/html/rfc6749#section-5.2). */
const clientErrors = [
  "invalid_client",
  "unauthorized_client",
  "invalid_request",
  "unsupported_grant_type",
  "invalid_scope"
]
