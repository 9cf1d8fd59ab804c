import { Option, Record } from "effect"
import { secondFrom } from "../base/Seconds.ts"
import { type Clause, type Clauses, clausesFor, dayFrom, exact, foundBy, wide, dayBeside } from "../Filtering.ts"
import type { ListRequest } from "../ProviderAdapter.ts"
import type { Conditions } from "./Select.ts"
import { isId } from "./Suite.ts"

/**
 * Filters as conditions of a query. Text is compared in lower case on both sides, as Oracle's comparison is case-sensitive.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158513731864.html
 */
export type Filters = Clauses<Conditions>

type Said = Clause<Conditions>

/** Characters that no text of a record has. */
const longest = 1000

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

export const isOneOf = (column: string, values: ReadonlyArray<string>) =>
  `${column} IN (${values.map(quoted).join(", ")})`

const compared = (text: string, say: (literal: string, length: number) => string) => {
  const sought = text.normalize("NFC")
  return sought.length > longest ? null : [say(`LOWER(${quoted(sought)})`, [...sought].length)]
}

const equally = (column: string) => (text: string) => compared(text, (literal) => `LOWER(${column}) = ${literal}`)

const startingWith = (expression: string) => (text: string) =>
  compared(text, (literal, length) => `SUBSTR(LOWER(${expression}), 1, ${length}) = ${literal}`)

export const equal = (column: string): Said => exact(({ text }) => equally(column)(text))

export const beginning = (column: string): Said => exact(({ text }) => startingWith(column)(text))

/** `equal` and `beginning` for columns that some accounts lack or that do not decide alone: a query finds too much. */
export const nearly = {
  equal: (column: string): Said => wide(({ text }) => equally(column)(text)),
  beginning: (expression: string): Said => wide(({ text }) => startingWith(expression)(text))
}

const dateOf = (day: string) => `TO_DATE('${day}', 'YYYY-MM-DD')`

/** `issued_after` and `issued_before` for a column of days. */
export const days = (column: string, name: string): Filters => ({
  [`${name}_after`]: exact(({ text }) => [`${column} >= ${dateOf(dayFrom(text))}`]),
  [`${name}_before`]: exact(({ text }) => [`${column} < ${dateOf(dayFrom(text))}`])
})

const daysOn = (instant: string, count: number) => dateOf(dayBeside(instant, count))

const timeOf = (instant: string) => `TO_TIMESTAMP('${secondFrom(instant).replace("T", " ")}', 'YYYY-MM-DD HH24:MI:SS')`

/** Conditions on days that match the bounds in every time zone, so they find up to a day too much on either side. */
export const aroundDays = (column: string, wanted: ListRequest["wanted"], name: string): Conditions => {
  const [after, before] = [wanted[`${name}_after`]?.text, wanted[`${name}_before`]?.text]
  return [
    ...(after === undefined ? [] : [`${column} >= ${daysOn(after, -1)}`]),
    ...(before === undefined ? [] : [`${column} < ${daysOn(before, 2)}`])
  ]
}

/**
 * `created_after` and `created_before` for a column of times, which are in the user's time zone, up to a day away from UTC.
 * The conditions on days use an index; the comparison in UTC cannot.
 */
const instants = (column: string, name: string): Filters => {
  const bound = (filter: string, operator: ">=" | "<") =>
    exact((sought) => [
      ...aroundDays(column, { [filter]: sought }, name),
      `SYS_EXTRACT_UTC(${column}) ${operator} ${timeOf(sought.text)}`
    ])
  return {
    [`${name}_after`]: bound(`${name}_after`, ">="),
    [`${name}_before`]: bound(`${name}_before`, "<")
  }
}

export const modified = (column: string): Filters => instants(column, "modified")

export const stamps = (created: string, changed: string): Filters => ({
  ...instants(created, "created"),
  ...modified(changed)
})

/** Matches a reference to a record of one of these native types. */
export const refersTo = (column: string, ...nativeTypes: ReadonlyArray<string>): Said =>
  exact(({ record }) =>
    record !== undefined && nativeTypes.includes(record.nativeType) && isId(record.remoteId)
      ? [`${column} = ${record.remoteId}`]
      : null
  )

/** For a field with the same value in all records. */
export const always = (value: string): Said => exact(({ values }) => (values.includes(value) ? [] : null))

/** For a field that no record has. */
export const never = exact<Conditions>(() => null)

/** The condition that a column holds one of the values; null where none of them has a native form. */
const heldAs =
  (column: string, nativesOf: (value: string) => ReadonlyArray<string>) => (values: ReadonlyArray<string>) => {
    const held = values.flatMap(nativesOf)
    return held.length === 0 ? null : [isOneOf(column, held)]
  }

export const oneOf = (column: string, nativesOf: (value: string) => ReadonlyArray<string>): Said =>
  exact(({ values }) => heldAs(column, nativesOf)(values))

/** ACTIVE, or the given status where the record is inactive. */
export const active = (column: string, inactive: "ARCHIVED" | "INACTIVE"): Said =>
  oneOf(column, (value) => (value === "ACTIVE" ? ["F"] : value === inactive ? ["T"] : []))

/** By ISO code; an account with a single currency has no such column. */
export const currency: Filters = {
  currency: wide(({ values }) => heldAs("y.symbol", (value) => [value.toUpperCase()])(values))
}

export const currencyJoin = { alias: "y", sql: "LEFT JOIN currency y ON y.id = t.currency" }

/** Names of the filters that a list over all these types applies itself. */
export const foundByAll = (all: ReadonlyArray<Filters>): ReadonlyArray<string> => {
  const [first = [], ...others] = all.map(foundBy)
  return first.filter((name) => others.every((names) => names.includes(name)))
}

/** A request's filters as conditions; without the narrowing ones a query only finds more. */
export interface Sought {
  readonly needed: Conditions
  readonly narrowing: Conditions
}

/** Undefined where no record can match. */
export const soughtBy = (filters: Filters, request: Pick<ListRequest, "wanted">): Sought | undefined => {
  const said = (isWide: boolean) =>
    clausesFor(
      Record.filter(filters, (clause) => clause.isWide === isWide),
      request
    )
  return Option.getOrUndefined(
    Option.map(Option.all({ needed: said(false), narrowing: said(true) }), ({ narrowing, needed }) => ({
      needed: needed.flat(),
      narrowing: narrowing.flat()
    }))
  )
}
