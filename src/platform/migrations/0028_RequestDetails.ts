import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Why a request failed, and what it was about. Null: noted by a version before. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // calls: the first of those to providers, each with provider, connection, operation, method, status, outcome, after, milliseconds
  yield* sql`
    alter table request_log
      add column if not exists error_code text,
      add column if not exists error_message text,
      add column if not exists connections uuid[],
      add column if not exists resource text,
      add column if not exists record_id text,
      add column if not exists idempotency_key text,
      add column if not exists calls jsonb,
      add column if not exists calls_made integer`

  // ids that one request has, by their hash: a third of the size
  yield* sql`create index if not exists request_log_by_request on request_log using hash (request_id)`
  yield* sql`
    create index if not exists request_log_by_end_user on request_log (organisation_id, environment, end_user)
    where end_user is not null`
  yield* sql`
    create index if not exists request_log_by_record on request_log using hash (record_id) where record_id is not null`
  yield* sql`
    create index if not exists request_log_by_code on request_log (organisation_id, environment, error_code)
    where error_code is not null`
  yield* sql`
    create index if not exists request_log_by_connection on request_log using gin (connections, providers)`
  yield* sql`
    create index if not exists request_log_by_resource on request_log (organisation_id, environment, resource)
    where resource is not null`
  // those that are looked for most, however few they are
  yield* sql`
    create index if not exists request_log_failures on request_log (organisation_id, environment, at desc, id desc)
    where status >= 400`
})
