import { dayFrom } from "../Filtering.ts"

/**
 * A string in SOQL. Backslash and quote are reserved, line breaks are not allowed as they are.
 * https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_quotedstringescapes.htm
 */
export const quote = (text: string): string =>
  `'${text.replace(/[\\']/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r")}'`

/**
 * A pattern of text that begins so; `%` and `_` stand for other characters.
 * https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_comparisonoperators.htm
 */
export const beginning = (text: string): string => `${quote(text).slice(0, -1).replace(/[%_]/g, "\\$&")}%'`

/** A pattern of text that has these parts, in this order. */
export const having = (parts: ReadonlyArray<string>): string =>
  `'%${parts.map((part) => beginning(part).slice(1, -1)).join("")}'`

/**
 * Moments that a field can hold.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/primitive_data_types.htm
 */
const [earliest, latest] = [Date.parse("1700-01-01T00:00:00Z"), Date.parse("4000-12-31T00:00:00Z")]

const held = (milliseconds: number) => Math.min(Math.max(milliseconds, earliest), latest)

/** A moment to compare with, unquoted: the first whole second from it on, as fields hold seconds. */
export const instant = (text: string): string => new Date(held(Math.ceil(Date.parse(text) / 1000) * 1000)).toISOString()

/** A day to compare with: the first that begins at a moment or after it. */
export const day = (text: string): string => dayFrom(new Date(held(Date.parse(text))).toISOString())

/** Ids have 15 characters, or the same and a checksum of three. */
export const isId = (text: string): boolean => /^[a-zA-Z0-9]{15}([a-zA-Z0-9]{3})?$/.test(text)

/** A checksum has a character for each five of an id, whose bits say which of them are capital letters. */
const checks = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"

/**
 * An id with its checksum, as every answer has it.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/field_types.htm
 */
export const withChecksum = (id: string): string => {
  if (id.length !== 15 || !isId(id)) return id
  const bits = (five: string) => [...five].reduce((sum, letter, i) => sum + (/[A-Z]/.test(letter) ? 2 ** i : 0), 0)
  return id + (id.match(/.{5}/g) ?? []).map((five) => checks[bits(five)]).join("")
}

/** Whether two ids, or none, are the same, with or without the checksum. */
export const isSame = (a: unknown, b: unknown): boolean => String(a).slice(0, 15) === String(b).slice(0, 15)

/** A field, or a way to one through parents: `Name`, `Owner.Profile.Name`. */
export const isFieldPath = (text: string): boolean => /^\w+(\.\w+)*$/.test(text)

/** A query; all conditions hold. `rest` is what follows them, such as `ORDER BY Id LIMIT 10`. */
export const soql = (
  select: ReadonlyArray<string>,
  from: string,
  conditions: ReadonlyArray<string>,
  rest: string
): string => {
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`
  return `SELECT ${select.join(", ")} FROM ${from}${where} ${rest}`
}
