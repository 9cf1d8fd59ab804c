import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Results of checking an override: whether its native field is read-only, and its table of values. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table field_mapping_overrides
      add column access text not null default 'both' check (access in ('read', 'both')),
      add column value_table text`
})
