import { Config, Effect, Option, Redacted } from "effect"
import type { Environment } from "../providers/ConnectionRef.ts"

/** This service's registration at a provider. */
export interface OAuthClient {
  readonly id: string
  readonly secret: Redacted.Redacted
  readonly authorizeUrl: Option.Option<string>
  readonly tokenUrl: Option.Option<string>
  /** Scopes instead of the provider's usual ones. */
  readonly scopes: Option.Option<ReadonlyArray<string>>
}

/** Simulators accept any client. */
const sandboxClient: OAuthClient = {
  id: "sandbox",
  secret: Redacted.make("sandbox"),
  authorizeUrl: Option.none(),
  tokenUrl: Option.none(),
  scopes: Option.none()
}

const setting = (provider: string, name: string) => `PROVIDER_${provider.toUpperCase()}_${name}`

/** The operator's client of a provider. */
const configuredClient = (provider: string) => {
  const address = (name: string) => Config.option(Config.map(Config.url(setting(provider, name)), (url) => url.href))
  return Config.all({
    id: Config.nonEmptyString(setting(provider, "CLIENT_ID")),
    secret: Config.redacted(setting(provider, "CLIENT_SECRET")),
    authorizeUrl: address("AUTH_URL"),
    tokenUrl: address("TOKEN_URL"),
    scopes: Config.option(
      Config.map(Config.nonEmptyString(setting(provider, "SCOPES")), (text) => text.split(/[\s,]+/).filter(Boolean))
    )
  })
}

/** The operator's client of a provider, if it is set. */
export const oauthClient = (provider: string) => Effect.option(configuredClient(provider))

/** The client of an environment; a missing one is logged. */
export const oauthClientOf = (provider: string, environment: Environment): Effect.Effect<OAuthClient | undefined> =>
  environment === "sandbox"
    ? Effect.succeed(sandboxClient)
    : configuredClient(provider).pipe(
        Effect.catchAll((error) =>
          Effect.as(
            Effect.logError(
              `${provider} has no client: set ${setting(provider, "CLIENT_ID")} and ${setting(provider, "CLIENT_SECRET")}`,
              error
            ),
            undefined
          )
        )
      )
