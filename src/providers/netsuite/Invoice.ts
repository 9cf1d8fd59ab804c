import { Decimal } from "decimal.js"
import { Invoice } from "../../canonical/accounting/Invoice.ts"
import { InvoiceLineItem } from "../../canonical/accounting/Nested.ts"
import { computed, type EntriesOf } from "../../mapping/Entries.ts"
import type { DocumentLines } from "../../mapping/LineParts.ts"
import { type Bundle, getPath, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, leaveOut, number, text } from "../../mapping/Transform.ts"
import { wide } from "../Filtering.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { shippingOf } from "./Bodies.ts"
import { printed, printedNullInLists, subTotal, toEmployee, toPaymentTerm, transaction } from "./Common.ts"
import { always, days, equal, isOneOf, refersTo } from "./Conditions.ts"
import { boughtLines, boughtSublists, soldLines } from "./Lines.ts"
import { document } from "./Documents.ts"
import { dueColumns, partyOf, sourceColumns, transactionFilters } from "./Heads.ts"
import type { Conditions } from "./Select.ts"
import { billedSalesOrders, ordersToBill } from "./OrderBilling.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import { contactAt } from "./References.ts"
import { billSettlements, invoiceSettlements, settledOf, settlements } from "./Settlements.ts"
import { billStates, invoiceStates, lettersOf, readState, type States, statePart } from "./States.ts"
import type { Suite } from "./Suite.ts"

/**
 * Invoices to customers and bills of vendors.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/article_164484956387.html
 */

/** An open document that something was paid of is partially paid. */
const stateOf = (states: States, bundle: Bundle, paid: Decimal): string | null => {
  const state = readState(states, bundle)
  return state === "OPEN" && paid.gt(0) ? "PARTIALLY_PAID" : state
}

const waiting = ["SUBMITTED", "DRAFT"]

/**
 * Whether a document is approved can be written, where the account has approvals; payments make the other states, and
 * voiding is no operation of the record service.
 */
const status = (isBill: boolean) => {
  const read = (bundle: Bundle) =>
    isBill
      ? stateOf(billStates, bundle, settledOf(bundle.parts))
      : stateOf(
          invoiceStates,
          bundle,
          new Decimal(typeof bundle.record.amountPaid === "number" ? bundle.record.amountPaid : 0)
        )
  return computed({
    canonical: "status",
    native: ["status", "amountPaid"],
    parts: isBill ? ["state", "settlements"] : ["state"],
    needsCurrent: true,
    decode: read,
    encode: (value, encoding) => {
      const { current, prefix, set } = encoding
      const held = current === undefined ? undefined : read(current)
      if (value === null || value === held) return
      const isWaiting = waiting.includes(String(held))
      if (value !== "SUBMITTED" && (value !== "OPEN" || (held !== undefined && !isWaiting))) {
        leaveOut(encoding, `${prefix}status`, value, "cannot be written: approvals and payments make the states")
      }
      const waits = waiting.includes(String(value))
      if (waits !== isWaiting) set("approvalStatus", { id: waits ? "1" : "2" })
    }
  })
}

/** Orders that lines of a bill were made from; NetSuite links lines when it makes a bill of an order. */
const purchaseOrders = computed({
  canonical: "purchase_orders",
  native: ["lines"],
  decode: ({ record }, context) => {
    const ids = natives(record.lines).flatMap((line) => {
      const id = getPath(line, "orderDoc.id")
      return typeof id === "string" ? [id] : []
    })
    return [...new Set(ids)].map((id) => context.reference("purchase_order", "purchaseOrder", id))
  }
})

const shared = (of: EntriesOf<typeof Invoice>) => [
  ...transaction(of, "issue_date"),
  of.lasting("number", "tranId", text),
  of.lasting("due_date", "dueDate", date),
  of.field("payment_term", "terms.id", toPaymentTerm),
  of.readField("total_tax_amount", "taxTotal", number),
  of.readField("total_amount", "total", number),
  of.constant("inclusive_of_tax", false)
]

const totalDiscount = computed({
  canonical: "total_discount",
  native: ["discountTotal"],
  decode: ({ record: { discountTotal } }) => (typeof discountTotal === "number" ? Math.abs(discountTotal) : null)
})

/** The lines with shipping and handling, before the discount and taxes. */
const soldSubTotal = computed({
  canonical: "sub_total",
  native: ["subtotal", "shippingCost", "handlingCost"],
  decode: ({ record }) =>
    typeof record.subtotal === "number" ? new Decimal(record.subtotal).plus(shippingOf(record)).toNumber() : null
})

