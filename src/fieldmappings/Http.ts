import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { ManagementApi } from "../Api.ts"
import { ok } from "../platform/Envelope.ts"
import { NotFound } from "../platform/Errors.ts"
import { utf8 } from "../platform/EndUserHeader.ts"
import { jsonBody } from "../platform/Requests.ts"
import { showingLimits } from "../providers/base/Limits.ts"
import { Providers } from "../providers/Providers.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { type Headers, Override, PreviewOf } from "./Api.ts"
import { FieldMappings } from "./FieldMappings.ts"
import { type Asker, Overrides } from "./Overrides.ts"

const readOverride = jsonBody(Override)
const readPreview = jsonBody(PreviewOf)

const askerOf = (headers: typeof Headers.Type) =>
  Effect.map(CurrentCaller, (caller): Asker => {
    const endUser = headers["x-end-user-id"]
    return {
      caller,
      endUser: endUser === undefined ? undefined : utf8(endUser),
      connection: headers["x-connection-id"]?.toLowerCase()
    }
  })

export const FieldMappingsLive = HttpApiBuilder.group(ManagementApi, "fieldMappings", (handlers) =>
  Effect.gen(function* () {
    const providers = yield* Providers
    const fieldMappings = yield* FieldMappings
    const overrides = yield* Overrides

    const adapterOf = (slug: string) => {
      const adapter = providers.get(slug)
      return adapter === undefined
        ? Effect.fail(new NotFound({ code: "PROVIDER_NOT_FOUND", message: `provider: there is no provider ${slug}.` }))
        : Effect.succeed(adapter)
    }

    return handlers
      .handle("list", ({ urlParams }) =>
        Effect.gen(function* () {
          const adapter = yield* adapterOf(urlParams.provider)
          return ok("field mappings", yield* fieldMappings.list(yield* CurrentCaller, adapter, urlParams.resource))
        })
      )
      .handleRaw("put", ({ headers, request }) =>
        Effect.gen(function* () {
          yield* showingLimits
          const { body } = yield* readOverride(request)
          const adapter = yield* adapterOf(body.provider)
          return ok("field mapping overridden", yield* overrides.put(yield* askerOf(headers), adapter, body))
        })
      )
      .handleRaw("preview", ({ headers, request }) =>
        Effect.gen(function* () {
          yield* showingLimits
          const { body } = yield* readPreview(request)
          const adapter = yield* adapterOf(body.provider)
          const { row, ...values } = yield* overrides.preview(yield* askerOf(headers), adapter, body, body.remote_id)
          return ok("field mapping previewed", { mapping: row, ...values })
        })
      )
      .handle("remove", ({ urlParams: { field, native_type, provider, resource } }) =>
        Effect.gen(function* () {
          const adapter = yield* adapterOf(provider)
          yield* fieldMappings.remove(yield* CurrentCaller, adapter, resource, field, native_type)
          return ok("override removed", { field })
        })
      )
  })
)
