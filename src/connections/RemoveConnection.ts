import { Effect } from "effect"
import { finishing } from "../platform/Finishing.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { Connections } from "./Connections.ts"
import { takeBack } from "./Revocation.ts"

/**
 * Removes a connection and takes the consent back at the provider, if it can be reached: the connection is gone in any
 * case. Consent that another connection lives on is left. What has begun is finished, also when the caller goes away.
 */
export const removeConnection = (tenant: Tenant, id: string) =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const connection = yield* connections.get(tenant, id)
    const { credentials } = yield* connections.remove(tenant, id)
    if (credentials === undefined) return connection
    const { accountId } = connection
    yield* takeBack({ ...connection, credentials, accountIds: accountId === null ? [] : [accountId] })
    return connection
  }).pipe(finishing)
