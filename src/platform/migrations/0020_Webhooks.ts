import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Endpoints that events are delivered to, and what became of each delivery. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // secrets: sealed, the newest first; previous_until: how long the one before signs as well; delivered_at: to the minute
  yield* sql`
    create table if not exists webhooks (
      id uuid primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      url text not null,
      types text[] not null,
      include_record boolean not null,
      status text not null default 'active' check (status in ('active', 'disabled')),
      disabled_at timestamptz,
      disabled_reason text,
      secrets text not null,
      previous_until timestamptz,
      delivered_at timestamptz,
      created_at timestamptz not null default now(),
      sequence bigint generated always as identity
    )`
  yield* sql`create index if not exists webhooks_in_order on webhooks (organisation_id, environment, sequence)`

  // next_at: when it is attempted next; while an attempt is made, when its lease ends. attempts: of its present schedule.
  // answer: sealed, the beginning of what the endpoint last said
  yield* sql`
    create table if not exists webhook_deliveries (
      webhook_id uuid not null references webhooks on delete cascade,
      id bigint generated always as identity,
      event_id uuid not null references events on delete cascade,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
      attempts integer not null default 0,
      next_at timestamptz not null default now(),
      lease uuid,
      attempted_at timestamptz,
      response_status integer,
      answer text,
      error text,
      duration_ms integer,
      created_at timestamptz not null default now(),
      primary key (webhook_id, id)
    )`
  yield* sql`create index if not exists webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where status = 'pending'`
  yield* sql`create index if not exists webhook_deliveries_by_event on webhook_deliveries (event_id)`
})
