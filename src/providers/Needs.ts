import type { Resource } from "../canonical/Resource.ts"
import { inWords, type Rule } from "../canonical/Rule.ts"
import { has, type ProviderAdapter, type ResourceAdapter } from "./ProviderAdapter.ts"

/** Requirements that a provider declares for a full body. */
export type Needs = Pick<ResourceAdapter, "needs" | "rules">

/** Conditions of a full body at a provider: those of its own, and those that hold everywhere. */
export const rulesOf = (resource: Pick<Resource, "rules">, { needs = [], rules = [] }: Needs): ReadonlyArray<Rule> => [
  ...needs.map((field): Rule => ({ rule: "required", fields: [field] })),
  ...rules,
  ...resource.rules
]

/** Fields that a full body must have at a provider, whatever else it has. */
export const requiredOf = (resource: Pick<Resource, "fields">, { needs = [] }: Needs): ReadonlyArray<string> => [
  ...Object.entries(resource.fields).flatMap(([name, { required }]) => (required ? [name] : [])),
  ...needs
]

/** Whether bodies are ever full: by a create or a replace. */
export const takesBodies = (resourceAdapter: ResourceAdapter): boolean =>
  has(resourceAdapter, "create") || resourceAdapter.replace !== undefined

/** The providers that make records of a resource, each with what it can do. */
export const makers = (
  providers: ReadonlyArray<ProviderAdapter>,
  { category, name }: Pick<Resource, "category" | "name">
): ReadonlyArray<{ readonly slug: string; readonly resourceAdapter: ResourceAdapter }> =>
  providers.flatMap((adapter) => {
    const resourceAdapter = adapter.category === category ? adapter.resources[name] : undefined
    return resourceAdapter !== undefined && has(resourceAdapter, "create")
      ? [{ slug: adapter.slug, resourceAdapter }]
      : []
  })

/** States the requirements of providers, a sentence each: `zoho_crm requires service; contact.` */
export const sentencesOf = (
  providers: ReadonlyArray<{ readonly slug: string; readonly resourceAdapter: Needs }>
): ReadonlyArray<string> =>
  providers.flatMap(({ resourceAdapter: { needs = [], rules = [] }, slug }) => {
    const said = [...needs, ...rules.map(inWords)]
    return said.length === 0 ? [] : [`${slug} requires ${said.join("; ")}.`]
  })
