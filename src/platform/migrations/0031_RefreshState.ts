import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The refusals and unanswered calls of a connection's token refreshes. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // It names the version of the credentials that it is about, so what a version without the column leaves means nothing.
  yield* sql`alter table connections add column if not exists refresh_state jsonb`
})
