import { Decimal } from "decimal.js"
import { Invoice } from "../../canonical/accounting/Invoice.ts"
import { InvoiceLineItem } from "../../canonical/accounting/Nested.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { enumeration, number as numeric, reference } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact, wide } from "../Filtering.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, optionalDay, reasons, trackingOfLines, xeroDay } from "./Common.ts"
import {
  applied,
  approval,
  byDay,
  dateOf,
  document,
  documentKind,
  livingIn,
  number,
  paymentIds,
  stateOf,
  type States,
  status
} from "./Documents.ts"
import { day, nativesOf, refersTo, search, wordOf } from "./Filters.ts"
import { allocationsPart, allocationsTo, withAllocations } from "./InvoiceCredits.ts"
import { documentLines, grossOf } from "./Lines.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Invoices to customers (ACCREC) and bills of suppliers (ACCPAY): one endpoint, told apart by their type for good.
 * https://developer.xero.com/documentation/api/accounting/invoices
 */

const typeWords = { ACCREC: "ACCOUNTS_RECEIVABLE", ACCPAY: "ACCOUNTS_PAYABLE" } as const
const types = enumeration("invoiceType", typeWords)

const type = computed({
  canonical: "type",
  native: ["Type"],
  needsCurrent: true,
  decode: ({ record }, context) => types.decode(record.Type, context),
  encode: (value, encoding) => {
    const { current, prefix, refuse, set } = encoding
    const native = types.encode(value, encoding, `${prefix}type`)
    if (current === undefined) set("Type", native)
    else if (native !== current.record.Type) refuse(`${prefix}type`, "stays what it was made with")
  }
})

/** Bills have no reference besides their number. */
const invoiceReference = computed({
  canonical: "reference",
  native: ["Reference"],
  needsCurrent: true,
  decode: ({ record }) => (record.Reference === "" ? null : record.Reference),
  encode: (value, { get, prefix, set, warn }) => {
    if (get("Type") === "ACCREC") set("Reference", value ?? "")
    else if (value !== null) warn(`${prefix}reference`, "NOT_HELD", "Xero holds no reference on a bill")
  }
})

const isPositive = (value: unknown) => typeof value === "number" && value > 0

const states: States = {
  read: { DRAFT: "DRAFT", SUBMITTED: "SUBMITTED", AUTHORISED: "OPEN", PAID: "PAID", VOIDED: "VOID", DELETED: "VOID" },
  write: {
    DRAFT: "DRAFT",
    SUBMITTED: "SUBMITTED",
    OPEN: "AUTHORISED",
    PARTIALLY_PAID: "AUTHORISED",
    PAID: "AUTHORISED"
  },
  ways: approval,
  native: ["AmountPaid", "AmountCredited"],
  derive: ({ AmountCredited, AmountPaid, Status }) =>
    Status === "AUTHORISED" && (isPositive(AmountPaid) || isPositive(AmountCredited)) ? "PARTIALLY_PAID" : undefined,
  void: "VOID"
}

/** Credit notes set against the document, under the name that its type gives them. */
const creditsOn = <N extends string>(
  of: Entries<N>,
  canonical: N,
  kind: "ACCREC" | "ACCPAY",
  credit: "credit_note" | "vendor_credit"
) => {
  const toCredit = reference(credit, "CreditNote")
  return of.computed({
    canonical,
    native: ["InvoiceID", "Type", "CreditNotes"],
    parts: [allocationsPart],
    decode: ({ parts, record }, context) =>
      record.Type !== kind
        ? []
        : livingIn(record.CreditNotes).flatMap((one) => {
            const shared = {
              remote_id: one.CreditNoteID,
              [credit]: toCredit.decode(one.CreditNoteID, context),
              remote_was_deleted: false
            }
            const allocations = allocationsTo(record.InvoiceID, one.CreditNoteID, parts)
            return allocations.length === 0
              ? [{ ...shared, applied_date: dateOf(one, context), applied_amount: one.AppliedAmount }]
              : allocations.map((allocation) => ({
                  ...shared,
                  remote_id: allocation.AllocationID ?? one.CreditNoteID,
                  applied_date: dateOf(allocation, context),
                  applied_amount: allocation.Amount
                }))
          })
  })
}

/** Over- and prepayments that are set against invoices, by the member that holds their ids. */
const paidAhead = { Overpayments: "OverpaymentID", Prepayments: "PrepaymentID" } as const

