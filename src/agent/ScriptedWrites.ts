import { Option, Schema } from "effect"
import type { JsonObject } from "../toolkits/Tool.ts"

/** A request to create something. */
export interface Creation {
  /** Words that name the record to create: "create a contact". */
  readonly what: string
  /** Words that describe it: "named Bob Ray, bob@ray.example". */
  readonly details: string
}

const creates =
  /^(?:(?:please|can you|could you)\s+)*(?:create|add|make|register|raise|new|(?:open|file|log|book|schedule)\s+an?)\b/i
const detailsBegin =
  /\s*[:,;"“(]|\s+(?:named|called|titled|about|saying|with|worth|for|in|at|on)\b|(?<=\b(?:an?|new)\s[a-z ]+)\s+(?=[A-Z])/

/** Splits a request to create something into its parts; undefined: it is none. */
export const creationIn = (request: string): Creation | undefined => {
  if (!creates.test(request)) return undefined
  const at = detailsBegin.exec(request)?.index ?? request.length
  return { what: request.slice(0, at), details: request.slice(at) }
}

/** Arguments that a request gives for a tool, and the required ones that it leaves out. */
export interface Filled {
  readonly args: JsonObject
  readonly missing: ReadonlyArray<string>
}

const Field = Schema.Struct({
  type: Schema.optional(Schema.Union(Schema.String, Schema.Array(Schema.String))),
  enum: Schema.optional(Schema.Array(Schema.Unknown)),
  properties: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  required: Schema.optional(Schema.Array(Schema.String))
})
const readField = Schema.decodeUnknownOption(Field)
const fieldOf = (schema: unknown): typeof Field.Type => Option.getOrElse(readField(schema), () => ({}))

/** Reads a tool's arguments out of the sentence, by the names of its fields. */
export const filled = (schema: unknown, details: string): Filled => {
  const { properties = {}, required = [] } = fieldOf(schema)
  const facts = factsOf(details, nameField(Object.keys(properties), required))
  const missing: Array<string> = []
  const entries = Object.entries(properties).flatMap(([name, property]): ReadonlyArray<readonly [string, unknown]> => {
    const { enum: choices, properties: inner, type = [] } = fieldOf(property)
    if (inner !== undefined && required.includes(name)) {
      const within = filled(property, details)
      missing.push(...within.missing)
      return [[name, within.args]]
    }
    const value = facts[name] ?? spoken(name, [type].flat(), choices, details)
    if (value === undefined && required.includes(name)) missing.push(name)
    return value === undefined ? [] : [[name, value]]
  })
  return { args: Object.fromEntries(entries), missing }
}

/** Fields that hold a name, the most telling first. */
const nameFields = ["last_name", "name", "subject", "summary", "title", "content"]

const nameField = (fields: ReadonlyArray<string>, required: ReadonlyArray<string>) =>
  nameFields.find((name) => required.includes(name)) ?? nameFields.find((name) => fields.includes(name))

/** Patterns of a name in a sentence, the clearest first. */
const names = [
  /["“]([^"”]+)["”]/,
  /\b(?:about|saying)\b:?\s+(.+?)[.!?]?\s*$/i,
  /\b(?:named|called|titled)\b:?\s+(.+?)(?=\s+(?:with|worth|for|in|at|on|and)\b|\s*[,;(<]|\s+\S+@|[.!?]?\s*$)/i,
  /^\s*:?\s*([A-Z][\w'&-]*(?:\s+[A-Z][\w'&-]*)*)/
]
const mail = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/
const money = /(?:[$€£]|\b(?:worth|amount)\s+[$€£]?)\s?(\d[\d,]*(?:\.\d+)?)/i

/** Facts in the sentence that name no field, by the fields that may hold them. */
const factsOf = (details: string, named: string | undefined): { readonly [field: string]: unknown } => {
  const [name] = names.flatMap((said) => said.exec(details)?.[1] ?? [])
  const [address] = mail.exec(details) ?? []
  const sum = money.exec(details)?.[1]?.replaceAll(",", "")
  const words = name?.split(/\s+/) ?? []
  const isPerson = named === "last_name"
  return {
    ...(named === undefined ? {} : { [named]: isPerson ? words.at(-1) : name }),
    ...(isPerson && words.length > 1 ? { first_name: words.slice(0, -1).join(" ") } : {}),
    email: address,
    email_address: address,
    email_addresses: address === undefined ? undefined : [{ email_address: address }],
    amount: sum === undefined ? undefined : Number(sum)
  }
}

/** The value after a field's name in the sentence; for `provider`, a choice that is named anywhere. */
const spoken = (
  name: string,
  types: ReadonlyArray<string>,
  choices: ReadonlyArray<unknown> | undefined,
  details: string
): unknown => {
  if (name === "provider") return choices?.find((one) => new RegExp(`\\b${String(one)}\\b`, "i").test(details))
  const words = new RegExp(`\\b${name.replaceAll("_", "[ _]")}(?: is|:|=)? (?:["“]([^"”]+)["”]|([^\\s,;]+))`, "i").exec(
    details
  )
  const said = words?.[1] ?? words?.[2]
  if (said === undefined) return undefined
  if (choices !== undefined) return choices.find((one) => String(one).toLowerCase() === said.toLowerCase())
  if (types.includes("number") || types.includes("integer"))
    return /^\d+(\.\d+)?$/.test(said) ? Number(said) : undefined
  return types.includes("string") ? said : undefined
}
