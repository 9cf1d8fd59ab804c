import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Watches of organisations, and how far each connection was followed. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // resources: name -> since when it is watched (ISO 8601); providers: null for all; hash_key: sealed
  yield* sql`
    create table if not exists watches (
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null,
      resources jsonb not null,
      providers text[],
      interval integer not null,
      hash_key text not null,
      primary key (organisation_id, environment)
    )`
  // due_at: the earliest of its resources'; null: nothing of it is watched. poked_for: asked for since it was leased
  yield* sql`
    create table if not exists watched_connections (
      connection_id uuid primary key references connections on delete cascade,
      organisation_id uuid not null,
      environment text not null,
      since timestamptz not null,
      due_at timestamptz,
      poked_for timestamptz,
      lease_id uuid,
      lease_until timestamptz,
      foreign key (organisation_id, environment) references watches on delete cascade
    )`
  yield* sql`
    create index if not exists watched_connections_due on watched_connections (organisation_id, environment, due_at)`
  // pokes: counts those who ask for an early poll; free_at: from when on one may have it
  yield* sql`
    create table if not exists watched_resources (
      connection_id uuid not null references watched_connections on delete cascade,
      resource text not null,
      due_at timestamptz not null,
      free_at timestamptz not null,
      pokes integer not null default 0,
      poked_ids text[] not null default '{}',
      polled_at timestamptz,
      error text,
      progress jsonb not null,
      primary key (connection_id, resource)
    )`
  // digest: null once the record was deleted; round: of the last walk that met it
  yield* sql`
    create table if not exists watched_records (
      connection_id uuid not null,
      resource text not null,
      id uuid not null,
      remote_id text not null,
      digest bytea,
      modified_at timestamptz,
      round integer not null,
      primary key (connection_id, resource, id),
      foreign key (connection_id, resource) references watched_resources on delete cascade
    ) with (fillfactor = 80)`
  // what was told of as deleted is forgotten in time
  yield* sql`
    create index if not exists watched_records_deleted on watched_records (modified_at) where digest is null`
})
