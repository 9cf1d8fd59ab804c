/**
 * Filters of lists, as data: which fields of a record a filter looks at, and how it compares. A provider answers a filter
 * itself (`native`), or the service reads on and sifts (`scanned`), with the same meaning.
 */
export type Comparison =
  /** Text, ignoring case. */
  | "equals"
  /** Text that is equal or begins with the value, ignoring case. */
  | "begins"
  /** A telephone number by its digits, with or without the country code. */
  | "digits"
  /** The host of an address, with or without `www.`. */
  | "host"
  /** The id of another record. */
  | "refers"
  /** One of several values; a filter may name more than one. */
  | "oneOf"
  | "isTrue"
  /** At or after a date or date-time. */
  | "from"
  /** Before a date or date-time. */
  | "before"
  /** Adds records that are otherwise left out; only a provider can. */
  | "adds"
  /** The provider's own text search; only a provider can. */
  | "searches"

export interface Filter {
  readonly compares: Comparison
  /**
   * Fields it looks at, one of which has to match: `name`, `email_addresses[].email_address`, or several as one text,
   * `first_name last_name`.
   */
  readonly fields: ReadonlyArray<string>
  readonly description: string
}

export type Filters = { readonly [name: string]: Filter }

const comparing =
  (compares: Comparison, says: (fields: string) => string) =>
  (...fields: ReadonlyArray<string>): Filter => ({ compares, fields, description: says(named(fields)) })

/** Fields as named in a sentence: `first_name last_name or last_name`. */
const named = (fields: ReadonlyArray<string>) => fields.map((field) => field.replaceAll("[]", "")).join(" or ")

export const equals = comparing("equals", (fields) => `Only records whose ${fields} equals this, whatever the case`)
export const begins = comparing(
  "begins",
  (fields) => `Only records whose ${fields} equals this or begins with it, whatever the case`
)
export const digits = comparing(
  "digits",
  (fields) => `Only records whose ${fields} has these digits, with or without the country code`
)
export const host = comparing(
  "host",
  (fields) => `Only records whose ${fields} has this host, with or without \`www.\``
)
export const refers = comparing("refers", (fields) => `Only records whose ${fields} is this record`)
export const oneOf = comparing(
  "oneOf",
  (fields) => `Only records whose ${fields} is one of these values, separated by commas`
)
export const isTrue = comparing("isTrue", (fields) => `Only records whose ${fields} is this`)
export const from = comparing(
  "from",
  (field) => `Only records whose ${field} is at or after this date or date-time, which is in UTC without an offset`
)
export const before = comparing(
  "before",
  (field) => `Only records whose ${field} is before this date or date-time, which is in UTC without an offset`
)

/** A filter that is left to the provider's own search. */
export const searches = comparing(
  "searches",
  () => "Only records that the provider's own search finds by this text: by words, in the fields that it knows"
)

/** Filters that every list takes. */
export const commonFilters = {
  created_after: from("created_at"),
  created_before: before("created_at"),
  modified_after: from("modified_at"),
  modified_before: before("modified_at"),
  include_deleted: comparing(
    "adds",
    () =>
      "true adds records that were deleted, as long as the provider tells of them: remote_was_deleted is true, modified_at is when they were deleted, and they may have nothing but their ids"
  )()
} satisfies Filters
