import type { Effect } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clause, type Clauses, dayFrom, exact, wide } from "../Filtering.ts"
import type { Sought } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { idForm } from "./Rows.ts"

// Filters in COQL. Text is compared whatever its case.
// https://www.zoho.com/crm/developer/docs/api/v8/COQL-Overview.html

/** A criterion of a query. */
export interface Criterion {
  readonly coql: string
  /** A field that an account may have removed; the criterion then holds for no record. */
  readonly column?: string
}

/** A filter as Zoho takes it. */
export interface Said {
  /** Criteria, one of which must hold; none: no record is meant. Absent: a query cannot express it. */
  readonly anyOf?: ReadonlyArray<Criterion>
  /** Checks of the records found that a query cannot express. */
  readonly checks?: { readonly fields: ReadonlyArray<string>; readonly holds: (record: Native) => boolean }
  /** A list in place of queries can begin with changes at this time. */
  readonly since?: string
  /** The record that a list in place of queries belongs to. */
  readonly within?: { readonly module: string; readonly id: string }
  /** Words that the search of the module finds. */
  readonly word?: string
}

/** A filter, or one that depends on the account. */
export type Saying = Said | ((connection: ConnectionRef) => Effect.Effect<Said, ProviderError>)

/** https://help.zoho.com/portal/en/community/topic/kaizen-171-faqs-on-coql-api: a quote within is doubled. */
export const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

const joined = (word: "and" | "or") => (criteria: ReadonlyArray<string>) =>
  criteria.reduce((all, one) => `(${all} ${word} ${one})`)

/** Criteria that all have to hold, in brackets by two; there is one at least. */
export const allOf = joined("and")
export const anyOf = joined("or")

const among = (column: string, values: ReadonlyArray<string>): Criterion => ({
  coql: `${column} in (${values.map(quote).join(", ")})`
})

/** Most values of a list in a query. */
const mostValues = 50

/** A field that has one of these values; undefined values are none. */
export const oneOfValues = (column: string, values: ReadonlyArray<string>): ReadonlyArray<Criterion> =>
  Array.from({ length: Math.ceil(values.length / mostValues) }, (_, i) =>
    among(column, values.slice(i * mostValues, (i + 1) * mostValues))
  )

export const is = (column: string, operator: string, value: string): Criterion => ({
  coql: `${column} ${operator} ${value}`
})

// ---------------------------------------------------------------------------------------------------------------------
// text

export const fold = (value: unknown) => String(value).normalize("NFC").toLowerCase()

/** Most characters of a field of one line. */
export const longest = 255

/**
 * Text in one-line fields. A pattern cannot express `%`, `_` and a backslash, which it may take for something else: records
 * that begin like the text before the first of them are checked.
 */
const inText =
  (
    columns: ReadonlyArray<string>,
    say: (column: string, value: string) => string,
    holds: (held: string, wanted: string) => boolean
  ) =>
  ({ text }: Sought): Said | null => {
    const value = text.normalize("NFC")
    if (value.length > longest || /[\r\n]/.test(value)) return null
    const [plain = ""] = /^[^%_\\]*/.exec(value) ?? []
    const isSaid = plain === value
    const begun = (column: string) => (plain === "" ? `${column} is not null` : `${column} like ${quote(`${plain}%`)}`)
    return {
      anyOf: columns.map((column) => ({ coql: isSaid ? say(column, value) : begun(column), column })),
      ...(isSaid
        ? {}
        : {
            checks: {
              fields: columns,
              holds: (record) =>
                columns.some((column) => typeof record[column] === "string" && holds(fold(record[column]), fold(value)))
            }
          })
    }
  }

export const equals = (...columns: ReadonlyArray<string>): Clause<Saying> =>
  exact(
    inText(
      columns,
      (column, value) => `${column} = ${quote(value)}`,
      (held, wanted) => held === wanted
    )
  )

export const begins = (...columns: ReadonlyArray<string>): Clause<Saying> =>
  exact(
    inText(
      columns,
      (column, value) => `${column} like ${quote(`${value}%`)}`,
      (held, wanted) => held.startsWith(wanted)
    )
  )

/** Finds addresses that contain the host, not only those at it. */
export const host = (column: string): Clause<Saying> =>
  wide(({ text }) => {
    const [name = ""] = /^[^%_\\/:?#\r\n]*/.exec(text.replace(/^[a-z]+:\/\//i, "").replace(/^www\./i, "")) ?? []
    if (name.length > longest) return null
    return { anyOf: [{ coql: name === "" ? `${column} is not null` : `${column} like ${quote(`%${name}%`)}`, column }] }
  })

// ---------------------------------------------------------------------------------------------------------------------
// links, states and times

/** The id of the record that a lookup leads to. */
export const refers = (column: string): Clause<Saying> =>
  exact(({ text }) => (idForm.test(text) ? { anyOf: [is(column, "=", quote(text))] } : null))

/** Criteria by the values that they stand for; no record has other values. */
export const oneOf = (meanings: { readonly [value: string]: ReadonlyArray<string> }): Clause<Saying> =>
  exact(({ values }) => ({ anyOf: values.flatMap((value) => (meanings[value] ?? []).map((coql) => ({ coql }))) }))

/** Milliseconds after which a year has five digits. */
const latest = Date.parse("9999-12-31T23:59:59Z")

/** The first whole second from a moment on: fields hold seconds. */
export const second = (moment: string) => {
  const at = new Date(Math.min(Math.ceil(Date.parse(moment) / 1000) * 1000, latest))
  return `${at.toISOString().slice(0, 19)}+00:00`
}

const day = (moment: string) => dayFrom(new Date(Math.min(Date.parse(moment), Date.parse("9999-12-31"))).toISOString())

const bounds = (filter: string, column: string, write: (moment: string) => string): Clauses<Saying> => ({
  [`${filter}_after`]: exact(({ text }) => ({ anyOf: [is(column, ">=", quote(write(text)))] })),
  [`${filter}_before`]: exact(({ text }) => ({ anyOf: [is(column, "<", quote(write(text)))] }))
})

/** The bounds of a moment: `start_after`, `start_before`. */
export const moments = (filter: string, column: string) => bounds(filter, column, second)

/** The bounds of a day. */
export const days = (filter: string, column: string) => bounds(filter, column, day)

/** Milliseconds before a time to ask a list from, as it may leave out changes at that very time. */
const margin = 1000

/** Every module has them. */
export const stampClauses: Clauses<Saying> = {
  ...moments("created", "Created_Time"),
  ...moments("modified", "Modified_Time"),
  modified_after: exact(({ text }) => ({
    anyOf: [is("Modified_Time", ">=", quote(second(text)))],
    since: second(new Date(Date.parse(text) - margin).toISOString())
  }))
}

/** https://www.zoho.com/crm/developer/docs/api/v8/search-records.html */
export const searchText = {
  pattern: new RegExp(`^.{2,${longest}}$`, "su"),
  expected: `must have 2 to ${longest} characters`
}

/** Finds by words, as the search of a module does. */
export const word: Clause<Saying> = exact(({ text }) => ({ word: text.trim() }))
