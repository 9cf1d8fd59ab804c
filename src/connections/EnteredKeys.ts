import { Context, Effect, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { BadRequest, type Conflict, type NotFound, type Unauthorized, type Unprocessable } from "../platform/Errors.ts"
import type { Authorization, Field, OAuth2, ValueForm } from "../providers/base/Authorization.ts"
import type { Transport } from "../providers/Transport.ts"
import type { Connection } from "./Connection.ts"
import { Connections } from "./Connections.ts"
import { type ConnectSession, ConnectSessions } from "./ConnectSessions.ts"
import { readFields } from "./EnteredValues.ts"
import type { Integration } from "./Integrations.ts"
import { Sandbox, sandboxKey } from "./Sandbox.ts"
import type { StoredCredentials } from "./StoredCredentials.ts"
import { openedBy, type Unverified } from "./CredentialCheck.ts"
import type { CredentialCheckLimits } from "./CredentialCheckLimits.ts"

/** A way to connect by what the end user enters. */
export type Keyed = Exclude<Authorization, OAuth2>

const secretFields = {
  key: { name: "apiKey", label: "API key" },
  certificate: { name: "privateKey", label: "Private key", placeholder: "-----BEGIN PRIVATE KEY-----" },
  connectionString: { name: "connectionString", label: "Connection string" }
} as const satisfies { readonly [kind in Keyed["kind"]]: Field }

/** The field that the secret itself is entered in; nobody but its owner sees it again. */
export const secretField = ({ kind }: Keyed) => secretFields[kind]

/** It goes into a header. */
const keyForm: ValueForm = {
  pattern: /^[!-~]+$/,
  expected: "must be letters, digits and signs without spaces or line breaks"
}

const formsOf = (authorization: Keyed) =>
  authorization.kind === "key"
    ? { values: { ...authorization.values, [secretFields.key.name]: keyForm } }
    : authorization

const credentialsOf = (authorization: Keyed, entered: { readonly [name: string]: string }): StoredCredentials => {
  const { name } = secretField(authorization)
  const { [name]: text = "", ...values } = entered
  const secret = Redacted.make(text)
  const none = { refreshToken: undefined, expiresAt: undefined, values }
  // the private key signs for an access token before anything is kept
  return name === "privateKey"
    ? { ...none, kind: name, secret: Redacted.make(""), privateKey: secret }
    : { ...none, kind: name, secret }
}

/** Connects with keys, certificates and connection strings that an end user enters. */
export class EnteredKeys extends Context.Tag("tributary/connections/EnteredKeys")<
  EnteredKeys,
  {
    /** Tries what was entered, and keeps it when it works. `connectionId` names a connection of theirs to renew. */
    readonly connect: (
      session: ConnectSession,
      integration: Integration,
      given: { readonly fields: { readonly [name: string]: string }; readonly connectionId: string | undefined }
    ) => Effect.Effect<Connection, BadRequest | Unprocessable | NotFound | Unauthorized | Conflict | Unverified>
  }
>() {
  static readonly layer = Layer.effect(
    EnteredKeys,
    Effect.gen(function* () {
      const connections = yield* Connections
      const sessions = yield* ConnectSessions
      const context = yield* Effect.context<Transport | CredentialCheckLimits>()

      return EnteredKeys.of({
        connect: Effect.fn("EnteredKeys.connect")(function* (session, integration, { connectionId, fields }) {
          const { authorization, name, slug } = integration
          if (authorization.kind === "oauth2") {
            return yield* new BadRequest({ code: "INVALID_PARAMETER", message: `${name} is connected by consent.` })
          }
          const renewed = yield* connections.owned(session, session.endUser, slug, connectionId)
          const id = renewed?.id ?? randomUUID()
          const secret = secretField(authorization)
          const asked = [secret, ...(authorization.fields ?? [])]

          const sandbox = yield* Effect.serviceOption(Sandbox)
          const isSimulated = session.environment === "sandbox" && fields[secret.name]?.trim() === sandboxKey
          const credentials =
            isSimulated && Option.isSome(sandbox)
              ? yield* Effect.zipRight(
                  readFields(
                    authorization.kind === "certificate" ? {} : authorization,
                    asked.map((field) => ({ ...field, optional: true })),
                    fields
                  ),
                  sandbox.value.open(slug, id, session.endUser)
                )
              : credentialsOf(authorization, yield* readFields(formsOf(authorization), asked, fields))
          const opened = yield* Effect.provide(
            openedBy({ ...integration, authorization }, session, credentials, "fields"),
            context
          )
          const { endUser, environment, organisation } = session
          const target = { organisation, environment, endUser, integration: slug, connectionId: id }
          return yield* sessions.use(
            session.id,
            connections.connect(
              { ...target, isReconnect: renewed !== undefined },
              { ...opened, accountName: opened.accountName ?? name }
            )
          )
        })
      })
    })
  )
}
