import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, FiberRef, Layer, Option, Redacted, Schema } from "effect"
import { createHmac, randomUUID } from "node:crypto"
import { Encryption } from "../platform/Encryption.ts"
import { NotFound } from "../platform/Errors.ts"
import * as Metrics from "../platform/Metrics.ts"
import { isAfter, Position, positionOf } from "../platform/NewestFirst.ts"
import { requestNotes } from "../platform/RequestNotes.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { type Caller, Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { notErasedSince } from "../tenancy/Erasures.ts"
import { Decision, type Outcome, type ToolCallDetails, type ToolCallRecord, Via } from "./Api.ts"

/** One call of a tool, or an attempt at one. */
export interface ToolCall {
  readonly caller: Caller
  /** UUID of the workspace. */
  readonly workspace: string
  readonly via: Via
  readonly endUser: string | undefined
  /** UUID of the connection it was made with. */
  readonly connection: string | undefined
  readonly toolkit: string | undefined
  readonly tool: string
  readonly args: unknown
  readonly decision: Decision
  readonly outcome: Outcome
  /** UUID of the approval that it waits for, that it ran with, or by which it was refused. */
  readonly approval: string | undefined
  readonly milliseconds: number
  /** The part of it that the workspace has kept; undefined: none. */
  readonly content: Content | undefined
}

const Content = Schema.Struct({ arguments: Schema.Unknown, answer: Schema.Unknown })

/** Arguments and answer of a call, null where there is none. */
export type Content = typeof Content.Type

/** Which calls; all where nothing is said. */
export interface ToolCallFilters {
  readonly workspaceId?: string | undefined
  readonly endUserId?: string | undefined
  readonly tool?: string | undefined
  readonly outcome?: Outcome | undefined
  /** ISO 8601 date-time. */
  readonly since?: string | undefined
  /** The position that those given come after. */
  readonly after: string | undefined
  readonly take: number
}

/**
 * The audit of tool calls: who called what and how it ended, for 90 days. What was sent and answered is kept only where the
 * workspace says so, encrypted, for as many days as it says.
 */
