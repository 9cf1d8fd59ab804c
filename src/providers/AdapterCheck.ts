import { find, resourcesOf } from "../canonical/Catalogue.ts"
import { categories, type Field, type Fields, type Resource, type Shape } from "../canonical/Resource.ts"
import { type Rule, rules } from "../canonical/Rule.ts"
import { accountedFor } from "../mapping/Entries.ts"
import type { Entry, Mapping, Variant } from "../mapping/Mapping.ts"
import { didYouMean } from "../platform/Spelling.ts"
import type { Authorization } from "./base/Authorization.ts"
import { faultsOfApi } from "./NativeApi.ts"
import { consistencies, has, operations, type ProviderAdapter, type ResourceAdapter } from "./ProviderAdapter.ts"

const kinds: ReadonlyArray<Authorization["kind"]> = ["oauth2", "certificate", "key", "connectionString"]

const listed = (names: ReadonlyArray<string>) => names.map((name) => `"${name}"`).join(", ")

/** Fields of the objects that a list holds. */
const fieldsIn = (field: Field | undefined): Fields | undefined => {
  const item: Field | Shape | undefined = field?.item
  return item !== undefined && "fields" in item ? item.fields : undefined
}

const namesOf = (entry: Entry) => (entry.kind === "group" ? entry.canonical : [entry.canonical])

/** Names that an entry maps, with those of the lines and slots in it: `line_items[].unit_price`. */
const unknownIn = (fields: Fields, entry: Entry, place: string): ReadonlyArray<string> => {
  const unknown = (known: Fields, names: ReadonlyArray<string>, prefix: string) =>
    names
      .filter((name) => !Object.hasOwn(known, name))
      .map((name) => `"${prefix}${name}" is not a field of ${place}${didYouMean(name, Object.keys(known))}`)
  const wrong = unknown(fields, namesOf(entry), "")
  if (entry.kind !== "slots" && entry.kind !== "lines") return wrong
  const inner = fieldsIn(fields[entry.canonical])
  if (inner === undefined) return wrong
  const parts: ReadonlyArray<{ readonly entries: ReadonlyArray<Entry> }> =
    entry.kind === "slots" ? entry.slots : entry.forms
  const label = entry.kind === "slots" && entry.label !== null ? [entry.label] : []
  const below = parts.flatMap((part) => part.entries.flatMap(namesOf))
  return [...wrong, ...unknown(inner, [...label, ...below], `${entry.canonical}[].`)]
}

/** Fields that a native type neither maps nor explains, and explanations of fields that it maps. */
const unaccountedFor = (resource: Resource, { entries, nativeType, notHeld }: Variant) => {
  const mapped = new Set(entries.flatMap(namesOf))
  // JavaScript may leave it out
  const reasons = Object.entries(isThere(notHeld) ? notHeld : {})
  const explained = new Set(reasons.flatMap(([name, reason]) => (reason === "" ? [] : [name])))
  return [
    ...accountedFor(resource)
      .filter((name) => !mapped.has(name) && !explained.has(name))
      .map((name) => `"${nativeType}" does not map "${name}", and its notHeld gives no reason`),
    ...reasons
      .filter(([name]) => mapped.has(name))
      .map(([name]) => `"${nativeType}" maps "${name}", so its notHeld must not have it`)
  ]
}

const faultsOfMapping = ({ resource: mapped, variants }: Mapping, resource: Resource) => {
  const { category, fields, name } = resource
  return [
    ...(mapped === name ? [] : [`its mapping is of ${mapped}`]),
    ...variants
      .map(({ nativeType }) => nativeType)
      .filter((nativeType, at, all) => all.indexOf(nativeType) < at)
      .map((nativeType) => `two variants have the nativeType "${nativeType}"`),
    ...variants.flatMap(({ entries }) => entries.flatMap((entry) => unknownIn(fields, entry, `${category}/${name}`))),
    ...variants.flatMap((variant) => unaccountedFor(resource, variant))
  ]
}

/** Faults of a path to a field of a body, such as `line_items[].item`. */
const pathFaults = ({ category, fields, name: resource }: Resource, path: string): ReadonlyArray<string> => {
  const [name = "", below] = path.split("[].")
  const place = `${category}/${resource}`
  const field = fields[name]
  const inner = below === undefined ? fields : fieldsIn(field)
  const last = inner?.[below ?? name]
  if (field === undefined || inner === undefined || last === undefined) {
    const names = field === undefined || inner === undefined ? Object.keys(fields) : Object.keys(inner)
    return [`"${path}" is not a field of ${place}${didYouMean(below ?? name, names)}`]
  }
  return last.access === "rw" || last.access === "wo" ? [] : [`"${path}" of ${place} is never written`]
}

