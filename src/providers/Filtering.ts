import { Option, Record } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import { compile, type CompiledMapping } from "../mapping/Compile.ts"
import type { ListRequest, ResourceAdapter, Sought } from "./ProviderAdapter.ts"

/** `native`: the provider answers it; `scanned`: the service reads on and sifts; absent: neither can. */
export type Support = "native" | "scanned"

const topOf = (path: string) => path.split(/[.[]/, 1)[0] ?? path

/** Fields of the service's own stamps, with the mapped fields that state them. */
const stated: { readonly [stamp: string]: string } = {
  created_at: "remote_created_at",
  modified_at: "remote_updated_at"
}

/** Whether an override gives a field that a filter looks at another native field than the provider's filter uses. */
export const isOverridden = (resource: Resource, rows: CompiledMapping["rows"], name: string): boolean => {
  const fields = resource.filters[name]?.fields.flatMap((path) => path.split(" ").map(topOf)) ?? []
  return rows.some(({ field, source }) => source === "override" && fields.includes(field))
}

/** How a filter can cut down a provider's lists of a resource; undefined: not at all. */
export const supportOf = (
  resource: Resource,
  rows: CompiledMapping["rows"],
  { finds = [], nullInLists = [] }: Pick<ResourceAdapter, "finds" | "nullInLists">,
  name: string
): Support | undefined => {
  if (finds.includes(name) && !isOverridden(resource, rows, name)) return "native"
  const filter = resource.filters[name]
  if (filter === undefined) return undefined
  // a record without a time of its own shows when it was first seen
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

/** The filters that lists of a resource take at a provider. */
export const filtersOf = (
  provider: string,
  resource: Resource,
  resourceAdapter: ResourceAdapter
): { readonly [filter: string]: Support } => {
  if (resourceAdapter.list === undefined) return {}
  const { rows } = compile(provider, resource, resourceAdapter.mapping)
  return Object.fromEntries(
    Object.keys(resource.filters).flatMap((filter) => {
      const support = supportOf(resource, rows, resourceAdapter, filter)
      return support === undefined ? [] : [[filter, support] as const]
    })
  )
}

/** A filter as a provider takes it. */
export interface Clause<A> {
  /** Null where no record of the provider can be meant, such as for an id that is none of its own. */
  readonly say: (sought: Sought) => A | null
  /** Whether it finds more than is meant: the service then sifts the records. */
  readonly isWide: boolean
}

/** A clause that finds only what is meant. */
export const exact = <A>(say: Clause<A>["say"]): Clause<A> => ({ say, isWide: false })

/** A clause that finds more than is meant. */
export const wide = <A>(say: Clause<A>["say"]): Clause<A> => ({ say, isWide: true })

/** Filters of a resource as a provider takes them, by their names. */
export type Clauses<A> = { readonly [filter: string]: Clause<A> }

/** The filters that a provider answers itself, for `finds`. */
export const foundBy = <A>(clauses: Clauses<A>): ReadonlyArray<string> =>
  Object.keys(Record.filter(clauses, ({ isWide }) => !isWide))

/** The filters to ask the provider for; none: no record can be meant. */
export const clausesFor = <A>(clauses: Clauses<A>, { wanted }: Pick<ListRequest, "wanted">) =>
  Option.all(
    Object.entries(wanted).flatMap(([name, sought]) => {
      const clause = clauses[name]
      return clause === undefined ? [] : [Option.fromNullable(clause.say(sought))]
    })
  )

const aDay = 86_400_000

/** Years have four digits. */
const lastDay = Date.UTC(9999, 11, 31)

const dayOf = (time: number): string => new Date(Math.min(time, lastDay)).toISOString().slice(0, 10)

/** The day of an instant in UTC, some days later: to compare with a field in an unknown time zone. */
export const dayBeside = (instant: string, days: number): string => dayOf(Date.parse(instant) + days * aDay)

/** The first day that begins at an instant or later, at most 9999-12-31: to compare with a field without a time of day. */
export const dayFrom = (instant: string): string => dayOf(Math.ceil(Date.parse(instant) / aDay) * aDay)
