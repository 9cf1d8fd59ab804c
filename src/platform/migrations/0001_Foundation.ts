import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Tenancy, connections, identities, idempotency, overrides and the sandbox's stores. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table organisations (
      id uuid primary key,
      name text not null unique,
      allowed_origins text[] not null default '{}',
      created_at timestamptz not null default now()
    )`

  yield* sql`
    create table api_keys (
      id uuid primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      prefix text not null,
      hash bytea not null unique,
      created_at timestamptz not null default now(),
      revoked_at timestamptz
    )`
  yield* sql`create index api_keys_by_organisation on api_keys (organisation_id)`

  yield* sql`
    create table end_users (
      id uuid primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      external_id text not null,
      display_name text,
      email text,
      created_at timestamptz not null default now(),
      unique (organisation_id, environment, external_id)
    )`

  // version counts the credentials' replacements; the lease is who may refresh them, and until when
  yield* sql`
    create table connections (
      id uuid primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      end_user_id uuid not null references end_users on delete cascade,
      provider text not null,
      account_name text,
      status text not null default 'active' check (status in ('active', 'needs_reauth', 'revoked')),
      status_reason text,
      credentials text not null,
      version integer not null default 1,
      lease_id uuid,
      lease_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`
  yield* sql`create index connections_by_end_user on connections (end_user_id, provider)`
  yield* sql`create index connections_by_organisation on connections (organisation_id, environment, created_at)`

  yield* sql`
    create table identities (
      connection_id uuid not null references connections on delete cascade,
      id uuid not null,
      category text not null,
      resource text not null,
      native_type text not null,
      remote_id text not null,
      first_seen_at timestamptz not null default now(),
      primary key (connection_id, id)
    )`
  yield* sql`create index identities_by_remote_id on identities (connection_id, category, resource, remote_id)`

  yield* sql`
    create table idempotency_entries (
      scope bytea primary key,
      organisation_id uuid not null references organisations on delete cascade,
      fingerprint bytea not null,
      status integer,
      answer text,
      lease_id uuid not null,
      lease_until timestamptz not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`
  yield* sql`create index idempotency_entries_by_expiry on idempotency_entries (expires_at)`

  yield* sql`
    create table field_mapping_overrides (
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      provider text not null,
      resource text not null,
      native_type text not null,
      field text not null,
      native_field text not null,
      transform text not null,
      updated_at timestamptz not null default now(),
      primary key (organisation_id, environment, provider, resource, native_type, field)
    )`

  // The sandbox: what the simulators hold for each simulated account. version changes with every write.
  yield* sql`
    create table simulated_accounts (
      provider text not null,
      account text not null,
      version bigint not null default 0,
      last_id bigint not null default 0,
      primary key (provider, account)
    )`
  yield* sql`
    create table simulated_records (
      provider text not null,
      account text not null,
      type text not null,
      id text not null,
      body jsonb not null,
      primary key (provider, account, type, id),
      foreign key (provider, account) references simulated_accounts on delete cascade
    )`
})