const faultsOfRule = (resource: Resource, rule: Rule): ReadonlyArray<string> => {
  const given = rule.when ?? {}
  const [first = ""] = rule.fields
  const valuesOf = (path: string): ReadonlyArray<string> | undefined => {
    const [name = "", below] = path.split("[].")
    return (below === undefined ? resource.fields[name] : fieldsIn(resource.fields[name])?.[below])?.values
  }
  const asked = [...(rule.values ?? []).map((value) => [first, value] as const), ...Object.entries(given)]
  return [
    ...(rules.includes(rule.rule) ? [] : [`a rule must be one of ${listed(rules)}, not ${JSON.stringify(rule.rule)}`]),
    ...(rule.fields.length === 0 ? ["a rule names no fields"] : []),
    ...[...rule.fields, ...Object.keys(given)].flatMap((path) => pathFaults(resource, path)),
    ...asked
      .filter(([path, value]) => valuesOf(path)?.includes(value) === false)
      .map(([path, value]) => `"${value}" is not a value of ${path}${didYouMean(value, valuesOf(path) ?? [])}`)
  ].map((fault) => `rules: ${fault}`)
}

/** TypeScript requires these values; JavaScript does not. */
const isThere = (value: unknown) => typeof value === "object" && value !== null

const faultsOfResource = (resource: Resource, resourceAdapter: ResourceAdapter): ReadonlyArray<string> => [
  ...(consistencies.includes(resourceAdapter.consistency)
    ? []
    : [`consistency must be one of ${listed(consistencies)}, not ${JSON.stringify(resourceAdapter.consistency)}`]),
  ...(operations.some((operation) => has(resourceAdapter, operation))
    ? []
    : [`it has no operation; give it one of ${operations.join(", ")}`]),
  ...operations
    .filter((operation) => !["function", "undefined"].includes(typeof resourceAdapter[operation]))
    .map((operation) => `${operation} must be a function, not ${typeof resourceAdapter[operation]}`),
  ...(resourceAdapter.needs ?? []).flatMap((path) => pathFaults(resource, path)).map((fault) => `needs: ${fault}`),
  ...(resourceAdapter.rules ?? []).flatMap((rule) => faultsOfRule(resource, rule)),
  ...(isThere(resourceAdapter.mapping) ? faultsOfMapping(resourceAdapter.mapping, resource) : ["it has no mapping"])
]

/** Every mistake in what a provider declares, each with its place; a provider without any is right. */
export const faultsOf = (adapter: ProviderAdapter): ReadonlyArray<string> => {
  const { category, resources, slug } = adapter
  const parts = [
    ...(categories.includes(category) ? [] : [`category must be one of ${listed(categories)}`]),
    ...(isThere(resources) ? [] : ["it has no resources"]),
    ...(isThere(adapter.authorization) && kinds.includes(adapter.authorization.kind)
      ? []
      : [`authorization.kind must be one of ${listed(kinds)}`])
  ]
  if (parts.length > 0) return parts.map((fault) => `provider ${slug}: ${fault}`)
  const faults = Object.entries(resources).flatMap(([name, resourceAdapter]) => {
    const place = `provider ${slug}, resource ${name}: `
    const resource = find(category, name)
    const known = resourcesOf(category).map((one) => one.name)
    return resource === undefined
      ? [`${place}the ${category} catalogue has no such resource${didYouMean(name, known)}`]
      : faultsOfResource(resource, resourceAdapter).map((fault) => place + fault)
  })
  const ofApi = (adapter.api === undefined ? [] : faultsOfApi(adapter.api)).map((fault) => `provider ${slug}: ${fault}`)
  const isSlug = typeof slug === "string" && /^[a-z][a-z0-9_]*$/.test(slug)
  return [...(isSlug ? [] : [slugFault(slug)]), ...ofApi, ...new Set(faults)]
}

const slugFault = (slug: string) =>
  `provider ${slug}: a slug is lower-case letters, digits and underscores, a letter first, such as "zoho_crm"`
