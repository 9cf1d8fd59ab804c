import type { SqlClient, SqlError } from "@effect/sql"
import { Effect } from "effect"

/** Runs what adds to an organisation's own, in a transaction, one after the other. */
export const withOrganisationLock =
  (sql: SqlClient.SqlClient, organisation: string) =>
  <A, E, R>(add: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(
      Effect.zipRight(sql`select id from organisations where id = ${organisation} for no key update`, add)
    )
