import { resourcesOf } from "../canonical/Catalogue.ts"
import { described, type Field, type Fields, type Shape } from "../canonical/Resource.ts"
import { errorCodes, recordNotFoundCode } from "../platform/ErrorCodes.ts"
import { at, isJson, type Json, makeShelf, mapValues, pascal, refTo } from "./Json.ts"

const resources = [...resourcesOf("crm"), ...resourcesOf("accounting")]

const isShape = (item: Field | Shape): item is Shape => "fields" in item

/** Rows of reports, which are named where they are declared, since they hold rows of their own kind. */
const trees = resources.flatMap(({ fields }) =>
  Object.values(fields).flatMap(({ children, item }) =>
    children !== undefined && item !== undefined && isShape(item) ? [item] : []
  )
)

/** Descriptions of schemas whose own description does not reach the document, or is that of a single use. */
const descriptions: { readonly [name: string]: string } = {
  ...Object.fromEntries(trees.map(({ description, name }) => [name, description])),
  ChatBody: "What the user says, or the conversation so far",
  Error: "Every failure has this shape"
}

/** Owner of a schema's fields, and how the names of its nested schemas begin and end. */
interface Place {
  readonly owner: string
  readonly prefix: string
  readonly suffix: "" | "Body"
}

/** Replaces the part of a property that is an enumeration, or a list's entries, with a reference. */
const replace = (property: Json, isMeant: (part: Json) => boolean, by: (part: Json) => Json): Json => {
  if (Array.isArray(property.anyOf)) {
    return { ...property, anyOf: property.anyOf.map((one: unknown) => (isJson(one) ? replace(one, isMeant, by) : one)) }
  }
  if (!isMeant(property)) return property
  const { description, ...part } = property
  return { ...by(part), ...(description === undefined ? {} : { description }) }
}

/** Names the enumerations and nested objects of the catalogue's schemas. */
export const nameSchemas = (document: Json): Json => {
  const components = at(document, "components")
  const shelf = makeShelf("schemas", ({ description: _, ...content }) => content)

  const property = (schema: Json, name: string, field: Field, place: Place): Json => {
    if (name === "providerSlug") {
      return replace(
        schema,
        ({ type }) => type === "string",
        () => refTo("schemas", "ProviderSlug")
      )
    }
    if (field.values !== undefined) {
      return replace(
        schema,
        (part) => Array.isArray(part.enum),
        (part) => shelf.put({ ...part, description: field.description }, place.owner + pascal(name))
      )
    }
    const item = field.item
    if (item === undefined || !isShape(item) || field.children !== undefined) return schema
    const owner = place.prefix + item.name
    return replace(
      schema,
      ({ items }) => isJson(items) && isJson(items.properties),
      (part) => ({
        ...part,
        items: shelf.put(
          { ...properties(at(part, "items"), item.fields, { ...place, owner }), description: item.description },
          owner + place.suffix
        )
      })
    )
  }

  const properties = (schema: Json, fields: Fields, place: Place): Json => ({
    ...schema,
    properties: mapValues(at(schema, "properties"), (one, name) => {
      const field = fields[name]
      // the library's filters hide the descriptions of the schemas they check
      return isJson(one) && field !== undefined
        ? { description: described(field), ...property(one, name, field, place) }
        : one
    })
  })

  const schemas = { ...at(components, "schemas") }
  for (const { category, description, fields, identifier } of resources) {
    const place = { owner: identifier, prefix: pascal(category) }
    for (const [ending, suffix, what] of [
      ["", "", description],
      ["Part", "", `${description}; of the fields that were asked for`],
      ["Body", "Body", `${description}, as it is created or replaced`],
      ["Patch", "Body", `${description}, as far as it is to change`],
      ["Change", "Body", `${description}, as far as a batch is to change it`]
    ] as const) {
      const schema = schemas[identifier + ending]
      if (isJson(schema)) {
        schemas[identifier + ending] = { ...properties(schema, fields, { ...place, suffix }), description: what }
      }
    }
  }
  for (const [name, description] of Object.entries(descriptions)) {
    const schema = schemas[name]
    if (isJson(schema)) schemas[name] = { ...schema, description }
  }
  return {
    ...document,
    components: { ...components, schemas: { ...schemas, ...shelf.all(), ...named } }
  }
}

/** The error codes of records that are not found, which are the same in both categories. */
const notFound = [...new Set(resources.map(({ name }) => recordNotFoundCode(name)))]

const errorCode = {
  type: "string",
  enum: [...Object.keys(errorCodes), ...notFound].sort(),
  description: [
    "Stable, machine-readable name of the case. `<RESOURCE>_NOT_FOUND`: there is no such record.",
    "",
    ...Object.entries(errorCodes).map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
  ].join("\n")
}

/** Schemas that are only strings in the interface; each service lists its own providers. */
const named = { ErrorCode: errorCode, ProviderSlug: { type: "string", description: "Slug of a provider" } }
