import { Effect } from "effect"
import { finishing } from "../platform/Finishing.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { Connections } from "./Connections.ts"
import { Integrations } from "./Integrations.ts"
import * as OAuth from "./OAuth.ts"

/**
 * Removes a connection and takes the consent back at the provider, if it can be reached: the connection is gone in any
 * case. Consent that another connection of the end user may live on is left. What has begun is finished, also when the
 * caller goes away.
 */
export const removeConnection = (tenant: Tenant, id: string) =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const connection = yield* connections.get(tenant, id)
    const { credentials } = yield* connections.remove(tenant, id)
    const authorization = (yield* Integrations).get(connection.provider)?.authorization
    if (credentials === undefined || authorization?.kind !== "oauth2") return connection
    const { endUser, provider } = connection
    const others = yield* connections.list(tenant, { provider, endUsers: [endUser] })
    if (authorization.revokesAll === true && others.length > 0) return connection
    const subject = { ...connection, authorization, values: credentials.values }
    yield* OAuth.revoke(subject, credentials.refreshToken ?? credentials.secret).pipe(
      Effect.timeout("5 seconds"),
      Effect.catchAll((error) =>
        Effect.logWarning("The consent of a removed connection was not taken back", error.message)
      )
    )
    return connection
  }).pipe(finishing)
