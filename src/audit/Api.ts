import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Authorization, Instant } from "../tenancy/Api.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"
import { needs } from "../tenancy/Scopes.ts"

const saying = (message: string) => ({ message: () => ({ message, override: true as const }) })

const text = (description: string) => Schema.String.annotations({ description })

const orNull = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

/** How calls end, or why they do not happen. */
export const outcomes = [
  "ok",
  "approval_required",
  "declined",
  "interrupted",
  "unknown_tool",
  "invalid_arguments",
  "write_not_allowed",
  "not_connected",
  "connection_ambiguous",
  "not_permitted",
  "rate_limited",
  "provider_error",
  "timeout",
  "too_large",
  "internal_error"
] as const

export const Outcome = Schema.Literal(...outcomes).annotations({
  ...saying(`must be one of ${outcomes.join(", ")}`),
  identifier: "ToolCallOutcome",
  description: "How a call ended, or why it did not happen"
})
export type Outcome = typeof Outcome.Type

export const Decision = Schema.Literal("allowed", "denied", "pending").annotations({
  identifier: "ToolCallDecision",
  description: "allowed: it was let through; denied: it was refused; pending: it has to be approved first"
})
export type Decision = typeof Decision.Type

export const Via = Schema.Literal("mcp", "chat").annotations({
  identifier: "ToolCallVia",
  description: "mcp: through the tool runtime; chat: in a turn of a chat"
})
export type Via = typeof Via.Type

const call = {
  id: Schema.UUID.annotations({ description: "Id of the call" }),
  at: text("When it ended: ISO 8601 date-time"),
  environment: Environment,
  workspaceId: Schema.UUID.annotations({ description: "UUID of the workspace" }),
  workspaceName: text("Name of the workspace, which may be archived"),
  endUserId: orNull("Your own id of the end user; null: the request named none"),
  connectionId: Schema.NullOr(Schema.UUID).annotations({
    description: "The connection that it was made with; null: none, or it did not get that far"
  }),
  keyId: Schema.UUID.annotations({ description: "Id of the API key that called" }),
  via: Via,
  client: orNull("Name and version that the client gives of itself; null: it does not"),
  toolkit: orNull("Slug of the toolkit; null: there is no such tool"),
  tool: text("Name of the tool; `(not a name)` where it was called by what no tool can be called"),
  decision: Decision,
  // a version that follows this one may store others
  outcome: text(`How it ended, or why it did not happen: ${outcomes.join(", ")}`),
  milliseconds: Schema.Int.annotations({ description: "How long it took" }),
  approvalId: Schema.NullOr(Schema.UUID).annotations({
    description: "The approval that it waits for, that it ran with, or by which it was refused"
  }),
  traceId: orNull("Trace that it is part of"),
  requestId: text("`X-Request-Id` of the request that called it"),
  hasContent: Schema.Boolean.annotations({ description: "Whether its arguments and its answer are kept" })
}

export const ToolCallRecord = Schema.Struct(call).annotations({
  identifier: "ToolCall",
  description: "A call of a tool, or an attempt at one"
})
export type ToolCallRecord = typeof ToolCallRecord.Type

export const ToolCallDetails = Schema.Struct({
  ...call,
  arguments: Schema.Unknown.annotations({ description: "Its arguments, cut to 48 KB; null where they are not kept" }),
  answer: Schema.Unknown.annotations({
    description: "Its answer, or its failure, as the agent got it; null where it is not kept, or there was none"
  })
}).annotations({ identifier: "ToolCallDetails", description: "A call of a tool with what was sent and answered" })
export type ToolCallDetails = typeof ToolCallDetails.Type

const uuid = (what: string) =>
  Schema.UUID.annotations({ ...saying(`must be the UUID of ${what}`), description: `UUID of ${what}` })

/** Which calls; all where nothing is said. */
export const filters = {
  workspaceId: Schema.optional(uuid("a workspace").annotations({ description: "Only calls in this workspace" })),
  endUserId: Schema.optional(text("Only calls for this end user: your own id")),
  tool: Schema.optional(text("Only calls of this tool: its name")),
  outcome: Schema.optional(Outcome.annotations({ description: "Only calls that ended so" })),
  since: Schema.optional(
    Instant.annotations({ description: "Only calls that ended at this moment or later: ISO 8601 date-time" })
  )
}

/** Calls of real tools, refused and pending ones too. */
export class ToolCallsApi extends HttpApiGroup.make("toolCalls")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/tool-calls")
      .setUrlParams(
        Schema.Struct({ ...pageQuery, ...filters }).annotations({
          parseOptions: { errors: "all", onExcessProperty: "error" }
        })
      )
      .addSuccess(Page(ToolCallRecord))
      .annotate(OpenApi.Summary, "List calls of tools")
      .annotate(
        OpenApi.Description,
        "One entry for each call of a real tool in the key's environment, refused and pending ones too, newest first, for 90 days. A call that was asked about has one entry from when it was asked, and one from when it ran or was declined. Calls of the tools that only lead to others are not in it."
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/tool-calls/:id")
      .setPath(Schema.Struct({ id: uuid("a call of a tool") }))
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, ToolCallDetails))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Get a call of a tool")
      .annotate(
        OpenApi.Description,
        "With its arguments and its answer where the workspace keeps them: `keepContentDays`. They are stored encrypted."
      )
  )
  .annotateEndpointsContext(needs("agents"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "tool calls")
  .annotate(OpenApi.Description, "The audit of what agents did: every call of a tool, and how it ended.") {}
