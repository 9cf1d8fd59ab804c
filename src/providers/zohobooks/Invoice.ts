import { Decimal } from "decimal.js"
import { Invoice } from "../../canonical/accounting/Invoice.ts"
import { InvoiceLineItem } from "../../canonical/accounting/Nested.ts"
import { computed, type EntriesOf } from "../../mapping/Entries.ts"
import { inTheLines, isDiscountOfLines } from "../../mapping/LineDiscount.ts"
import type { DocumentLines } from "../../mapping/LineParts.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { noDiscount } from "../../mapping/NoDiscount.ts"
import { date, reference, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, noPeriods, status, tagsAreNoCategories } from "./Common.ts"
import {
  document,
  inclusiveOfTax,
  noMemo,
  nullInLists,
  numbered,
  party,
  printed,
  termsAreDays,
  totals
} from "./Documents.ts"
import { beginning, createdOn, day, link, oneOf, search, typed } from "./Filters.ts"
import { documentLines, withLines } from "./Lines.ts"
import { type Kind, records } from "./Records.ts"

/**
 * Invoices to customers, which begin as drafts, and bills of vendors, which are open at once. What is paid or overdue follows
 * from payments and days.
 * https://www.zoho.com/books/api/v3/invoices/
 * https://www.zoho.com/books/api/v3/bills/
 */

const states = {
  draft: "DRAFT",
  pending_approval: "SUBMITTED",
  approved: "SUBMITTED",
  sent: "OPEN",
  viewed: "OPEN",
  unpaid: "OPEN",
  open: "OPEN",
  overdue: "OPEN",
  partially_paid: "PARTIALLY_PAID",
  paid: "PAID",
  void: "VOID"
}

/** The day of the last payment, once all is paid. */
const paidOn = computed({
  canonical: "paid_on_date",
  native: ["status", "last_payment_date"],
  decode: ({ record }, context) =>
    record.status === "paid" ? date.decode(record.last_payment_date ?? "", context) : null
})

const toPayment = reference("payment", "vendorpayment")

/** A bill names the payments that were made of it. */
const payments = (of: EntriesOf<typeof Invoice>) => [
  of.computed({
    canonical: "payments",
    native: ["payments"],
    decode: ({ record }, context) =>
      natives(record.payments).map(({ payment_id }) => toPayment.decode(payment_id, context))
  }),
  of.computed({
    canonical: "applied_payments",
    native: ["payments"],
    decode: ({ record }, context) =>
      natives(record.payments).map((one) => ({
        remote_id: one.bill_payment_id,
        payment: toPayment.decode(one.payment_id, context),
        applied_amount: one.amount,
        applied_date: date.decode(one.date, context)
      }))
  })
]

/** How much the whole has less: as an amount, or as so many percent. */
const discountOf = ({ discount, discount_type, sub_total }: Native): unknown => {
  if (discount === undefined) return null
  if (discount_type !== "entity_level") return 0
  const [, percent] = /^([\d.]+)%$/.exec(String(discount)) ?? []
  return percent === undefined ? Number(discount) : new Decimal(Number(sub_total)).times(percent).div(100).toNumber()
}

/** The discount off the whole after tax, by the sums of a document. */
const totalDiscount = computed({
  canonical: "total_discount",
  native: ["discount", "discount_type", "sub_total"],
  needsCurrent: true,
  decode: ({ record }) => discountOf(record),
  encode: (value, { body, current, prefix, refuse, set, warn }) => {
    const isOfLines = isDiscountOfLines(body)
    if (isOfLines) warn(`${prefix}total_discount`, "CHANGED", inTheLines)
    const wanted = typeof value === "number" && !isOfLines ? value : 0
    if (wanted < 0) refuse(`${prefix}total_discount`, "must be 0 or more")
    if (wanted === (current === undefined ? 0 : discountOf(current.record))) return
    set("discount", wanted)
    set("discount_type", "entity_level")
    set("is_discount_before_tax", false)
  }
})

const called: DocumentLines<typeof InvoiceLineItem> = { total: "total_amount", shape: InvoiceLineItem }

const paymentsAreApart =
  "Zoho Books does not return payments with an invoice; a payment names its invoices in `applied_to_lines`."

