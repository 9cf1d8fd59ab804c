import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What the check of an override found out or was given: whether its native field is only read, and its table of values. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table field_mapping_overrides
      add column access text not null default 'both' check (access in ('read', 'both')),
      add column value_table text`
})
