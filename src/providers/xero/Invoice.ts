import { Decimal } from "decimal.js"
import { Invoice } from "../../canonical/accounting/Invoice.ts"
import { InvoiceLineItem } from "../../canonical/accounting/Nested.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { enumeration, number as numeric, reference } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact, wide } from "../Filtering.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, reasons, trackingOfLines, xeroDay } from "./Common.ts"
import {
  approval,
  byDay,
  document,
  documentKind,
  livingIn,
  number,
  payments,
  stateOf,
  type States,
  status
} from "./Documents.ts"
import { day, nativesOf, refersTo, search, wordOf } from "./Filters.ts"
import { documentLines } from "./Lines.ts"
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
const credits = <N extends string>(
  of: Entries<N>,
  canonical: N,
  kind: "ACCREC" | "ACCPAY",
  credit: "credit_note" | "vendor_credit"
) => {
  const toCredit = reference(credit, "CreditNote")
  return of.computed({
    canonical,
    native: ["Type", "CreditNotes"],
    decode: ({ record }, context) =>
      record.Type !== kind
        ? []
        : livingIn(record.CreditNotes).map((one) => ({
            remote_id: one.CreditNoteID,
            [credit]: toCredit.decode(one.CreditNoteID, context),
            applied_date: one.Date === undefined ? null : xeroDay.decode(one.Date, context),
            applied_amount: one.AppliedAmount,
            remote_was_deleted: false
          }))
  })
}

const totalOf = ({ SubTotal, TotalDiscount }: Native) =>
  typeof SubTotal === "number"
    ? new Decimal(SubTotal).plus(typeof TotalDiscount === "number" ? TotalDiscount : 0).toNumber()
    : null

const mapping = mappingOf(Invoice, (of) => [
  of.variant({
    nativeType: "Invoice",
    entries: [
      ...document(of, "InvoiceID", "issue_date", "contact"),
      type(of),
      number(of, "number", "InvoiceNumber", ({ Type }) => Type === "ACCREC"),
      of.lasting("due_date", "DueDate", xeroDay),
      of.readField("paid_on_date", "FullyPaidOnDate", xeroDay),
      invoiceReference(of),
      status(of, "status", states),
      of.lines("line_items", documentLines({ total: "total_amount", shape: InvoiceLineItem })),
      trackingOfLines(of, "LineItems"),
      of.computed({
        canonical: "total_discount",
        native: ["TotalDiscount"],
        decode: ({ record }) => record.TotalDiscount ?? 0
      }),
      of.computed({
        canonical: "sub_total",
        native: ["SubTotal", "TotalDiscount"],
        decode: ({ record }) => totalOf(record)
      }),
      of.readField("total_tax_amount", "TotalTax", numeric),
      of.readField("total_amount", "Total", numeric),
      of.readField("balance", "AmountDue", numeric),
      ...payments(of),
      credits(of, "applied_credit_notes", "ACCREC", "credit_note"),
      credits(of, "applied_vendor_credits", "ACCPAY", "vendor_credit")
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
  ...objects(call, mapping, invoices),
  // an item may bring its account
  rules: [{ rule: "oneOf", fields: ["line_items[].account", "line_items[].item"], when: { status: "OPEN" } }]
})
