import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** By what calls of tools and contexts of chat sessions are forgotten. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // rows come in the order of their times, so a block range tells old ones for next to nothing
  yield* sql`create index tool_calls_by_age on tool_calls using brin (created_at)`

  // set or last read
  yield* sql`alter table session_contexts add column used_at timestamptz not null default now()`
  yield* sql`create index session_contexts_by_use on session_contexts (used_at)`
})
