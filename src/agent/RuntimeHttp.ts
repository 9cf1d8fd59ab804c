import { HttpApiBuilder } from "@effect/platform"
import { Effect, FiberRef } from "effect"
import { utf8 } from "../platform/EndUserHeader.ts"
import { BadRequest } from "../platform/Errors.ts"
import { requestNotes } from "../platform/RequestNotes.ts"
import { limitedJson } from "../platform/Requests.ts"
import { Shutdown } from "../platform/Shutdown.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { AgentApi } from "./Api.ts"
import { accessOf } from "./EndUserAccess.ts"
import { serve } from "./McpBridge.ts"
import { McpServer } from "./McpServer.ts"
import { narrowingOf } from "./Narrowing.ts"
import { refuseBeyondScope } from "./StepUp.ts"
import { ToolCatalogue } from "./ToolCatalogue.ts"
import { type Agent, ToolGate } from "./ToolGate.ts"
import { Workspaces } from "./Workspaces.ts"

/** `POST /mcp/{workspaceId}`: the tool runtime. */
export const RuntimeLive = HttpApiBuilder.group(AgentApi, "toolRuntime", (handlers) =>
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    const catalogue = yield* ToolCatalogue
    const gate = yield* ToolGate
    const mcp = yield* McpServer
    const stop = yield* Effect.serviceOption(Shutdown)

    return handlers.handleRaw("message", ({ headers, path, request, urlParams }) =>
      Effect.gen(function* () {
        const caller = yield* CurrentCaller
        const sent = headers["x-end-user-id"] === undefined ? undefined : utf8(headers["x-end-user-id"])
        if (sent !== undefined && urlParams.end_user_id !== undefined && sent !== urlParams.end_user_id) {
          return yield* new BadRequest({
            code: "INVALID_PARAMETER",
            message: "end_user_id: differs from X-End-User-Id; send only one of them"
          })
        }
        const access = yield* accessOf(caller, path.workspaceId, sent ?? urlParams.end_user_id)
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
    )
  })
)
