import type { CommonFields } from "../../canonical/Resource.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import type { ComputedEntry, Native } from "../../mapping/Mapping.ts"
import { date, number, text } from "../../mapping/Transform.ts"
import { company, currency, exchangeRate, identity, toContact } from "./Common.ts"
import type { Kind } from "./Records.ts"

/** Entries that the mappings of documents share. */

/** The customer or vendor of a document, which cannot change. */
export const party = <N extends "contact" | "vendor">(
  of: Entries<N>,
  canonical: N,
  native: "customer_id" | "vendor_id"
) => of.lasting(canonical, native, toContact)

export const document = <D extends "issue_date" | "transaction_date">(
  of: Entries<keyof CommonFields | "company" | "currency" | "exchange_rate" | D>,
  id: string,
  day: D,
  {
    inCurrency = currency,
    native = "date"
  }: { readonly native?: string; readonly inCurrency?: (of: Entries<"currency">) => ComputedEntry<"currency"> } = {}
) => [...identity(of, id), of.lasting(day, native, date), company(of), inCurrency(of), exchangeRate(of)]

/** What the counterparty reads on a document besides its lines. */
export const printed = (of: Entries<"reference" | "customer_note">) => [
  of.field("reference", "reference_number", text),
  of.field("customer_note", "notes", text)
]

/** Reason of documents that have no `memo`. */
export const noMemo = "Zoho Books prints the notes of a document for the counterparty: `customer_note` holds them."

/** Reason of documents that have no `payment_term`. */
export const termsAreDays = "Zoho Books states payment terms as a number of days, not as a record to refer to."

/** Whether amounts include tax, which is fixed for the life of a document. */
export const inclusiveOfTax = computed({
  canonical: "inclusive_of_tax",
  native: ["is_inclusive_tax"],
  decode: ({ record }) => record.is_inclusive_tax,
  encode: (value, { get, set }) => {
    if (value !== null && value !== (get("is_inclusive_tax") ?? false)) set("is_inclusive_tax", value)
  }
})

export const totals = (of: Entries<"sub_total" | "total_tax_amount" | "total_amount" | "balance">) => [
  of.readField("sub_total", "sub_total", number),
  of.readField("total_tax_amount", "tax_total", number),
  of.readField("total_amount", "total", number),
  of.readField("balance", "balance", number)
]

export const total = (of: Entries<"total_amount">) => of.readField("total_amount", "total", number)

/** Keeps Zoho from numbering a document that has a number. https://www.zoho.com/books/api/v3/invoices/#create-an-invoice */
export const numbered =
  (member: string): NonNullable<Kind["writeQuery"]> =>
  (record: Native) =>
    record[member] === undefined ? {} : { ignore_auto_number_generation: "true" }

/** Fields that lists of documents leave out. */
export const nullInLists = ["line_items", "customer_note", "inclusive_of_tax", "sub_total", "total_tax_amount"]
