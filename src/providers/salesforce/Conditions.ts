import type { Effect } from "effect"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clause, type Clauses, exact, wide } from "../Filtering.ts"
import type { Sought } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { isOf, type Kind } from "./Kinds.ts"
import type { Fields } from "./Org.ts"
import { beginning, day, having, instant, isId, quote } from "./Soql.ts"

// Filters in SOQL. Text is compared whatever its case.
// https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_comparisonoperators.htm

/** A condition and the fields that it names; if a user cannot see one of them, it holds for no record. */
export interface Condition {
  readonly soql: string
  readonly fields: ReadonlyArray<string>
  /** Asks for ids in a query of its own, which may stand neither under OR nor in parentheses. */
  readonly isJoin?: true
}

/** Finds the ids of records beforehand. */
export type Find = (connection: ConnectionRef) => Effect.Effect<ReadonlyArray<string>, ProviderError>

/** Conditions, one of which must hold, or a search for ids. */
export type Said = ReadonlyArray<Condition> | Find

export const isFind = (said: Said): said is Find => typeof said === "function"

export const compare = (field: string, operator: string, value: string): Condition => ({
  soql: `${field} ${operator} ${value}`,
  fields: [field]
})

export const not = ({ fields, soql }: Condition): Condition => ({ fields, soql: `(NOT ${soql})` })

export const both = (...conditions: ReadonlyArray<Condition>): Condition => ({
  soql: `(${conditions.map(({ soql }) => soql).join(" AND ")})`,
  fields: conditions.flatMap(({ fields }) => fields)
})

/** Most characters of a text field: no field holds a longer text, and the address of a query has bounds. */
const longest = 255

const text =
  (say: (value: string) => ReadonlyArray<Condition>) =>
  ({ text }: Sought): Said | null => {
    const value = text.normalize("NFC")
    return value.length > longest ? null : say(value)
  }

export const equals = (...fields: ReadonlyArray<string>): Clause<Said> =>
  exact(text((value) => fields.map((field) => compare(field, "=", quote(value)))))

export const begins = (...fields: ReadonlyArray<string>): Clause<Said> =>
  exact(text((value) => fields.map((field) => compare(field, "LIKE", beginning(value)))))

/** Most characters of the names of a person. */
const [firstName, lastName] = [40, 80]

/**
 * Matches the beginning of a person's name: the given name begins so, or is a part of it that the family name continues.
 * `Name` does not help, as it may include a middle name and a suffix.
 */
export const beginsName = (...others: ReadonlyArray<string>): Clause<Said> =>
  exact(
    text((value) => [
      ...["FirstName", "LastName", ...others].map((field) => compare(field, "LIKE", beginning(value))),
      ...[...value.matchAll(/(?<=\S) /g)].flatMap(({ index }) => {
        const [first, last] = [value.slice(0, index), value.slice(index + 1)]
        return first.length > firstName || last.length > lastName
          ? []
          : [both(compare("FirstName", "=", quote(first)), compare("LastName", "LIKE", beginning(last)))]
      })
    ])
  )

/** Trailing digits that two spellings of a telephone number share. */
const common = 6

/** Numbers are stored as typed, so every number with the last digits in this order may match. */
export const digits = (...fields: ReadonlyArray<string>): Clause<Said> =>
  wide(({ text }) => {
    const last = text.replace(/\D/g, "").replace(/^0+/, "").slice(-common)
    return fields.map((field) => compare(field, "LIKE", having([...last])))
  })

/** Finds addresses that contain the host, not only those at it. */
export const host = (field: string): Clause<Said> =>
  wide(
    text((value) => {
      const name = value
        .replace(/^[a-z]+:\/\//i, "")
        .replace(/^www\./i, "")
        .replace(/[/:?#].*$/, "")
      return [compare(field, "LIKE", having([name]))]
    })
  )

/** Matches the id of a record, of the given kind if any. */
export const refers = (fields: string | ReadonlyArray<string>, kind?: Kind): Clause<Said> =>
  exact(({ text }) =>
    isId(text) && (kind === undefined || isOf(kind, text))
      ? [fields].flat().map((field) => compare(field, "=", quote(text)))
      : null
  )

/** Conditions by the values that they stand for; no record has other values. */
export const oneOf = (meanings: { readonly [value: string]: ReadonlyArray<Condition> }): Clause<Said> =>
  exact(({ values }) => values.flatMap((value) => meanings[value] ?? []))

const bounds = (filter: string, field: string, write: (moment: string) => string): Clauses<Said> => ({
  [`${filter}_after`]: exact(({ text }) => [compare(field, ">=", write(text))]),
  [`${filter}_before`]: exact(({ text }) => [compare(field, "<", write(text))])
})

/** The bounds of a moment: `start_after`, `start_before`. */
export const moments = (filter: string, field: string) => bounds(filter, field, instant)

/** The bounds of a day. */
export const days = (filter: string, field: string) => bounds(filter, field, day)

/**
 * Queries that together find the records that meet one condition of each filter, as the conditions of each query; a single
 * query where there is no join.
 */
export const queriesFor = (
  said: ReadonlyArray<ReadonlyArray<Condition>>,
  { readable }: Fields
): ReadonlyArray<ReadonlyArray<string>> =>
  said.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (queries, conditions) => {
      const seen = conditions.filter(({ fields }) => fields.every((field) => readable.has(field)))
      const plain = seen.filter(({ isJoin }) => isJoin !== true).map(({ soql }) => soql)
      const joins = seen.filter(({ isJoin }) => isJoin === true).map(({ soql }) => soql)
      const ways = [...(plain.length > 1 ? [`(${plain.join(" OR ")})`] : plain), ...joins]
      return queries.flatMap((query) => ways.map((way) => [...query, way]))
    },
    [[]]
  )
