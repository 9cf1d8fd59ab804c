import { secondFrom as wholeSecondFrom } from "../base/Seconds.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import type { Query } from "../base/Paging.ts"
import { type Clause, type Clauses, exact, wide } from "../Filtering.ts"
import { startOf } from "./Schedule.ts"

/**
 * A filter as the lists of API v2 take it; their parameters add up.
 * https://developers.pipedrive.com/docs/api/v1/Deals#getDeals and its like
 */
export interface Part {
  readonly query?: Query
  /** States of deals; `status` takes several. */
  readonly states?: ReadonlyArray<string>
  /** Deleted records come too. */
  readonly hasDeleted?: boolean
  /** Only a search finds them: https://developers.pipedrive.com/docs/api/v1/Persons#searchPersons and its like */
  readonly search?: Query
  /** A search narrows them down, where none has to be made for another filter. */
  readonly hint?: Query
  readonly order?: Order
  /** Whether a record that comes is meant. */
  readonly keeps?: (record: Native) => boolean
}

/** An order that puts the records that are meant in front. */
export interface Order {
  readonly by: "add_time" | "due_date"
  readonly isDown: boolean
  /** From this record on, none is meant. */
  readonly isPast: (record: Native) => boolean
}

/** One of Pipedrive's own ids, but those of leads. */
export const isId = (text: string) => /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text))

/** Records on another one. */
export const link = (parameter: string): Clause<Part> =>
  exact(({ text }) => (isId(text) ? { query: { [parameter]: text } } : null))

/** The first whole second at an instant or after it: stamps have seconds, and bounds take nothing finer. */
export const secondFrom = (instant: string): string => `${wholeSecondFrom(instant)}Z`

/**
 * Times without a parameter: the list is read from the right end, in the order of a field, up to the bound. `unit`:
 * milliseconds that the field counts in.
 */
const bounds = (
  by: Order["by"],
  unit: number,
  momentOf: (record: Native) => number | undefined
): { readonly after: Clause<Part>; readonly before: Clause<Part> } => {
  const keyOf = (record: Native) => Date.parse(String(record[by]))
  return {
    after: exact(({ text }) => {
      const bound = Date.parse(text)
      const last = Math.floor(bound / unit) * unit
      return {
        keeps: (record) => (momentOf(record) ?? -Infinity) >= bound,
        order: { by, isDown: true, isPast: (record) => keyOf(record) < last }
      }
    }),
    before: exact(({ text }) => {
      const bound = Date.parse(text)
      return {
        keeps: (record) => (momentOf(record) ?? Infinity) < bound,
        order: { by, isDown: false, isPast: (record) => keyOf(record) >= bound }
      }
    })
  }
}

const added = bounds("add_time", 1, ({ add_time }) => (typeof add_time === "string" ? Date.parse(add_time) : undefined))

const due = bounds("due_date", 86_400_000, startOf)

/** Filters of all records of API v2. */
export const stamped: Clauses<Part> = {
  created_after: added.after,
  created_before: added.before,
  modified_after: exact(({ text }) => ({ query: { updated_since: secondFrom(text) } })),
  modified_before: exact(({ text }) => ({ query: { updated_until: secondFrom(text) } }))
}

/** Least characters of a search. https://developers.pipedrive.com/docs/api/v1/Persons#searchPersons */
const leastTerm = 2

export const searchText = {
  pattern: new RegExp(`^.{${leastTerm},}$`, "su"),
  expected: `must have ${leastTerm} characters at least`
}

export const search: Clause<Part> = exact(({ text }) => ({ search: { term: text.trim() } }))

/** Finds names: a search finds parts of them in any case, so it looks for the longest word of a name's beginning. */
export const named = (field: "name" | "title"): Clause<Part> =>
  wide(({ text }) => {
    const words = text.normalize("NFC").match(/[\p{L}\p{N}]+/gu) ?? []
    const term = words.reduce((longest, word) => (word.length > longest.length ? word : longest), "")
    return term.length < leastTerm ? {} : { hint: { term, fields: field } }
  })

/** Parameters of a search by e-mail address. */
export const byEmail = (text: string): Query => ({ term: text.trim(), fields: "email", exact_match: true })

const fold = (text: unknown) => String(text).normalize("NFC").toLowerCase()

export const email: Clause<Part> = exact(({ text }) => ({
  hint: byEmail(text),
  keeps: ({ emails }) => natives(emails).some(({ value }) => fold(value) === fold(text))
}))

/** Filters of activities of all kinds; the time at which they begin, or are due, is the same. */
export const onActivities: Clauses<Part> = {
  ...stamped,
  account: link("org_id"),
  opportunity: link("deal_id"),
  owner: link("owner_id")
}

export const dueTimes = { due_after: due.after, due_before: due.before }

export const startTimes = { start_after: due.after, start_before: due.before }

/** Values that tell only whether an activity is done. */
export const done = (whenDone: string, whenNot: string): Clause<Part> =>
  exact(({ values }) => {
    const wanted = [true, false].filter((isDone) => values.includes(isDone ? whenDone : whenNot))
    const [only] = wanted
    if (only === undefined) return null
    return wanted.length > 1 ? {} : { query: { done: only } }
  })
