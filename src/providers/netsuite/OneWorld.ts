import { Effect } from "effect"
import { makeCache } from "../../platform/Shared.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ProviderError } from "../ProviderError.ts"
import { suite } from "./Records.ts"

/** Whether an account has subsidiaries. */
export type OneWorld = (connection: ConnectionRef) => Effect.Effect<boolean, ProviderError>

/** What queries for something answer that an account, or the user's role, does not have. */
const without = new Set(["Invalid", "Missing", "NotPermitted"])

/**
 * Only OneWorld accounts have subsidiaries; queries of others know neither their table nor the columns that lead to them.
 * It seldom changes, so it is kept for an hour.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N256997.html
 */
export const makeOneWorld = (call: Caller): Effect.Effect<OneWorld> =>
  Effect.gen(function* () {
    const { page } = suite(call)
    const known = yield* makeCache<boolean, ProviderError>({ capacity: 10_000, ttl: () => 3600 })
    return (connection) =>
      known.get(
        connection.id,
        page(connection, "subsidiary", "SELECT id FROM subsidiary ORDER BY id", 1).pipe(
          Effect.as(true),
          Effect.catchIf(
            ({ reason }) => without.has(reason._tag),
            () => Effect.succeed(false)
          )
        )
      )
  })
