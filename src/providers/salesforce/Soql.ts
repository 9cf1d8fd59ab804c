/**
 * A string in SOQL. Backslash and quote are reserved, line breaks are not allowed as they are.
 * https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_quotedstringescapes.htm
 */
export const quote = (text: string): string =>
  `'${text.replace(/[\\']/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r")}'`

/** A moment in SOQL: unquoted, in UTC, whatever offset the text has. */
export const instant = (text: string): string => new Date(text).toISOString()

/** Ids have 15 characters, or the same and a checksum of three. */
export const isId = (text: string): boolean => /^[a-zA-Z0-9]{15}([a-zA-Z0-9]{3})?$/.test(text)

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
