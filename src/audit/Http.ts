import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { ManagementApi } from "../Api.ts"
import { ok } from "../platform/Envelope.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { pages, positionOf } from "../tenancy/Pages.ts"
import { ToolCalls } from "./ToolCalls.ts"

export const ToolCallsLive = HttpApiBuilder.group(ManagementApi, "toolCalls", (handlers) =>
  Effect.gen(function* () {
    const calls = yield* ToolCalls
    const page = yield* pages

    return handlers
      .handle("list", ({ urlParams: { cursor, limit, ...filters } }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          // a cursor goes on with the filters it was given for
          const list = JSON.stringify(["tool-calls", filters])
          const found = yield* page(list, { cursor, limit }, positionOf, (part) =>
            calls.list(caller, { ...filters, ...part })
          )
          return ok("tool calls", { ...found, data: found.data.map(({ position: _, ...call }) => call) })
        })
      )
      .handle("get", ({ path: { id } }) =>
        Effect.gen(function* () {
          return ok("tool call", yield* calls.get(yield* CurrentCaller, id.toLowerCase()))
        })
      )
  })
)