const called: DocumentLines<typeof InvoiceLineItem> = { total: "total_amount", shape: InvoiceLineItem }

const mapping = plainMapping(Invoice, (of) => [
  of.variant({
    nativeType: "invoice",
    when: { type: "ACCOUNTS_RECEIVABLE" },
    entries: [
      ...shared(of),
      of.constant("type", "ACCOUNTS_RECEIVABLE"),
      contactAt(of, "contact", "entity", "customer"),
      of.field("employee", "salesRep.id", toEmployee),
      ...printed(of),
      totalDiscount(of),
      soldSubTotal(of),
      of.readField("balance", "amountRemaining", number),
      status(false)(of),
      of.lines("line_items", soldLines(called)),
      billedSalesOrders(of),
      ...invoiceSettlements(of)
    ],
    notHeld: {
      purchase_orders: "A NetSuite invoice bills a customer, and so no purchase order.",
      applied_vendor_credits: "NetSuite applies vendor credits to bills alone."
    }
  }),
  of.variant({
    nativeType: "vendorBill",
    when: { type: "ACCOUNTS_PAYABLE" },
    entries: [
      ...shared(of),
      of.constant("type", "ACCOUNTS_PAYABLE"),
      contactAt(of, "contact", "entity", "vendor"),
      subTotal(of),
      of.computed({
        canonical: "balance",
        native: ["total"],
        parts: ["settlements"],
        decode: ({ parts, record }) =>
          typeof record.total === "number" ? new Decimal(record.total).minus(settledOf(parts)).toNumber() : null
      }),
      status(true)(of),
      purchaseOrders(of),
      of.lines("line_items", boughtLines(called)),
      ...billSettlements(of)
    ],
    notHeld: {
      employee: "NetSuite bills name no sales person.",
      reference: "The reference of a NetSuite bill is its number.",
      customer_note: "A NetSuite bill is a vendor's document and prints no note.",
      total_discount: "A NetSuite bill holds no discount but the one that its terms give for paying early.",
      sales_orders: "A NetSuite bill is made from purchase orders, not from sales orders.",
      applied_credit_notes: "NetSuite applies credit memos to customer invoices alone."
    }
  })
])

const filters = { ...transactionFilters("issued"), ...days("t.duedate", "due"), number: equal("t.tranid") }

/** Finds documents by the letter of their state, and open ones by whether something was paid. */
const ofStatus = (states: States) =>
  wide<Conditions>(({ values }) => {
    const letters = lettersOf(
      states,
      values.map((value) => (value === "PARTIALLY_PAID" ? "OPEN" : value))
    )
    if (letters.length === 0) return null
    const [only, ...others] = new Set(values)
    const paid =
      others.length > 0
        ? []
        : only === "OPEN"
          ? ["NVL(t.foreignamountpaid, 0) <= 0"]
          : only === "PARTIALLY_PAID"
            ? ["t.foreignamountpaid > 0"]
            : []
    return [isOneOf("t.status", letters), ...paid]
  })

export const invoice = (own: Suite): ResourceAdapter => ({
  ...records(
    own,
    mapping,
    [
      document({
        name: "invoice",
        codes: ["CustInvc"],
        sign: -1,
        sublists: ["item"],
        columns: {
          ...dueColumns,
          ...sourceColumns,
          ...partyOf("entity", "customer"),
          salesRep: Query.ref("t.employee"),
          amountPaid: Query.number("t.foreignamountpaid"),
          amountRemaining: Query.number("t.foreignamountunpaid")
        },
        filters: {
          ...filters,
          type: always("ACCOUNTS_RECEIVABLE"),
          contact: refersTo("t.entity", "customer"),
          status: ofStatus(invoiceStates)
        },
        parts: { ...statePart("invoice", invoiceStates), settlements }
      }),
      document({
        name: "vendorBill",
        codes: ["VendBill"],
        sign: 1,
        sublists: boughtSublists,
        columns: { ...dueColumns, ...partyOf("entity", "vendor") },
        filters: {
          ...filters,
          type: always("ACCOUNTS_PAYABLE"),
          contact: refersTo("t.entity", "vendor"),
          status: ofStatus(billStates)
        },
        parts: { ...statePart("vendorBill", billStates), settlements }
      })
    ],
    printedNullInLists
  ),
  related: ordersToBill(own),
  // transactions are counted together
  hasUniqueIds: true,
  rules: [
    { rule: "required", fields: ["line_items[].item"], when: { type: "ACCOUNTS_RECEIVABLE" } },
    { rule: "oneOf", fields: ["line_items[].item", "line_items[].account"], when: { type: "ACCOUNTS_PAYABLE" } }
  ]
})
