import { Either, Option, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import { type Answered, invalid } from "./Answers.ts"
import { idIn, type Page, type Stored, userView, users, uuidOf } from "./Tables.ts"

// Values of properties and rich texts: https://developers.notion.com/reference/property-value-object

const optional = Schema.optional

const Annotations = Schema.Struct({
  bold: optional(Schema.Boolean),
  italic: optional(Schema.Boolean),
  strikethrough: optional(Schema.Boolean),
  underline: optional(Schema.Boolean),
  code: optional(Schema.Boolean),
  color: optional(Schema.String)
})

const RichText = Schema.Array(
  Schema.Struct({
    type: optional(Schema.Literal("text")),
    text: Schema.Struct({
      content: Schema.String.pipe(Schema.maxLength(2000)),
      link: optional(Schema.NullOr(Schema.Struct({ url: Schema.String })))
    }),
    annotations: optional(Annotations)
  })
).pipe(Schema.maxItems(100))

const strict = { onExcessProperty: "error" } as const

const readRich = Schema.decodeUnknownOption(RichText, strict)

/** Rich text as Notion shows it. */
export const richText = (given: unknown): Option.Option<ReadonlyArray<Stored>> =>
  Option.map(readRich(given), (texts) =>
    texts.map(({ annotations, text }) => ({
      type: "text",
      text: { content: text.content, link: text.link ?? null },
      annotations: {
        bold: false,
        italic: false,
        strikethrough: false,
        underline: false,
        code: false,
        color: "default",
        ...annotations
      },
      plain_text: text.content,
      href: text.link?.url ?? null
    }))
  )

export const written = (words: string): ReadonlyArray<Stored> =>
  Option.getOrElse(richText(words === "" ? [] : [{ type: "text", text: { content: words } }]), () => [])

export const plainOf = (texts: unknown): string =>
  Array.isArray(texts)
    ? texts
        .map((one: unknown) => (isObject(one) && typeof one["plain_text"] === "string" ? one["plain_text"] : ""))
        .join("")
    : ""

export const isObject = (value: unknown): value is Stored =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An option of a column, by its name or id. */
const Named = Schema.Union(Schema.Struct({ name: Schema.String }), Schema.Struct({ id: Schema.String }))
const isNamed = Schema.is(Named)
const areNamed = Schema.is(Schema.Array(Named))
const areIds = Schema.is(Schema.Array(Schema.Struct({ id: Schema.String })))
const isDate = Schema.is(
  Schema.Struct({
    start: Schema.String,
    end: optional(Schema.NullOr(Schema.String)),
    time_zone: optional(Schema.NullOr(Schema.String))
  })
)

/** The property of a name or an id, with its name. */
export const columnNamed = (columns: Stored, named: string): readonly [name: string, column: Stored] | undefined => {
  for (const [name, column] of Object.entries(columns)) {
    if (isObject(column) && (name === named || column["id"] === named)) return [name, column]
  }
  return undefined
}

const optionsOf = (column: Stored): ReadonlyArray<Stored> => {
  const held = column[String(column["type"])]
  const options = isObject(held) ? held["options"] : undefined
  return Array.isArray(options) ? options.filter(isObject) : []
}

/** A new option, as columns have them. */
export const optionOf = (name: string): Stored => ({
  id: uuidOf(name).slice(0, 4),
  name,
  color: "default",
  description: null
})

/** An option as a page shows it: one that the column has, or a new one, which selects get. */
const chosen = (column: Stored, given: typeof Named.Type): Option.Option<Stored> => {
  const known = optionsOf(column).find(({ id, name }) => ("name" in given ? name === given.name : id === given.id))
  const option = known ?? ("name" in given && column["type"] !== "status" ? optionOf(given.name) : undefined)
  return Option.map(Option.fromNullable(option), ({ color, id, name }) => ({ id, name, color }))
}

type Reader = (value: unknown, column: Stored, account: Account) => Option.Option<unknown>

const orNull =
  (read: Reader): Reader =>
  (value, column, account) =>
    value === null ? Option.some(null) : read(value, column, account)

const oneOf: Reader = (value, column) => (isNamed(value) ? chosen(column, value) : Option.none())
const typed =
  (type: "number" | "boolean" | "string"): Reader =>
  (value) =>
    typeof value === type ? Option.some(value) : Option.none()

const readers: { readonly [type: string]: Reader } = {
  title: richText,
  rich_text: richText,
  number: orNull(typed("number")),
  checkbox: typed("boolean"),
  url: orNull(typed("string")),
  select: orNull(oneOf),
  status: orNull(oneOf),
  multi_select: (value, column) =>
    areNamed(value) ? Option.all(value.map((one) => chosen(column, one))) : Option.none(),
  date: orNull((value) =>
    isDate(value)
      ? Option.some({ start: value.start, end: value.end ?? null, time_zone: value.time_zone ?? null })
      : Option.none()
  ),
  people: (value, _, account) =>
    areIds(value)
      ? Option.all(value.map(({ id }) => Option.map(Option.fromNullable(users.get(account, idIn(id))), userView)))
      : Option.none()
}

/** Values of a request as they are kept; `columns` are the properties of the data source (or of a page alone). */
export const readProperties = (account: Account, given: Stored, columns: Stored): Answered<Stored> => {
  const kept: { [name: string]: unknown } = {}
  for (const [named, value] of Object.entries(given)) {
    const [name, column] = columnNamed(columns, named) ?? []
    if (name === undefined || column === undefined) return invalid(`${named} is not a property that exists.`)
    const type = String(column["type"])
    if (!isObject(value) || !(type in value)) return invalid(`${name} is expected to be ${type}.`)
    const read = readers[type]?.(value[type], column, account) ?? Option.none()
    if (Option.isNone(read)) {
      const wanted = value[type]
      return type === "status" && isNamed(wanted) && "name" in wanted
        ? invalid(`Invalid status option. Status option "${wanted.name}" does not exist".`)
        : invalid(`body failed validation: body.properties.${name}.${type} should be valid.`)
    }
    kept[name] = { id: column["id"], type, [type]: read.value }
  }
  return Either.right(kept)
}

/** The columns of a data source with the options that values bring. */
export const withOptions = (columns: Stored, values: Stored): Stored =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => {
      const value = values[name]
      if (!isObject(column) || !isObject(value)) return [name, column]
      const type = String(column["type"])
      const options = optionsOf(column)
      const brought = [value[type]]
        .flat()
        .filter(isObject)
        .filter(({ id }) => !options.some((one) => one["id"] === id))
      const hasOptions = type === "select" || type === "multi_select"
      return hasOptions && brought.length > 0
        ? [
            name,
            { ...column, [type]: { options: [...options, ...brought.map((one) => optionOf(String(one["name"])))] } }
          ]
        : [name, column]
    })
  )

/** The title of a page, whatever its property is called. */
export const titleOf = ({ properties }: Page): string =>
  plainOf(
    Object.values(properties)
      .filter(isObject)
      .find(({ type }) => type === "title")?.["title"]
  )
