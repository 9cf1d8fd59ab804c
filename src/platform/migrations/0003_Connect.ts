import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Connect sessions and the attempts made in them; what is known of a connection's account. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // null where it is not known: who the account is, and what was consented to
  yield* sql`alter table connections add column account_id text, add column scopes text[]`

  // null stands for all integrations, and for the organisation's own list of origins
  yield* sql`
    create table connect_sessions (
      id uuid primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      end_user_id uuid not null references end_users on delete cascade,
      hash bytea not null unique,
      integrations text[],
      redirect_url text,
      allowed_origins text[],
      reconnect_id uuid references connections on delete cascade,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`
  yield* sql`create index connect_sessions_by_expiry on connect_sessions (expires_at)`

  // secrets: what the redirect needs, then, while the end user chooses, the credentials; used_at: when the state was
  yield* sql`
    create table connect_attempts (
      id uuid primary key,
      session_id uuid not null references connect_sessions on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      integration text not null,
      connection_id uuid not null,
      is_reconnect boolean not null,
      state_hash bytea not null unique,
      status text not null default 'pending' check (status in ('pending', 'choose', 'connected', 'denied', 'failed')),
      message text,
      choices jsonb,
      secrets text not null,
      used_at timestamptz,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`
  yield* sql`create index connect_attempts_by_session on connect_attempts (session_id)`
})
