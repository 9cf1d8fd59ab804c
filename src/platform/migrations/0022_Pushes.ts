import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Subscriptions of connections to the pushes of their providers. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // remote_id: null as long as the provider is not known to have it. secret: sealed. due_at: when to make it, to have it last
  // longer or, where it is not wanted any more, to end it
  yield* sql`
    create table if not exists push_subscriptions (
      id uuid primary key,
      connection_id uuid not null references connections on delete cascade,
      type text not null,
      is_wanted boolean not null default true,
      remote_id text,
      secret text not null,
      expires_at timestamptz,
      due_at timestamptz not null,
      failures integer not null default 0,
      created_at timestamptz not null default now(),
      unique (connection_id, type)
    )`
  yield* sql`create index if not exists push_subscriptions_by_due on push_subscriptions (due_at)`
  // of a pushed account, whoever has connected it
  yield* sql`
    create index if not exists connections_by_account on connections (provider, account_id) where account_id is not null`
})
