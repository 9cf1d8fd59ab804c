import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect, Option } from "effect"
import { ManagementApi } from "../Api.ts"
import { cursorsOf } from "../platform/Cursors.ts"
import { defaultLimit, ok } from "../platform/Envelope.ts"
import { CurrentCaller, type Tenant } from "../tenancy/CurrentCaller.ts"
import { EndUserPosition, EndUsers } from "../tenancy/EndUsers.ts"
import { Erasure } from "./Erasure.ts"
import { recordOf, written } from "./Export.ts"

const person = (endUserId: string) =>
  Effect.map(CurrentCaller, ({ environment, organisation }) => ({ organisation, environment, endUserId }))

/** A page goes on after an end user, whether they are still there or not. */
const cursors = cursorsOf(EndUserPosition)

const scopeOf = ({ environment, organisation }: Tenant) => JSON.stringify(["end-users", organisation, environment])

export const EndUsersLive = HttpApiBuilder.group(ManagementApi, "endUsers", (handlers) =>
  Effect.gen(function* () {
    const endUsers = yield* EndUsers
    const erasure = yield* Erasure
    const { seal, unseal } = yield* cursors

    return handlers
      .handle("list", ({ urlParams: { cursor, limit = defaultLimit } }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          const scope = scopeOf(caller)
          const after = cursor === undefined ? undefined : yield* unseal(cursor, scope)
          // one more than is shown says whether there are more
          const found = yield* endUsers.newest(caller, { after, take: limit + 1 })
          const shown = found.slice(0, limit)
          const last = found.length > limit ? shown.at(-1) : undefined
          return ok("end users", {
            data: shown.map((one) => recordOf({ ...caller, endUserId: one.externalId }, Option.some(one))),
            pagination: {
              cursor: last === undefined ? null : yield* seal(last.position, scope),
              hasMore: last !== undefined,
              limit
            }
          })
        })
      )
      .handle("get", ({ path: { endUserId } }) =>
        Effect.gen(function* () {
          const asked = yield* person(endUserId)
          const { counts, endUser } = yield* erasure.held(asked)
          return ok("end user", { ...recordOf(asked, endUser), stored: counts })
        })
      )
      .handleRaw("export", ({ path: { endUserId } }) =>
        Effect.gen(function* () {
          const asked = yield* person(endUserId)
          return HttpServerResponse.stream(written(asked, yield* erasure.export(asked)), {
            contentType: "application/json"
          })
        })
      )
      .handle("erase", ({ path: { endUserId } }) =>
        Effect.gen(function* () {
          const { erased, notRevoked } = yield* erasure.endUser(yield* person(endUserId))
          return ok("end user erased", { endUserId, erased, notRevoked })
        })
      )
  })
)
