import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Events of connections and records, for those who follow. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // place: in the feed; given to all that are there by whoever reads it, so that what commits later comes behind them
  yield* sql`
    create table if not exists events (
      id uuid primary key,
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null,
      end_user text,
      type text not null,
      data jsonb not null,
      at timestamptz not null,
      sequence bigint generated always as identity,
      place bigint
    )`
  yield* sql`
    create index if not exists events_in_order on events (organisation_id, environment, place, sequence)`
  yield* sql`
    create index if not exists events_without_place on events (organisation_id, environment, sequence)
    where place is null`
  yield* sql`
    create index if not exists events_by_sequence on events (organisation_id, environment, sequence)`
  yield* sql`
    create index if not exists events_by_end_user on events (organisation_id, environment, end_user)
    where end_user is not null`
  yield* sql`create index if not exists events_by_age on events (at)`
})
