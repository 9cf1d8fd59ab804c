import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Workspaces, contexts of chat sessions, the audit of tool calls, and approvals that were used. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // sequence orders what was made within one tick of the clock
  yield* sql`
    create table workspaces (
      id uuid primary key,
      sequence bigint generated always as identity,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      name text not null,
      toolkit_filter text[] not null,
      confirm text not null check (confirm in ('destructive', 'never')),
      status text not null default 'active' check (status in ('active', 'archived')),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`
  yield* sql`
    create index workspaces_by_age on workspaces (organisation_id, environment, created_at desc, sequence desc)
    where status = 'active'`

  yield* sql`
    create table session_contexts (
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      session_id uuid not null,
      context text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (organisation_id, environment, session_id)
    )`

  // who called what, and how it ended; nothing of what was sent or answered
  yield* sql`
    create table tool_calls (
      id uuid primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      workspace_id uuid not null references workspaces on delete cascade,
      api_key_id uuid not null,
      end_user text,
      connection_id uuid,
      via text not null check (via in ('mcp', 'chat')),
      toolkit text,
      tool text not null,
      arguments_digest bytea not null,
      decision text not null check (decision in ('allowed', 'denied')),
      outcome text not null,
      duration_ms integer not null,
      request_id text not null,
      created_at timestamptz not null default now()
    )`
  yield* sql`create index tool_calls_by_time on tool_calls (organisation_id, environment, created_at)`

  yield* sql`
    create table used_approvals (
      id uuid primary key,
      expires_at timestamptz not null
    )`
  yield* sql`create index used_approvals_by_expiry on used_approvals (expires_at)`
})
