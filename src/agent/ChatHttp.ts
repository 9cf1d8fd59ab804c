import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Stream } from "effect"
import { Forbidden } from "../platform/Errors.ts"
import { utf8 } from "../platform/EndUserHeader.ts"
import { bodyLimit, jsonBody } from "../platform/Requests.ts"
import { Shutdown } from "../platform/Shutdown.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { AgentApi, ChatBody } from "./Api.ts"
import { Chat } from "./Chat.ts"
import { sessionOf } from "./ChatSessions.ts"
import type { Next } from "./ChatLoop.ts"
import { accessOf } from "./EndUserAccess.ts"
import { narrowingOf } from "./Narrowing.ts"
import { ToolCatalogue } from "./ToolCatalogue.ts"
import { Workspaces } from "./Workspaces.ts"

/** Clients send a conversation with its files. */
const readBody = jsonBody(ChatBody, 4 * bodyLimit)

/** Time between the signs of life on a stream. */
const keepAlive = "15 seconds"

const contextForbidden = new Forbidden({
  code: "FORBIDDEN",
  message: "context: an end user's token cannot set text in front of the agent's prompt; use an API key."
})

const event = (data: string) => `data: ${data}\n\n`

/** An answer as server-sent events, with a sign of life wherever nothing else comes for a while. */
const eventsOf = (next: Next) =>
  Stream.unfoldEffect(false, (isOver) =>
    isOver
      ? Effect.succeedNone
      : Effect.map(
          Effect.timeoutOption(next, keepAlive),
          Option.match({
            onNone: () => Option.some([": keep-alive\n\n", false] as const),
            onSome: Option.match({
              onNone: () => Option.some([event("[DONE]"), true] as const),
              onSome: (part) => Option.some([event(JSON.stringify(part)), false] as const)
            })
          })
        )
  ).pipe(Stream.encodeText)

/** `POST /mcp/{workspaceId}/chat`: an agent's answer, streamed. */
export const ChatLive = HttpApiBuilder.group(AgentApi, "chat", (handlers) =>
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    const catalogue = yield* ToolCatalogue
    const chat = yield* Chat
    const stop = yield* Effect.serviceOption(Shutdown)

    return handlers
      .handleRaw("chat", ({ headers, path, request }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          const { body } = yield* readBody(request)
          const sent = headers["x-end-user-id"]
          const access = yield* accessOf(caller, path.workspaceId, sent === undefined ? undefined : utf8(sent))
          if (caller.grant !== undefined && body.context !== undefined) return yield* contextForbidden
          const { endUser } = access
          const workspace = yield* workspaces.get(caller, path.workspaceId)
          const sessionId = headers["x-session-id"]?.toLowerCase() ?? sessionOf(caller, workspace.id, endUser, body.id)
          const next = yield* chat.turn({
            caller,
            workspace,
            endUser,
            narrowing: yield* narrowingOf(catalogue, headers, access),
            sessionId,
            said: body.message ?? body.messages ?? "",
            context: body.context,
            model: body.model,
            outputSchema: body.outputSchema,
            approves: body.toolApproval === "never" ? undefined : body.toolApproval,
            stop
          })
          return HttpServerResponse.stream(eventsOf(next), {
            contentType: "text/event-stream",
            headers: {
              "cache-control": "no-store, no-transform",
              "x-accel-buffering": "no",
              "x-vercel-ai-ui-message-stream": "v1",
              "x-session-id": sessionId
            }
          })
        })
      )
      .handle("resume", ({ path }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          yield* accessOf(caller, path.workspaceId, undefined)
          yield* workspaces.get(caller, path.workspaceId)
        })
      )
  })
)
