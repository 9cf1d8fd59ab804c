import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { ManagementApi } from "../Api.ts"
import { cursorsOf } from "../platform/Cursors.ts"
import { defaultLimit, ok } from "../platform/Envelope.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { Events, FeedPosition } from "./Events.ts"

const cursors = cursorsOf(FeedPosition)

export const EventsLive = HttpApiBuilder.group(ManagementApi, "events", (handlers) =>
  Effect.gen(function* () {
    const events = yield* Events
    const { seal, unseal } = yield* cursors

    return handlers.handle("list", ({ urlParams: { cursor, limit = defaultLimit, types } }) =>
      Effect.gen(function* () {
        const caller = yield* CurrentCaller
        const scope = JSON.stringify(["events", caller.organisation, caller.environment, types?.toSorted() ?? null])
        const after = cursor === undefined ? undefined : yield* unseal(cursor, scope)
        // one more than is shown says whether there are more
        const found = yield* events.feed(caller, { types, after, take: limit + 1 })
        const shown = found.slice(0, limit)
        const last = shown.at(-1)?.position ?? after
        return ok("events", {
          data: shown.map(({ event }) => event),
          pagination: {
            cursor: last === undefined ? null : yield* seal(last, scope),
            hasMore: found.length > limit,
            limit
          }
        })
      })
    )
  })
)
