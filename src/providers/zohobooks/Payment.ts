import { Payment } from "../../canonical/accounting/Payment.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { number, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, noPeriods, tagsAreNoCategories, toAccount } from "./Common.ts"
import { contacts } from "./Contact.ts"
import { document, party } from "./Documents.ts"
import { day, link, search, typed } from "./Filters.ts"
import { currencyBy, withCurrency } from "./Named.ts"
import { type Kind, records } from "./Records.ts"

/**
 * Money from customers, set against invoices, and money to vendors, set against bills.
 * https://www.zoho.com/books/api/v3/customer-payments/
 * https://www.zoho.com/books/api/v3/vendor-payments/
 */

/** The day on which a payment was applied to a document: its own day where Zoho Books states none, as for bills. */
const appliedOn = ({ apply_date }: Native, day: unknown) => (apply_date === "" ? day : (apply_date ?? day))

/** The documents that it settles. */
const settles = (
  of: Entries<"applied_to_lines">,
  list: "invoices" | "bills",
  member: "invoice_id" | "bill_id",
  nativeType: "invoice" | "bill"
) =>
  of.computed({
    canonical: "applied_to_lines",
    native: [list, `${list}[].amount_applied`, "payment_id", "date"],
    needsCurrent: true,
    decode: ({ record }, context) =>
      natives(record[list]).map((one) => ({
        remote_id: `${String(record.payment_id)}:${String(one[member])}`,
        applied_amount: one.amount_applied,
        applied_date: appliedOn(one, record.date),
        related_object_id: context.reference("invoice", nativeType, String(one[member])),
        related_object_type: "INVOICE"
      })),
    encode: (value, encoding) => {
      const { current, get, prefix, refuse, set, warn } = encoding
      const held = natives(current?.record[list])
      const day = current?.record.date
      const days = [get("date"), day, ...held.map((one) => appliedOn(one, day))]
      const lines = natives(value).flatMap((one, i) => {
        const path = `${prefix}applied_to_lines.${i}`
        if (one.related_object_type !== "INVOICE") refuse(`${path}.related_object_type`, "must be INVOICE here")
        if (typeof one.applied_date === "string" && !days.includes(one.applied_date)) {
          warn(`${path}.applied_date`, "CHANGED", "is the date of the payment at Zoho Books")
        }
        const id = remoteIdOf(one.related_object_id, "invoice", [nativeType], encoding, `${path}.related_object_id`)
        if (id === undefined) return []
        const same = held.find((other) => other[member] === id)?.bill_payment_id
        const own = same === undefined ? {} : { bill_payment_id: same }
        return [{ ...own, [member]: id, amount_applied: one.applied_amount }]
      })
      set(list, lines)
    }
  })

const members = (of: EntriesOf<typeof Payment>) => [
  ...document(of, "payment_id", "transaction_date", { inCurrency: currencyBy("contact") }),
  of.lasting("total_amount", "amount", number),
  of.field("memo", "description", text),
  of.field("reference", "reference_number", text)
]

const modeIsText = "Zoho Books states how a payment was made as text, not as a record to refer to."

const mapping = mappingOf(Payment, (of) => [
  of.variant({
    nativeType: "customerpayment",
    when: { type: "ACCOUNTS_RECEIVABLE" },
    entries: [
      ...members(of),
      of.constant("type", "ACCOUNTS_RECEIVABLE"),
      party(of, "contact", "customer_id"),
      of.lasting("account", "account_id", toAccount),
      settles(of, "invoices", "invoice_id", "invoice")
    ],
    notHeld: {
      payment_method: modeIsText,
      accounting_period: noPeriods,
      tracking_categories: tagsAreNoCategories
    }
  }),
  of.variant({
    nativeType: "vendorpayment",
    when: { type: "ACCOUNTS_PAYABLE" },
    entries: [
      ...members(of),
      of.constant("type", "ACCOUNTS_PAYABLE"),
      party(of, "contact", "vendor_id"),
      of.lasting("account", "paid_through_account_id", toAccount),
      settles(of, "bills", "bill_id", "bill")
    ],
    notHeld: {
      payment_method: modeIsText,
      accounting_period: noPeriods,
      tracking_categories: tagsAreNoCategories
    }
  })
])

const paidDay = day("date")

const shared = { transaction_after: paidDay.after, transaction_before: paidDay.before, q: search }

const kinds: ReadonlyArray<Kind> = [
  {
    nativeType: "customerpayment",
    path: "customerpayments",
    list: "customer_payments",
    one: "payment",
    id: "payment_id",
    sort: "date",
    filters: { contact: link("customer_id"), type: typed("ACCOUNTS_RECEIVABLE"), ...shared },
    // how it was paid has to be said, and is no resource here
    isMade: { payment_mode: "others" }
  },
  {
    nativeType: "vendorpayment",
    path: "vendorpayments",
    id: "payment_id",
    sort: "date",
    isSince: true,
    filters: { contact: link("vendor_id"), type: typed("ACCOUNTS_PAYABLE"), ...shared }
  }
]

export const payment = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, kinds),
  related: withCurrency(call, "contact", contacts),
  nullInLists: ["contact", "account", "currency", "exchange_rate", "memo", "applied_to_lines"]
})
