/**
 * What a list can be cut down to, as data: which fields of a record a filter looks at, and how it compares. A provider
 * answers a filter itself (`native`), or the service reads on and sifts (`scanned`), by the same meaning.
 */
export type Comparison =
  /** Text, whatever the case. */
  | "equals"
  /** Text that is equal or begins so, whatever the case. */
  | "begins"
  /** A telephone number by its digits, with or without the code of the country. */
  | "digits"
  /** The host of an address, with or without `www.`. */
  | "host"
  /** The id of another record. */
  | "refers"
  /** One of some values, of which several may be named. */
  | "oneOf"
  | "isTrue"
  /** At or after a date or date-time. */
  | "from"
  /** Before a date or date-time. */
  | "before"
  /** Adds records that are left out else; only a provider can. */
  | "adds"
  /** As the provider's own search understands text; only a provider can. */
  | "searches"

export interface Filter {
  readonly compares: Comparison
  /**
   * Fields it looks at, of which one has to fit: `name`, `email_addresses[].email_address`, and several as one text,
   * `first_name last_name`.
   */
  readonly fields: ReadonlyArray<string>
  readonly description: string
}

export type Filters = { readonly [name: string]: Filter }

const comparing =
  (compares: Comparison, says: string) =>
  (...fields: ReadonlyArray<string>): Filter => ({ compares, fields, description: says })

export const equals = comparing("equals", "Only where it is equal, whatever the case")
export const begins = comparing("begins", "Only where it is equal or begins so, whatever the case")
export const digits = comparing("digits", "Only where the digits are equal, with or without the code of the country")
export const host = comparing("host", "Only where the web address has this host, with or without `www.`")
export const refers = comparing("refers", "Only where it is this record")
export const oneOf = comparing("oneOf", "Only where it is one of these values, separated by commas")
export const isTrue = comparing("isTrue", "Only where it is so")

/** What the provider's own search finds. */
export const searches = comparing(
  "searches",
  "What the provider's own search finds by this text, as it searches: by words, in the fields that it knows"
)

const bound =
  (compares: "from" | "before", says: string) =>
  (field: string): Filter => ({
    compares,
    fields: [field],
    description: `Only where ${field} is ${says} this date or date-time; UTC where no offset is given`
  })

export const from = bound("from", "at or after")
export const before = bound("before", "before")

/** Those that every list takes. */
export const commonFilters = {
  created_after: from("created_at"),
  created_before: before("created_at"),
  modified_after: from("modified_at"),
  modified_before: before("modified_at"),
  include_deleted: comparing(
    "adds",
    "With true, records that were deleted too, as long as the provider tells them: remote_was_deleted is true, modified_at when they were deleted, and they may have nothing but their ids"
  )()
} satisfies Filters
