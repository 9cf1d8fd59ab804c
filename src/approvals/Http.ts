import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { ManagementApi } from "../Api.ts"
import { ok } from "../platform/Envelope.ts"
import { jsonBody } from "../platform/Requests.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { pages, positionOf } from "../tenancy/Pages.ts"
import { NewDecision } from "./Api.ts"
import { Approvals } from "./Approvals.ts"

const readDecision = jsonBody(NewDecision)

export const ApprovalsLive = HttpApiBuilder.group(ManagementApi, "approvals", (handlers) =>
  Effect.gen(function* () {
    const approvals = yield* Approvals
    const page = yield* pages

    return handlers
      .handle("list", ({ urlParams: { cursor, limit, status } }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          // a cursor goes on with the status it was given for
          const list = JSON.stringify(["approvals", status])
          const found = yield* page(list, { cursor, limit }, positionOf, (part) =>
            approvals.newest(caller, { status, ...part })
          )
          return ok("approvals", { ...found, data: found.data.map(({ position: _, ...approval }) => approval) })
        })
      )
      .handle("get", ({ path }) =>
        Effect.gen(function* () {
          return ok("approval", yield* approvals.get(yield* CurrentCaller, path.id.toLowerCase()))
        })
      )
      .handleRaw("decide", ({ path, request }) =>
        Effect.gen(function* () {
          const { body } = yield* readDecision(request)
          const caller = yield* CurrentCaller
          const decided = yield* approvals.decide(caller, path.id.toLowerCase(), body.decision, "organisation")
          return ok(`call ${decided.status}`, decided)
        })
      )
  })
)
