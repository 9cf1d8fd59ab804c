import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Indexes for erasing an end user. They may be there already. While one is built, nothing is written to its table: the
 * largest comes last, and no other table waits for it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create index if not exists idempotency_entries_by_end_user
    on idempotency_entries (organisation_id, environment, end_user) where end_user is not null`
  yield* sql`
    create index if not exists chat_sessions_by_end_user on chat_sessions (organisation_id, environment, end_user)`
  yield* sql`
    create index if not exists tool_calls_by_end_user on tool_calls (organisation_id, environment, end_user)
    where end_user is not null`
})
