import { Effect } from "effect"
import { BadGateway, GatewayTimeout, RateLimited, Unprocessable } from "../platform/Errors.ts"
import type { Account, Authorization, OAuth2 } from "../providers/base/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { type AccountError, accountsOf } from "./Accounts.ts"
import type { OpenedAccount } from "./Connections.ts"
import type { Integration } from "./Integrations.ts"
import * as OAuth from "./OAuth.ts"
import { renewed, type StoredCredentials } from "./StoredCredentials.ts"
import { type CredentialOwner, CredentialCheckLimits } from "./CredentialCheckLimits.ts"

/** Nobody can say now whether it works. */
export type Unverified = RateLimited | BadGateway | GatewayTimeout

interface Keyed extends Integration {
  readonly authorization: Exclude<Authorization, OAuth2>
}

/**
 * Tries a key, a certificate or a connection string, and gives the credentials with the account that they open, as far as the
 * provider says which. What is wrong with them is said of `<path>.apiKey`, `<path>.privateKey` or `<path>.connectionString`.
 */
export const openedBy = Effect.fn("CredentialCheck.openedBy")(function* (
  integration: Keyed,
  owner: CredentialOwner,
  credentials: StoredCredentials,
  path: string
) {
  return yield* (yield* CredentialCheckLimits).run(owner, checked(integration, owner.environment, credentials, path))
})

const checked = Effect.fnUntraced(function* (
  { authorization, name, slug }: Keyed,
  environment: Environment,
  given: StoredCredentials,
  path: string
) {
  const wrong = (message: string) => new Unprocessable({ errors: { [`${path}.${given.kind}`]: message } })
  if (authorization.kind === "connectionString") {
    const account = yield* Effect.mapError(authorization.check(given.secret, environment), (error) =>
      stringRefusal(name, slug, error, wrong)
    )
    return openedAccount(given, account)
  }
  const subject = { provider: slug, environment, values: given.values }
  const { privateKey } = given
  const tokens =
    authorization.kind === "certificate" && privateKey !== undefined
      ? yield* Effect.mapError(OAuth.assert({ ...subject, authorization }, privateKey), (error) =>
          keyRefusal(name, slug, error, () =>
            wrong(
              `${name} gives no access for it (${error.code ?? error.status ?? "refused"}): see that account, client id and certificate id are right, and that the certificate is mapped, neither revoked nor expired.`
            )
          )
        )
      : undefined
  const credentials = tokens === undefined ? given : renewed(given, tokens)
  const accounts = yield* Effect.mapError(
    accountsOf({ ...subject, authorization }, { version: 0, ...credentials }),
    (error) => keyRefusal(name, slug, error, () => wrong(`${name} does not accept this key.`))
  )
  if (accounts?.length === 0) return yield* wrong(`${name} says this key opens no account.`)
  const account = accounts?.[0]
  return openedAccount(credentials, tokens === undefined ? account : { scopes: tokens.scopes, ...account })
})

const openedAccount = (credentials: StoredCredentials, account: Partial<Account> | undefined): OpenedAccount => ({
  credentials: { ...credentials, values: { ...credentials.values, ...account?.values } },
  accountName: account?.name,
  accountId: account?.id,
  scopes: account?.scopes
})

type Wrong = (message: string) => Unprocessable

const keyRefusal = (
  name: string,
  slug: string,
  { reason, status }: AccountError | OAuth.TokenError,
  refused: () => Unprocessable
) => {
  const provider = { slug, status }
  switch (reason) {
    case "refused":
    case "client":
      return refused()
    case "limited":
      return new RateLimited({ retryAfter: 30, provider })
    case "timeout":
      return new GatewayTimeout({ message: `${name} did not answer in time.`, provider })
    default:
      return new BadGateway({ message: `${name} cannot be reached now.`, provider })
  }
}

const stringRefusal = (name: string, slug: string, { detail, reason }: ProviderError, wrong: Wrong) => {
  switch (reason._tag) {
    case "LimitReached":
      return new RateLimited({ retryAfter: reason.retryAfter, provider: { slug } })
    case "TimedOut":
      return new GatewayTimeout({ message: `${name} did not answer in time.`, provider: { slug } })
    case "Busy":
    case "Down":
      return new BadGateway({ message: `${name} cannot be reached there.`, provider: { slug } })
    default:
      return wrong(detail ?? `${name} does not accept it.`)
  }
}
