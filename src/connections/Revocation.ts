import { Clock, Effect } from "effect"
import type { Account } from "../providers/base/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import { accountsOf } from "./Accounts.ts"
import { Connections } from "./Connections.ts"
import { Integrations } from "./Integrations.ts"
import * as OAuth from "./OAuth.ts"
import { renewed, type StoredCredentials } from "./StoredCredentials.ts"

/** Consent that nothing here lives on any longer. */
export interface GivenConsent {
  /** Slug. */
  readonly provider: string
  readonly environment: Environment
  /** UUID of the end user who gave it. */
  readonly endUser: string
  readonly credentials: StoredCredentials
  /** The accounts it was for, as far as they are known. */
  readonly accountIds: ReadonlyArray<string>
}

/** With an access token that has not expired. */
const usable = Effect.fnUntraced(function* (subject: OAuth.Subject, held: StoredCredentials) {
  const { expiresAt = Infinity, refreshToken } = held
  if (refreshToken === undefined || expiresAt > (yield* Clock.currentTimeMillis)) return held
  return renewed(held, yield* OAuth.exchange(subject, { grantType: "refresh_token", refreshToken }))
})

/**
 * Where taking back ends whatever the person consented to, all of their accounts count, and anyone's connections to them:
 * the operator's client is the same for all.
 */
const takeBackWidely = Effect.fnUntraced(function* (subject: OAuth.Subject, consent: GivenConsent) {
  const credentials = yield* usable(subject, consent.credentials)
  const given = { version: 0, secret: credentials.secret, values: credentials.values }
  const accounts: ReadonlyArray<Account> = (yield* accountsOf(subject, given)) ?? []
  const accountIds = accounts.map(({ id }) => id)
  const opened = yield* (yield* Connections).opened({ ...consent, accountIds, ofAnyone: true })
  if (opened.length === 0) return yield* OAuth.revoke(subject, credentials.refreshToken ?? credentials.secret)
  // credentials from elsewhere name their account among their values
  const meant = [...consent.accountIds, ...Object.values(credentials.values)]
  const left = accounts.filter(({ id }) => meant.includes(id) && !opened.includes(id))
  yield* Effect.forEach(left, (account) => OAuth.disconnect(subject, account, given), { discard: true })
})

const takeBackAt = Effect.fnUntraced(function* (consent: GivenConsent) {
  const { credentials, environment, provider } = consent
  const authorization = (yield* Integrations).get(provider)?.consent
  if (authorization === undefined || credentials.kind !== "accessToken") return
  const subject = { provider, environment, authorization, values: credentials.values }
  if (authorization.revokesAll === true) return yield* takeBackWidely(subject, consent)
  const opened = yield* (yield* Connections).opened({ ...consent, ofAnyone: false })
  if (opened.every((id) => id === null)) yield* OAuth.revoke(subject, credentials.refreshToken ?? credentials.secret)
})

/**
 * Takes consent back at the provider, as far as no other connection lives on it; false when that failed. Tries for a few
 * seconds; whatever goes wrong is only logged, since there is nobody left who could try again.
 */
export const takeBack = (consent: GivenConsent) =>
  takeBackAt(consent).pipe(
    Effect.timeout("5 seconds"),
    Effect.as(true),
    Effect.catchAllCause((cause) => Effect.as(Effect.logWarning("A consent was not taken back", cause), false)),
    Effect.withSpan("Revocation.takeBack", { attributes: { provider: consent.provider } })
  )
