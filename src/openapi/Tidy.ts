import { at, isJson, type Json, rewrite } from "./Json.ts"

/** Replaces an `anyOf` of equal schemas, such as two failures of one status, with one of them. */
const untwin = (schema: Json): Json => {
  if (!Array.isArray(schema.anyOf) || Object.keys(schema).length > 1) return schema
  const distinct = new Map(schema.anyOf.map((one: unknown) => [JSON.stringify(one), one]))
  const [only] = distinct.values()
  return distinct.size === 1 && isJson(only) ? only : schema
}

const isEmpty = (value: unknown) =>
  (Array.isArray(value) && value.length === 0) || (isJson(value) && Object.keys(value).length === 0)

/** Whether an entry is noise from the library: its own schemas' names, names of filters, and empty lists. */
const isNoise = ([name, value]: readonly [string, unknown], { additionalProperties }: Json) =>
  // every type there is: any value
  (name === "type" && Array.isArray(value) && value.length === 6) ||
  (name === "$id" && typeof value === "string") ||
  (name === "title" && typeof value === "string") ||
  (name === "required" && isEmpty(value)) ||
  (name === "properties" && isEmpty(value) && isJson(additionalProperties))

const quiet = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter((entry) => !isNoise(entry, schema)))

/** Library schemas that are too small for a name. */
const small = /^#\/components\/schemas\/(Int|NonEmptyString|UUID)$/

/** Removes everything that trips generators: library names, duplicates, schemas that only restrict a string. */
export const tidy = (document: Json): Json => {
  const schemas = at(at(document, "components"), "schemas")
  const inline = (schema: Json): Json => {
    const [, name] = small.exec(String(schema.$ref)) ?? []
    if (name === undefined) return schema
    const { description: _, ...plain } = at(schemas, name)
    const { $ref: __, ...beside } = schema
    return quiet({ ...plain, ...beside })
  }
  const clean = (value: unknown) => rewrite(value, (object) => untwin(inline(quiet(object))))
  return {
    ...document,
    paths: clean(document.paths),
    components: { ...at(document, "components"), schemas: clean(schemas) }
  }
}
