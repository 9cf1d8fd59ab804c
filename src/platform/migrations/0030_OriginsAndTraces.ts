import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Origins that an organisation allows itself, in one environment, and the traces that events were told in. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // those of the operator, for both environments, stand with the organisation
  yield* sql`
    create table if not exists allowed_origins (
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      origins text[] not null,
      updated_at timestamptz not null default now(),
      primary key (organisation_id, environment)
    )`

  // as W3C trace context; null: nobody traced it, or a version before told it
  yield* sql`alter table events add column if not exists trace_parent text`
})
