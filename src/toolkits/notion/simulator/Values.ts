import { Either, Option, Schema } from "effect"
import { type Answered, invalid } from "./Answers.ts"
import type { Stored } from "./Tables.ts"

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

const schemas: { readonly [type: string]: Schema.Schema.AnyNoContext } = {
  number: Schema.NullOr(Schema.Number),
  checkbox: Schema.Boolean,
  select: Schema.NullOr(Schema.Struct({ name: Schema.String })),
  status: Schema.NullOr(Schema.Struct({ name: Schema.String })),
  multi_select: Schema.Array(Schema.Struct({ name: Schema.String })),
  date: Schema.NullOr(Schema.Struct({ start: Schema.String, end: optional(Schema.NullOr(Schema.String)) })),
  url: Schema.NullOr(Schema.String),
  people: Schema.Array(Schema.Struct({ id: Schema.String })),
  relation: Schema.Array(Schema.Struct({ id: Schema.String }))
}

const optionsOf = (column: Stored, type: string): ReadonlyArray<unknown> => {
  const held = column[type]
  const options = isObject(held) ? held["options"] : undefined
  return Array.isArray(options) ? options.map((one: unknown) => (isObject(one) ? one["name"] : undefined)) : []
}

/** Values of a request as they are kept; `columns` are the properties of the data source (or of a page alone). */
export const readProperties = (given: Stored, columns: Stored): Answered<Stored> => {
  const kept: { [name: string]: unknown } = {}
  for (const [name, value] of Object.entries(given)) {
    const column = columns[name]
    if (!isObject(column)) return invalid(`${name} is not a property that exists.`)
    const type = String(column["type"])
    if (!isObject(value) || !(type in value)) return invalid(`${name} is expected to be ${type}.`)
    const schema = schemas[type]
    const read =
      type === "title" || type === "rich_text"
        ? richText(value[type])
        : schema === undefined
          ? Option.none()
          : Option.filter(Option.some(value[type]), Schema.is(schema))
    if (Option.isNone(read)) return invalid(`body failed validation: body.properties.${name}.${type} should be valid.`)
    const chosen: unknown = read.value
    if (type === "status" && isObject(chosen) && !optionsOf(column, type).includes(chosen["name"])) {
      return invalid(`Invalid status option. Status option "${String(chosen["name"])}" does not exist".`)
    }
    kept[name] = { id: column["id"], type, [type]: chosen }
  }
  return Either.right(kept)
}
