import type { SqlClient, SqlError } from "@effect/sql"
import { Config, type ConfigError, Effect } from "effect"
import { Conflict } from "../platform/Errors.ts"

/** How much of something may be there at a time. */
export interface Quota {
  /** 0 for no limit. */
  readonly limit: number
  /** What exceeding it answers: 409 `QUOTA_EXCEEDED`. */
  readonly exceeded: Conflict
}

const quota = (
  setting: string,
  fallback: number,
  most: (limit: number) => string,
  remedy: string
): Effect.Effect<Quota, ConfigError.ConfigError> =>
  Config.integer(setting).pipe(
    Config.validate({
      message: `Expected ${setting} to be 0 (no limit) or more`,
      validation: (limit) => limit >= 0
    }),
    Config.withDefault(fallback),
    Effect.map((limit) => ({
      limit,
      exceeded: new Conflict({
        code: "QUOTA_EXCEEDED",
        message: `${most(limit)} at a time (${setting}). ${remedy}, or ask the operator to raise ${setting}.`
      })
    }))
  )

/** Active API keys of an organisation's environment. */
export const apiKeys = quota(
  "QUOTA_API_KEYS",
  100,
  (limit) => `An organisation has at most ${limit} active API keys in an environment`,
  "Revoke keys that are not used any more"
)

/** Connections of an end user. */
export const connections = quota(
  "QUOTA_CONNECTIONS",
  100,
  (limit) => `An end user has at most ${limit} connections`,
  "Remove connections that are not needed any more"
)

/** Connect sessions of an organisation's environment that have not expired. */
export const connectSessions = quota(
  "QUOTA_CONNECT_SESSIONS",
  10_000,
  (limit) => `An organisation has at most ${limit} open connect sessions in an environment`,
  "Wait until some expire, half an hour after they were made"
)

/** Console sessions of an organisation's environment. */
export const consoleSessions = quota(
  "QUOTA_CONSOLE_SESSIONS",
  1000,
  (limit) => `An organisation has at most ${limit} console sessions in an environment`,
  "Sign out elsewhere"
)

/** Active workspaces of an organisation's environment. */
export const workspaces = quota(
  "QUOTA_WORKSPACES",
  1000,
  (limit) => `An organisation has at most ${limit} workspaces in an environment`,
  "Archive workspaces that are not used any more"
)

/**
 * Fails when as many are held as may be; `held` counts no further than the limit. To let nothing pass the limit, run it in
 * the transaction of the insert, after a statement that locks what everybody who adds locks.
 */
export const refuseBeyond = (
  { exceeded, limit }: Quota,
  held: (limit: number) => Effect.Effect<ReadonlyArray<{ readonly held: number }>, SqlError.SqlError>
): Effect.Effect<void, Conflict | SqlError.SqlError> =>
  limit === 0
    ? Effect.void
    : Effect.flatMap(held(limit), ([row]) => (row !== undefined && row.held >= limit ? exceeded : Effect.void))

/** Runs what adds to an organisation's own, one after the other. */
export const inTurn =
  (sql: SqlClient.SqlClient, organisation: string) =>
  <A, E, R>(add: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(
      Effect.zipRight(sql`select id from organisations where id = ${organisation} for no key update`, add)
    )
