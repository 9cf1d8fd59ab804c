import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Index for erasing an end user, which may be there already. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create index if not exists tool_calls_by_end_user on tool_calls (organisation_id, environment, end_user)
    where end_user is not null`
})
