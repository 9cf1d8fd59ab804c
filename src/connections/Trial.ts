import { Effect } from "effect"
import { BadGateway, GatewayTimeout, RateLimited, Unprocessable } from "../platform/Errors.ts"
import type { ApiKey, ConnectionString } from "../providers/axes/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { type AccountError, accountsOf } from "./Accounts.ts"
import type { Integration } from "./Integrations.ts"
import type { StoredCredentials } from "./StoredCredentials.ts"
import { type Trier, Trials } from "./Trials.ts"

/** Nobody can say now whether it works. */
export type Untried = RateLimited | BadGateway | GatewayTimeout

interface Keyed extends Integration {
  readonly authorization: ApiKey | ConnectionString
}

/**
 * The account that a key or a connection string opens, found by trying it; undefined when the provider does not say. What is
 * wrong with it is said of `<place>.apiKey` or `<place>.connectionString`.
 */
export const accountBehind = Effect.fn("Trial.accountBehind")(function* (
  integration: Keyed,
  trier: Trier,
  credentials: StoredCredentials,
  place: string
) {
  return yield* (yield* Trials).run(trier, tried(integration, trier.environment, credentials, place))
})

const tried = Effect.fnUntraced(function* (
  { authorization, name, slug }: Keyed,
  environment: Environment,
  credentials: StoredCredentials,
  place: string
) {
  const wrong = (message: string) => new Unprocessable({ errors: { [`${place}.${credentials.kind}`]: message } })
  if (authorization.kind === "connectionString") {
    return yield* Effect.mapError(authorization.check(credentials.secret, environment), (error) =>
      stringRefusal(name, slug, error, wrong)
    )
  }
  const accounts = yield* Effect.mapError(
    accountsOf({ provider: slug, environment, authorization }, { version: 0, ...credentials }),
    (error) => keyRefusal(name, slug, error, wrong)
  )
  return accounts?.length === 0 ? yield* wrong(`${name} says this key opens no account.`) : accounts?.[0]
})

type Wrong = (message: string) => Unprocessable

const keyRefusal = (name: string, slug: string, { reason, status }: AccountError, wrong: Wrong) => {
  const provider = { slug, status }
  switch (reason) {
    case "refused":
      return wrong(`${name} does not accept this key.`)
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
