import { Either, Option, Redacted, Schema } from "effect"
import type { Account } from "../providers/base/Authorization.ts"
import { decode, encode, type StoredCredentials } from "./StoredCredentials.ts"

// Secrets that an attempt keeps, sealed, from one step to the next.

const Values = Schema.Record({ key: Schema.String, value: Schema.String })

const Pending = Schema.parseJson(Schema.Struct({ verifier: Schema.String, values: Values }))

/** Writes the secrets that the redirect back needs. */
export const writePending = (pending: typeof Pending.Type) => Redacted.make(Schema.encodeSync(Pending)(pending))

export const readPending = (secrets: Redacted.Redacted) => Schema.decodeOption(Pending)(Redacted.value(secrets))

/** Consent that was given, and the accounts it is for. */
export interface Consented {
  readonly credentials: StoredCredentials
  readonly accounts: ReadonlyArray<Account>
  readonly scopes: ReadonlyArray<string>
}

const Kept = Schema.parseJson(
  Schema.Struct({
    credentials: Schema.Unknown,
    accounts: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        name: Schema.String,
        values: Schema.optionalWith(Values, { exact: true }),
        scopes: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
      })
    ),
    scopes: Schema.Array(Schema.String)
  })
)

/** Writes the secrets that the end user's choice needs. */
export const writeConsented = ({ accounts, credentials, scopes }: Consented) =>
  Redacted.make(
    Schema.encodeSync(Kept)({ accounts, scopes, credentials: JSON.parse(Redacted.value(encode(credentials))) })
  )

export const readConsented = (secrets: Redacted.Redacted): Option.Option<Consented> =>
  Option.flatMap(Schema.decodeOption(Kept)(Redacted.value(secrets)), ({ accounts, credentials, scopes }) =>
    Option.map(Either.getRight(decode(credentials)), (credentials) => ({ accounts, credentials, scopes }))
  )
