import { HttpApiBuilder } from "@effect/platform"
import { Effect, Option } from "effect"
import { ManagementApi } from "../Api.ts"
import { cursorsOf } from "../platform/Cursors.ts"
import { defaultLimit, ok } from "../platform/Envelope.ts"
import { NotFound } from "../platform/Errors.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import type { RequestDetails, RequestRecord } from "./Api.ts"
import type { StoredRequest } from "./LoggedRequest.ts"
import { positionOf, RequestLog, RequestPosition } from "./RequestLog.ts"

const cursors = cursorsOf(RequestPosition)

const recordOf = (one: StoredRequest): typeof RequestRecord.Type => ({
  requestId: one.requestId,
  at: one.at.toISOString(),
  method: one.method,
  route: one.route,
  status: one.status,
  code: one.code,
  message: one.message,
  milliseconds: one.milliseconds,
  endUserId: one.endUser,
  providers: one.providers,
  connectionIds: one.connections,
  resource: one.resource,
  recordId: one.record,
  idempotencyKey: one.idempotencyKey,
  keyId: one.key,
  keyName: one.keyName,
  traceId: one.traceId,
  callsMade: one.callsMade
})

const detailsOf = (one: StoredRequest): typeof RequestDetails.Type => ({
  ...recordOf(one),
  calls: one.calls.map(({ connection, ...call }) => ({ ...call, connectionId: connection }))
})

export const RequestsLive = HttpApiBuilder.group(ManagementApi, "requests", (handlers) =>
  Effect.gen(function* () {
    const log = yield* RequestLog
    const { seal, unseal } = yield* cursors

    return handlers
      .handle(
        "list",
        ({ urlParams: { cursor, end_user: endUser, limit = defaultLimit, record_id: record, ...more } }) =>
          Effect.gen(function* () {
            const caller = yield* CurrentCaller
            const filters = { ...more, endUser, record }
            const scope = JSON.stringify(["requests", caller.organisation, caller.environment, filters])
            const after = cursor === undefined ? undefined : yield* unseal(cursor, scope)
            // one more than is shown says whether there are more
            const found = yield* log.list(caller, filters, { after, take: limit + 1 })
            const shown = found.slice(0, limit)
            const last = found.length > limit ? shown.at(-1) : undefined
            return ok("requests", {
              data: shown.map(recordOf),
              pagination: {
                cursor: last === undefined ? null : yield* seal(positionOf(last), scope),
                hasMore: last !== undefined,
                limit
              }
            })
          })
      )
      .handle("get", ({ path: { requestId } }) =>
        Effect.gen(function* () {
          const found = yield* log.get(yield* CurrentCaller, requestId)
          if (Option.isSome(found)) return ok("request", detailsOf(found.value))
          return yield* new NotFound({
            code: "REQUEST_NOT_FOUND",
            message: "requestId: there is no such request in the log of this environment, or it is too old."
          })
        })
      )
  })
)
