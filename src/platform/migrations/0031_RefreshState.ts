import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Adds the column that counts refused and unanswered token refreshes of a connection. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The state names its credentials version, so instances that do not know the column cannot leave a stale one.
  yield* sql`alter table connections add column if not exists refresh_state jsonb`
})
