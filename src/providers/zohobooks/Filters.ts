import type { Native } from "../../mapping/Mapping.ts"
import { dateTime } from "../../mapping/Transform.ts"
import { type Clause, type Clauses, dayFrom, exact, wide } from "../Filtering.ts"

/**
 * Parameters of Zoho Books' lists. Some modules lack one that others have, and then return everything, so the fields that a
 * list shows of a record are compared here, too.
 * https://www.zoho.com/books/api/v3/invoices/#list-invoices
 */

/** The effect of one filter on a list. */
export interface Asked {
  readonly query?: { readonly [name: string]: string }
  /** Only records that changed since this instant. */
  readonly since?: string
  /** Whether a listed record matches. */
  readonly keeps?: (record: Native) => boolean
  /** For lists sorted by the time of creation: no record from this one on matches. */
  readonly ends?: (record: Native) => boolean
}

/** A record's time, in milliseconds; NaN where it has none. */
const millisecondsOf = (record: Native, stamp: string) => {
  const time = record[stamp] === undefined ? null : dateTime.decode(record[stamp], { reference: () => "" })
  return typeof time === "string" ? Date.parse(time) : Number.NaN
}

const isSince = (stamp: string, text: string) => (record: Native) => millisecondsOf(record, stamp) >= Date.parse(text)

/** For modules whose lists can return only the records changed since a time. */
export const changes: Clauses<Asked> = {
  // no record was created after its last change
  created_after: exact(({ text }) => ({ since: text, keeps: isSince("created_time", text) })),
  modified_after: exact(({ text }) => ({ since: text, keeps: isSince("last_modified_time", text) }))
}

/** For modules whose lists are sorted by the time of creation. */
export const creations: Clauses<Asked> = {
  created_before: exact(({ text }) => ({ ends: isSince("created_time", text) }))
}

/** No record of Zoho's is older. */
const oldest = "1970"

/** The parameter for changes since a time: stamps count to the second, and one module begins only after the time given. */
export const sinceQuery = (asked: ReadonlyArray<Asked>): NonNullable<Asked["query"]> => {
  const latest = asked
    .flatMap(({ since }) => since ?? [])
    .toSorted()
    .at(-1)
  if (latest === undefined || latest < oldest) return {}
  const second = new Date(Math.floor(Date.parse(latest) / 1000) * 1000 - 1000)
  return { last_modified_time: `${second.toISOString().slice(0, 19)}+0000` }
}

/** By day of creation; days are those of the organisation's time zone. */
export const createdOn: Clauses<Asked> = {
  created_after: exact(({ text }) => ({
    ...(text < oldest ? {} : { query: { created_date_start: daysOn(text.slice(0, 10), -1) } }),
    keeps: isSince("created_time", text)
  }))
}

const daysOn = (day: string, count: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)

/** A day for a parameter; a year of five digits, which has a sign in front, is cut to the last day of 9999. */
const plain = (day: string) => (day.startsWith("+") ? "9999-12-31" : day)

/** By a member that holds a day. The parameters are a day wider, as Zoho does not say whether their ends are included. */
export const day = (
  parameter: string,
  member: string = parameter
): { readonly after: Clause<Asked>; readonly before: Clause<Asked> } => {
  const dayIn = (record: Native) => String(record[member] ?? "")
  return {
    after: exact(({ text }) => {
      const first = plain(dayFrom(text))
      return {
        ...(first < oldest ? {} : { query: { [`${parameter}_start`]: daysOn(first, -1) } }),
        keeps: (record) => dayIn(record) >= first
      }
    }),
    before: exact(({ text }) => {
      const end = plain(dayFrom(text))
      return {
        ...(end < oldest ? {} : { query: { [`${parameter}_end`]: end } }),
        keeps: (record) => dayIn(record) !== "" && dayIn(record) < end
      }
    })
  }
}

/** By the id of another record. */
export const link = (parameter: string): Clause<Asked> =>
  exact(({ record }) =>
    record !== undefined && /^\d+$/.test(record.remoteId) ? { query: { [parameter]: record.remoteId } } : null
  )

/** The most characters of a parameter, and of the search. */
const longest = 100

const short = (text: string) => [...text].slice(0, longest).join("")

/** By the beginning of a text. */
export const beginning = (member: string): Clause<Asked> =>
  wide(({ text }) => ({ query: { [`${member}_startswith`]: short(text) } }))

export const searchText = {
  pattern: new RegExp(`^.{1,${longest}}$`, "su"),
  expected: `must have ${longest} characters at most`
}

/** By a module's search. */
export const search: Clause<Asked> = exact(({ text }) => ({ query: { search_text: text.trim() } }))

/** By a word. A list takes one; several words, and those that the parameter does not know, are filtered here. */
export const oneOf = (parameter: string, words: { readonly [word: string]: string }): Clause<Asked> =>
  wide(({ values }) => {
    const [value = "", ...more] = values
    const native = words[value]
    return native === undefined || more.length > 0 ? {} : { query: { [parameter]: native } }
  })

/** For modules whose records are all of one type. */
export const typed = (type: string): Clause<Asked> =>
  exact(({ values }): Asked | null => (values.includes(type) ? {} : null))
