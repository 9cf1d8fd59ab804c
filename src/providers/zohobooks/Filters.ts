import type { Native } from "../../mapping/Mapping.ts"
import { dateTime } from "../../mapping/Transform.ts"
import { type Clause, type Clauses, dayFrom, exact, wide } from "../Filtering.ts"

/**
 * Parameters that lists of Zoho Books take. Some modules leave one out that others have, and then bring everything: what a
 * record in a list shows is compared here too.
 * https://www.zoho.com/books/api/v3/invoices/#list-invoices
 */

/** What a list is asked for besides, because of one filter. */
export interface Asked {
  readonly query?: { readonly [name: string]: string }
  /** Only what was changed since this instant. */
  readonly since?: string
  /** What is meant of the records that this brings. */
  readonly keeps?: (record: Native) => boolean
  /** Where lists are sorted by the time of creation: no record from this one on is meant. */
  readonly ends?: (record: Native) => boolean
}

/** A time that a record states, in milliseconds; not a number where it states none. */
const millisecondsOf = (record: Native, stamp: string) => {
  const time = record[stamp] === undefined ? null : dateTime.decode(record[stamp], { reference: () => "" })
  return typeof time === "string" ? Date.parse(time) : Number.NaN
}

const isSince = (stamp: string, text: string) => (record: Native) => millisecondsOf(record, stamp) >= Date.parse(text)

/** Of a module whose lists can be asked for what was changed since. */
export const changes: Clauses<Asked> = {
  // nothing was made after it was last changed
  created_after: exact(({ text }) => ({ since: text, keeps: isSince("created_time", text) })),
  modified_after: exact(({ text }) => ({ since: text, keeps: isSince("last_modified_time", text) }))
}

/** Of a module whose lists are sorted by the time of creation. */
export const creations: Clauses<Asked> = {
  created_before: exact(({ text }) => ({ ends: isSince("created_time", text) }))
}

/** Nothing of Zoho's is older. */
const oldest = "1970"

/** The parameter for what was changed since: stamps count to the second, and one module begins only after the time given. */
export const sinceQuery = (asked: ReadonlyArray<Asked>): NonNullable<Asked["query"]> => {
  const latest = asked
    .flatMap(({ since }) => since ?? [])
    .toSorted()
    .at(-1)
  if (latest === undefined || latest < oldest) return {}
  const second = new Date(Math.floor(Date.parse(latest) / 1000) * 1000 - 1000)
  return { last_modified_time: `${second.toISOString().slice(0, 19)}+0000` }
}

/** By when it was made, to the day: days are those of the organisation's time zone. */
export const createdOn: Clauses<Asked> = {
  created_after: exact(({ text }) => ({
    ...(text < oldest ? {} : { query: { created_date_start: daysOn(text.slice(0, 10), -1) } }),
    keeps: isSince("created_time", text)
  }))
}

const daysOn = (day: string, count: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)

/** A day for a parameter: a year of five digits has a sign in front. */
const plain = (day: string) => (day.startsWith("+") ? "9999-12-31" : day)

/** By a member that is a day: the parameters are a day wider, as it is not said whether their ends are within. */
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

/** Characters that a parameter takes, and the search. */
const longest = 100

const short = (text: string) => [...text].slice(0, longest).join("")

/** By the beginning of a text. */
export const beginning = (member: string): Clause<Asked> =>
  wide(({ text }) => ({ query: { [`${member}_startswith`]: short(text) } }))

export const searchText = {
  pattern: new RegExp(`^.{1,${longest}}$`, "su"),
  expected: `must have ${longest} characters at most`
}

/** By what the search of a module finds. */
export const search: Clause<Asked> = exact(({ text }) => ({ query: { search_text: text.trim() } }))

/** By words of which a list is asked for one; several are sifted, and those that the parameter does not know. */
export const oneOf = (parameter: string, words: { readonly [word: string]: string }): Clause<Asked> =>
  wide(({ values }) => {
    const [value = "", ...more] = values
    const native = words[value]
    return native === undefined || more.length > 0 ? {} : { query: { [parameter]: native } }
  })

/** Of a module whose records are all of one type of several. */
export const typed = (type: string): Clause<Asked> =>
  exact(({ values }): Asked | null => (values.includes(type) ? {} : null))
