import { HttpApiBuilder } from "@effect/platform"
import { Effect, Redacted, Schema } from "effect"
import { ManagementApi } from "../Api.ts"
import { cursorsOf } from "../platform/Cursors.ts"
import { created, defaultLimit, ok } from "../platform/Envelope.ts"
import { jsonBody } from "../platform/Requests.ts"
import { type ApiKeyRecord, NewApiKeyBody } from "./Api.ts"
import { type ApiKey, ApiKeys } from "./ApiKeys.ts"
import { CurrentCaller } from "./CurrentCaller.ts"
import { KeyEvents } from "./KeyEvents.ts"

const readNew = jsonBody(NewApiKeyBody)

const recordOf = ({ organisation: _, ...key }: ApiKey): typeof ApiKeyRecord.Type => key

/** A page goes on after the entry with an id. */
const cursors = cursorsOf(Schema.Struct({ after: Schema.String }))

/** A page of a list, newest first; `read` is asked for one entry more than is shown, which says whether there are more. */
const paged = Effect.map(
  cursors,
  ({ seal, unseal }) =>
    <A extends { readonly id: string }>(
      list: string,
      { cursor, limit = defaultLimit }: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
      read: (part: { readonly after: string | undefined; readonly take: number }) => Effect.Effect<ReadonlyArray<A>>
    ) =>
      Effect.gen(function* () {
        const { environment, organisation } = yield* CurrentCaller
        const scope = JSON.stringify([list, organisation, environment])
        const { after } = cursor === undefined ? { after: undefined } : yield* unseal(cursor, scope)
        const found = yield* read({ after, take: limit + 1 })
        const shown = found.slice(0, limit)
        const last = found.length > limit ? shown.at(-1) : undefined
        return {
          data: shown,
          pagination: {
            cursor: last === undefined ? null : yield* seal({ after: last.id }, scope),
            hasMore: last !== undefined,
            limit
          }
        }
      })
)

export const ApiKeysLive = HttpApiBuilder.group(ManagementApi, "apiKeys", (handlers) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const events = yield* KeyEvents
    const page = yield* paged

    return handlers
      .handle("list", ({ urlParams }) =>
        Effect.gen(function* () {
          const { environment, organisation } = yield* CurrentCaller
          const found = yield* page("api-keys", urlParams, (part) => keys.list(organisation, environment, part))
          return ok("API keys", { ...found, data: found.data.map(recordOf) })
        })
      )
      .handleRaw("create", ({ request }) =>
        Effect.gen(function* () {
          const { body } = yield* readNew(request)
          const { key, ...made } = yield* keys.createWith(yield* CurrentCaller, body)
          return created("API key created", { ...recordOf(made), key: Redacted.value(key) })
        })
      )
      .handle("events", ({ urlParams }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          const found = yield* page("api-key-events", urlParams, ({ after, take }) =>
            events.list(caller, { before: after, take })
          )
          return ok("API key events", { ...found, data: found.data.map(({ id: _, ...event }) => event) })
        })
      )
      .handle("revoke", ({ path }) =>
        Effect.gen(function* () {
          const { alsoRevoked, ...key } = yield* keys.revoke(path.id, yield* CurrentCaller)
          return ok("API key revoked", { ...recordOf(key), alsoRevoked })
        })
      )
  })
)
