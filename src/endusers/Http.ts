import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Chunk, Effect, Option, Stream } from "effect"
import { ManagementApi } from "../Api.ts"
import { cursorsOf } from "../platform/Cursors.ts"
import { defaultLimit, ok } from "../platform/Envelope.ts"
import { CurrentCaller, type Tenant } from "../tenancy/CurrentCaller.ts"
import { type EndUser, EndUserPosition, EndUsers } from "../tenancy/EndUsers.ts"
import type { Exported } from "../tenancy/PersonalData.ts"
import type { EndUserRecord } from "./Api.ts"
import { Erasure } from "./Erasure.ts"

const recordOf = (
  { environment }: Tenant,
  endUserId: string,
  endUser: Option.Option<EndUser>
): typeof EndUserRecord.Type => ({
  endUserId,
  displayName: Option.getOrNull(Option.flatMapNullable(endUser, ({ displayName }) => displayName)),
  email: Option.getOrNull(Option.flatMapNullable(endUser, ({ email }) => email)),
  environment,
  createdAt: Option.getOrNull(Option.map(endUser, ({ createdAt }) => createdAt))
})

const person = (endUserId: string) =>
  Effect.map(CurrentCaller, ({ environment, organisation }) => ({ organisation, environment, endUserId }))

/** An export is written entry by entry: as one text it could keep everybody else waiting. */
const written = (record: typeof EndUserRecord.Type, kinds: { readonly [kind: string]: ReadonlyArray<Exported> }) => {
  const { data, ...envelope } = ok("what is stored of the end user", record)
  const open = (object: object) => JSON.stringify(object).slice(0, -1)
  const parts = Object.entries(kinds).map(([kind, entries], place) =>
    Stream.make(`${place === 0 ? "" : ","}${JSON.stringify(kind)}:[`).pipe(
      Stream.concat(
        Stream.map(
          Stream.zipWithIndex(Stream.fromIterable(entries)),
          ([entry, at]) => `${at === 0 ? "" : ","}${JSON.stringify(entry)}`
        )
      ),
      Stream.concat(Stream.make("]"))
    )
  )
  return Stream.make(`${open(envelope)},"data":${open(data)},"stored":{`).pipe(
    Stream.concat(Stream.concatAll(Chunk.fromIterable(parts))),
    Stream.concat(Stream.make("}}}")),
    Stream.encodeText
  )
}

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
            data: shown.map((one) => recordOf(caller, one.externalId, Option.some(one))),
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
          return ok("end user", { ...recordOf(asked, endUserId, endUser), stored: counts })
        })
      )
      .handleRaw("export", ({ path: { endUserId } }) =>
        Effect.gen(function* () {
          const asked = yield* person(endUserId)
          const { endUser, kinds } = yield* erasure.export(asked)
          return HttpServerResponse.stream(written(recordOf(asked, endUserId, endUser), kinds), {
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
