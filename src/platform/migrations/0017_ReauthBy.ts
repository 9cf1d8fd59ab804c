import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** When connections end that are not renewed by their end users; the columns may be there already. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The days before its end of which the operator was told last. A version that does not know the columns leaves them.
  yield* sql`
    alter table connections
      add column if not exists reauth_by timestamptz, add column if not exists reauth_warned smallint`
})
