import { SqlClient } from "@effect/sql"
import { Context, Effect, FiberRef, Layer, Redacted } from "effect"
import { createHmac, randomUUID } from "node:crypto"
import { Encryption } from "../platform/Encryption.ts"
import * as Metrics from "../platform/Metrics.ts"
import { requestNotes } from "../platform/RequestNotes.ts"
import { upkeep } from "../platform/Upkeep.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"
import { notErasedSince } from "../tenancy/Erasures.ts"

/** One call of a tool, or an attempt at one. */
export interface ToolCall {
  readonly caller: Caller
  /** UUID of the workspace. */
  readonly workspace: string
  readonly via: "mcp" | "chat"
  readonly endUser: string | undefined
  /** UUID of the connection it was made with. */
  readonly connection: string | undefined
  readonly toolkit: string | undefined
  readonly tool: string
  readonly args: unknown
  /** Whether it was let through. */
  readonly decision: "allowed" | "denied"
  /** `ok`, `interrupted` or the code of the failure. */
  readonly outcome: string
  readonly milliseconds: number
}

/** The audit of tool calls: who called what and how it ended. Nothing of what was sent or answered is kept; forgotten after 90 days. */
export class ToolCalls extends Context.Tag("tributary/agent/ToolCalls")<
  ToolCalls,
  {
    /**
     * Arguments are kept as a digest only, by which equal ones can be told. A call is not undone when this fails. Of an end
     * user who was erased while it ran, nothing is noted.
     */
    readonly note: (call: ToolCall) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    ToolCalls,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      yield* upkeep(sql`delete from tool_calls where created_at < now() - interval '90 days'`)

      // with a secret, since what few arguments there are could be found by trying
      const secret = (yield* Encryption).derive("tool call digests")
      const digest = (args: unknown) =>
        createHmac("sha256", Redacted.value(secret))
          .update(JSON.stringify(args) ?? "")
          .digest()

      return ToolCalls.of({
        note: Effect.fn("ToolCalls.note")(
          function* (call) {
            yield* Metrics.toolCalled(call.toolkit, call.outcome, call.decision === "denied")
            const notes = yield* FiberRef.get(requestNotes)
            // a name that no tool can have may be anything
            const tool = /^[A-Za-z0-9_.-]{1,128}$/.test(call.tool) ? call.tool : "(not a name)"
            const wanted = yield* notErasedSince(sql, { ...call.caller, endUserId: call.endUser ?? "" })
            yield* sql`
            insert into tool_calls (id, organisation_id, environment, workspace_id, api_key_id, end_user, connection_id,
              via, toolkit, tool, arguments_digest, decision, outcome, duration_ms, request_id)
            select ${randomUUID()}::uuid, ${call.caller.organisation}::uuid, ${call.caller.environment},
              ${call.workspace}::uuid, ${call.caller.key}::uuid, ${call.endUser ?? null}::text,
              ${call.connection ?? null}::uuid, ${call.via}, ${call.toolkit ?? null}::text, ${tool}::text,
              ${digest(call.args)}::bytea, ${call.decision}, ${call.outcome}, ${Math.round(call.milliseconds)}::integer,
              ${notes?.id ?? ""}
            where ${wanted}`
          },
          Effect.catchAll((error) => Effect.logError("a tool call could not be noted", error))
        )
      })
    })
  )
}
