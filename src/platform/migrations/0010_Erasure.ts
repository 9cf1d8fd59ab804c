import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Notes the end user of each stored row, for erasure, and the end users who were just erased. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // end_user: the organisation's own name for them; null: of nobody, or noted by version 0.1.0
  yield* sql`alter table request_log add column end_user text`
  yield* sql`alter table idempotency_entries add column environment text, add column end_user text`
  // of the chat session whose first turn was theirs, once that is forgotten
  yield* sql`alter table session_contexts add column end_user text`

  // for a day: what requests from before the erasure still want to store is not. digest: SHA-256 of the end user's name
  yield* sql`
    create table erasures (
      organisation_id uuid not null references organisations on delete cascade,
      environment text not null check (environment in ('sandbox', 'production')),
      digest bytea not null,
      erased_at timestamptz not null,
      primary key (organisation_id, environment, digest)
    )`
})
