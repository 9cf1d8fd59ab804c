import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { type DeclaredGroup, makeApi, NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { basePath } from "../platform/Paths.ts"
import { EndUserHeader } from "../platform/EndUserHeader.ts"
import { apiKeySecurity, Authorization, authorizationFailure } from "../tenancy/Api.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { needs } from "../tenancy/Scopes.ts"
import { modelName, promptText, saying, strict, uuid } from "./TextLimits.ts"
import { NewWorkspace, Workspace, WorkspaceChanges } from "./Workspace.ts"

// ---------------------------------------------------------------------------------------------------------------------
// workspaces

const whole = (description: string, digits: RegExp, max: number, fallback: number) =>
  Schema.String.pipe(
    Schema.pattern(digits),
    Schema.compose(Schema.NumberFromString),
    Schema.between(1, max),
    (number) =>
      number.annotations({
        ...saying(`must be a whole number from 1${max > 100 ? "" : ` to ${max}`}`),
        jsonSchema: {
          type: "integer",
          minimum: 1,
          ...(max > 100 ? {} : { maximum: max }),
          default: fallback,
          description
        }
      })
  )

const WorkspacesQuery = Schema.Struct({
  page: Schema.optional(whole("Which page, from 1", /^\d{1,9}$/, 999_999_999, 1)),
  limit: Schema.optional(whole("At most so many workspaces", /^\d{1,3}$/, 100, 20))
}).annotations(strict)

const WorkspacePath = Schema.Struct({ id: uuid("a workspace") })

const WorkspacePage = Schema.Struct({
  ...Envelope(200, Schema.Array(Workspace)).fields,
  meta: Schema.Struct({
    total: Schema.Int.annotations({ description: "How many workspaces there are" }),
    page: Schema.Int.annotations({ description: "Which page this is, from 1" }),
    limit: Schema.Int.annotations({ description: "Most workspaces of a page" }),
    totalPages: Schema.Int.annotations({ description: "How many pages there are" })
  }).annotations({ identifier: "PageNumbers", description: "Where the list stands" })
})

const ChatModelRecord = Schema.Struct({
  name: Schema.String.annotations({
    description: "What `model` of a workspace or of a chat says: its provider's name of it"
  }),
  isUsual: Schema.Boolean.annotations({ description: "Whether it answers where nobody names a model" })
}).annotations({ identifier: "ChatModel", description: "A model that may answer in chat" })

/** Router-mode tool servers: what agents may use. */
export class WorkspacesApi extends HttpApiGroup.make("workspaces")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/mcp/workspaces")
      .setUrlParams(WorkspacesQuery)
      .addSuccess(WorkspacePage)
      .annotate(OpenApi.Summary, "List workspaces")
      .annotate(OpenApi.Description, "Those of the key's environment, newest first.")
  )
  .add(
    HttpApiEndpoint.post("create", "/mcp/workspaces")
      .setUrlParams(NoQuery)
      .setPayload(NewWorkspace)
      .addSuccess(Envelope(201, Workspace), { status: 201 })
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Conflict)
      .annotate(OpenApi.Summary, "Create a workspace")
      .annotate(OpenApi.Description, "In the environment of the API key.")
  )
  .add(
    HttpApiEndpoint.patch("update", "/mcp/workspaces/:id")
      .setPath(WorkspacePath)
      .setUrlParams(NoQuery)
      .setPayload(WorkspaceChanges)
      .addSuccess(Envelope(200, Workspace))
      .addError(wires.NotFound)
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Change a workspace")
      .annotate(OpenApi.Description, "Only what is sent changes.")
  )
  .add(
    HttpApiEndpoint.del("archive", "/mcp/workspaces/:id")
      .setPath(WorkspacePath)
      .setUrlParams(NoQuery)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Archive a workspace")
      .annotate(OpenApi.Description, "It is gone for every call from then on.")
  )
  .add(
    HttpApiEndpoint.get("models", "/mcp/models")
      .setUrlParams(Schema.Struct(pageQuery).annotations(strict))
      .addSuccess(Page(ChatModelRecord))
      .annotate(OpenApi.Summary, "List models")
      .annotate(
        OpenApi.Description,
        "The models that may answer in chat, the usual one first; none where the operator has set no provider of models."
      )
  )
  .annotateEndpointsContext(needs("agents"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "workspaces")
  .annotate(OpenApi.Description, "Tool servers: what agents may use.") {}

// ---------------------------------------------------------------------------------------------------------------------
// session context

/** The stored context of a session; the last three are null when there is none. */
export const SessionContext = Schema.Struct({
  sessionId: Schema.UUID.annotations({ description: "The chat session" }),
  context: Schema.NullOr(Schema.String).annotations({ description: "The text in front of the system prompt" }),
  createdAt: Schema.NullOr(Schema.String).annotations({ description: "ISO 8601 date-time" }),
  updatedAt: Schema.NullOr(Schema.String).annotations({ description: "ISO 8601 date-time" })
}).annotations({ identifier: "SessionContext", description: "The stored context of a chat session" })
export type SessionContext = typeof SessionContext.Type

export const NewContext = Schema.Struct({ context: promptText }).annotations({
  ...strict,
  identifier: "NewContext",
  description: "The context of a chat session"
})

const SessionPath = Schema.Struct({ sessionId: uuid("a chat session") })

/** Text that is put in front of the agent's system prompt on every turn of a chat session. */
export class SessionContextsApi extends HttpApiGroup.make("sessionContexts")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.put("put", "/chat-sessions/:sessionId/context")
      .setPath(SessionPath)
      .setUrlParams(NoQuery)
      .setPayload(NewContext)
      .addSuccess(Envelope(200, SessionContext))
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Set the context of a chat session")
      .annotate(OpenApi.Description, "It is forgotten 90 days after it was set or a turn used it last.")
  )
  .add(
    HttpApiEndpoint.get("get", "/chat-sessions/:sessionId/context")
      .setPath(SessionPath)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, SessionContext))
      .annotate(OpenApi.Summary, "Get the context of a chat session")
      .annotate(OpenApi.Description, "Its members are null where there is none.")
  )
  .add(
    HttpApiEndpoint.del("remove", "/chat-sessions/:sessionId/context")
      .setPath(SessionPath)
      .setUrlParams(NoQuery)
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(OpenApi.Summary, "Remove the context of a chat session")
      .annotate(OpenApi.Description, "From its next turn on. There need not be one.")
  )
  .annotateEndpointsContext(needs("agents"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "chat session context")
  .annotate(OpenApi.Description, "Text in front of the agent's system prompt on every turn of a chat session.") {}

// ---------------------------------------------------------------------------------------------------------------------
// tool runtime

const admitting = { provides: CurrentCaller, failure: authorizationFailure, security: { apiKey: apiKeySecurity } }

/**
 * Put on what end users' tokens open too: gives `CurrentCaller` as `Authorization` does, and lets the pages that a workspace
 * allows read its answers, refusals too.
 */
export class WorkspaceAuthorization extends HttpApiMiddleware.Tag<WorkspaceAuthorization>()(
  "tributary/agent/WorkspaceAuthorization",
  admitting
) {}

/**
 * Put on the tool runtime: as `WorkspaceAuthorization`, and 403 to pages of any other origin, whatever else they send.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export class RuntimeAuthorization extends HttpApiMiddleware.Tag<RuntimeAuthorization>()(
  "tributary/agent/RuntimeAuthorization",
  admitting
) {}

/** The UUID of the workspace in the path of a request to it. */
const RuntimePath = Schema.Struct({ workspaceId: uuid("a workspace") })

const RuntimeQuery = Schema.Struct({
  end_user_id: Schema.optional(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(255)).annotations({
      ...saying("must be 1 to 255 characters"),
      description: "In place of the X-End-User-Id header, for clients that store only an address"
    })
  )
}).annotations(strict)

