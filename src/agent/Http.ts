import { HttpApiBuilder, HttpLayerRouter, HttpServerRequest } from "@effect/platform"
import { Effect, FiberRef } from "effect"
import { ManagementApi } from "../Api.ts"
import * as Address from "../platform/Address.ts"
import { created, ok } from "../platform/Envelope.ts"
import { BadRequest, Forbidden } from "../platform/Errors.ts"
import { basePath } from "../platform/Paths.ts"
import { utf8 } from "../platform/EndUserHeader.ts"
import { requestNotes } from "../platform/RequestNotes.ts"
import { jsonBody, requestDecoder } from "../platform/Requests.ts"
import { Shutdown } from "../platform/Shutdown.ts"
import { Authentication } from "../tenancy/Authentication.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { Organisations } from "../tenancy/Organisations.ts"
import { cors } from "./Cors.ts"
import { both, narrowed } from "./EndUserAccess.ts"
import { NewContext, NewWorkspace, RuntimeHeaders, RuntimePath, RuntimeQuery, WorkspaceChanges } from "./Api.ts"
import { isOwnOrigin, serve } from "./McpBridge.ts"
import { McpServer } from "./McpServer.ts"
import { SessionContexts } from "./SessionContexts.ts"
import { nameLimit, ToolCatalogue } from "./ToolCatalogue.ts"
import { ToolGate } from "./ToolGate.ts"
import { Workspaces } from "./Workspaces.ts"

const readNew = jsonBody(NewWorkspace)
const readChanges = jsonBody(WorkspaceChanges)

export const WorkspacesLive = HttpApiBuilder.group(ManagementApi, "workspaces", (handlers) =>
  Effect.map(Workspaces, (workspaces) =>
    handlers
      .handle("list", ({ urlParams: { limit = 20, page = 1 } }) =>
        Effect.gen(function* () {
          const { total, workspaces: found } = yield* workspaces.list(yield* CurrentCaller, page, limit)
          return { ...ok("workspaces", found), meta: { total, page, limit, totalPages: Math.ceil(total / limit) } }
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
      .handle("archive", ({ path }) => Effect.flatMap(CurrentCaller, (caller) => workspaces.archive(caller, path.id)))
  )
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

// ---------------------------------------------------------------------------------------------------------------------
// tool runtime

const decodeRuntime = requestDecoder(RuntimePath, RuntimeQuery, RuntimeHeaders)

/** Names in `X-MCP-Tools`, each of a tool that there is. */
const namedTools = (catalogue: ToolCatalogue["Type"], header: string | undefined) => {
  if (header === undefined) return Effect.succeed(undefined)
  const named = header.split(",").map((name) => ({ name: name.trim(), offer: catalogue.find(name) }))
  if (named.some(({ name }) => name.length > nameLimit)) {
    const message = `x-mcp-tools: the name of a tool has at most ${nameLimit} characters`
    return Effect.fail(new BadRequest({ code: "INVALID_PARAMETER", message }))
  }
  const unknown = named.flatMap(({ name, offer }) => (offer === undefined ? [name] : []))
  return unknown.length === 0
    ? Effect.succeed(new Set(named.flatMap(({ offer }) => offer?.name ?? [])))
    : Effect.fail(
        new BadRequest({ code: "INVALID_PARAMETER", message: `x-mcp-tools: there is no tool ${unknown.join(", ")}` })
      )
}

/** `POST /mcp/{workspaceId}`: the tool runtime. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const authentication = yield* Authentication
    const organisations = yield* Organisations
    const workspaces = yield* Workspaces
    const catalogue = yield* ToolCatalogue
    const gate = yield* ToolGate
    const mcp = yield* McpServer
    const { expose, preflight } = yield* cors
    const own = new URL(yield* Address.publicUrl).hostname
    const stop = yield* Effect.serviceOption(Shutdown)

    /** Pages of others must not call in a visitor's name; whoever is no browser sends no origin. */
    const refuseForeignOrigins = (organisation: string, origin: string | undefined) =>
      Effect.gen(function* () {
        if (origin === undefined || isOwnOrigin(origin, [own])) return
        const { allowedOrigins } = yield* Effect.orDie(organisations.find(organisation))
        if (!allowedOrigins.includes(origin)) {
          return yield* new Forbidden({
            code: "FORBIDDEN",
            message:
              "Origin: pages of this origin may not call. An operator allows it with organisations update --allow-origin."
          })
        }
      })

    const message = Effect.gen(function* () {
      yield* expose
      const caller = yield* authentication.admitAnyone
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* refuseForeignOrigins(caller.organisation, request.headers["origin"])
      const { headers, path, query } = yield* decodeRuntime({
        path: yield* HttpLayerRouter.params,
        query: yield* HttpServerRequest.ParsedSearchParams,
        headers: request.headers
      })
      const sent = headers["x-end-user-id"] === undefined ? undefined : utf8(headers["x-end-user-id"])
      if (sent !== undefined && query.end_user_id !== undefined && sent !== query.end_user_id) {
        return yield* new BadRequest({
          code: "INVALID_PARAMETER",
          message: "end_user_id: is another than X-End-User-Id says; send one of them"
        })
      }
      const { endUser, only, readOnly } = yield* narrowed(caller, path.workspaceId, sent ?? query.end_user_id)
      const notes = yield* FiberRef.get(requestNotes)
      if (notes !== undefined) notes.endUser = endUser
      const workspace = yield* workspaces.get(caller, path.workspaceId)
      const session = yield* gate.open({
        caller,
        workspace,
        via: "mcp",
        endUser,
        connection: headers["x-connection-id"]?.toLowerCase(),
        readOnly: readOnly || headers["x-mcp-readonly"] === "true",
        only: both(only, yield* namedTools(catalogue, headers["x-mcp-tools"])),
        idempotencyKey: headers["idempotency-key"]
      })
      return yield* serve(mcp.of(session), stop)
    })

    const place = `${basePath}/mcp/:workspaceId` as const
    return [HttpLayerRouter.route("POST", place, message), HttpLayerRouter.route("OPTIONS", place, preflight)]
  })
)