const mapping = mappingOf(Invoice, (of) => [
  of.variant({
    nativeType: "invoice",
    when: { type: "ACCOUNTS_RECEIVABLE" },
    entries: [
      ...document(of, "invoice_id", "issue_date"),
      of.constant("type", "ACCOUNTS_RECEIVABLE"),
      party(of, "contact", "customer_id"),
      of.lasting("number", "invoice_number", text),
      of.lasting("due_date", "due_date", date),
      paidOn(of),
      ...printed(of),
      status(of, {
        read: states,
        write: {
          DRAFT: "status/draft",
          SUBMITTED: "submit",
          OPEN: "status/sent",
          PARTIALLY_PAID: "status/sent",
          PAID: "status/sent",
          VOID: "status/void"
        },
        made: "draft"
      }),
      inclusiveOfTax(of),
      of.lines("line_items", documentLines(called, false)),
      totalDiscount(of),
      ...totals(of)
    ],
    notHeld: {
      memo: noMemo,
      employee: "Zoho Books names a salesperson, who is no employee.",
      payment_term: termsAreDays,
      accounting_period: noPeriods,
      tracking_categories: tagsAreNoCategories,
      purchase_orders: "A customer invoice bills no purchase orders.",
      sales_orders: "Zoho Books names the sales orders of an invoice, but sales orders are not offered for Zoho Books.",
      payments: paymentsAreApart,
      applied_payments: paymentsAreApart,
      applied_credit_notes:
        "Zoho Books does not return credits with an invoice; a credit note names its invoices in `applied_to_lines`.",
      applied_vendor_credits: "Vendor credits are applied to bills, not to customer invoices."
    }
  }),
  of.variant({
    nativeType: "bill",
    when: { type: "ACCOUNTS_PAYABLE" },
    entries: [
      ...document(of, "bill_id", "issue_date"),
      of.constant("type", "ACCOUNTS_PAYABLE"),
      party(of, "contact", "vendor_id"),
      of.lasting("number", "bill_number", text),
      of.lasting("due_date", "due_date", date),
      ...printed(of),
      status(of, {
        read: states,
        write: {
          SUBMITTED: "submit",
          OPEN: "status/open",
          PARTIALLY_PAID: "status/open",
          PAID: "status/open",
          VOID: "status/void"
        },
        made: "open"
      }),
      inclusiveOfTax(of),
      of.lines("line_items", documentLines(called, true)),
      noDiscount(of),
      ...payments(of),
      ...totals(of)
    ],
    notHeld: {
      memo: noMemo,
      employee: "Zoho Books bills name no employee.",
      paid_on_date:
        "Zoho Books does not say when a bill was paid in full; `applied_payments` has the dates of its payments.",
      payment_term: termsAreDays,
      accounting_period: noPeriods,
      tracking_categories: tagsAreNoCategories,
      purchase_orders: "Zoho Books names the purchase orders of a bill, but they are not read.",
      sales_orders: "A bill invoices no sales orders.",
      applied_credit_notes: "Credit notes are applied to customer invoices, not to bills.",
      applied_vendor_credits:
        "Zoho Books names the vendor credits of a bill, but vendor credits are not offered for Zoho Books."
    }
  })
])

const [issueDay, dueDay] = [day("date"), day("due_date")]

const kinds: ReadonlyArray<Kind> = [
  {
    nativeType: "invoice",
    path: "invoices",
    id: "invoice_id",
    sort: "created_time",
    isSince: true,
    filters: {
      ...createdOn,
      number: beginning("invoice_number"),
      contact: link("customer_id"),
      type: typed("ACCOUNTS_RECEIVABLE"),
      status: oneOf("status", { DRAFT: "draft", PARTIALLY_PAID: "partially_paid", PAID: "paid", VOID: "void" }),
      issued_after: issueDay.after,
      issued_before: issueDay.before,
      due_after: dueDay.after,
      due_before: dueDay.before,
      q: search
    },
    write: withLines,
    writeQuery: numbered("invoice_number")
  },
  {
    nativeType: "bill",
    path: "bills",
    id: "bill_id",
    sort: "created_time",
    isSince: true,
    filters: {
      number: beginning("bill_number"),
      contact: link("vendor_id"),
      type: typed("ACCOUNTS_PAYABLE"),
      status: oneOf("status", { PARTIALLY_PAID: "partially_paid", PAID: "paid", VOID: "void" }),
      issued_after: issueDay.after,
      issued_before: issueDay.before,
      q: search
    },
    write: withLines
  }
]

export const invoice = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, kinds),
  nullInLists: [...nullInLists, "total_discount", "payments", "applied_payments"],
  rules: [{ rule: "required", fields: ["number"], when: { type: "ACCOUNTS_PAYABLE" } }]
})
