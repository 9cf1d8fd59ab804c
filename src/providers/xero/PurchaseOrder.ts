import { PurchaseOrder } from "../../canonical/accounting/PurchaseOrder.ts"
import { PurchaseOrderLineItem } from "../../canonical/accounting/Nested.ts"
import { number as numeric, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { mappingOf, trackingOfLines, xeroDay } from "./Common.ts"
import { document, number, status } from "./Documents.ts"
import { documentLines, withLines } from "./Lines.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Orders to suppliers. Their lists take no conditions.
 * https://developer.xero.com/documentation/api/accounting/purchaseorders
 */
const mapping = mappingOf(PurchaseOrder, (of) => [
  {
    nativeType: "PurchaseOrder",
    entries: [
      ...document(of, "PurchaseOrderID", "issue_date", "vendor"),
      status(of, "status", {
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
      }),
      number(of, "purchase_order_number", "PurchaseOrderNumber", () => true),
      of.lasting("delivery_date", "DeliveryDate", xeroDay),
      of.field("memo", "Reference", text),
      of.lines("line_items", documentLines({ total: "total_line_amount", shape: PurchaseOrderLineItem })),
      trackingOfLines(of, "LineItems"),
      of.readField("total_amount", "Total", numeric)
    ]
  }
])

export const purchaseOrders: Kind = {
  nativeType: "PurchaseOrder",
  endpoint: "PurchaseOrders",
  id: "PurchaseOrderID",
  pages: true,
  isUnconditional: true,
  stamp: "UpdatedDateUTC",
  write: withLines,
  ending: () => ({ Status: "DELETED" })
}

export const purchaseOrder = (call: Caller) => objects(call, mapping, purchaseOrders)
