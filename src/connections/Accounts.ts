import { Effect, Option, Schema } from "effect"
import type { Account, ApiKey, Certificate, OAuth2 } from "../providers/base/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import type { CredentialValues } from "../providers/Credentials.ts"
import { Transport } from "../providers/Transport.ts"
import * as OAuth from "./OAuth.ts"
import { withBaseUrlOverride } from "./BaseUrlOverride.ts"

/**
 * Why it is not known whose credentials these are.
 *
 * - `refused`: the provider does not accept them, or not for this
 * - `limited`, `unavailable`, `timeout`: not now
 * - `malformed`: the answer names no account
 */
export class AccountError extends Schema.TaggedError<AccountError>()("AccountError", {
  provider: Schema.String,
  reason: Schema.Literal("refused", "limited", "unavailable", "timeout", "malformed"),
  /** HTTP status of the answer, when there was one. */
  status: Schema.optional(Schema.Int)
}) {
  override get message() {
    return `${this.provider} account: ${this.reason}${this.status === undefined ? "" : ` (${this.status})`}`
  }
}

interface Subject {
  readonly provider: string
  readonly environment: Environment
  readonly authorization: OAuth2 | Certificate | ApiKey
}

/** Milliseconds the call may take. */
const timeout = 10_000

/** The accounts that new credentials open, found by a call to their provider; none where it says none. */
export const accountsOf = Effect.fn("Accounts.accountsOf")(function* (subject: Subject, credentials: CredentialValues) {
  const { authorization, environment, provider } = subject
  yield* Effect.annotateCurrentSpan({ provider })
  const { identify } = authorization
  if (identify === undefined) return undefined
  const request = yield* requestOf(subject, credentials)
  if (request === undefined) return identify.accounts(undefined, credentials.values)
  const fail = (reason: AccountError["reason"], status?: number) => new AccountError({ provider, reason, status })
  const transport = (yield* Transport).to(environment, provider)
  if (transport === undefined) return yield* fail("unavailable")
  const { status, text } = yield* transport.execute(request).pipe(
    Effect.flatMap((response) => Effect.map(response.text, (text) => ({ status: response.status, text }))),
    Effect.mapError(() => fail("unavailable")),
    Effect.timeoutFail({ duration: timeout, onTimeout: () => fail("timeout") }),
    Effect.scoped
  )
  if (status === 429) return yield* fail("limited", status)
  if (status >= 500) return yield* fail("unavailable", status)
  if (status >= 400) return yield* fail("refused", status)
  const answer = decodeJson(text)
  if (Option.isNone(answer)) return yield* fail("malformed", status)
  const accounts: ReadonlyArray<Account> = identify.accounts(answer.value, credentials.values)
  return accounts
})

/** The call that tells whose credentials these are; undefined where none does. */
const requestOf = Effect.fnUntraced(function* (
  { authorization, environment, provider }: Subject,
  credentials: CredentialValues
) {
  if (authorization.kind === "oauth2" && authorization.introspectUrl !== undefined) {
    const { secret, values } = credentials
    return yield* OAuth.introspection({ provider, environment, authorization, values }, secret)
  }
  const request = authorization.identify?.request?.(credentials)
  return request && (yield* withBaseUrlOverride(provider, environment, authorization.apply(request, credentials)))
})

const decodeJson = Schema.decodeOption(Schema.parseJson())
