import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Further facts of a call in the audit: its trace, client and approval, and, where a workspace has them kept, its arguments
 * and answer. Of chat sessions, when they began and the tokens that they took. Of connect sessions, whether they are good once.
 */
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

  yield* sql`
    alter table chat_sessions add column if not exists created_at timestamptz,
      add column if not exists input_tokens bigint not null default 0,
      add column if not exists cached_input_tokens bigint not null default 0,
      add column if not exists output_tokens bigint not null default 0`
  // of sessions from before only their last turn is known
  yield* sql`update chat_sessions set created_at = updated_at where created_at is null`
  yield* sql`
    alter table chat_sessions alter column created_at set default now(), alter column created_at set not null`
  yield* sql`
    create index if not exists chat_sessions_by_creation on chat_sessions (organisation_id, environment, created_at)`

  // used_at: when an account was connected last
  yield* sql`
    alter table connect_sessions add column if not exists once boolean not null default false,
      add column if not exists used_at timestamptz`
})
