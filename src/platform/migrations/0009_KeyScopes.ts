import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Names, scopes, expiry and last use of API keys, what happened to them, and what connect sessions were made with. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // scopes: null for all, also those added later; created_by: the key that made it; the last two keep writes rare
  yield* sql`
    alter table api_keys
      add column name text,
      add column scopes text[],
      add column expires_at timestamptz,
      add column created_by uuid references api_keys on delete set null,
      add column last_used_at timestamptz,
      add column expired_use_at timestamptz`
  yield* sql`create index api_keys_by_creator on api_keys (created_by)`

  // null: made before there were scopes
  yield* sql`alter table connect_sessions add column api_key_id uuid references api_keys on delete cascade`
  yield* sql`create index connect_sessions_by_key on connect_sessions (api_key_id)`
  yield* sql`
    create index connect_sessions_by_organisation on connect_sessions (organisation_id, environment, expires_at)`

  // actor_id: the key that did it, null for the operator; revoked_with: the revoked key that had made this one
  yield* sql`
    create table key_events (
      id bigint generated always as identity primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      api_key_id uuid not null references api_keys on delete cascade,
      event text not null check (event in ('created', 'revoked', 'used_after_expiry')),
      actor_id uuid,
      revoked_with uuid,
      at timestamptz not null default now()
    )`
  yield* sql`create index key_events_by_time on key_events (organisation_id, environment, id desc)`
  yield* sql`create index key_events_by_age on key_events using brin (at)`
})
