import { PurchaseOrder } from "../../canonical/accounting/PurchaseOrder.ts"
import { PurchaseOrderLineItem } from "../../canonical/accounting/Nested.ts"
import { number as numeric, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact } from "../Filtering.ts"
import { mappingOf, reasons, trackingOfLines, xeroDay } from "./Common.ts"
import { document, number, stateOf, type States, status } from "./Documents.ts"
import { dayAt, nativesOf } from "./Filters.ts"
import { documentLines, withLines } from "./Lines.ts"
import { type Kind, objects } from "./Objects.ts"

const states: States = {
  read: {
    DRAFT: "DRAFT",
    SUBMITTED: "SUBMITTED",
    AUTHORISED: "AUTHORIZED",
    BILLED: "BILLED",
    DELETED: "DELETED"
  },
  write: {
    DRAFT: "DRAFT",
    SUBMITTED: "SUBMITTED",
    AUTHORIZED: "AUTHORISED",
    BILLED: "BILLED",
    DELETED: "DELETED"
  },
  ways: {
    new: ["DRAFT", "SUBMITTED", "AUTHORISED", "BILLED"],
    DRAFT: ["SUBMITTED", "AUTHORISED", "BILLED", "DELETED"],
    SUBMITTED: ["DRAFT", "AUTHORISED", "BILLED", "DELETED"],
    AUTHORISED: ["BILLED", "DELETED"],
    BILLED: ["AUTHORISED", "DELETED"]
  }
}

/**
 * Orders to suppliers. Their lists take no conditions.
 * https://developer.xero.com/documentation/api/accounting/purchaseorders
 */
const mapping = mappingOf(PurchaseOrder, (of) => [
  of.variant({
    nativeType: "PurchaseOrder",
    entries: [
      ...document(of, "PurchaseOrderID", "issue_date", "vendor"),
      status(of, "status", states),
      number(of, "purchase_order_number", "PurchaseOrderNumber", () => true),
      of.lasting("delivery_date", "DeliveryDate", xeroDay),
      of.field("reference", "Reference", text),
      of.lines("line_items", documentLines({ total: "total_line_amount", shape: PurchaseOrderLineItem })),
      trackingOfLines(of, "LineItems"),
      of.readField("total_amount", "Total", numeric)
    ],
    notHeld: {
      remote_created_at: reasons.created,
      memo: reasons.noMemo,
      customer_note: reasons.noNote,
      delivery_address: "Xero has the delivery address of a purchase order as one free text, not as a record.",
      customer: "Xero purchase orders name no customer to deliver to.",
      payment_term: "Xero has payment terms on contacts and the organisation, not on purchase orders.",
      accounting_period: reasons.period
    }
  })
])

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

export const purchaseOrders: Kind = {
  nativeType: "PurchaseOrder",
  endpoint: "PurchaseOrders",
  id: "PurchaseOrderID",
  pages: true,
  isUnconditional: true,
  filters: {
    // a list is of one state, or of all
    status: exact(({ values }) => {
      const [one, ...more] = nativesOf(states.read, values)
      return {
        ...(one === undefined || more.length > 0 ? {} : { query: { Status: one } }),
        keeps: (record) => values.includes(stateOf(states, record) ?? "")
      }
    }),
    // both of these days are within
    issued_after: exact(({ text }) => ({ query: { DateFrom: dayAt(text) } })),
    issued_before: exact(({ text }) => ({ query: { DateTo: dayBefore(dayAt(text)) } }))
  },
  ended: ["DELETED"],
  stamp: "UpdatedDateUTC",
  write: withLines,
  ending: () => ({ Status: "DELETED" })
}

export const purchaseOrder = (call: Caller) => objects(call, mapping, purchaseOrders)
