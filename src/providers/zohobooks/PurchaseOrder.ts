import { PurchaseOrder } from "../../canonical/accounting/PurchaseOrder.ts"
import { PurchaseOrderLineItem } from "../../canonical/accounting/Nested.ts"
import { date, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, noPeriods, status, tagsAreNoCategories, toContact } from "./Common.ts"
import { document, inclusiveOfTax, noMemo, numbered, party, printed, termsAreDays, total } from "./Documents.ts"
import { beginning, link, oneOf, search } from "./Filters.ts"
import { documentLines, withLines } from "./Lines.ts"
import { type Kind, records } from "./Records.ts"

/**
 * Orders to vendors, which begin as drafts.
 * https://www.zoho.com/books/api/v3/purchase-order/
 */

const mapping = mappingOf(PurchaseOrder, (of) => [
  of.variant({
    nativeType: "purchaseorder",
    entries: [
      ...document(of, "purchaseorder_id", "issue_date"),
      party(of, "vendor", "vendor_id"),
      of.lasting("purchase_order_number", "purchaseorder_number", text),
      of.field("delivery_date", "delivery_date", date),
      of.field("customer", "delivery_customer_id", toContact),
      ...printed(of),
      status(of, {
        read: {
          draft: "DRAFT",
          pending_approval: "SUBMITTED",
          approved: "SUBMITTED",
          open: "AUTHORIZED",
          billed: "BILLED",
          cancelled: "DELETED"
        },
        write: { SUBMITTED: "submit", AUTHORIZED: "status/open", BILLED: "status/billed", DELETED: "status/cancelled" },
        made: "draft"
      }),
      inclusiveOfTax(of),
      of.lines("line_items", documentLines({ total: "total_line_amount", shape: PurchaseOrderLineItem }, true)),
      total(of)
    ],
    notHeld: {
      memo: noMemo,
      delivery_address: "Zoho Books keeps the delivery address in the order, not as a record to refer to.",
      payment_term: termsAreDays,
      accounting_period: noPeriods,
      tracking_categories: tagsAreNoCategories
    }
  })
])

const purchaseOrders: Kind = {
  nativeType: "purchaseorder",
  path: "purchaseorders",
  id: "purchaseorder_id",
  sort: "created_time",
  isSince: true,
  filters: {
    number: beginning("purchaseorder_number"),
    contact: link("vendor_id"),
    status: oneOf("status", { DRAFT: "draft", AUTHORIZED: "open", BILLED: "billed", DELETED: "cancelled" }),
    q: search
  },
  write: withLines,
  writeQuery: numbered("purchaseorder_number")
}

export const purchaseOrder = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, [purchaseOrders]),
  nullInLists: ["line_items", "customer_note", "customer", "inclusive_of_tax", "exchange_rate"]
})
