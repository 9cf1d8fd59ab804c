import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { ManagementApi } from "../Api.ts"
import { created, ok } from "../platform/Envelope.ts"
import { jsonBody } from "../platform/Requests.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { pages, positionOf } from "../tenancy/Pages.ts"
import { NewContext } from "./Api.ts"
import { ChatSessions } from "./ChatSessions.ts"
import { LanguageModel } from "./LanguageModel.ts"
import { SessionContexts } from "./SessionContexts.ts"
import { NewWorkspace, WorkspaceChanges } from "./Workspace.ts"
import { Workspaces } from "./Workspaces.ts"

const readNew = jsonBody(NewWorkspace)
const readChanges = jsonBody(WorkspaceChanges)

const byName = ({ name }: { readonly name: string }) => name

export const WorkspacesLive = HttpApiBuilder.group(ManagementApi, "workspaces", (handlers) =>
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    const models = yield* LanguageModel
    const page = yield* pages

    return handlers
      .handle("list", ({ urlParams: { limit = 20, page: number = 1 } }) =>
        Effect.gen(function* () {
          const { total, workspaces: found } = yield* workspaces.list(yield* CurrentCaller, number, limit)
          return {
            ...ok("workspaces", found),
            meta: { total, page: number, limit, totalPages: Math.ceil(total / limit) }
          }
        })
      )
      .handleRaw("create", ({ request }) =>
        Effect.gen(function* () {
          const { body } = yield* readNew(request)
          return created("workspace created", yield* workspaces.create(yield* CurrentCaller, body))
        })
      )
      .handleRaw("update", ({ path, request }) =>
        Effect.gen(function* () {
          const { body } = yield* readChanges(request)
          return ok("workspace updated", yield* workspaces.update(yield* CurrentCaller, path.id, body))
        })
      )
      .handle("models", ({ urlParams }) =>
        Effect.map(
          page("chat-models", urlParams, byName, ({ after, take }) => {
            const from = after === undefined ? 0 : models.names.indexOf(after) + 1
            return Effect.succeed(
              models.names.slice(from, from + take).map((name, i) => ({ name, isUsual: from + i === 0 }))
            )
          }),
          (found) => ok("models", found)
        )
      )
      .handle("archive", ({ path }) => Effect.flatMap(CurrentCaller, (caller) => workspaces.archive(caller, path.id)))
  })
)

const readContext = jsonBody(NewContext)

export const SessionContextsLive = HttpApiBuilder.group(ManagementApi, "sessionContexts", (handlers) =>
  Effect.map(SessionContexts, (contexts) =>
    handlers
      .handleRaw("put", ({ path, request }) =>
        Effect.gen(function* () {
          const { body } = yield* readContext(request)
          const sessionId = path.sessionId.toLowerCase()
          return ok("context set", yield* contexts.put(yield* CurrentCaller, sessionId, body.context))
        })
      )
      .handle("get", ({ path }) =>
        Effect.gen(function* () {
          return ok("context", yield* contexts.get(yield* CurrentCaller, path.sessionId.toLowerCase()))
        })
      )
      .handle("remove", ({ path }) =>
        Effect.flatMap(CurrentCaller, (caller) => contexts.remove(caller, path.sessionId.toLowerCase()))
      )
  )
)

export const ChatSessionsLive = HttpApiBuilder.group(ManagementApi, "chatSessions", (handlers) =>
  Effect.gen(function* () {
    const sessions = yield* ChatSessions
    const page = yield* pages

    return handlers
      .handle("list", ({ urlParams: { cursor, limit, ...filters } }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          // a cursor goes on with the filters it was given for
          const found = yield* page(JSON.stringify(["chat-sessions", filters]), { cursor, limit }, positionOf, (part) =>
            sessions.list(caller, { ...filters, ...part })
          )
          return ok("chat sessions", { ...found, data: found.data.map(({ position: _, ...session }) => session) })
        })
      )
      .handle("get", ({ path }) =>
        Effect.gen(function* () {
          return ok("chat session", yield* sessions.get(yield* CurrentCaller, path.id.toLowerCase()))
        })
      )
      .handle("messages", ({ path, urlParams }) =>
        Effect.gen(function* () {
          const id = path.id.toLowerCase()
          const messages = yield* sessions.messages(yield* CurrentCaller, id)
          const numbered = messages.map((message, i) => ({ message, position: String(i) }))
          const found = yield* page(`chat-sessions/${id}/messages`, urlParams, positionOf, ({ after, take }) =>
            Effect.succeed(
              numbered
                .slice(0, Number(after ?? numbered.length))
                .toReversed()
                .slice(0, take)
            )
          )
          return ok("messages", { ...found, data: found.data.map(({ message }) => message) })
        })
      )
      .handle("remove", ({ path }) =>
        Effect.flatMap(CurrentCaller, (caller) => sessions.remove(caller, path.id.toLowerCase()))
      )
  })
)
