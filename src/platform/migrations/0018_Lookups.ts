import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Lookups of mappings for a connection, so that all instances share one load. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // value: sealed; null until it is loaded. loading_until: the time by which the loading instance has to finish
  yield* sql`
    create table if not exists lookups (
      connection_id uuid not null references connections on delete cascade,
      name text not null,
      value text,
      good_until timestamptz,
      loading_until timestamptz,
      primary key (connection_id, name)
    )`
})
