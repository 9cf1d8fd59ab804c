import { DateTime, Either, Option, type ParseResult, Record, Redacted, Schema } from "effect"
import { type FieldErrors, Unprocessable } from "../platform/Errors.ts"
import { decoder, fieldErrorsOf } from "../platform/Issues.ts"
import { signingKey } from "../providers/base/OAuth1.ts"
import type { Tokens } from "./OAuth.ts"

/**
 * Credentials that open an account at a provider. As JSON, which `connections import` takes and which is stored encrypted:
 *
 * - `{accessToken, refreshToken?, expiresAt?, reauthBy?, …}`; `expiresAt` of the access token and `reauthBy`, the end of the
 *   refresh token, are ISO 8601 date-times or milliseconds since the epoch
 * - `{privateKey, clientId, certificateId, …}` where a key signs for access tokens; stored with the latest token and its
 *   `expiresAt`
 * - `{apiKey, …}`
 * - `{connectionString, …}`
 * - `{consumerKey, consumerSecret, tokenId, tokenSecret, …}` where requests are signed; stored as `{accessToken,
 *   consumerKey, tokenId, …}` whose access token is the signing key: both secrets, escaped, with `&` between
 *
 * The dots stand for the provider's own values: `instanceUrl`, `apiDomain`, `realmId`, `tenantId`, `accountId`.
 */
export interface StoredCredentials {
  readonly kind: Kind
  /** The access token, API key or connection string; empty where a private key has not signed for a token yet. */
  readonly secret: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted | undefined
  /** PEM; signs for access tokens. */
  readonly privateKey?: Redacted.Redacted | undefined
  /** Milliseconds since the epoch; undefined when it is not known. */
  readonly expiresAt: number | undefined
  /** Milliseconds since the epoch when the refresh token ends; undefined when it does not, or it is not known. */
  readonly reauthBy?: number | undefined
  /** The provider's own values. */
  readonly values: { readonly [name: string]: string }
}

/** Credentials with renewed tokens. */
export const renewed = (held: StoredCredentials, tokens: Tokens): StoredCredentials => ({
  ...held,
  secret: tokens.accessToken,
  refreshToken: tokens.refreshToken ?? held.refreshToken,
  expiresAt: tokens.expiresAt,
  // a refresh token that is not replaced keeps its end
  reauthBy: tokens.refreshToken === undefined ? held.reauthBy : tokens.reauthBy,
  values: { ...held.values, ...tokens.values }
})

const kinds = ["accessToken", "privateKey", "apiKey", "connectionString"] as const
export type Kind = (typeof kinds)[number]

/** Decodes the JSON value. Errors name fields and never repeat their values. */
export const decode = (json: unknown): Either.Either<StoredCredentials, Unprocessable> =>
  Either.gen(function* () {
    const given = yield* withSigningKey(yield* read(isObject, json))
    const { accessToken, apiKey, connectionString, expiresAt, privateKey, reauthBy, refreshToken, ...values } = given
    const known = { accessToken, apiKey, connectionString, expiresAt, privateKey, reauthBy, refreshToken, values }
    const fields = yield* read(decodeFields, known)
    const secrets = kinds.filter((kind) => fields[kind] !== undefined)
    // a private key is stored with the token that it last signed for
    const [kind, ...others] = secrets.filter((kind) => kind !== "accessToken" || fields.privateKey === undefined)
    if (kind === undefined || others.length > 0) return yield* refuse({ credentials: shapes })
    const isRefreshed = fields.refreshToken !== undefined || fields.reauthBy !== undefined
    const isKey = kind === "apiKey" || kind === "connectionString"
    if ((kind !== "accessToken" && isRefreshed) || (isKey && fields.expiresAt !== undefined)) {
      return yield* refuse({ credentials: shapes })
    }
    const secret = kind === "privateKey" ? fields.accessToken : fields[kind]
    return {
      kind,
      secret: Redacted.make(secret ?? ""),
      refreshToken: fields.refreshToken === undefined ? undefined : Redacted.make(fields.refreshToken),
      privateKey: fields.privateKey === undefined ? undefined : Redacted.make(fields.privateKey),
      // without a token yet, it has to be renewed at once
      expiresAt: secret === undefined ? 0 : millisOf(fields.expiresAt),
      reauthBy: millisOf(fields.reauthBy),
      values: fields.values
    }
  })

const millisOf = (time: DateTime.Utc | undefined) => (time === undefined ? undefined : DateTime.toEpochMillis(time))

type Json = { readonly [name: string]: unknown }

/** Where requests are signed: joins both secrets into the signing key. */
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
      // the parser's message may quote the text
      catch: () => new Unprocessable({ errors: { credentials: "must be JSON" } })
    }),
    decode
  )

/** Encodes as the JSON text that `parse` reads; it is a secret. */
export const encode = (held: StoredCredentials): Redacted.Redacted => {
  const { expiresAt, kind, privateKey, reauthBy, refreshToken, secret, values } = held
  const secrets = { [kind === "privateKey" ? "accessToken" : kind]: secret, refreshToken, privateKey }
  return Redacted.make(
    JSON.stringify({
      ...values,
      ...Record.filterMap(secrets, (one) =>
        one === undefined || Redacted.value(one) === "" ? Option.none() : Option.some(Redacted.value(one))
      ),
      ...Record.filterMap({ expiresAt, reauthBy }, (time) =>
        time === undefined ? Option.none() : Option.some(new Date(time).toISOString())
      )
    })
  )
}

const shapes =
  "must be {accessToken, refreshToken?, expiresAt?, reauthBy?}, {privateKey}, {apiKey}, {connectionString} or {consumerKey, consumerSecret, tokenId, tokenSecret}, with the provider's own values beside"

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

const Time = Schema.Union(Schema.DateTimeUtc, Schema.DateTimeUtcFromNumber).annotations({
  message: () => "must be an ISO 8601 date-time such as 2030-01-31T12:00:00Z"
})

const Value = Schema.String.annotations({ message: () => "must be text" })

/** Null counts as absent. */
const Absent = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

const isObject = decoder(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const decodeSigning = decoder(
  Schema.Struct({ consumerKey: Secret, consumerSecret: Secret, tokenId: Secret, tokenSecret: Secret }).annotations({
    parseOptions: { errors: "all" }
  })
)

const decodeFields = decoder(
  Schema.Struct({
    accessToken: Absent(Secret),
    privateKey: Absent(Secret),
    apiKey: Absent(Secret),
    connectionString: Absent(Secret),
    refreshToken: Absent(Secret),
    expiresAt: Absent(Time),
    reauthBy: Absent(Time),
    values: Schema.Record({ key: Schema.String, value: Value })
  }).annotations({ parseOptions: { errors: "all" } })
)
