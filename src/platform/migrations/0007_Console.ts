import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Sessions of the console, and the log of requests that it shows. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // notice: a message for the next page, encrypted, since it may hold a new key
  yield* sql`
    create table console_sessions (
      hash bytea primary key,
      api_key_id uuid not null references api_keys on delete cascade,
      notice text,
      created_at timestamptz not null default now(),
      seen_at timestamptz not null default now()
    )`
  yield* sql`create index console_sessions_by_age on console_sessions (seen_at)`

  yield* sql`
    create table request_log (
      id bigint generated always as identity primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      api_key_id uuid not null,
      at timestamptz not null,
      method text not null,
      route text not null,
      status integer not null,
      providers text[] not null,
      duration_ms integer not null,
      trace_id text,
      request_id text not null
    )`
  yield* sql`create index request_log_by_time on request_log (organisation_id, environment, at desc, id desc)`
  yield* sql`create index request_log_by_age on request_log (at)`
})
