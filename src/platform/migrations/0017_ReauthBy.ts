import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** When connections end that are not renewed by their end users. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The days before its end of which the operator was told last. A version that does not know the columns leaves them.
  yield* sql`alter table connections add column reauth_by timestamptz, add column reauth_warned smallint`
})
