import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Programs that may use a workspace as an end user, their tokens, and authorizations under way. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // client_id: null where the organisation made the token itself; tools: null for all; api_key_id: the key that said who the
  // end user is, or made the token: with it the grant ends; consented_at: null while the end user still decides
  yield* sql`
    create table if not exists mcp_grants (
      id uuid primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      workspace_id uuid not null references workspaces on delete cascade,
      end_user_id uuid not null references end_users on delete cascade,
      origin text not null check (origin in ('host', 'organisation')),
      client_id text,
      client_name text,
      redirect_host text,
      scopes text[] not null,
      tools text[],
      api_key_id uuid references api_keys on delete cascade,
      created_at timestamptz not null default now(),
      consented_at timestamptz,
      last_used_at timestamptz,
      expires_at timestamptz not null,
      revoked_at timestamptz
    )`
  yield* sql`
    create index if not exists mcp_grants_by_age on mcp_grants (organisation_id, environment, created_at desc, id desc)`
  yield* sql`create index if not exists mcp_grants_by_end_user on mcp_grants (end_user_id)`
  yield* sql`create index if not exists mcp_grants_by_workspace on mcp_grants (workspace_id)`
  yield* sql`create index if not exists mcp_grants_by_key on mcp_grants (api_key_id)`
  yield* sql`create index if not exists mcp_grants_by_expiry on mcp_grants (expires_at)`

  // the protocol's own records: of ids only the hash, payloads encrypted
  yield* sql`
    create table if not exists oauth_records (
      kind text not null,
      hash bytea not null,
      grant_id uuid references mcp_grants on delete cascade,
      payload text not null,
      consumed_at timestamptz,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (kind, hash)
    )`
  yield* sql`create index if not exists oauth_records_by_grant on oauth_records (grant_id) where grant_id is not null`
  yield* sql`create index if not exists oauth_records_by_expiry on oauth_records (kind, expires_at)`

  // interaction: of which authorization; end_user_id and verifier_hash: as the organisation answered; grant_id: as it went on
  yield* sql`
    create table if not exists mcp_sign_ins (
      challenge_hash bytea primary key,
      interaction text not null,
      workspace_id uuid not null references workspaces on delete cascade,
      client_id text not null,
      client_name text not null,
      redirect_host text not null,
      scopes text[] not null,
      state text not null default 'waiting' check (state in ('waiting', 'accepted', 'rejected', 'used')),
      end_user_id uuid references end_users on delete cascade,
      reason text,
      verifier_hash bytea,
      api_key_id uuid references api_keys on delete cascade,
      grant_id uuid references mcp_grants on delete cascade,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`
  yield* sql`create index if not exists mcp_sign_ins_by_interaction on mcp_sign_ins (interaction)`
  yield* sql`create index if not exists mcp_sign_ins_by_expiry on mcp_sign_ins (expires_at)`
})