export class ToolCalls extends Context.Tag("tributary/audit/ToolCalls")<
  ToolCalls,
  {
    /**
     * Arguments are always kept as a digest, by which equal ones can be told. A call is not undone when this fails. Of an end
     * user who was erased while it ran, nothing is noted.
     */
    readonly note: (call: ToolCall) => Effect.Effect<void>
    /** Newest first, each with its position. */
    readonly list: (
      tenant: Tenant,
      filters: ToolCallFilters
    ) => Effect.Effect<ReadonlyArray<ToolCallRecord & { readonly position: string }>>
    readonly get: (tenant: Tenant, id: string) => Effect.Effect<ToolCallDetails, NotFound>
    /** Re-encrypts contents that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.scoped(
    ToolCalls,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption

      const kept = sql`t.created_at >= now() - w.keep_content_days * interval '1 day'`
      yield* runInBackground(sql`delete from tool_calls where created_at < now() - interval '90 days'`)
      yield* runInBackground(sql`
        update tool_calls t set content = null from workspaces w
        where w.id = t.workspace_id and t.content is not null and not ${kept}`)

      // with a secret, since what few arguments there are could be found by trying
      const secret = encryption.derive("tool call digests")
      const digest = (args: unknown) =>
        createHmac("sha256", Redacted.value(secret))
          .update(JSON.stringify(args) ?? "")
          .digest()

      const columns =
        sql.literal(`t.id, t.created_at as at, t.environment, t.workspace_id as "workspaceId", w.name as "workspaceName",
        t.end_user as "endUserId", t.connection_id as "connectionId", t.api_key_id as "keyId", t.via, t.client, t.toolkit,
        t.tool, t.decision, t.outcome, t.duration_ms as milliseconds, t.approval_id as "approvalId",
        t.trace_id as "traceId", t.request_id as "requestId"`)
      const source = sql`tool_calls t join workspaces w on w.id = t.workspace_id`
      const within = ({ environment, organisation }: Tenant) => sql`
        t.organisation_id = ${organisation} and t.environment = ${environment}`

      const find = SqlSchema.findAll({
        Request: Wanted,
        Result: Schema.Struct({ ...Row.fields, hasContent: Schema.Boolean, position: Position }),
        execute: ({ after, endUserId, outcome, since, take, tool, workspaceId, ...tenant }) => sql`
          select ${columns}, t.content is not null and ${kept} as "hasContent",
            ${positionOf(sql, "t.created_at", "t.id")} as position
          from ${source}
          where ${sql.and([
            within(tenant),
            ...(workspaceId === undefined ? [] : [sql`t.workspace_id = ${workspaceId}`]),
            ...(endUserId === undefined ? [] : [sql`t.end_user = ${endUserId}`]),
            ...(tool === undefined ? [] : [sql`t.tool = ${tool}`]),
            ...(outcome === undefined ? [] : [sql`t.outcome = ${outcome}`]),
            ...(since === undefined ? [] : [sql`t.created_at >= ${since}::timestamptz`]),
            ...(after === undefined ? [] : [isAfter(sql, "t.created_at", "t.id", after)])
          ])}
          order by t.created_at desc, t.id desc limit ${take}`
      })

      const findOne = SqlSchema.findOne({
        Request: Schema.Struct({ organisation: Schema.String, environment: Environment, id: Schema.String }),
        Result: Schema.Struct({ ...Row.fields, content: Schema.NullOr(Schema.String) }),
        execute: ({ id, ...tenant }) => sql`
          select ${columns}, case when ${kept} then t.content end as content
          from ${source} where t.id = ${id} and ${within(tenant)}`
      })

      const opened = (id: string, content: string) =>
        Effect.flatMap(encryption.decrypt(content, associatedDataOf(id)), (text) => parse(Redacted.value(text)))

      return ToolCalls.of({
        note: Effect.fn("ToolCalls.note")(
          function* (call) {
            yield* Metrics.toolCall({
              toolkit: call.toolkit ?? "unknown",
              outcome: call.outcome,
              seconds: call.milliseconds / 1000
            })
            const id = randomUUID()
            const notes = yield* FiberRef.get(requestNotes)
            const span = Option.getOrUndefined(yield* Effect.option(Effect.currentSpan))
            // a name that no tool can have may be anything
            const tool = /^[A-Za-z0-9_.-]{1,128}$/.test(call.tool) ? call.tool : "(not a name)"
            const content =
              call.content === undefined
                ? null
                : yield* encryption.encrypt(JSON.stringify(call.content), associatedDataOf(id))
            const wanted = yield* notErasedSince(sql, { ...call.caller, endUserId: call.endUser ?? "" })
            yield* sql`
            insert into tool_calls (id, organisation_id, environment, workspace_id, api_key_id, end_user, connection_id,
              via, client, toolkit, tool, arguments_digest, decision, outcome, approval_id, duration_ms, trace_id,
              request_id, content)
            select ${id}::uuid, ${call.caller.organisation}::uuid, ${call.caller.environment},
              ${call.workspace}::uuid, ${call.caller.key}::uuid, ${call.endUser ?? null}::text,
              ${call.connection ?? null}::uuid, ${call.via}, ${clientOf(notes?.client)}::text,
              ${call.toolkit ?? null}::text, ${tool}::text, ${digest(call.args)}::bytea, ${call.decision},
              ${call.outcome}, ${call.approval ?? null}::uuid, ${Math.round(call.milliseconds)}::integer,
              ${span?.traceId ?? null}::text, ${notes?.id ?? ""}, ${content}::text
            where ${wanted}`
          },
          Effect.catchAll((error) => Effect.logError("a tool call could not be noted", error))
        ),

        list: Effect.fn("ToolCalls.list")(function* ({ environment, organisation }, filters) {
          const rows = yield* find({ organisation, environment, ...filters })
          return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
        }, Effect.orDie),

        get: Effect.fn("ToolCalls.get")(
          function* ({ environment, organisation }, id) {
            const found = yield* findOne({ organisation, environment, id })
            if (Option.isNone(found)) return yield* unknown(id)
            const { at, content, ...row } = found.value
            return {
              ...row,
              at: at.toISOString(),
              hasContent: content !== null,
              ...(content === null ? { arguments: null, answer: null } : yield* opened(id, content))
            }
          },
          Effect.catchTags({ SqlError: Effect.die, DecryptionFailed: Effect.die, ParseError: Effect.die })
        ),

        rotateEncryption: rotate({
          table: "tool_calls",
          column: "content",
          key: ["id"],
          associatedDataOf: ([id = ""]) => associatedDataOf(id),
          until: "created_at + interval '90 days'"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

const Wanted = Schema.Struct({
  organisation: Schema.String,
  environment: Environment,
  workspaceId: Schema.optional(Schema.String),
  endUserId: Schema.optional(Schema.String),
  tool: Schema.optional(Schema.String),
  outcome: Schema.optional(Schema.String),
  since: Schema.optional(Schema.String),
  after: Schema.UndefinedOr(Position),
  take: Schema.Int
})

const Row = Schema.Struct({
  id: Schema.UUID,
  at: Schema.DateFromSelf,
  environment: Environment,
  workspaceId: Schema.UUID,
  workspaceName: Schema.String,
  endUserId: Schema.NullOr(Schema.String),
  connectionId: Schema.NullOr(Schema.UUID),
  keyId: Schema.UUID,
  via: Via,
  client: Schema.NullOr(Schema.String),
  toolkit: Schema.NullOr(Schema.String),
  tool: Schema.String,
  decision: Decision,
  outcome: Schema.String,
  milliseconds: Schema.Int,
  approvalId: Schema.NullOr(Schema.UUID),
  traceId: Schema.NullOr(Schema.String),
  requestId: Schema.String
})

const parse = Schema.decode(Schema.parseJson(Content))

/** A client's name of itself may be anything; null where it gives nothing. */
const clientOf = (given = "") =>
  given
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, 200)
    .trim() || null

/** The associated data that binds a call's content to its row, so that it does not open in another. */
export const associatedDataOf = (id: string) => `tool_calls/${id}`

const unknown = (id: string) => new NotFound({ code: "TOOL_CALL_NOT_FOUND", message: `tool call ${id} not found` })
