import { find } from "../canonical/Catalogue.ts"
import type { Resource } from "../canonical/Resource.ts"
import { filtersOf } from "../providers/Filtering.ts"
import { type Following, usualFollowing } from "../providers/Following.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"

/** How one resource of a provider is followed. */
export interface Plan {
  readonly resource: Resource
  /** `crm/contact` */
  readonly name: string
  /** `changes`: by what was modified since; `walk`: by the whole list, as the provider cannot tell what was modified. */
  readonly how: "changes" | "walk"
  /** How the provider's lists tell what was deleted; undefined: by what is no longer in the whole list. */
  readonly deletions: Following["deletions"]
  readonly following: Following
  /** Calls that a poll takes at most where nothing happened. */
  readonly calls: number
  /** Walks may pass a record by while others come and go, so one that was not met is looked for before it is taken for deleted. */
  readonly isLoose: boolean
}

const plans = new WeakMap<ProviderAdapter, Map<string, Plan | undefined>>()

/** How a provider's records of a resource are followed; undefined where it does not list them. Made once. */
export const planOf = (adapter: ProviderAdapter, name: string): Plan | undefined => {
  const made = plans.get(adapter) ?? new Map<string, Plan | undefined>()
  plans.set(adapter, made)
  if (!made.has(name)) made.set(name, make(adapter, name))
  return made.get(name)
}

const make = (adapter: ProviderAdapter, name: string): Plan | undefined => {
  const [, wanted = ""] = name.split("/")
  const resource = name.startsWith(`${adapter.category}/`) ? find(adapter.category, wanted) : undefined
  const resourceAdapter = adapter.resources[wanted]
  if (resource === undefined || resourceAdapter?.list === undefined) return undefined
  const following = adapter.following ?? usualFollowing
  const filters = filtersOf(adapter.slug, resource, resourceAdapter)
  const how = filters.modified_after === "native" ? "changes" : "walk"
  const deletions = how === "changes" && filters.include_deleted !== undefined ? following.deletions : undefined
  const types = resourceAdapter.mapping.variants.length
  return {
    resource,
    name,
    how,
    deletions,
    following,
    calls: (resourceAdapter.looks ?? types) + (deletions === undefined || deletions.told === "whole" ? 0 : types),
    isLoose: resourceAdapter.consistency !== "exact"
  }
}
