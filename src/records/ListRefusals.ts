import { BadRequest } from "../platform/Errors.ts"
import { supportOf } from "../providers/Filtering.ts"
import type { ResourceAccess } from "./Access.ts"
import type { Expansion } from "./Expansion.ts"
import type { Wanted } from "./FilterParameters.ts"

/** Filters that neither the provider nor the service can answer. */
const filters = ({ adapter, mapping: { resource, rows }, resourceAdapter }: ResourceAccess, wanted: Wanted) => {
  const isAble = (name: string) => supportOf(resource, rows, resourceAdapter, name) !== undefined
  const absent = Object.keys(wanted).filter((name) => !isAble(name))
  if (absent.length === 0) return undefined
  const able = Object.keys(resource.filters).filter(isAble)
  return new BadRequest({
    code: "FILTER_NOT_SUPPORTED",
    message: `${absent.join(", ")}: ${adapter.slug} cannot tell it of ${resource.name} records; it has ${able.join(", ")}.`
  })
}

/** A text that is none for the provider's own search. */
const search = ({ adapter: { searchText, slug } }: ResourceAccess, { q }: Wanted) =>
  q === undefined || searchText === undefined || searchText.pattern.test(q.trim())
    ? undefined
    : new BadRequest({ code: "INVALID_PARAMETER", message: `q: ${searchText.expected} at ${slug}.` })

/** References in lists that only a single record has. */
const expansion = (
  { adapter, mapping: { resource }, resourceAdapter: { nullInLists = [] } }: ResourceAccess,
  { lists }: Expansion
) => {
  const lacking = Object.keys(lists).filter((name) => nullInLists.includes(name))
  return lacking.length === 0
    ? undefined
    : new BadRequest({
        code: "INVALID_PARAMETER",
        message: `expand: ${adapter.slug} tells ${lacking.join(", ")} of a single ${resource.name} record only; get it with expand.`
      })
}

/** Why a connection cannot answer a list; undefined: it can. */
export const refusalOf = (
  reached: ResourceAccess,
  wanted: Wanted,
  expand: Expansion | undefined
): BadRequest | undefined =>
  filters(reached, wanted) ?? search(reached, wanted) ?? (expand === undefined ? undefined : expansion(reached, expand))
