import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The leash of a workspace, and calls that need somebody's consent. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    alter table workspaces
      add column if not exists read_only boolean not null default false,
      add column if not exists tools_allow text[] not null default '{*}',
      add column if not exists tools_deny text[] not null default '{}',
      add column if not exists instructions text,
      add column if not exists model text,
      drop constraint if exists workspaces_confirm_check`
  yield* sql`
    alter table workspaces
      add constraint workspaces_confirm_check check (confirm in ('never', 'destructive', 'writes'))`

  // arguments: encrypted; digest: of all that makes two calls the same
  yield* sql`
    create table if not exists approvals (
      id uuid primary key,
      sequence bigint generated always as identity,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      workspace_id uuid not null references workspaces on delete cascade,
      end_user text not null,
      connection_id uuid,
      provider text,
      tool text not null,
      title text not null,
      arguments text not null,
      digest bytea not null,
      status text not null check (status in ('pending', 'approved', 'refused', 'used')),
      decided_by text check (decided_by in ('end_user', 'organisation')),
      created_at timestamptz not null,
      decided_at timestamptz,
      expires_at timestamptz not null
    )`
  yield* sql`
    create index if not exists approvals_in_order on approvals (organisation_id, environment, sequence desc)`
  yield* sql`create index if not exists approvals_by_call on approvals (organisation_id, environment, digest)`
  yield* sql`
    create index if not exists approvals_by_end_user on approvals (organisation_id, environment, end_user, status)`
  yield* sql`create index if not exists approvals_by_age on approvals (created_at)`
})
