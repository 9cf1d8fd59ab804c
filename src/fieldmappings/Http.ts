import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { ManagementApi } from "../Api.ts"
import { ok } from "../platform/Envelope.ts"
import { NotFound } from "../platform/Errors.ts"
import { jsonBody } from "../platform/Requests.ts"
import { Providers } from "../providers/Providers.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { Override } from "./Api.ts"
import { FieldMappings } from "./FieldMappings.ts"

const readOverride = jsonBody(Override)

export const FieldMappingsLive = HttpApiBuilder.group(ManagementApi, "fieldMappings", (handlers) =>
  Effect.gen(function* () {
    const providers = yield* Providers
    const fieldMappings = yield* FieldMappings

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
      .handleRaw("put", ({ request }) =>
        Effect.gen(function* () {
          const { body } = yield* readOverride(request)
          const adapter = yield* adapterOf(body.provider)
          return ok("field mapping overridden", yield* fieldMappings.put(yield* CurrentCaller, adapter, body))
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
