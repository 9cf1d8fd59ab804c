import type { Native } from "../../mapping/Mapping.ts"
import { type Clause, type Clauses, dayFrom, exact, wide } from "../Filtering.ts"
import { xeroTime } from "./Common.ts"

/**
 * Filters that Xero's lists support. Xero refuses conditions on unindexed members for organisations with very many records,
 * so conditions on invoices and payments use indexed members only; the service filters the rest itself.
 * https://developer.xero.com/documentation/api/accounting/requests-and-responses
 * https://developer.xero.com/documentation/api/efficient-data-retrieval
 */

/** The parts that one filter adds to a list call. */
export interface Asked {
  readonly query?: { readonly [name: string]: string }
  /** A condition, combined with all others by AND. */
  readonly where?: string
  /** Lists only records changed since this instant; Xero compares whole seconds. */
  readonly since?: string
  /** Whether a listed record matches the filter. */
  readonly keeps?: (record: Native) => boolean
  /** Lists ended records too. */
  readonly ended?: true
}

/** Merges parameters. */
export const allOf = (queries: ReadonlyArray<NonNullable<Asked["query"]>>): NonNullable<Asked["query"]> =>
  Object.fromEntries(queries.flatMap((query) => Object.entries(query)))

/** A record's timestamp, to the millisecond; null where it has none. */
export const instantOf = (record: Native, stamp: string): string | null => {
  const time = record[stamp] === undefined ? null : xeroTime.decode(record[stamp], { reference: () => "" })
  return typeof time === "string" ? time : null
}

/** No record of Xero's is older. */
const oldest = "1970"

/** Records changed at or after an instant. Xero lists that whole second; `keeps` drops the records before the instant. */
export const changedSince = (instant: string, keeps?: Asked["keeps"]): Asked => ({
  ...(instant < oldest ? {} : { since: instant }),
  ...(keeps === undefined ? {} : { keeps })
})

/** By the time of the last change; a record created after an instant was also changed after it. */
const changes: Clauses<Asked> = {
  created_after: wide(({ text }) => changedSince(text)),
  modified_after: exact(({ text }) =>
    changedSince(text, (record) => (instantOf(record, "UpdatedDateUTC") ?? "") >= text)
  )
}

/** Lists go by the last change even where records state only their creation, so `modified_after` has to trust them. */
const creations: Clauses<Asked> = {
  created_after: exact(({ text }) =>
    changedSince(text, (record) => (instantOf(record, "CreatedDateUTC") ?? "") >= text)
  ),
  modified_after: exact(({ text }) => changedSince(text))
}

export const times = { UpdatedDateUTC: changes, CreatedDateUTC: creations } as const

/** The range of days that conditions can name, which is SQL Server's. */
const [firstDay, lastDay] = ["1753-01-01", "9999-12-31"]

/** The first day that begins at an instant or after it. */
export const dayAt = (instant: string): string => {
  const day = dayFrom(instant)
  // years of five digits have a leading sign
  return day.startsWith("+") ? lastDay : day < firstDay ? firstDay : day
}

const dateTime = (day: string) => `DateTime(${day.split("-").map(Number).join(",")})`

/** By a member that holds a day. */
export const day = (member: string): { readonly after: Clause<Asked>; readonly before: Clause<Asked> } => ({
  after: exact(({ text }) => ({ where: `${member}>=${dateTime(dayAt(text))}` })),
  before: exact(({ text }) => ({ where: `${member}<${dateTime(dayAt(text))}` }))
})

export const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Of a kind whose records have no such thing. */
export const none: Clause<Asked> = exact((): Asked | null => null)

/** By the id of another record. */
export const refersTo = (say: (id: string) => Asked): Clause<Asked> =>
  exact(({ record }) => (record !== undefined && guid.test(record.remoteId) ? say(record.remoteId) : null))

/** By a member that holds the id of another record. */
export const link = (member: string): Clause<Asked> => refersTo((id) => ({ where: `${member}==Guid("${id}")` }))

/** The start of a text, up to a letter whose lower case may differ between systems or a mark of the query language. */
const plainStart = (text: string) => (/^[ !#-[\]-~]*/.exec(text.normalize("NFC"))?.[0] ?? "").toLowerCase()

/**
 * By the beginning of a text, in any case: `where` is case-sensitive, and methods fail on members that are null.
 * https://github.com/XeroAPI/xero-ruby/issues/184, https://github.com/freakboy3742/pyxero/issues/181
 */
export const beginning = (member: string): Clause<Asked> =>
  wide(({ text }) => {
    const start = plainStart(text)
    return start === "" ? {} : { where: `${member}!=null AND ${member}.ToLower().StartsWith("${start}")` }
  })

/** By Xero's own search. */
export const search: Clause<Asked> = exact(({ text }) => ({ query: { searchTerm: text } }))

/** Native words for some values of a field. */
export const nativesOf = (
  words: { readonly [native: string]: string },
  values: ReadonlyArray<string>
): ReadonlyArray<string> => Object.entries(words).flatMap(([native, word]) => (values.includes(word) ? [native] : []))

/** By a member with native words for the values. */
export const wordOf = (member: string, words: { readonly [native: string]: string }): Clause<Asked> =>
  exact(({ values }) => {
    const wanted = nativesOf(words, values).map((native) => `${member}=="${native}"`)
    return wanted.length === 0 ? null : { where: `(${wanted.join(" OR ")})` }
  })
