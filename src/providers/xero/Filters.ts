import type { Native } from "../../mapping/Mapping.ts"
import { type Clause, type Clauses, dayFrom, exact, wide } from "../Filtering.ts"
import { xeroTime } from "./Common.ts"

/**
 * What Xero's lists can be asked for. An organisation with very many records refuses conditions on members that Xero has no
 * index for, so that those on invoices and payments are on the others alone; what is left the service sifts.
 * https://developer.xero.com/documentation/api/accounting/requests-and-responses
 * https://developer.xero.com/documentation/api/efficient-data-retrieval
 */

/** What a list is asked for besides, because of one filter. */
export interface Asked {
  readonly query?: { readonly [name: string]: string }
  /** A condition, which holds together with all others. */
  readonly where?: string
  /** Only what was changed since this instant: Xero counts to the second. */
  readonly since?: string
  /** What is meant of the records that this brings. */
  readonly keeps?: (record: Native) => boolean
  /** Records that ended come too. */
  readonly ended?: true
}

/** A time that a record states, to the millisecond; none where it states none. */
export const instantOf = (record: Native, stamp: string): string | null => {
  const time = record[stamp] === undefined ? null : xeroTime.decode(record[stamp], { reference: () => "" })
  return typeof time === "string" ? time : null
}

/** Nothing of Xero's is older. */
const oldest = "1970"

/** What was changed at an instant or after it: all of that second, of which `keeps` leaves what is meant. */
export const changedSince = (instant: string, keeps?: Asked["keeps"]): Asked => ({
  ...(instant < oldest ? {} : { since: instant }),
  ...(keeps === undefined ? {} : { keeps })
})

/** By the time of the last change, since when nothing can have been made that was not changed since. */
const changes: Clauses<Asked> = {
  created_after: wide(({ text }) => changedSince(text)),
  modified_after: exact(({ text }) =>
    changedSince(text, (record) => (instantOf(record, "UpdatedDateUTC") ?? "") >= text)
  )
}

/** Where only the time of creation is stated, lists still go by the last change, which `modified_after` has to trust. */
const creations: Clauses<Asked> = {
  created_after: exact(({ text }) =>
    changedSince(text, (record) => (instantOf(record, "CreatedDateUTC") ?? "") >= text)
  ),
  modified_after: exact(({ text }) => changedSince(text))
}

export const times = { UpdatedDateUTC: changes, CreatedDateUTC: creations } as const

/** The days that conditions can name: those of SQL Server. */
const [firstDay, lastDay] = ["1753-01-01", "9999-12-31"]

/** The first day that begins at an instant or after it. */
export const dayAt = (instant: string): string => {
  const day = dayFrom(instant)
  // a year of five digits has a sign in front
  return day.startsWith("+") ? lastDay : day < firstDay ? firstDay : day
}

const dateTime = (day: string) => `DateTime(${day.split("-").map(Number).join(",")})`

/** By a member that is a day. */
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

/** By a member that is the id of another record. */
export const link = (member: string): Clause<Asked> => refersTo((id) => ({ where: `${member}==Guid("${id}")` }))

/** How a text begins, up to a letter that lower case may not be the same of everywhere, or a mark of the query language. */
const plainStart = (text: string) => (/^[ !#-[\]-~]*/.exec(text.normalize("NFC"))?.[0] ?? "").toLowerCase()

/**
 * By the beginning of a text, whatever the case: `where` tells cases apart, and a method fails on a member that is null.
 * https://github.com/XeroAPI/xero-ruby/issues/184, https://github.com/freakboy3742/pyxero/issues/181
 */
export const beginning = (member: string): Clause<Asked> =>
  wide(({ text }) => {
    const start = plainStart(text)
    return start === "" ? {} : { where: `${member}!=null AND ${member}.ToLower().StartsWith("${start}")` }
  })

/** By what Xero's own search finds. */
export const search: Clause<Asked> = exact(({ text }) => ({ query: { searchTerm: text } }))

/** The native words for some of a field's values. */
export const nativesOf = (
  words: { readonly [native: string]: string },
  values: ReadonlyArray<string>
): ReadonlyArray<string> => Object.entries(words).flatMap(([native, word]) => (values.includes(word) ? [native] : []))

/** By a member with words of its own. */
export const wordOf = (member: string, words: { readonly [native: string]: string }): Clause<Asked> =>
  exact(({ values }) => {
    const wanted = nativesOf(words, values).map((native) => `${member}=="${native}"`)
    return wanted.length === 0 ? null : { where: `(${wanted.join(" OR ")})` }
  })
