import { Predicate } from "effect"

/** An object of a document. */
export type Json = { readonly [name: string]: unknown }

export const isJson = (value: unknown): value is Json => Predicate.isRecord(value) && !Array.isArray(value)

/** The object at a name; an empty one where there is none. */
export const at = (value: Json, name: string): Json => {
  const found = value[name]
  return isJson(found) ? found : {}
}

export const mapValues = (value: Json, map: (one: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(value).map(([name, one]) => [name, map(one, name)]))

/** Rewrites every object of a value, the inner ones first. */
export const rewrite = (value: unknown, map: (object: Json) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => rewrite(one, map))
  return isJson(value) ? map(mapValues(value, (one) => rewrite(one, map))) : value
}

/** `crm_contact_list` and `endUsers.list` as names of types: `CrmContactList`, `EndUsersList`. */
export const pascal = (name: string) =>
  name.replace(/(^|[^A-Za-z0-9]+)([a-z0-9])/gi, (_, __, letter: string) => letter.toUpperCase())

export const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

/** Components of one kind, each held once. */
export interface Shelf {
  /** Gives the reference to a component, under the first of some names that is free or has the same content. */
  readonly put: (component: Json, ...names: ReadonlyArray<string>) => { readonly $ref: string }
  readonly all: () => Json
}

export const makeShelf = (kind: string, sameAs: (component: Json) => unknown = (component) => component): Shelf => {
  const held = new Map<string, { readonly key: string; readonly component: Json }>()
  const put = (component: Json, ...names: ReadonlyArray<string>) => {
    const key = JSON.stringify(sameAs(component))
    const last = names.at(-1) ?? ""
    const candidates = [...names, ...Array.from({ length: 9 }, (_, i) => `${last}${i + 2}`)]
    const name = candidates.find((one) => (held.get(one)?.key ?? key) === key) ?? last
    if (!held.has(name)) held.set(name, { key, component })
    return refTo(kind, name)
  }
  const all = () =>
    Object.fromEntries(
      [...held].map(([name, { component }]) => [name, component] as const).toSorted(([a], [b]) => (a < b ? -1 : 1))
    )
  return { put, all }
}
