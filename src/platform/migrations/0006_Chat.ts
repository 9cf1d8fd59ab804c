import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Chat sessions: whom they belong to, and what was said. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // end_user: the organisation's own name, empty where the first turn named none; history: encrypted
  yield* sql`
    create table chat_sessions (
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      session_id uuid not null,
      workspace_id uuid not null references workspaces on delete cascade,
      end_user text not null,
      history text,
      updated_at timestamptz not null default now(),
      primary key (organisation_id, environment, session_id)
    )`
  yield* sql`create index chat_sessions_by_age on chat_sessions (updated_at)`
})
