import { Context, Effect, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { BadRequest, type Conflict, type NotFound, type Unprocessable } from "../platform/Errors.ts"
import type { ApiKey, ConnectionString, Field, ValueForm } from "../providers/axes/Authorization.ts"
import type { Transport } from "../providers/Transport.ts"
import type { Connection } from "./Connection.ts"
import { Connections } from "./Connections.ts"
import type { ConnectSession } from "./ConnectSessions.ts"
import { readFields } from "./EnteredValues.ts"
import type { Integration } from "./Integrations.ts"
import { Sandbox, sandboxKey } from "./Sandbox.ts"
import type { StoredCredentials } from "./StoredCredentials.ts"
import { accountBehind, type Untried } from "./Trial.ts"
import type { Trials } from "./Trials.ts"

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
    ) => Effect.Effect<Connection, BadRequest | Unprocessable | NotFound | Conflict | Untried>
  }
>() {
  static readonly layer = Layer.effect(
    EnteredKeys,
    Effect.gen(function* () {
      const connections = yield* Connections
      const context = yield* Effect.context<Transport | Trials>()

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
            ? yield* sandbox.value.open(slug, id, session.endUser)
            : {
                kind: isKey ? "apiKey" : "connectionString",
                secret: Redacted.make(text),
                refreshToken: undefined,
                expiresAt: undefined,
                values
              }
          const account = yield* Effect.provide(
            accountBehind({ ...integration, authorization }, session, credentials, "fields"),
            context
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
