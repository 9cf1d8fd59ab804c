import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Where organisations' own applications say who an end user is. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table if not exists sign_in_addresses (
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      url text not null,
      updated_at timestamptz not null default now(),
      primary key (organisation_id, environment)
    )`
})
