import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { holdings, ownRows } from "../tenancy/PersonalData.ts"

/** Lines of the request log that name an end user. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return [
      yield* ownRows({
        slug: "requests",
        table: "request_log",
        where: ({ endUserId, environment, organisation }) => sql`
          t.organisation_id = ${organisation} and t.environment = ${environment} and t.end_user = ${endUserId}`,
        columns: `t.at, t.method, t.route, t.status, t.providers, t.duration_ms, t.trace_id, t.request_id, t.error_code,
          t.resource, t.record_id, t.idempotency_key`,
        oldestBy: "t.at, t.id",
        row: Schema.Struct({
          at: Schema.DateFromSelf,
          method: Schema.String,
          route: Schema.String,
          status: Schema.Int,
          providers: Schema.Array(Schema.String),
          duration_ms: Schema.Int,
          trace_id: Schema.NullOr(Schema.String),
          request_id: Schema.String,
          error_code: Schema.NullOr(Schema.String),
          resource: Schema.NullOr(Schema.String),
          record_id: Schema.NullOr(Schema.String),
          idempotency_key: Schema.NullOr(Schema.String)
        }),
        shown: ({ duration_ms, error_code, idempotency_key, record_id, request_id, trace_id, ...request }) => ({
          ...request,
          code: error_code,
          recordId: record_id,
          idempotencyKey: idempotency_key,
          milliseconds: duration_ms,
          traceId: trace_id,
          requestId: request_id
        })
      })
    ]
  })
)
