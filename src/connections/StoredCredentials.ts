import { DateTime, Either, type ParseResult, Record, Redacted, Schema } from "effect"
import { type FieldErrors, Unprocessable } from "../platform/Errors.ts"
import { decoder, fieldErrorsOf } from "../platform/Issues.ts"
import { signingKey } from "../providers/axes/OAuth1.ts"
import type { Tokens } from "./OAuth.ts"

/**
 * What opens an account at a provider. As JSON, which is how `connections import` takes it and how it is kept (encrypted):
 *
 * - `{accessToken, refreshToken?, expiresAt?, …}`, `expiresAt` an ISO 8601 date-time or milliseconds since the epoch
 * - `{apiKey, …}`
 * - `{connectionString, …}`
 * - `{consumerKey, consumerSecret, tokenId, tokenSecret, …}` where requests are signed; kept as `{accessToken, consumerKey,
 *   tokenId, …}` whose access token is what signs: both secrets, escaped, with `&` between
 *
 * with the provider's own values in place of the dots: `instanceUrl`, `apiDomain`, `realmId`, `tenantId`, `accountId`.
 */
export interface StoredCredentials {
  readonly kind: Kind
  /** The access token, API key or connection string. */
  readonly secret: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted | undefined
  /** Milliseconds since the epoch; undefined when it is not known. */
  readonly expiresAt: number | undefined
  /** The provider's own values. */
  readonly values: { readonly [name: string]: string }
}

/** Credentials with the tokens that they were renewed with. */
export const renewed = (held: StoredCredentials, tokens: Tokens): StoredCredentials => ({
  ...held,
  secret: tokens.accessToken,
  refreshToken: tokens.refreshToken ?? held.refreshToken,
  expiresAt: tokens.expiresAt,
  values: { ...held.values, ...tokens.values }
})

export type Kind = "accessToken" | "apiKey" | "connectionString"

/** Decodes the JSON value. What it says of a wrong one names fields and never repeats what is in them. */
export const decode = (json: unknown): Either.Either<StoredCredentials, Unprocessable> =>
  Either.gen(function* () {
    const given = yield* withSigningKey(yield* read(isObject, json))
    const { accessToken, apiKey, connectionString, expiresAt, refreshToken, ...values } = given
    const known = { accessToken, apiKey, connectionString, expiresAt, refreshToken, values }
    const fields = yield* read(decodeFields, known)
    const secrets = kinds.flatMap((kind) => {
      const secret = fields[kind]
      return secret === undefined || secret === null ? [] : [{ kind, secret: Redacted.make(secret) }]
    })
    const [only] = secrets
    if (only === undefined || secrets.length > 1) return yield* refuse({ credentials: shapes })
    const refresh = fields.refreshToken ?? undefined
    const expiry = fields.expiresAt ?? undefined
    if (only.kind !== "accessToken" && (refresh ?? expiry) !== undefined) return yield* refuse({ credentials: shapes })
    return {
      ...only,
      refreshToken: refresh === undefined ? undefined : Redacted.make(refresh),
      expiresAt: expiry === undefined ? undefined : DateTime.toEpochMillis(expiry),
      values: fields.values
    }
  })

type Json = { readonly [name: string]: unknown }

/** Where requests are signed: both secrets as the one that signs. */
const withSigningKey = (json: Json): Either.Either<Json, Unprocessable> => {
  const { consumerSecret, tokenSecret, ...rest } = json
  if (consumerSecret === undefined && tokenSecret === undefined) return Either.right(json)
  if (rest.accessToken !== undefined) return refuse({ credentials: shapes })
  return Either.map(read(decodeSigning, json), (whole) => ({
    ...rest,
    accessToken: signingKey(whole.consumerSecret, whole.tokenSecret)
  }))
}

/** Decodes JSON text. */
export const parse = (text: Redacted.Redacted): Either.Either<StoredCredentials, Unprocessable> =>
  Either.flatMap(
    Either.try({
      try: (): unknown => JSON.parse(Redacted.value(text)),
      // What the parser says may quote the text.
      catch: () => new Unprocessable({ errors: { credentials: "must be JSON" } })
    }),
    decode
  )

/** The JSON text that `parse` reads: a secret. */
export const encode = ({ expiresAt, kind, refreshToken, secret, values }: StoredCredentials): Redacted.Redacted =>
  Redacted.make(
    JSON.stringify({
      ...values,
      [kind]: Redacted.value(secret),
      ...(refreshToken === undefined ? {} : { refreshToken: Redacted.value(refreshToken) }),
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() })
    })
  )

const kinds = ["accessToken", "apiKey", "connectionString"] as const

const shapes =
  "must be {accessToken, refreshToken?, expiresAt?}, {apiKey}, {connectionString} or {consumerKey, consumerSecret, tokenId, tokenSecret}, with the provider's own values beside"

const refuse = (errors: FieldErrors) => Either.left(new Unprocessable({ errors }))

type Decoder<A> = (input: unknown) => Either.Either<A, ParseResult.ParseError>

const read = <A>(decode: Decoder<A>, input: unknown): Either.Either<A, Unprocessable> =>
  Either.orElse(decode(input), (error) =>
    refuse(
      Record.mapKeys(fieldErrorsOf(error), (path) =>
        path.replace(/^(body|values\.)?/, "credentials.").replace(/\.$/, "")
      )
    )
  )

const Secret = Schema.NonEmptyString.annotations({ message: () => "must be text and not empty" })

const Expiry = Schema.Union(Schema.DateTimeUtc, Schema.DateTimeUtcFromNumber).annotations({
  message: () => "must be an ISO 8601 date-time such as 2030-01-31T12:00:00Z"
})

const Value = Schema.String.annotations({ message: () => "must be text" })

const isObject = decoder(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const decodeSigning = decoder(
  Schema.Struct({ consumerKey: Secret, consumerSecret: Secret, tokenId: Secret, tokenSecret: Secret }).annotations({
    parseOptions: { errors: "all" }
  })
)

const decodeFields = decoder(
  Schema.Struct({
    accessToken: Schema.NullishOr(Secret),
    apiKey: Schema.NullishOr(Secret),
    connectionString: Schema.NullishOr(Secret),
    refreshToken: Schema.NullishOr(Secret),
    expiresAt: Schema.NullishOr(Expiry),
    values: Schema.Record({ key: Schema.String, value: Value })
  }).annotations({ parseOptions: { errors: "all" } })
)
