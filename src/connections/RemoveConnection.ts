import { Effect, Option } from "effect"
import { runToCompletion } from "../platform/RunToCompletion.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { BeforeRemoval } from "./BeforeRemoval.ts"
import { Connections, type Removed } from "./Connections.ts"
import { takeBack } from "./Revocation.ts"
import { Sandbox } from "./Sandbox.ts"

/**
 * Takes back at its provider what a removed connection lived on, and erases its simulated account; false when the provider
 * did not take the consent back.
 */
export const settle = (removed: Removed) =>
  Effect.gen(function* () {
    const { accountId, credentials } = removed
    // what is damaged cannot be taken back
    const isTakenBack =
      credentials !== undefined &&
      (yield* takeBack({ ...removed, credentials, accountIds: accountId === null ? [] : [accountId] }))
    const sandbox = yield* Effect.serviceOption(Sandbox)
    if (removed.environment === "sandbox" && Option.isSome(sandbox)) yield* sandbox.value.close(removed)
    return isTakenBack
  })

/**
 * Removes a connection and takes the consent back at the provider, if it can be reached: the connection is gone in any
 * case. Consent that another connection lives on is left. What has begun is finished, also when the caller goes away.
 */
export const removeConnection = (tenant: Tenant, id: string) =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const connection = yield* connections.get(tenant, id)
    yield* (yield* BeforeRemoval)([connection])
    yield* settle(yield* connections.remove(tenant, id))
    return connection
  }).pipe(runToCompletion)
