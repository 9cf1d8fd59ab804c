import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Index for erasing an end user, which may be there already. While it is built, nothing is written to its table: each such index is a migration of its own. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create index if not exists idempotency_entries_by_end_user
    on idempotency_entries (organisation_id, environment, end_user) where end_user is not null`
})
