import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { ManagementApi } from "../Api.ts"
import { cursorsOf } from "../platform/Cursors.ts"
import { defaultLimit, ok } from "../platform/Envelope.ts"
import { jsonBody } from "../platform/Requests.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { NewDecision } from "./Api.ts"
import { ApprovalPosition, Approvals } from "./Approvals.ts"

const cursors = cursorsOf(ApprovalPosition)
const readDecision = jsonBody(NewDecision)

export const ApprovalsLive = HttpApiBuilder.group(ManagementApi, "approvals", (handlers) =>
  Effect.gen(function* () {
    const approvals = yield* Approvals
    const { seal, unseal } = yield* cursors

    return handlers
      .handle("list", ({ urlParams: { cursor, limit = defaultLimit, status } }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          const scope = JSON.stringify(["approvals", caller.organisation, caller.environment, status ?? null])
          const after = cursor === undefined ? undefined : yield* unseal(cursor, scope)
          // one more than is shown says whether there are more
          const found = yield* approvals.newest(caller, { status, after, take: limit + 1 })
          const shown = found.slice(0, limit)
          const last = found.length > limit ? shown.at(-1) : undefined
          return ok("approvals", {
            data: shown.map(({ approval }) => approval),
            pagination: {
              cursor: last === undefined ? null : yield* seal(last.position, scope),
              hasMore: last !== undefined,
              limit
            }
          })
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
