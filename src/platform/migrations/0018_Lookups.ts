import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What mappings look up of a connection, so that instances load it once between them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // value: sealed; null while nobody has loaded it yet. loading_until: by when the instance that loads it has to be done
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
