import { Effect, Option, Schema } from "effect"
import type { Account, ApiKey, OAuth2 } from "../providers/axes/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import type { CredentialValues } from "../providers/Credentials.ts"
import { Transport } from "../providers/Transport.ts"
import { atOperatorHost } from "./OperatorHost.ts"

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

/** Milliseconds the call may take. */
const timeout = 10_000

/** The accounts that new credentials open, found by a call to their provider; none where it says none. */
export const accountsOf = Effect.fn("Accounts.accountsOf")(function* (
  {
    authorization,
    environment,
    provider
  }: {
    readonly provider: string
    readonly environment: Environment
    readonly authorization: OAuth2 | ApiKey
  },
  credentials: CredentialValues
) {
  yield* Effect.annotateCurrentSpan({ provider })
  const { apply, identify } = authorization
  if (identify === undefined) return undefined
  if (identify.request === undefined) return identify.accounts(undefined, credentials.values)
  const fail = (reason: AccountError["reason"], status?: number) => new AccountError({ provider, reason, status })
  const transport = (yield* Transport).to(environment, provider)
  if (transport === undefined) return yield* fail("unavailable")
  const request = apply(identify.request(credentials), credentials)
  const { status, text } = yield* transport.execute(yield* atOperatorHost(provider, environment, request)).pipe(
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

const decodeJson = Schema.decodeOption(Schema.parseJson())
