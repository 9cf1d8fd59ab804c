import { HttpApiBuilder } from "@effect/platform"
import { Effect, Redacted } from "effect"
import { ManagementApi } from "../Api.ts"
import { created, ok } from "../platform/Envelope.ts"
import { jsonBody } from "../platform/Requests.ts"
import { AllowedOrigins } from "./AllowedOrigins.ts"
import { type ApiKeyRecord, NewAllowedOrigins, NewApiKeyBody } from "./Api.ts"
import { type ApiKey, ApiKeys } from "./ApiKeys.ts"
import { CurrentCaller } from "./CurrentCaller.ts"
import { KeyEvents } from "./KeyEvents.ts"
import { pages } from "./Pages.ts"

const readNew = jsonBody(NewApiKeyBody)
const readOrigins = jsonBody(NewAllowedOrigins)

const recordOf = ({ organisation: _, ...key }: ApiKey): typeof ApiKeyRecord.Type => key

const byId = ({ id }: { readonly id: string }) => id

export const ApiKeysLive = HttpApiBuilder.group(ManagementApi, "apiKeys", (handlers) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const events = yield* KeyEvents
    const page = yield* pages

    return handlers
      .handle("list", ({ urlParams }) =>
        Effect.gen(function* () {
          const { environment, organisation } = yield* CurrentCaller
          const found = yield* page("api-keys", urlParams, byId, (part) => keys.list(organisation, environment, part))
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
          const found = yield* page("api-key-events", urlParams, byId, ({ after, take }) =>
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

export const AllowedOriginsLive = HttpApiBuilder.group(ManagementApi, "allowedOrigins", (handlers) =>
  Effect.map(AllowedOrigins, (allowed) =>
    handlers
      .handle("get", () =>
        Effect.gen(function* () {
          return ok("allowed origins", yield* allowed.find(yield* CurrentCaller))
        })
      )
      .handleRaw("put", ({ request }) =>
        Effect.gen(function* () {
          const { body } = yield* readOrigins(request)
          return ok("allowed origins set", yield* allowed.set(yield* CurrentCaller, body.origins))
        })
      )
  )
)
