import { HttpApiBuilder } from "@effect/platform"
import { Array, Effect } from "effect"
import { ManagementApi } from "../Api.ts"
import { find } from "../canonical/Catalogue.ts"
import { compile } from "../mapping/Compile.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { ok } from "../platform/Envelope.ts"
import { NotFound } from "../platform/Errors.ts"
import type { Capability, ProviderRecord } from "./Api.ts"
import { filtersOf } from "./Filtering.ts"
import { requiredOf, takesBodies } from "./Needs.ts"
import { has, operations, type ProviderAdapter } from "./ProviderAdapter.ts"
import { Providers } from "./Providers.ts"

/** Fields that native types do not hold; types that share a reason share an entry. */
const notHeldBy = ({ variants }: Mapping): (typeof Capability.Type)["fields"]["not_held"] => {
  const entries = variants.flatMap(({ nativeType, notHeld }) =>
    Object.entries(notHeld).map(([field, reason]) => ({ field, nativeType, reason }))
  )
  return Object.values(Array.groupBy(entries, ({ field, reason }) => `${field}: ${reason}`)).map((same) => ({
    field: same[0].field,
    native_types: same.map(({ nativeType }) => nativeType),
    reason: same[0].reason
  }))
}

/** Lists the abilities of an adapter, read off its own declarations. */
const capabilitiesOf = (adapter: ProviderAdapter): ReadonlyArray<typeof Capability.Type> =>
  Object.entries(adapter.resources).flatMap(([name, resourceAdapter]) => {
    const resource = find(adapter.category, name)
    if (resource === undefined) return []
    const { rows, variants } = compile(adapter.slug, resource, resourceAdapter.mapping)
    const able = operations.filter((operation) => has(resourceAdapter, operation))
    const isWritten = able.some(
      (operation) => operation === "create" || operation === "replace" || operation === "patch"
    )
    const isOpen = (field: string) => resource.fields[field.replace(/\[\].*$/, "")]?.access !== "ro"
    const fields = (access: "read" | "write") => [
      ...new Set(
        rows
          .filter((row) => row.access === access || row.access === "both")
          .map((row) => row.field)
          .filter((field) => access === "read" || (isWritten && isOpen(field)))
      )
    ]
    return [
      {
        resource: name,
        requires: resourceAdapter.requires ?? [],
        operations: able,
        consistency: resourceAdapter.consistency,
        duplicates: resourceAdapter.duplicates ?? null,
        native_types: variants.map((variant) => variant.nativeType),
        fields: {
          readable: fields("read"),
          writable: fields("write"),
          required: takesBodies(resourceAdapter) ? requiredOf(resource, resourceAdapter) : [],
          not_held: notHeldBy(resourceAdapter.mapping),
          null_in_lists: resourceAdapter.nullInLists ?? []
        },
        filters: filtersOf(adapter.slug, resource, resourceAdapter),
        rules: takesBodies(resourceAdapter) ? [...(resourceAdapter.rules ?? []), ...resource.rules] : []
      }
    ]
  })

const recordOf = (adapter: ProviderAdapter): typeof ProviderRecord.Type => ({
  slug: adapter.slug,
  name: adapter.name,
  category: adapter.category,
  apiRoot: adapter.api?.root ?? null,
  authorization: adapter.authorization.kind,
  authorizations: [adapter.authorization, ...(adapter.consent === undefined ? [] : [adapter.consent])].map(
    ({ kind }) => kind
  ),
  resources: capabilitiesOf(adapter)
})

export const ProvidersLive = HttpApiBuilder.group(ManagementApi, "providers", (handlers) =>
  Effect.map(Providers, (providers) =>
    handlers
      .handle("list", () => Effect.sync(() => ok("providers", providers.all().map(recordOf))))
      .handle("get", ({ path }) => {
        const adapter = providers.get(path.slug)
        return adapter === undefined
          ? Effect.fail(new NotFound({ code: "PROVIDER_NOT_FOUND", message: `There is no provider ${path.slug}.` }))
          : Effect.succeed(ok("provider", recordOf(adapter)))
      })
  )
)
