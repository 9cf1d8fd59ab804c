import { SqlClient } from "@effect/sql"
import { Effect, Redacted, Schema } from "effect"
import { Encryption } from "../platform/Encryption.ts"
import { holdings, ownRows } from "../tenancy/PersonalData.ts"
import { associatedDataOf } from "./ToolCalls.ts"

const parse = Schema.decode(Schema.parseJson(Schema.Unknown))

/** Holds the calls of tools that were made for end users. */
export const layer = holdings(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encryption = yield* Encryption

    return [
      yield* ownRows({
        slug: "toolCalls",
        table: "tool_calls",
        where: ({ endUserId, environment, organisation }) => sql`
          t.organisation_id = ${organisation} and t.environment = ${environment} and t.end_user = ${endUserId}`,
        columns: `t.id, t.workspace_id, t.connection_id, t.via, t.client, t.toolkit, t.tool, t.decision, t.outcome,
          t.approval_id, t.duration_ms, t.trace_id, t.request_id, t.content, t.created_at`,
        oldestBy: "t.created_at",
        row: Schema.Struct({
          id: Schema.UUID,
          workspace_id: Schema.UUID,
          connection_id: Schema.NullOr(Schema.UUID),
          via: Schema.String,
          client: Schema.NullOr(Schema.String),
          toolkit: Schema.NullOr(Schema.String),
          tool: Schema.String,
          decision: Schema.String,
          outcome: Schema.String,
          approval_id: Schema.NullOr(Schema.UUID),
          duration_ms: Schema.Int,
          trace_id: Schema.NullOr(Schema.String),
          request_id: Schema.String,
          content: Schema.NullOr(Schema.String),
          created_at: Schema.DateFromSelf
        }),
        shown: ({
          approval_id,
          connection_id,
          content,
          created_at,
          duration_ms,
          request_id,
          trace_id,
          workspace_id,
          ...call
        }) =>
          Effect.gen(function* () {
            return {
              ...call,
              workspaceId: workspace_id,
              connectionId: connection_id,
              approvalId: approval_id,
              milliseconds: duration_ms,
              traceId: trace_id,
              requestId: request_id,
              content:
                content === null
                  ? null
                  : yield* parse(Redacted.value(yield* encryption.decrypt(content, associatedDataOf(call.id)))),
              createdAt: created_at
            }
          }).pipe(Effect.orDie)
      })
    ]
  })
)
