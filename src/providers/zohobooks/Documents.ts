import { Decimal } from "decimal.js"
import type { CommonFields } from "../../canonical/Resource.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Native, natives } from "../../mapping/Mapping.ts"
import { date, number, text } from "../../mapping/Transform.ts"
import { discountOf, removedCharges, withCharges } from "./Charges.ts"
import { company, currency, exchangeRate, identity, toContact } from "./Common.ts"
import { sentLines } from "./Lines.ts"
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
  inCurrency: (of: Entries<"currency">) => ComputedEntry<"currency"> = currency
) => [...identity(of, id), of.lasting(day, "date", date), company(of), inCurrency(of), exchangeRate(of)]

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

/** The amount before tax and discount of the lines and charges, whether or not prices contain tax. */
const subTotal = computed({
  canonical: "sub_total",
  native: ["total", "tax_total", "discount", "discount_total", "discount_type", "sub_total"],
  decode: ({ record }) => {
    const { tax_total, total } = record
    if (typeof total !== "number" || typeof tax_total !== "number") return null
    return new Decimal(total)
      .minus(tax_total)
      .plus(discountOf(record) ?? 0)
      .toNumber()
  }
})

/** What is open of a document. Zoho keeps the balance of a void one, of which nothing is. */
export const open = <N extends "balance" | "remaining_credit">(of: Entries<N>, canonical: N) =>
  of.computed({
    canonical,
    native: ["balance", "status"],
    decode: ({ record }, context) => {
      if (record.status === "void") return 0
      return record.balance === undefined ? null : number.decode(record.balance, context)
    }
  })

export const totals = (of: Entries<"sub_total" | "total_tax_amount" | "total_amount" | "balance">) => [
  subTotal(of),
  of.readField("total_tax_amount", "tax_total", number),
  of.readField("total_amount", "total", number),
  open(of, "balance")
]

/** How documents with lines are read and written. */
export const withLines = (options: { readonly hasDiscount: boolean }): Pick<Kind, "read" | "write"> => ({
  read: withCharges(options),
  write: (record, held) =>
    Array.isArray(record.line_items)
      ? { ...record, ...removedCharges(natives(record.line_items), held), line_items: sentLines(record.line_items) }
      : record
})

export const total = (of: Entries<"total_amount">) => of.readField("total_amount", "total", number)

/** Keeps Zoho from numbering a document that has a number. https://www.zoho.com/books/api/v3/invoices/#create-an-invoice */
export const numbered =
  (member: string): NonNullable<Kind["writeQuery"]> =>
  (record: Native) =>
    record[member] === undefined ? {} : { ignore_auto_number_generation: "true" }

/** Fields that lists of documents leave out. */
export const nullInLists = ["line_items", "customer_note", "inclusive_of_tax", "sub_total", "total_tax_amount"]
