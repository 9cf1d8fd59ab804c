import { Context, Effect, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import {
  BadGateway,
  BadRequest,
  type Conflict,
  GatewayTimeout,
  type NotFound,
  RateLimited,
  Unprocessable
} from "../platform/Errors.ts"
import type { Account, ApiKey, ConnectionString, Field, ValueForm } from "../providers/axes/Authorization.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { Transport } from "../providers/Transport.ts"
import { type AccountError, accountsOf } from "./Accounts.ts"
import { type Connection, Connections } from "./Connections.ts"
import type { ConnectSession } from "./ConnectSessions.ts"
import { readFields } from "./EnteredValues.ts"
import type { Integration } from "./Integrations.ts"
import { Sandbox, sandboxKey } from "./Sandbox.ts"
import type { StoredCredentials } from "./StoredCredentials.ts"

/** The field that the secret itself is entered in; nobody but its owner sees it again. */
export const secretField = (authorization: ApiKey | ConnectionString): Field =>
  authorization.kind === "key"
    ? { name: "apiKey", label: "API key" }
    : { name: "connectionString", label: "Connection string" }

/** It goes into a header. */
const keyForm: ValueForm = {
  pattern: /^[!-~]+$/,
  expected: "must be letters, digits and signs without spaces or line breaks"
}

/** Connects with keys and connection strings that an end user enters. */
export class EnteredKeys extends Context.Tag("tributary/connections/EnteredKeys")<
  EnteredKeys,
  {
    /** Tries what was entered, and keeps it when it works. `connectionId` names a connection of theirs to renew. */
    readonly connect: (
      session: ConnectSession,
      integration: Integration,
      given: { readonly fields: { readonly [name: string]: string }; readonly connectionId: string | undefined }
    ) => Effect.Effect<
      Connection,
      BadRequest | Unprocessable | NotFound | Conflict | RateLimited | BadGateway | GatewayTimeout
    >
  }
>() {
  static readonly layer = Layer.effect(
    EnteredKeys,
    Effect.gen(function* () {
      const connections = yield* Connections
      const transport = yield* Transport

      /** The account that a key opens; undefined when its provider does not say. */
      const tryKey = (
        session: ConnectSession,
        { name, slug }: Integration,
        authorization: ApiKey,
        held: StoredCredentials
      ) =>
        accountsOf({ provider: slug, environment: session.environment, authorization }, { version: 0, ...held }).pipe(
          Effect.provideService(Transport, transport),
          Effect.mapError((error) => keyRefusal(name, slug, error)),
          Effect.filterOrFail(
            (accounts) => accounts === undefined || accounts.length > 0,
            () => wrong("apiKey", `${name} says this key opens no account.`)
          ),
          Effect.map((accounts) => accounts?.[0])
        )

      return EnteredKeys.of({
        connect: Effect.fn("EnteredKeys.connect")(function* (session, integration, { connectionId, fields }) {
          const { authorization, name, slug } = integration
          if (authorization.kind === "oauth2") {
            return yield* new BadRequest({ code: "INVALID_PARAMETER", message: `${name} is connected by consent.` })
          }
          const renewed = yield* connections.owned(session, session.endUser, slug, connectionId)
          const id = renewed?.id ?? randomUUID()
          const secret = secretField(authorization)
          const isKey = authorization.kind === "key"
          const asked = [secret, ...(authorization.fields ?? [])]
          const forms = isKey ? { ...authorization.values, [secret.name]: keyForm } : (authorization.values ?? {})
          const all = yield* readFields({ values: forms }, asked, fields)
          const { [secret.name]: text = "", ...values } = all

          const sandbox = yield* Effect.serviceOption(Sandbox)
          const isSimulated = session.environment === "sandbox" && text === sandboxKey && Option.isSome(sandbox)
          const credentials: StoredCredentials = isSimulated
            ? yield* sandbox.value.open(slug, id)
            : {
                kind: isKey ? "apiKey" : "connectionString",
                secret: Redacted.make(text),
                refreshToken: undefined,
                expiresAt: undefined,
                values
              }
          const account: Account | undefined =
            authorization.kind === "key"
              ? yield* tryKey(session, integration, authorization, credentials)
              : yield* Effect.mapError(authorization.check(credentials.secret, session.environment), (error) =>
                  stringRefusal(name, slug, error)
                )
          const opened = {
            credentials: { ...credentials, values: { ...credentials.values, ...account?.values } },
            accountName: account?.name ?? name,
            accountId: account?.id,
            scopes: account?.scopes
          }
          const { endUser, environment, organisation } = session
          const target = { organisation, environment, endUser, integration: slug, connectionId: id }
          return yield* connections.connect({ ...target, isReconnect: renewed !== undefined }, opened)
        })
      })
    })
  )
}

const wrong = (field: string, message: string) => new Unprocessable({ errors: { [`fields.${field}`]: message } })

const keyRefusal = (name: string, slug: string, { reason, status }: AccountError) => {
  const provider = { slug, status }
  switch (reason) {
    case "refused":
      return wrong("apiKey", `${name} does not accept this key.`)
    case "limited":
      return new RateLimited({ retryAfter: 30, provider })
    case "timeout":
      return new GatewayTimeout({ message: `${name} did not answer in time.`, provider })
    default:
      return new BadGateway({ message: `${name} cannot be reached now.`, provider })
  }
}

const stringRefusal = (name: string, slug: string, { detail, reason }: ProviderError) => {
  switch (reason._tag) {
    case "LimitReached":
      return new RateLimited({ retryAfter: reason.retryAfter, provider: { slug } })
    case "TimedOut":
      return new GatewayTimeout({ message: `${name} did not answer in time.`, provider: { slug } })
    case "Down":
    case "Malformed":
      return new BadGateway({ message: `${name} cannot be reached there.`, provider: { slug } })
    default:
      return wrong("connectionString", detail ?? `${name} does not accept it.`)
  }
}
