import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Counts the changes of an organisation's mapping overrides: as long as it stands, they need not be read again. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table organisations add column mapping_revision bigint not null default 0`
})
