import { HttpApiBuilder } from "@effect/platform"
import { Clock, Effect } from "effect"
import { ManagementApi } from "../Api.ts"
import { cursorsOf } from "../platform/Cursors.ts"
import { defaultLimit, ok } from "../platform/Envelope.ts"
import { Unprocessable } from "../platform/Errors.ts"
import { jsonBody } from "../platform/Requests.ts"
import { didYouMean } from "../platform/Spelling.ts"
import { Providers } from "../providers/Providers.ts"
import { CurrentCaller, type Tenant } from "../tenancy/CurrentCaller.ts"
import { WatchBody } from "./Api.ts"
import { followedOf, watchRecords } from "./Report.ts"
import { FollowedPosition, Watches } from "./Watches.ts"
import { Watcher } from "./Watcher.ts"

const readWatch = jsonBody(WatchBody)

const cursors = cursorsOf(FollowedPosition)

const scopeOf = ({ environment, organisation }: Tenant) => JSON.stringify(["watches", organisation, environment])

const unknownProvider = (slug: string, known: ReadonlyArray<string>, at: number) =>
  [`providers.${at}`, `must be one of ${known.join(", ")}${didYouMean(slug, known)}`] as const

export const WatchesLive = HttpApiBuilder.group(ManagementApi, "watches", (handlers) =>
  Effect.gen(function* () {
    const watches = yield* Watches
    const watcher = yield* Watcher
    const providers = yield* Providers
    const recordOf = yield* watchRecords
    const { seal, unseal } = yield* cursors

    return handlers
      .handle("get", () =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          return ok("watch", yield* recordOf(caller, yield* watches.get(caller)))
        })
      )
      .handleRaw("put", ({ request }) =>
        Effect.gen(function* () {
          const { body } = yield* readWatch(request)
          const caller = yield* CurrentCaller
          const known = providers.all().map(({ slug }) => slug)
          const wrong = (body.providers ?? []).flatMap((slug, at) =>
            known.includes(slug) ? [] : [unknownProvider(slug, known, at)]
          )
          if (wrong.length > 0) return yield* new Unprocessable({ errors: Object.fromEntries(wrong) })
          const now = yield* Clock.currentTimeMillis
          const watch = yield* watches.put(caller, {
            resources: [...new Set(body.resources)],
            providers: body.providers === undefined ? null : [...new Set(body.providers)],
            interval: body.interval
          })
          yield* watcher.wake(now)
          // what happens after the answer is told
          const since = Math.max(...Object.values(watch.resources).map((date) => date.getTime()))
          yield* Effect.sleep(Math.max(0, since - (yield* Clock.currentTimeMillis)))
          return ok("watch", yield* recordOf(caller, watch))
        })
      )
      .handle("remove", () =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          yield* watches.remove(caller)
          return ok("watch ended", yield* recordOf(caller, undefined))
        })
      )
      .handle("connections", ({ urlParams: { cursor, limit = defaultLimit } }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          const scope = scopeOf(caller)
          const after = cursor === undefined ? undefined : yield* unseal(cursor, scope)
          const now = yield* Clock.currentTimeMillis
          // one more than is shown says whether there are more
          const found = yield* watches.followed(caller, { after, take: limit + 1 })
          const shown = found.slice(0, limit)
          const last = found.length > limit ? shown.at(-1) : undefined
          return ok("watched connections", {
            data: shown.map((one) => followedOf(one, now)),
            pagination: {
              cursor:
                last === undefined
                  ? null
                  : yield* seal({ made: last.made, connection: last.connection, resource: last.resource }, scope),
              hasMore: last !== undefined,
              limit
            }
          })
        })
      )
  })
)
