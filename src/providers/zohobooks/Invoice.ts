import { Invoice } from "../../canonical/accounting/Invoice.ts"
import { InvoiceLineItem } from "../../canonical/accounting/Nested.ts"
import { computed, type EntriesOf } from "../../mapping/Entries.ts"
import { inTheLines, isDiscountOfLines } from "../../mapping/LineDiscount.ts"
import type { DocumentLines } from "../../mapping/LineParts.ts"
import { type Bundle, getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { date, reference, text } from "../../mapping/Transform.ts"
import { digitsOf } from "../../platform/Currency.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { readApplied } from "./Applied.ts"
import { discountOf } from "./Charges.ts"
import { currencyOf, mappingOf, noPeriods, status, tagsAreNoCategories } from "./Common.ts"
import {
  document,
  inclusiveOfTax,
  noMemo,
  nullInLists,
  numbered,
  party,
  printed,
  termsAreDays,
  totals,
  withLines
} from "./Documents.ts"
import { beginning, createdOn, day, link, oneOf, search, typed } from "./Filters.ts"
import { documentLines } from "./Lines.ts"
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

/** Payments and credits of a document: a bill names them itself, an invoice where `Applied.ts` has read them. */
const appliedTo = ({ parts, record }: Bundle) => ({
  payments: natives(getPath(parts, "applied.payments") ?? record.payments),
  credits: natives(getPath(parts, "applied.credits") ?? record.vendor_credits)
})

/** Null in lists, which do not tell what was applied. */
const areKnown = ({ parts, record }: Bundle) => parts?.applied !== undefined || Array.isArray(record.payments)

const dayOf = (one: Native): string => String(one.date ?? one.credited_date ?? "")

/** The day on which the last payment or credit came, once all is paid. */
const paidOn = computed({
  canonical: "paid_on_date",
  native: ["status", "last_payment_date", "payments", "vendor_credits"],
  parts: ["applied"],
  decode: (bundle, context) => {
    const { record } = bundle
    if (record.status !== "paid") return null
    const { credits, payments } = appliedTo(bundle)
    const days = [...payments, ...credits].map(dayOf)
    const last = [String(record.last_payment_date ?? ""), ...days].toSorted().at(-1)
    return date.decode(last, context)
  }
})

const toCreditNote = reference("credit_note", "creditnote")

/** The payments of a document, each with its share. */
const payments = (
  of: EntriesOf<typeof Invoice>,
  { id, nativeType }: { readonly nativeType: string; readonly id: string }
) => {
  const toPayment = reference("payment", nativeType)
  return [
    of.computed({
      canonical: "payments",
      native: ["payments"],
      parts: ["applied"],
      decode: (bundle, context) =>
        areKnown(bundle)
          ? [...new Set(appliedTo(bundle).payments.map(({ payment_id }) => payment_id))].map((payment) =>
              toPayment.decode(payment, context)
            )
          : null
    }),
    of.computed({
      canonical: "applied_payments",
      native: ["payments"],
      parts: ["applied"],
      decode: (bundle, context) =>
        areKnown(bundle)
          ? appliedTo(bundle).payments.map((one) => ({
              remote_id: one[id],
              payment: toPayment.decode(one.payment_id, context),
              applied_amount: one.amount,
              applied_date: date.decode(one.date, context)
            }))
          : null
    })
  ]
}

/** The amount of a credit that is set against a document. */
const creditOf = ({ amount, amount_applied, credited_amount }: Native) => amount_applied ?? credited_amount ?? amount

const creditNotes = (of: EntriesOf<typeof Invoice>) =>
  of.computed({
    canonical: "applied_credit_notes",
    native: [],
    parts: ["applied"],
    decode: (bundle, context) =>
      areKnown(bundle)
        ? appliedTo(bundle).credits.map((one) => ({
            remote_id: one.creditnotes_invoice_id,
            credit_note: toCreditNote.decode(one.creditnote_id, context),
            applied_date: date.decode(one.credited_date ?? "", context),
            applied_amount: creditOf(one),
            remote_was_deleted: false
          }))
        : null
  })

/** Vendor credits are no resource of this provider: their amounts are known, and no record to refer to. */
const vendorCredits = (of: EntriesOf<typeof Invoice>) =>
  of.computed({
    canonical: "applied_vendor_credits",
    native: ["payments", "vendor_credits"],
    decode: (bundle, context) =>
      areKnown(bundle)
        ? appliedTo(bundle).credits.map((one) => ({
            remote_id: one.vendor_credit_bill_id,
            vendor_credit: null,
            applied_date: date.decode(one.date ?? "", context),
            applied_amount: creditOf(one),
            remote_was_deleted: false
          }))
        : null
  })

/** The discount off the whole after tax, by the sums of a document. */
const totalDiscount = computed({
  canonical: "total_discount",
  native: ["discount", "discount_total", "discount_type", "sub_total"],
  needsCurrent: true,
  decode: ({ record }) => discountOf(record),
  encode: (value, { body, current, get, lookups, prefix, refuse, set, warn }) => {
    const currency = body.currency ?? currencyOf(get, lookups)
    const isOfLines = isDiscountOfLines(body, digitsOf(currency))
    if (isOfLines) warn(`${prefix}total_discount`, "CHANGED", inTheLines)
    const wanted = typeof value === "number" && !isOfLines ? value : 0
    if (wanted < 0) refuse(`${prefix}total_discount`, "must be 0 or more")
    if (wanted === (current === undefined ? 0 : discountOf(current.record))) return
    set("discount", wanted)
    set("discount_type", "entity_level")
    set("is_discount_before_tax", false)
  }
})

/** A bill may have got a discount at Zoho; the API takes none. */
const billDiscount = computed({
  canonical: "total_discount",
  native: ["discount", "discount_total", "discount_type", "sub_total"],
  needsCurrent: true,
  decode: ({ record }) => discountOf(record) ?? (record.line_items === undefined ? null : 0),
  encode: (value, { current, prefix, refuse }) => {
    const held = current === undefined ? 0 : (discountOf(current.record) ?? 0)
    if (typeof value === "number" && value !== held)
      refuse(`${prefix}total_discount`, `must be ${held} here: take it off the price of a line`)
  }
})

const called: DocumentLines<typeof InvoiceLineItem> = { total: "total_amount", shape: InvoiceLineItem }

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
      ...payments(of, { nativeType: "customerpayment", id: "invoice_payment_id" }),
      creditNotes(of),
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
      paidOn(of),
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
      billDiscount(of),
      ...payments(of, { nativeType: "vendorpayment", id: "bill_payment_id" }),
      vendorCredits(of),
      ...totals(of)
    ],
    notHeld: {
      memo: noMemo,
      employee: "Zoho Books bills name no employee.",
      payment_term: termsAreDays,
      accounting_period: noPeriods,
      tracking_categories: tagsAreNoCategories,
      purchase_orders: "Zoho Books names the purchase orders of a bill, but they are not read.",
      sales_orders: "A bill invoices no sales orders.",
      applied_credit_notes: "Credit notes are applied to customer invoices, not to bills."
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
    ...withLines({ hasDiscount: true }),
    writeQuery: numbered("invoice_number"),
    complete: readApplied
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
    ...withLines({ hasDiscount: true })
  }
]

export const invoice = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, kinds),
  nullInLists: [
    ...nullInLists,
    "paid_on_date",
    "total_discount",
    "payments",
    "applied_payments",
    "applied_credit_notes",
    "applied_vendor_credits"
  ],
  rules: [{ rule: "required", fields: ["number"], when: { type: "ACCOUNTS_PAYABLE" } }]
})