/** Headers that narrow the tools of one request. */
export const RuntimeHeaders = Schema.Struct({
  "x-end-user-id": Schema.optional(EndUserHeader.annotations({ description: "The `endUserId` of the connect token" })),
  "x-connection-id": Schema.optional(
    uuid("a connection").annotations({ description: "Only this connection of the end user" })
  ),
  "x-mcp-readonly": Schema.optional(
    Schema.Literal("true", "false").annotations({
      ...saying("must be true or false"),
      description: "true: only tools that change nothing"
    })
  ),
  "x-mcp-tools": Schema.optional(
    Schema.NonEmptyString.annotations({
      description: "Only these tools: names or patterns (crm_list_*), separated by commas"
    })
  ),
  "idempotency-key": Schema.optional(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(255)).annotations({
      ...saying("must be 1 to 255 characters"),
      description: "A write that is sent again under its key answers the first one's result for 24 hours"
    })
  )
})

const JsonRpc = Schema.Struct(
  { jsonrpc: Schema.Literal("2.0").annotations({ description: "Version of JSON-RPC" }) },
  { key: Schema.String, value: Schema.Unknown }
).annotations({ identifier: "JsonRpcMessage", description: "One message of the Model Context Protocol" })

/** The tool runtime: an MCP server over Streamable HTTP, without sessions. */
export class RuntimeApi extends HttpApiGroup.make("toolRuntime")
  .middleware(RuntimeAuthorization)
  .add(
    HttpApiEndpoint.post("message", "/mcp/:workspaceId")
      .setPath(RuntimePath)
      .setUrlParams(RuntimeQuery)
      .setHeaders(RuntimeHeaders)
      .setPayload(JsonRpc)
      .addSuccess(
        Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/event-stream" })).annotations({
          description: "The answer, as a JSON-RPC message in a stream of server-sent events"
        })
      )
      .addError(wires.Forbidden)
      .addError(wires.NotFound)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Unprocessable)
      .annotate(OpenApi.Summary, "Send a message of the Model Context Protocol")
      .annotate(
        OpenApi.Description,
        "For MCP clients: revision 2026-07-28 and those of 2025, over Streamable HTTP without sessions. Send Accept: application/json, text/event-stream. Errors of the protocol itself are JSON-RPC errors."
      )
      .annotate(OpenApi.Identifier, "tool_runtime")
  )
  .annotateEndpointsContext(needs("agents"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "tool runtime")
  .annotate(OpenApi.Description, "A workspace as a server of the Model Context Protocol.") {}

// ---------------------------------------------------------------------------------------------------------------------
// chat

/** One message of a conversation that a client keeps, as the AI SDK's `useChat` sends it. */
export const ChatMessage = Schema.Struct(
  {
    id: Schema.String.annotations({ ...saying("must be text"), description: "The client's own id of the message" }),
    role: Schema.Literal("user", "assistant").annotations({
      ...saying("must be user or assistant; what the agent is told beforehand goes into context"),
      identifier: "ChatRole",
      description: "Whose message it is"
    }),
    parts: Schema.Array(
      Schema.Struct(
        { type: Schema.String.annotations({ description: "Kind of the part, such as text" }) },
        { key: Schema.String, value: Schema.Unknown }
      )
    ).annotations({
      description:
        "What the message is made of. A file of the user is a data: URL in base64, of a kind and size that the model takes"
    })
  },
  { key: Schema.String, value: Schema.Unknown }
).annotations({ identifier: "ChatMessage", description: "A UIMessage of the AI SDK" })
export type ChatMessage = typeof ChatMessage.Type

const oneOf = "send message (text) or messages (the conversation so far), one of them"

/** Other names that clients add are ignored. */
export const ChatBody = Schema.Struct({
  id: Schema.optional(
    Schema.String.annotations(saying("must be text")).pipe(
      Schema.filter((id) => id !== "", {
        ...saying("must not be empty"),
        jsonSchema: {
          type: "string",
          description:
            "The client's own id of the chat, as useChat sends it. Without X-Session-Id it names the conversation, for this end user in this workspace"
        }
      })
    )
  ),
  message: Schema.optional(
    Schema.String.annotations(saying("must be text")).pipe(
      Schema.filter((text) => text.trim() !== "", {
        ...saying("must not be empty"),
        jsonSchema: { type: "string", description: "What the user says; the session's history is loaded" }
      })
    )
  ),
  messages: Schema.optional(
    Schema.Array(ChatMessage).pipe(
      Schema.minItems(1, { message: () => ({ message: "must not be empty", override: false }) }),
      Schema.annotations({
        description: "The conversation as the client keeps it, the new message last; it takes the place of the history"
      })
    )
  ),
  context: Schema.optional(
    Schema.NullOr(promptText).annotations({
      description: "Sets the context of the session, as PUT /chat-sessions/{sessionId}/context does; null removes it"
    })
  ),
  model: Schema.optional(
    modelName.annotations({
      description:
        "Which model answers, one of `GET /mcp/models`; absent: the workspace's. Where the workspace names one, no other may be asked for"
    })
  ),
  outputSchema: Schema.optional(
    Schema.Struct(
      { type: Schema.Literal("object").annotations({ description: "The answer is an object" }) },
      { key: Schema.String, value: Schema.Unknown }
    ).annotations({
      ...saying('must be a JSON Schema with "type": "object"'),
      identifier: "OutputSchema",
      description:
        "A JSON Schema: the text of the answer's last step is a JSON object by it, as far as the model's provider holds its answers to one. OpenAI wants objects with all members required and additionalProperties false. An answer that is not a JSON object ends with an event of type error"
    })
  ),
  toolApproval: Schema.optional(
    Schema.Literal("never", "destructive", "writes").annotations({
      ...saying("must be never, destructive or writes"),
      identifier: "ToolApproval",
      description:
        "Other than never: the client shows requests for approval, and its user is asked about these calls at least, of the workspace's `confirm` and this the stricter. never, and when absent: the client cannot ask, and a call that needs consent answers with a link",
      default: "never"
    })
  )
})
  .pipe(
    Schema.filter(({ message, messages }) =>
      (message === undefined) === (messages === undefined) ? { path: ["message"], message: oneOf } : undefined
    )
  )
  .annotations({
    identifier: "ChatBody",
    parseOptions: { errors: "all" }
  })

const ChatHeaders = Schema.Struct({
  "x-session-id": Schema.optional(
    uuid("a chat session").annotations({
      description: "The conversation; when absent, that of the body's id, else a new one, told in the answer"
    })
  ),
  "x-end-user-id": RuntimeHeaders.fields["x-end-user-id"],
  "x-connection-id": RuntimeHeaders.fields["x-connection-id"],
  "x-mcp-readonly": RuntimeHeaders.fields["x-mcp-readonly"],
  "x-mcp-tools": RuntimeHeaders.fields["x-mcp-tools"]
})

/** An agent that answers with the tools of a workspace. */
export class ChatApi extends HttpApiGroup.make("chat")
  .middleware(WorkspaceAuthorization)
  .add(
    HttpApiEndpoint.post("chat", "/mcp/:workspaceId/chat")
      .setPath(RuntimePath)
      .setUrlParams(NoQuery)
      .setHeaders(ChatHeaders)
      .setPayload(ChatBody)
      .addSuccess(
        Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/event-stream" })).annotations({
          description:
            "The AI SDK's UI message stream, version 1: server-sent events whose data is JSON, the last one [DONE]. A failure from then on is an event of type error."
        })
      )
      .addError(wires.NotFound)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Unprocessable)
      .addError(wires.Unavailable)
      .annotate(OpenApi.Summary, "Talk to an agent that uses the workspace's tools")
      .annotate(
        OpenApi.Description,
        "The answer is streamed in the format of the AI SDK (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol), which useChat and other clients take as it is. X-Session-Id in the answer names the conversation; it belongs to the workspace and the end user of its first turn."
      )
      .annotate(OpenApi.Identifier, "chat")
  )
  .add(
    HttpApiEndpoint.get("resume", "/mcp/:workspaceId/chat/:chatId/stream")
      .setPath(
        Schema.Struct({
          ...RuntimePath.fields,
          chatId: Schema.String.annotations({ description: "The client's own id of the chat" })
        })
      )
      .setUrlParams(NoQuery)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Resume a stream")
      .annotate(OpenApi.Description, "Streams cannot be resumed: 204, by which clients of the AI SDK know that.")
      .annotate(OpenApi.Identifier, "chat_resume")
  )
  .annotateEndpointsContext(needs("agents"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "chat")
  .annotate(OpenApi.Description, "An agent that answers with the tools of a workspace.") {}

const groups = (): ReadonlyArray<DeclaredGroup> => Object.values(AgentApi.groups)

/** A workspace's tools and chat. */
export class AgentApi extends makeApi("agent", groups).add(RuntimeApi).add(ChatApi).prefix(basePath) {}
