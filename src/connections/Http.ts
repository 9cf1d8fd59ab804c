import { HttpApiBuilder } from "@effect/platform"
import { Effect, Redacted, Schema } from "effect"
import { ManagementApi } from "../Api.ts"
import * as Address from "../platform/Address.ts"
import { cursorsOf } from "../platform/Cursors.ts"
import type { Encryption } from "../platform/Encryption.ts"
import { created, defaultLimit, ok } from "../platform/Envelope.ts"
import { Unprocessable } from "../platform/Errors.ts"
import { jsonBody } from "../platform/Requests.ts"
import { has, operations } from "../providers/ProviderAdapter.ts"
import { Providers } from "../providers/Providers.ts"
import type { Transport } from "../providers/Transport.ts"
import { CurrentCaller, type Tenant } from "../tenancy/CurrentCaller.ts"
import type { EndUsers } from "../tenancy/EndUsers.ts"
import {
  type ConnectionDetails,
  type ConnectionRecord,
  type ListQuery,
  NewConnectionBody,
  NewSessionBody
} from "./Api.ts"
import type { Connection } from "./Connection.ts"
import type { BeforeRemoval } from "./BeforeRemoval.ts"
import { Connections } from "./Connections.ts"
import { connectUrlOf, ConnectSessions, type NewToken } from "./ConnectSessions.ts"
import { Features } from "./Features.ts"
import { importCredentials } from "./ImportCredentials.ts"
import type { CredentialCheckLimits } from "./CredentialCheckLimits.ts"
import type { Integrations } from "./Integrations.ts"
import { removeConnection } from "./RemoveConnection.ts"
import { decode } from "./StoredCredentials.ts"

const readSession = jsonBody(NewSessionBody)
const readConnection = jsonBody(NewConnectionBody)

const recordOf = (connection: Connection): typeof ConnectionRecord.Type => ({
  id: connection.id,
  endUserId: connection.endUserId,
  provider: connection.provider,
  environment: connection.environment,
  status: connection.status,
  statusReason: connection.statusReason,
  accountName: connection.accountName,
  reauthBy: connection.reauthBy,
  createdAt: connection.createdAt
})

const needsCredentials = ({ environment }: Tenant) =>
  new Unprocessable({
    errors: {
      credentials: `must be given${environment === "sandbox" ? ", or sandbox in its place: {} makes a simulated account" : ""}`
    }
  })

const eitherOr = new Unprocessable({ errors: { sandbox: "must be left out where there are credentials" } })

/** A page continues after a connection, whether that still exists or not. */
const cursors = cursorsOf(Schema.Struct({ after: Schema.UUID }))

/** The tenant and filters that a cursor is bound to. */
const scopeOf = (
  { environment, organisation }: Tenant,
  { endUserId, provider, status }: Omit<typeof ListQuery.Type, "cursor" | "limit">
) => JSON.stringify(["connections", organisation, environment, endUserId ?? null, provider ?? null, status ?? null])

const sessionMade = (made: NewToken) =>
  Effect.map(Effect.orDie(Address.publicUrl), (url) =>
    created("connect session created", {
      token: Redacted.value(made.token),
      expiresAt: made.expiresAt,
      connectUrl: connectUrlOf(made, url)
    })
  )

export const ConnectLive = HttpApiBuilder.group(ManagementApi, "connect", (handlers) =>
  Effect.map(ConnectSessions, (sessions) =>
    handlers.handleRaw("token", ({ request }) =>
      Effect.gen(function* () {
        const { body } = yield* readSession(request)
        return yield* sessionMade(yield* sessions.create(yield* CurrentCaller, body))
      })
    )
  )
)

export const ConnectionsLive = HttpApiBuilder.group(ManagementApi, "connections", (handlers) =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const sessions = yield* ConnectSessions
    const providers = yield* Providers
    const features = yield* Features
    const { seal, unseal } = yield* cursors
    const context = yield* Effect.context<
      Transport | BeforeRemoval | Connections | Integrations | EndUsers | Encryption | CredentialCheckLimits
    >()

    const detailsOf = Effect.fnUntraced(function* (connection: Connection) {
      const adapter = providers.get(connection.provider)
      const isHeld = adapter === undefined ? () => undefined : yield* features.of(connection, adapter)
      return {
        ...recordOf(connection),
        accountId: connection.accountId,
        scopes: connection.scopes,
        resources: Object.entries(adapter?.resources ?? {}).map(([resource, resourceAdapter]) => ({
          resource,
          requires: (resourceAdapter.requires ?? []).map((one) => ({ ...one, held: isHeld(one) ?? null })),
          operations: operations.filter((operation) => has(resourceAdapter, operation))
        }))
      } satisfies typeof ConnectionDetails.Type
    })

    return handlers
      .handle("list", ({ urlParams }) =>
        Effect.gen(function* () {
          const { cursor, limit = defaultLimit, ...filters } = urlParams
          const caller = yield* CurrentCaller
          const scope = scopeOf(caller, filters)
          const { after } = cursor === undefined ? { after: undefined } : yield* unseal(cursor, scope)
          // one more than is shown, to tell whether there are more
          const found = yield* connections.list(caller, { ...filters, after, part: { take: limit + 1 } })
          const shown = found.slice(0, limit)
          const last = found.length > limit ? shown.at(-1) : undefined
          return ok("connections", {
            data: shown.map(recordOf),
            pagination: {
              cursor: last === undefined ? null : yield* seal({ after: last.id }, scope),
              hasMore: last !== undefined,
              limit
            }
          })
        }).pipe(Effect.provide(context))
      )
      .handleRaw("create", ({ request }) =>
        Effect.gen(function* () {
          const { body } = yield* readConnection(request)
          const caller = yield* CurrentCaller
          const { credentials, sandbox, ...named } = body
          if (credentials === undefined && sandbox === undefined) return yield* needsCredentials(caller)
          if (credentials !== undefined && sandbox !== undefined) return yield* eitherOr
          const given = {
            ...named,
            lacks: sandbox?.lacks,
            credentials: credentials === undefined ? undefined : decode(credentials)
          }
          const made = yield* importCredentials(caller, given, false)
          return created("connection created", recordOf(made))
        }).pipe(Effect.provide(context))
      )
      .handle("get", ({ path }) =>
        Effect.gen(function* () {
          return ok("connection", yield* detailsOf(yield* connections.get(yield* CurrentCaller, path.id)))
        })
      )
      .handle("remove", ({ path }) =>
        Effect.gen(function* () {
          yield* removeConnection(yield* CurrentCaller, path.id)
          return ok("connection removed", { id: path.id })
        }).pipe(Effect.provide(context))
      )
      .handle("reconnect", ({ path }) =>
        Effect.gen(function* () {
          return yield* sessionMade(yield* sessions.reconnect(yield* CurrentCaller, path.id))
        })
      )
  })
)
