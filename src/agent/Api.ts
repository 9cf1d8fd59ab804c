import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { makeApi, NoQuery } from "../platform/ApiErrors.ts"
import { Envelope } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { EndUserHeader } from "../platform/EndUserHeader.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const saying = (message: string) => ({ message: () => ({ message, override: true as const }) })

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Longest grapheme that counts as one character, in UTF-16 units: an emoji of a family has 11, a flag 14. */
const longestCharacter = 16

/** The segmenter's time grows with the square of a text's length, so it gets pieces of this many units. */
const piece = 256

/**
 * Whether a text has at most so many characters, counted as its reader would: an emoji or a letter with its accents is
 * one (a grapheme, https://unicode.org/reports/tr29/). Letters under heaps of accents do not carry more than that.
 */
const holdsAtMost = (limit: number) => (text: string) => {
  if (text.length <= limit) return true
  if (text.length > limit * longestCharacter) return false
  let count = 0
  for (let from = 0; from < text.length && count <= limit;) {
    const part = text.slice(from, from + piece)
    const starts = Array.from(graphemes.segment(part), ({ index }) => index)
    const last = starts.at(-1) ?? 0
    // the last one may go on behind the piece, so it is counted with the next
    const isWhole = last === 0 || from + part.length === text.length
    count += isWhole ? starts.length : starts.length - 1
    from += isWhole ? part.length : last
  }
  return count <= limit
}

const uuid = (what: string) =>
  Schema.UUID.annotations({ ...saying(`must be the UUID of ${what}`), description: `UUID of ${what}` })

// ---------------------------------------------------------------------------------------------------------------------
// workspaces

/** When an agent's client has to ask its user: before calls that change or remove something, or never. */
export const Confirm = Schema.Literal("destructive", "never").annotations({
  ...saying("must be destructive or never"),
  identifier: "Confirm",
  description:
    "Whether clients that can ask their user (MCP elicitation) have to, before a call that changes or removes something"
})
export type Confirm = typeof Confirm.Type

/** A tool server: what an agent may use. */
export const Workspace = Schema.Struct({
  id: Schema.UUID.annotations({ description: "Stands in the address of its tool server" }),
  name: Schema.String.annotations({ description: "For people" }),
  mode: Schema.Literal("router").annotations({ description: "router: agents find its tools by searching for them" }),
  environment: Environment,
  toolkitFilter: Schema.Array(Schema.String).annotations({
    description: "Slugs of the integrations it exposes; empty: all of them"
  }),
  status: Schema.Literal("active", "archived").annotations({
    identifier: "WorkspaceStatus",
    description: "archived: it is gone for every call"
  }),
  confirm: Confirm,
  createdAt: Schema.String.annotations({ description: "ISO 8601 date-time" }),
  updatedAt: Schema.String.annotations({ description: "ISO 8601 date-time" })
}).annotations({ identifier: "Workspace", description: "A tool server: what an agent may use" })
export type Workspace = typeof Workspace.Type

const name = Schema.String.annotations(saying("must be text of 1 to 100 characters")).pipe(
  Schema.filter((text) => text !== "" && holdsAtMost(100)(text), {
    ...saying("must be 1 to 100 characters"),
    jsonSchema: { type: "string", minLength: 1, maxLength: 100, description: "For people" }
  })
)

const integrations = Schema.Array(Schema.String.annotations(saying("must be the slug of an integration"))).pipe(
  Schema.maxItems(100, { message: () => ({ message: "must not have more than 100 slugs", override: false }) }),
  Schema.annotations({ description: "Slugs such as github, crm, accounting; [] means all of them" })
)

export const NewWorkspace = Schema.Struct({
  name,
  integrations: Schema.optional(integrations),
  confirm: Schema.optional(Confirm)
}).annotations({ ...strict, identifier: "NewWorkspace", description: "A workspace to be made" })

export const WorkspaceChanges = Schema.Struct({
  name: Schema.optional(name),
  integrations: Schema.optional(integrations),
  confirm: Schema.optional(Confirm)
}).annotations({ ...strict, identifier: "WorkspaceChanges", description: "What is to change of a workspace" })

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
  .annotateEndpointsContext(needs("agents"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "workspaces")
  .annotate(OpenApi.Description, "Tool servers: what agents may use.") {}

// ---------------------------------------------------------------------------------------------------------------------
// session context

/** Most characters of a session's context. */
const contextLimit = 8000

/** Free text that stands in front of the agent's system prompt. */
export const ContextText = Schema.String.annotations(saying("must be text")).pipe(
  Schema.filter(holdsAtMost(contextLimit), {
    ...saying(`must be at most ${contextLimit} characters`),
    jsonSchema: {
      type: "string",
      description: `At most ${contextLimit} characters, counted as a reader would: an emoji or an accented letter is one`
    }
  })
)

/** The stored context of a session; the last three are null when there is none. */
export const SessionContext = Schema.Struct({
  sessionId: Schema.UUID.annotations({ description: "The chat session" }),
  context: Schema.NullOr(Schema.String).annotations({ description: "What stands in front of the system prompt" }),
  createdAt: Schema.NullOr(Schema.String).annotations({ description: "ISO 8601 date-time" }),
  updatedAt: Schema.NullOr(Schema.String).annotations({ description: "ISO 8601 date-time" })
}).annotations({ identifier: "SessionContext", description: "The stored context of a chat session" })
export type SessionContext = typeof SessionContext.Type

export const NewContext = Schema.Struct({ context: ContextText }).annotations({
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
  .annotate(
    OpenApi.Description,
    "Text that stands in front of the agent's system prompt on every turn of a chat session."
  ) {}

// ---------------------------------------------------------------------------------------------------------------------
// tool runtime

/** The UUID of a workspace in the path of what is called through it. */
export const RuntimePath = Schema.Struct({ workspaceId: uuid("a workspace") })

export const RuntimeQuery = Schema.Struct({
  end_user_id: Schema.optional(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(255)).annotations({
      ...saying("must be 1 to 255 characters"),
      description: "In place of the X-End-User-Id header, for clients that store only an address"
    })
  )
}).annotations(strict)

/** What narrows the tools of one request. */
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
    Schema.NonEmptyString.annotations({ description: "Only these tools: their names, separated by commas" })
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
  .middleware(Authorization)
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

/** Names that clients add besides are ignored. */
export const ChatBody = Schema.Struct({
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
    Schema.NullOr(ContextText).annotations({
      description: "Sets the context of the session, as PUT /chat-sessions/{sessionId}/context does; null removes it"
    })
  ),
  toolApproval: Schema.optional(
    Schema.Literal("never", "writes").annotations({
      ...saying("must be never or writes"),
      identifier: "ToolApproval",
      description: "writes: the user is asked before a tool changes anything. never when absent",
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

export const ChatHeaders = Schema.Struct({
  "x-session-id": Schema.optional(
    uuid("a chat session").annotations({ description: "The conversation; a new one when absent, told in the answer" })
  ),
  "x-end-user-id": RuntimeHeaders.fields["x-end-user-id"],
  "x-connection-id": RuntimeHeaders.fields["x-connection-id"]
})

/** An agent that answers with the tools of a workspace. */
export class ChatApi extends HttpApiGroup.make("chat")
  .middleware(Authorization)
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

/** What is served as it comes, and declared here for those who read the interface. */
export class AgentApi extends makeApi("agent").add(RuntimeApi).add(ChatApi) {}
