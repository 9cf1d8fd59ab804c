import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Events of connections and records, for those who follow. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // transaction: the one that told it; a reader goes no further than those that have all ended, so that it passes none by
  yield* sql`
    create table if not exists events (
      id uuid primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null,
      end_user text,
      type text not null,
      data jsonb not null,
      at timestamptz not null,
      transaction xid8 not null default pg_current_xact_id(),
      sequence bigint generated always as identity
    )`
  yield* sql`
    create index if not exists events_in_order on events (organisation_id, environment, transaction, sequence)`
  yield* sql`
    create index if not exists events_by_end_user on events (organisation_id, environment, end_user)
    where end_user is not null`
  yield* sql`create index if not exists events_by_age on events (at)`
})
