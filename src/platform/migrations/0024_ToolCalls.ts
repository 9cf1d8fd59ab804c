import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What the audit tells of a call besides: its trace, client and approval, and, where a workspace has them kept, its arguments and answer. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table workspaces add column if not exists keep_content_days integer not null default 0`

  // content: arguments and answer, encrypted
  yield* sql`
    alter table tool_calls add column if not exists trace_id text, add column if not exists client text,
      add column if not exists approval_id uuid, add column if not exists content text`
  // pending: its user has to approve it first; what is there is of the two kinds before
  yield* sql`alter table tool_calls drop constraint if exists tool_calls_decision_check`
  yield* sql`
    alter table tool_calls add constraint tool_calls_decision_check
      check (decision in ('allowed', 'denied', 'pending')) not valid`
  yield* sql`
    create index if not exists tool_calls_with_content on tool_calls (workspace_id, created_at)
    where content is not null`
})
