import { HttpApiBuilder, HttpLayerRouter, HttpServerRequest } from "@effect/platform"
import { Effect, FiberRef } from "effect"
import { ManagementApi } from "../Api.ts"
import * as Address from "../platform/Address.ts"
import { created, ok } from "../platform/Envelope.ts"
import { BadRequest, Forbidden } from "../platform/Errors.ts"
import { basePath } from "../platform/Paths.ts"
import { utf8 } from "../platform/EndUserHeader.ts"
import { requestNotes } from "../platform/RequestNotes.ts"
import { requestDecoder } from "../platform/RequestDecoder.ts"
import { jsonBody, limitedJson } from "../platform/Requests.ts"
import { Shutdown } from "../platform/Shutdown.ts"
import { Authentication } from "../tenancy/Authentication.ts"
import { AllowedOrigins } from "../tenancy/AllowedOrigins.ts"
import { CurrentCaller, type Tenant } from "../tenancy/CurrentCaller.ts"
import { pages, positionOf } from "../tenancy/Pages.ts"
import { NewContext, RuntimeHeaders, RuntimePath, RuntimeQuery } from "./Api.ts"
import { ChatSessions } from "./ChatSessions.ts"
import { cors } from "./Cors.ts"
import { accessOf } from "./EndUserAccess.ts"
import { LanguageModel } from "./LanguageModel.ts"
import { isOwnOrigin, serve } from "./McpBridge.ts"
import { McpServer } from "./McpServer.ts"
import { narrowingOf } from "./Narrowing.ts"
import { SessionContexts } from "./SessionContexts.ts"
import { refuseBeyondScope } from "./StepUp.ts"
import { ToolCatalogue } from "./ToolCatalogue.ts"
import { type Agent, ToolGate } from "./ToolGate.ts"
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

// ---------------------------------------------------------------------------------------------------------------------
// tool runtime

const decodeRuntime = requestDecoder(RuntimePath, RuntimeQuery, RuntimeHeaders)

/** `POST /mcp/{workspaceId}`: the tool runtime. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const allowed = yield* AllowedOrigins
    const workspaces = yield* Workspaces
    const catalogue = yield* ToolCatalogue
    const gate = yield* ToolGate
    const mcp = yield* McpServer
    const { expose, preflight } = yield* cors
    const own = new URL(yield* Address.publicUrl).hostname
    const stop = yield* Effect.serviceOption(Shutdown)

    /** Pages of others must not call in a visitor's name; whoever is no browser sends no origin. */
    const refuseForeignOrigins = (tenant: Tenant, origin: string | undefined) =>
      Effect.gen(function* () {
        if (origin === undefined || isOwnOrigin(origin, [own])) return
        const { organisationOrigins, origins } = yield* allowed.find(tenant)
        if (!organisationOrigins.includes(origin) && !origins.includes(origin)) {
          return yield* new Forbidden({
            code: "FORBIDDEN",
            message: "Origin: pages of this origin may not call. Allow it with PUT /api/v1/settings/allowed-origins."
          })
        }
      })

    const message = Effect.gen(function* () {
      yield* expose
      const caller = yield* authentication.admitAnyone
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* refuseForeignOrigins(caller, request.headers["origin"])
      const { headers, path, query } = yield* decodeRuntime({
        path: yield* HttpLayerRouter.params,
        query: yield* HttpServerRequest.ParsedSearchParams,
        headers: request.headers
      })
      const sent = headers["x-end-user-id"] === undefined ? undefined : utf8(headers["x-end-user-id"])
      if (sent !== undefined && query.end_user_id !== undefined && sent !== query.end_user_id) {
        return yield* new BadRequest({
          code: "INVALID_PARAMETER",
          message: "end_user_id: differs from X-End-User-Id; send only one of them"
        })
      }
      const access = yield* accessOf(caller, path.workspaceId, sent ?? query.end_user_id)
      const { endUser } = access
      const notes = yield* FiberRef.get(requestNotes)
      if (notes !== undefined) notes.endUser = endUser
      const workspace = yield* workspaces.get(caller, path.workspaceId)
      const agent: Agent = {
        caller,
        workspace,
        via: "mcp",
        endUser,
        ...(yield* narrowingOf(catalogue, headers, access)),
        confirm: "never",
        idempotencyKey: headers["idempotency-key"]
      }
      const session = yield* gate.open(agent)
      const text = yield* limitedJson(request)
      yield* refuseBeyondScope(text, session, gate.open({ ...agent, readOnly: headers["x-mcp-readonly"] === "true" }))
      return yield* serve(text, mcp.of(session), stop)
    })

    const path = `${basePath}/mcp/:workspaceId` as const
    return [HttpLayerRouter.route("POST", path, message), HttpLayerRouter.route("OPTIONS", path, preflight)]
  })
)
