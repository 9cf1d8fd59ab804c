import { Either, Schema } from "effect"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import type { JsonObject } from "../Tool.ts"
import { plain, richText } from "./Markdown.ts"

// Values of a page's properties, plain here and typed in Notion: https://developers.notion.com/reference/page-property-values

const names = (value: unknown) => natives(value).map(({ name }) => name)

const views: { readonly [type: string]: (value: unknown) => unknown } = {
  title: plain,
  rich_text: plain,
  select: (value) => getPath(value, "name"),
  status: (value) => getPath(value, "name"),
  multi_select: names,
  people: (value) => natives(value).map(({ id, name }) => name ?? id),
  relation: (value) => natives(value).map(({ id }) => id),
  files: names,
  date: (value) =>
    isNative(value)
      ? typeof value["end"] === "string"
        ? `${String(value["start"])}/${value["end"]}`
        : value["start"]
      : undefined,
  created_by: (value) => getPath(value, "name") ?? getPath(value, "id"),
  last_edited_by: (value) => getPath(value, "name") ?? getPath(value, "id"),
  unique_id: (value) => [getPath(value, "prefix"), getPath(value, "number")].filter((part) => part !== null).join("-"),
  formula: (value) => getPath(value, String(getPath(value, "type"))),
  rollup: (value) => getPath(value, String(getPath(value, "type")))
}

/** The properties of a page by name, in plain values. */
export const propertiesOf = (page: Native): JsonObject => {
  const properties = page["properties"]
  if (!isNative(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      const type = String(getPath(property, "type"))
      const value = getPath(property, type)
      const shown = (views[type] ?? ((held: unknown) => held))(value)
      const isEmpty =
        shown === null || shown === undefined || shown === "" || (Array.isArray(shown) && shown.length === 0)
      return isEmpty ? [] : [[name, shown]]
    })
  )
}

/** The title of a page, whatever its property is called. */
export const titleOf = (page: Native): string => {
  const properties = isNative(page["properties"]) ? Object.values(page["properties"]) : []
  return plain(
    getPath(
      properties.find((one) => getPath(one, "type") === "title"),
      "title"
    )
  )
}

/** Values that a property can be set to. */
export const Value = Schema.Union(
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Array(Schema.String),
  Schema.Null
).annotations({
  message: () => ({ message: "must be a text, a number, true, false, a list of texts or null", override: true })
})
export type Value = typeof Value.Type

type Writer = (value: Value) => unknown

const text =
  (make: (words: string) => unknown): Writer =>
  (value) =>
    typeof value === "string" ? make(value) : undefined

const named = text((name) => ({ name }))

/** Writes null as it is, which empties a property. */
const orNull =
  (writer: Writer): Writer =>
  (value) =>
    value === null ? null : writer(value)

const listOf =
  (make: (one: string) => unknown): Writer =>
  (value) =>
    value === null ? [] : typeof value === "string" ? [make(value)] : Array.isArray(value) ? value.map(make) : undefined

const writers: { readonly [type: string]: readonly [expected: string, writer: Writer] } = {
  title: ["a text", text(richText)],
  rich_text: ["a text", (value) => (value === null ? [] : text(richText)(value))],
  number: ["a number", orNull((value) => (typeof value === "number" ? value : undefined))],
  checkbox: ["true or false", (value) => (typeof value === "boolean" ? value : undefined)],
  select: ["the name of an option", orNull(named)],
  status: ["the name of a status", named],
  multi_select: ["a list of names of options", listOf((name) => ({ name }))],
  date: [
    "a date such as 2026-01-31, or two with a slash between",
    orNull(
      text((words) => {
        const [start = "", end] = words.split("/")
        return /^\d{4}-\d{2}-\d{2}/.test(start) ? { start, ...(end === undefined ? {} : { end }) } : undefined
      })
    )
  ],
  url: ["an address", orNull(text((words) => words))],
  email: ["an e-mail address", orNull(text((words) => words))],
  phone_number: ["a phone number", orNull(text((words) => words))],
  people: ["a list of ids of people, from notion_list_users", listOf((id) => ({ id }))],
  relation: ["a list of ids of pages", listOf((id) => ({ id }))]
}

type Refused = { readonly [field: string]: string }

/** Plain values as Notion takes them; `known` are the properties of the page or data source, by name. */
export const written = (
  values: { readonly [name: string]: Value },
  known: unknown
): Either.Either<JsonObject, Refused> => {
  const properties = isNative(known) ? known : {}
  const refused: { [field: string]: string } = {}
  const made: { [name: string]: unknown } = {}
  for (const [name, value] of Object.entries(values)) {
    const type = getPath(properties[name], "type")
    const [expected, writer] = writers[String(type)] ?? []
    const place = `properties.${name}`
    if (type === undefined) refused[place] = `is not known; there are ${Object.keys(properties).join(", ")}`
    else if (expected === undefined || writer === undefined)
      refused[place] = `is a ${String(type)}, which cannot be set`
    else {
      const native = writer(value)
      if (native === undefined) refused[place] = `must be ${expected}`
      else made[name] = { [String(type)]: native }
    }
  }
  return Object.keys(refused).length > 0 ? Either.left(refused) : Either.right(made)
}

/** The name of the property that holds titles. */
export const titleName = (known: unknown): string =>
  Object.entries(isNative(known) ? known : {}).find(([, one]) => getPath(one, "type") === "title")?.[0] ?? "title"
