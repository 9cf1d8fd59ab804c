import { has, type ProviderAdapter } from "../providers/ProviderAdapter.ts"
import type { Told } from "../providers/Push.ts"
import type { Named } from "./EarlyPoll.ts"

// Pushes name native types; the resources that are made of them are meant.

const isMadeOf = ({ resources }: ProviderAdapter, resource: string, nativeTypes: ReadonlyArray<string>): boolean => {
  const resourceAdapter = resources[resource]
  return (
    resourceAdapter !== undefined &&
    has(resourceAdapter, "list") &&
    resourceAdapter.mapping.variants.some(({ nativeType }) => nativeTypes.includes(nativeType))
  )
}

/** The types of pushes that tell changes of some resources. */
export const typesOf = (
  adapter: ProviderAdapter | undefined,
  resources: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (adapter?.push === undefined) return []
  return Object.entries(adapter.push.types).flatMap(([type, nativeTypes]) =>
    resources.some((resource) => isMadeOf(adapter, resource, nativeTypes)) ? [type] : []
  )
}

/** The resources, each once, of which a push told a change. */
export const namedBy = (adapter: ProviderAdapter, told: ReadonlyArray<Told>): ReadonlyArray<Named> =>
  Object.keys(adapter.resources).flatMap((resource) => {
    const about = told.filter(({ type }) => isMadeOf(adapter, resource, adapter.push?.types[type] ?? []))
    const ids = about.flatMap(({ remoteId }) => (remoteId === undefined ? [] : [remoteId]))
    return about.length === 0 ? [] : [{ category: adapter.category, resource, remoteIds: [...new Set(ids)] }]
  })