/**
 * Payments, and money that was paid too much or ahead and then allocated. Such money is a transaction and not a payment at
 * Xero; `remote_id` is that of the transaction.
 */
const appliedPayments = computed({
  canonical: "applied_payments",
  native: ["InvoiceID", "Payments", ...Object.keys(paidAhead)],
  parts: [allocationsPart],
  decode: ({ parts, record }, context) => [
    ...applied(record, context),
    ...Object.entries(paidAhead).flatMap(([member, id]) =>
      livingIn(record[member]).map((one) => ({
        remote_id: one[id],
        payment: null,
        applied_amount: one.AppliedAmount,
        applied_date: dateOf(allocationsTo(record.InvoiceID, one[id], parts).at(-1) ?? one, context)
      }))
    )
  ]
})

/** What the discounts of the lines come to. Lists state it only with the lines. */
const discountOf = ({ LineItems, TotalDiscount }: Native): number => {
  const lines = natives(LineItems)
  if (lines.length === 0) return typeof TotalDiscount === "number" ? TotalDiscount : 0
  return Decimal.sum(
    0,
    ...lines.map((line) => new Decimal(Number(grossOf(line) ?? 0)).minus(Number(line.LineAmount ?? 0)))
  ).toNumber()
}

/** The lines before discount, and before tax: what Xero calls so is after discount. */
const subTotalOf = (record: Native) =>
  typeof record.SubTotal === "number" ? new Decimal(record.SubTotal).plus(discountOf(record)).toNumber() : null

const mapping = mappingOf(Invoice, (of) => [
  of.variant({
    nativeType: "Invoice",
    entries: [
      ...document(of, "InvoiceID", "issue_date", "contact"),
      type(of),
      number(of, "number", "InvoiceNumber", ({ Type }) => Type === "ACCREC"),
      optionalDay(of, "due_date", "DueDate"),
      of.readField("paid_on_date", "FullyPaidOnDate", xeroDay),
      invoiceReference(of),
      status(of, "status", states),
      of.lines("line_items", documentLines({ total: "total_amount", shape: InvoiceLineItem, isGross: true })),
      trackingOfLines(of, "LineItems"),
      of.computed({
        canonical: "total_discount",
        native: ["TotalDiscount", "LineItems"],
        decode: ({ record }) => discountOf(record)
      }),
      of.computed({
        canonical: "sub_total",
        native: ["SubTotal", "TotalDiscount", "LineItems"],
        decode: ({ record }) => subTotalOf(record)
      }),
      of.readField("total_tax_amount", "TotalTax", numeric),
      of.readField("total_amount", "Total", numeric),
      of.readField("balance", "AmountDue", numeric),
      paymentIds(of),
      appliedPayments(of),
      creditsOn(of, "applied_credit_notes", "ACCREC", "credit_note"),
      creditsOn(of, "applied_vendor_credits", "ACCPAY", "vendor_credit")
    ],
    notHeld: {
      remote_created_at: reasons.created,
      employee: reasons.noEmployee,
      memo: reasons.noMemo,
      customer_note: reasons.noNote,
      payment_term: "Xero has payment terms on contacts and the organisation; an invoice has only its due date.",
      accounting_period: reasons.period,
      purchase_orders: "Xero's API does not link a bill with the purchase orders that it bills.",
      sales_orders: "Xero has no sales orders."
    }
  })
])

const dueDay = day("DueDate")

export const invoices: Kind = {
  ...documentKind,
  nativeType: "Invoice",
  endpoint: "Invoices",
  id: "InvoiceID",
  byIds: true,
  filters: {
    // `InvoiceNumbers` may tell cases apart, which the search does not
    number: wide(({ text }) => ({ query: { searchTerm: text } })),
    contact: refersTo((id) => ({ query: { ContactIDs: id } })),
    status: exact(({ values }) => {
      const wanted = values.map((value) => (value === "PARTIALLY_PAID" ? "OPEN" : value))
      return {
        query: { Statuses: nativesOf(states.read, wanted).join(",") },
        keeps: (record) => values.includes(stateOf(states, record) ?? "")
      }
    }),
    type: wordOf("Type", typeWords),
    ...byDay("issued"),
    due_after: dueDay.after,
    due_before: dueDay.before,
    q: search
  }
}

export const invoice = (call: Caller): ResourceAdapter => ({
  ...objects(call, mapping, { ...invoices, complete: withAllocations(call) }),
  // an item may bring its account
  rules: [{ rule: "oneOf", fields: ["line_items[].account", "line_items[].item"], when: { status: "OPEN" } }]
})
