import { at, isJson, type Json, rewrite } from "./Json.ts"
import { shareParts } from "./Operations.ts"
import { nameSchemas } from "./Schemas.ts"
import { tidy } from "./Tidy.ts"

/** Names of the schemas that a value refers to. */
const referred = (value: unknown, names: Set<string>) => {
  rewrite(value, (object) => {
    const [, name] = /^#\/components\/schemas\/(.+)$/.exec(String(object.$ref)) ?? []
    if (name !== undefined) names.add(name)
    return object
  })
  return names
}

/** The document without the schemas that nothing refers to. */
const withoutUnused = (document: Json): Json => {
  const { schemas: _, ...others } = at(document, "components")
  const schemas = at(at(document, "components"), "schemas")
  const used = referred([document.paths, others], new Set<string>())
  // a set that grows while it is walked: what the used ones use is used
  for (const name of used) referred(schemas[name], used)
  return {
    ...document,
    components: {
      ...others,
      schemas: Object.fromEntries(
        Object.entries(schemas)
          .filter(([name]) => used.has(name))
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
      )
    }
  }
}

/** The document that generators of clients get, out of the one that the library makes of the interface. */
export const forGenerators = (made: object): Json => {
  const document: unknown = JSON.parse(JSON.stringify(made))
  return isJson(document) ? withoutUnused(shareParts(nameSchemas(tidy(document)))) : {}
}
