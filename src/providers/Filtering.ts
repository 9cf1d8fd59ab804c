import type { Resource } from "../canonical/Resource.ts"
import type { CompiledMapping } from "../mapping/Compile.ts"
import type { ResourceAdapter } from "./ProviderAdapter.ts"

/** `native`: the provider answers it; `scanned`: the service reads on and sifts; absent: neither can. */
export type Support = "native" | "scanned"

const topOf = (path: string) => path.split(/[.[]/, 1)[0] ?? path

/** Fields of the service's own stamps, and what of the mapping states them. */
const stated: { readonly [stamp: string]: string } = {
  created_at: "remote_created_at",
  modified_at: "remote_updated_at"
}

/** How a provider's lists of a resource can be cut down by a filter; undefined: not at all. */
export const supportOf = (
  resource: Resource,
  rows: CompiledMapping["rows"],
  { finds = [], nullInLists = [] }: Pick<ResourceAdapter, "finds" | "nullInLists">,
  name: string
): Support | undefined => {
  if (finds.includes(name)) return "native"
  const filter = resource.filters[name]
  if (filter === undefined) return undefined
  // what has no time of its own shows when it was first seen
  if (resource.category === "accounting" && filter.fields.includes("created_at")) return "scanned"
  const isRead = (path: string) => {
    const field = stated[path] ?? topOf(path)
    return (
      !nullInLists.includes(path) &&
      !nullInLists.includes(field) &&
      rows.some((row) => topOf(row.field) === field && row.access !== "write" && row.transform !== "constant(null)")
    )
  }
  return filter.fields.some((path) => path.split(" ").some(isRead)) ? "scanned" : undefined
}
