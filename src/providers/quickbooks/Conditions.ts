import { secondFrom } from "../base/Seconds.ts"
import { type Clause, type Clauses, dayFrom, exact, foundBy, wide } from "../Filtering.ts"

/**
 * Filters as conditions of a query, which are all to hold: there is no `or`.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries
 */
export type Conditions = Clauses<ReadonlyArray<string>>

type Said = Clause<ReadonlyArray<string>>

/** A value in a query; a backslash stands before what would end it. */
export const quoted = (value: string): string => `'${value.replace(/[\\']/g, "\\$&")}'`

/** Without it, a name list shows active records only. */
export const withInactive = "Active in (true, false)"

export const oneOf = (property: string, values: ReadonlyArray<string>): string =>
  `${property} in (${values.map(quoted).join(", ")})`

const bounds = (property: string, name: string, boundOf: (instant: string) => string): Conditions => ({
  [`${name}_after`]: exact(({ text }) => [`${property} >= ${quoted(boundOf(text))}`]),
  [`${name}_before`]: exact(({ text }) => [`${property} < ${quoted(boundOf(text))}`])
})

const timeFrom = (instant: string) => `${secondFrom(instant)}Z`

/** Every record states both, in whole seconds. */
export const stamps: Conditions = {
  ...bounds("MetaData.CreateTime", "created", timeFrom),
  ...bounds("MetaData.LastUpdatedTime", "modified", timeFrom)
}

/** `issued_after` and `issued_before`, of a day. */
export const days = (property: string, name: string): Conditions => bounds(property, name, dayFrom)

/** Characters that no name, number or code has; a query has to fit into a URL. */
const longest = 1000

/**
 * Text whatever its case: LIKE compares so. How a `%` or a backslash is escaped in a pattern is not documented, so they stand
 * for anything.
 */
const like = (property: string, text: string, end: "" | "%"): ReadonlyArray<string> | null => {
  const sought = text.normalize("NFC")
  if (sought.length > longest) return null
  return end === "" && sought.toLowerCase() === sought.toUpperCase()
    ? [`${property} = ${quoted(sought)}`]
    : [`${property} like ${quoted(sought.replaceAll("\\", "%") + end)}`]
}

export const equal = (property: string): Said => wide(({ text }) => like(property, text, ""))

export const beginning = (property: string): Said => wide(({ text }) => like(property, text, "%"))

/** A record that is of this native type. */
export const refersTo = (property: string, nativeType: string): Said =>
  exact(({ record }) => (record?.nativeType === nativeType ? [`${property} = ${quoted(record.remoteId)}`] : null))

/** All records have this value. */
export const always = (value: string): Said => exact(({ values }) => (values.includes(value) ? [] : null))

/** No record has a value. */
export const never = exact<ReadonlyArray<string>>(() => null)

/** ACTIVE, or the word for what is not. */
export const active = (inactive: "ARCHIVED" | "INACTIVE"): Said =>
  exact(({ values }) => {
    const [isActive, isInactive] = [values.includes("ACTIVE"), values.includes(inactive)]
    if (isActive && isInactive) return [withInactive]
    return isActive || isInactive ? [`Active = ${isActive}`] : null
  })

/** Filters that lists over all of these answer themselves. */
export const foundByAll = (all: ReadonlyArray<Conditions>): ReadonlyArray<string> => {
  const [first = [], ...others] = all.map(foundBy)
  return first.filter((name) => others.every((names) => names.includes(name)))
}
