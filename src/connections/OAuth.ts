import { HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Clock, Config, Effect, Option, Redacted, Schema } from "effect"
import type { OAuth2 } from "../providers/axes/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import { Transport } from "../providers/Transport.ts"

/**
 * Why a token endpoint gave no tokens.
 *
 * - `refused`: the end user's consent is gone; only connecting again helps
 * - `client`: it does not accept this service's client, or its request: the operator's settings are wrong
 * - `limited`, `unavailable`, `timeout`: not now
 * - `malformed`: the answer is not the protocol
 */
export class TokenError extends Schema.TaggedError<TokenError>()("TokenError", {
  provider: Schema.String,
  reason: Schema.Literal("refused", "client", "limited", "unavailable", "timeout", "malformed"),
  /** HTTP status of the answer, when there was one. */
  status: Schema.optional(Schema.Int),
  /** The endpoint's name for it, such as `invalid_grant`. */
  code: Schema.optional(Schema.String),
  /** Seconds, when the endpoint says so. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  override get message() {
    const said = [this.status, this.code].filter((part) => part !== undefined)
    return `${this.provider} token endpoint: ${this.reason}${said.length === 0 ? "" : ` (${said.join(" ")})`}`
  }
}

/** What a token endpoint answered. */
export interface Tokens {
  readonly accessToken: Redacted.Redacted
  /** Undefined when it sent none: the one it was asked with stays good. */
  readonly refreshToken: Redacted.Redacted | undefined
  /** Milliseconds since the epoch; undefined when the endpoint does not say. */
  readonly expiresAt: number | undefined
  /** The provider's own values, as its `keep` names them. */
  readonly values: { readonly [name: string]: string }
}

/** What tokens are asked for with. */
export type Grant = {
  readonly grantType: "refresh_token"
  readonly refreshToken: Redacted.Redacted
}

/** Milliseconds a token endpoint may take. */
const timeout = 10_000

/**
 * Asks a provider's token endpoint once. Production uses the operator's `PROVIDER_<SLUG>_CLIENT_ID`, `_CLIENT_SECRET` and
 * `_TOKEN_URL`; the sandbox asks the provider's simulator.
 */
export const exchange = Effect.fn("OAuth.exchange")(function* (
  request: {
    readonly provider: string
    readonly environment: Environment
    readonly authorization: OAuth2
  },
  grant: Grant
) {
  const { authorization, environment, provider } = request
  yield* Effect.annotateCurrentSpan({ provider, "oauth.grant_type": grant.grantType })
  const fail = (reason: TokenError["reason"], more: Partial<Pick<TokenError, "status" | "code" | "retryAfter">> = {}) =>
    new TokenError({ provider, reason, ...more })

  const transport = (yield* Transport).to(environment, provider)
  if (transport === undefined) return yield* fail("unavailable")
  const client = environment === "sandbox" ? sandboxClient : yield* configuredClient(provider)
  if (client === undefined) return yield* fail("client", { code: "not_configured" })

  const startedAt = yield* Clock.currentTimeMillis
  const { response, text } = yield* transport
    .execute(
      requestOf(
        authorization,
        Option.getOrElse(client.tokenUrl, () => authorization.tokenUrl),
        client,
        grant
      )
    )
    .pipe(
      Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
      Effect.mapError((error) => fail(error._tag === "RequestError" ? "unavailable" : "malformed")),
      Effect.timeoutFail({ duration: timeout, onTimeout: () => fail("timeout") })
    )

  const { status } = response
  yield* Effect.annotateCurrentSpan({ "http.response.status_code": status })
  const answer = Option.getOrUndefined(decodeAnswer(text))
  const code = codeOf(answer)
  // Some endpoints send their errors with status 200.
  if (status >= 200 && status < 300 && answer?.access_token !== undefined && typeof answer["error"] !== "string") {
    return {
      accessToken: Redacted.make(answer.access_token),
      refreshToken: answer.refresh_token === undefined ? undefined : Redacted.make(answer.refresh_token),
      expiresAt: answer.expires_in === undefined ? undefined : startedAt + answer.expires_in * 1000,
      values: keptOf(authorization, answer)
    } satisfies Tokens
  }
  if (code !== undefined && [...refusals, ...(authorization.refusals ?? [])].includes(code)) {
    return yield* fail("refused", { status, code })
  }
  if (status === 429) return yield* fail("limited", { status, ...retryAfterOf(response) })
  if (status >= 500) return yield* fail("unavailable", { status })
  if (status === 401 || status === 403 || (code !== undefined && clientErrors.includes(code))) {
    return yield* fail("client", { status, ...(code === undefined ? {} : { code }) })
  }
  return yield* fail("malformed", { status })
})

interface Client {
  readonly id: string
  readonly secret: Redacted.Redacted
  readonly tokenUrl: Option.Option<string>
}

/** Simulators accept any client. */
const sandboxClient: Client = { id: "sandbox", secret: Redacted.make("sandbox"), tokenUrl: Option.none() }

const configuredClient = (provider: string) => {
  const setting = (name: string) => `PROVIDER_${provider.toUpperCase()}_${name}`
  return Config.all({
    id: Config.nonEmptyString(setting("CLIENT_ID")),
    secret: Config.redacted(setting("CLIENT_SECRET")),
    tokenUrl: Config.option(Config.map(Config.url(setting("TOKEN_URL")), (url) => url.href))
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(
        Effect.logError(
          `No tokens can be had from ${provider}: set ${setting("CLIENT_ID")} and ${setting("CLIENT_SECRET")}`,
          error
        ),
        undefined
      )
    )
  )
}

const requestOf = (authorization: OAuth2, url: string, client: Client, grant: Grant) => {
  const inBody = authorization.clientAuthentication === "body"
  const body = {
    grant_type: grant.grantType,
    refresh_token: Redacted.value(grant.refreshToken),
    ...(inBody ? { client_id: client.id, client_secret: Redacted.value(client.secret) } : {})
  }
  return HttpClientRequest.post(url, { headers: { accept: "application/json" } }).pipe(
    authorization.tokenBody === "json" ? HttpClientRequest.bodyUnsafeJson(body) : HttpClientRequest.bodyUrlParams(body),
    inBody ? (request) => request : HttpClientRequest.basicAuth(client.id, client.secret)
  )
}

/** RFC 6749, section 5.2 (https://datatracker.ietf.org/doc/html/rfc6749#section-5.2). */
const refusals = ["invalid_grant"]
const clientErrors = [
  "invalid_client",
  "unauthorized_client",
  "invalid_request",
  "unsupported_grant_type",
  "invalid_scope"
]

const Answer = Schema.Struct(
  {
    access_token: Schema.optionalWith(Schema.NonEmptyString, { exact: true, nullable: true }),
    refresh_token: Schema.optionalWith(Schema.NonEmptyString, { exact: true, nullable: true }),
    expires_in: Schema.optionalWith(Schema.Union(Schema.NonNegative, Schema.NumberFromString), {
      exact: true,
      nullable: true
    })
  },
  { key: Schema.String, value: Schema.Unknown }
)

const decodeAnswer = Schema.decodeUnknownOption(Schema.parseJson(Answer))

const keptOf = (authorization: OAuth2, answer: typeof Answer.Type) =>
  Object.fromEntries(
    Object.entries(authorization.keep ?? {}).flatMap(([there, here]) => {
      const value = answer[there]
      return typeof value === "string" || typeof value === "number" ? [[here, String(value)]] : []
    })
  )

/** Providers that do not say `error` say `status` (HubSpot). Anything long or odd may hold more than a name. */
const codeOf = (answer: typeof Answer.Type | undefined) =>
  [answer?.["error"], answer?.["status"]].find(
    (code): code is string => typeof code === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(code)
  )

const retryAfterOf = (response: HttpClientResponse.HttpClientResponse) => {
  const seconds = Number(response.headers["retry-after"])
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds } : {}
}
