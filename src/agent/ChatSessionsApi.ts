import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Authorization } from "../tenancy/Api.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"
import { needs } from "../tenancy/Scopes.ts"
import { ChatMessage } from "./Api.ts"
import { uuid } from "./TextLimits.ts"

/** The tokens that calls of the model took. */
export const Usage = Schema.Struct({
  inputTokens: Schema.Int.annotations({ description: "Tokens that the model read" }),
  cachedInputTokens: Schema.Int.annotations({ description: "Those of them that its provider had in its cache" }),
  outputTokens: Schema.Int.annotations({ description: "Tokens that the model wrote" })
}).annotations({
  identifier: "ChatUsage",
  description: "Tokens that the model took; 0 where its provider does not say"
})
export type Usage = typeof Usage.Type

const moment = Schema.String.annotations({ description: "ISO 8601 date-time" })

export const ChatSessionRecord = Schema.Struct({
  id: Schema.UUID.annotations({ description: "The session's id: what `X-Session-Id` says" }),
  environment: Environment,
  workspaceId: Schema.UUID.annotations({ description: "UUID of the workspace that it was begun in" }),
  endUserId: Schema.NullOr(Schema.String).annotations({
    description: "Your own id of the end user that it was begun for; null: nobody was named"
  }),
  hasContext: Schema.Boolean.annotations({
    description: "Whether it has text in front of its system prompt: GET /chat-sessions/{sessionId}/context"
  }),
  usage: Usage,
  createdAt: moment,
  updatedAt: Schema.String.annotations({ description: "When its last turn ended: ISO 8601 date-time" })
}).annotations({ identifier: "ChatSession", description: "A conversation with an agent" })
export type ChatSessionRecord = typeof ChatSessionRecord.Type

/** Which sessions; all where nothing is said. */
const filters = {
  workspaceId: Schema.optional(uuid("a workspace").annotations({ description: "Only sessions of this workspace" })),
  endUserId: Schema.optional(Schema.String.annotations({ description: "Only sessions of this end user: your own id" }))
}

const Path = Schema.Struct({ id: uuid("a chat session") })

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

/** Conversations with agents: what was said, and what it took. */
export class ChatSessionsApi extends HttpApiGroup.make("chatSessions")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/chat-sessions")
      .setUrlParams(Schema.Struct({ ...pageQuery, ...filters }).annotations(strict))
      .addSuccess(Page(ChatSessionRecord))
      .annotate(OpenApi.Summary, "List chat sessions")
      .annotate(
        OpenApi.Description,
        "Those of the key's environment, the newest first. One is forgotten 30 days after its last turn."
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/chat-sessions/:id")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, ChatSessionRecord))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Get a chat session")
      .annotate(OpenApi.Description, "With the tokens that it took so far.")
  )
  .add(
    HttpApiEndpoint.get("messages", "/chat-sessions/:id/messages")
      .setPath(Path)
      .setUrlParams(Schema.Struct(pageQuery).annotations(strict))
      .addSuccess(Page(ChatMessage))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "List the messages of a chat session")
      .annotate(
        OpenApi.Description,
        "Newest first, as UIMessages of the AI SDK; turned round they are what useChat begins with. What is kept is 128 KiB at most: old answers of tools go first, then long texts are shortened, then the oldest turns go; what the model summed up is there as its summary."
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/chat-sessions/:id")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Delete a chat session")
      .annotate(
        OpenApi.Description,
        "Its history and its context, for good; a turn that is under way brings nothing back. Under the same id a new session can begin."
      )
  )
  .annotateEndpointsContext(needs("agents"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "chat sessions")
  .annotate(OpenApi.Description, "Conversations with agents: what was said, and the tokens that it took.") {}
