import { Schema } from "effect"
import { resourcesOf } from "../canonical/Catalogue.ts"
import type { Resource } from "../canonical/Resource.ts"
import { basePath } from "../platform/Paths.ts"
import { filtersOf } from "./Filtering.ts"
import type { ProviderAdapter } from "./ProviderAdapter.ts"

/** An OpenAPI document, as far as it has lists. */
export const WithPaths = Schema.Struct({
  paths: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({
      get: Schema.optionalWith(Schema.Struct({ description: Schema.optionalWith(Schema.String, { exact: true }) }), {
        exact: true
      })
    })
  })
})

/** Which of these providers answer a filter of a resource, and for which the service reads on and sifts. */
const tableOf = (resource: Resource, providers: ReadonlyArray<ProviderAdapter>): string => {
  const known = providers.flatMap(({ category, resources, slug }) => {
    const resourceAdapter = category === resource.category ? resources[resource.name] : undefined
    return resourceAdapter === undefined ? [] : [{ slug, filters: filtersOf(slug, resource, resourceAdapter) }]
  })
  const rows = Object.keys(resource.filters).flatMap((filter) => {
    const slugs = (support: string) =>
      known.flatMap(({ filters, slug }) => (filters[filter] === support ? [slug] : [])).join(", ")
    const [native, scanned] = [slugs("native"), slugs("scanned")]
    return native === "" && scanned === "" ? [] : [`| \`${filter}\` | ${native} | ${scanned} |`]
  })
  return rows.length === 0
    ? ""
    : [
        "Filters that the provider answers itself (native), and those for which the service reads on and sifts (scanned), so that a page can be short while `hasMore` is true:",
        ["| filter | native | scanned |", "| --- | --- | --- |", ...rows].join("\n")
      ].join("\n\n")
}

/** The document with what the filters of each list are to these providers. */
export const describingFilters = <D extends typeof WithPaths.Type>(
  document: D,
  providers: ReadonlyArray<ProviderAdapter>
): D => {
  const described = [...resourcesOf("crm"), ...resourcesOf("accounting")].flatMap((resource) => {
    const path = `${basePath}/${resource.category}/${resource.name}`
    const methods = document.paths[path]
    const table = tableOf(resource, providers)
    if (methods?.get === undefined || table === "") return []
    const { description } = methods.get
    const get = { ...methods.get, description: description === undefined ? table : `${description}\n\n${table}` }
    return [[path, { ...methods, get }] as const]
  })
  return { ...document, paths: { ...document.paths, ...Object.fromEntries(described) } }
}
