import { PurchaseOrder } from "../../canonical/accounting/PurchaseOrder.ts"
import { PurchaseOrderLineItem } from "../../canonical/accounting/Nested.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, number, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { shipsTo, withShipping } from "./Address.ts"
import { heading, printed, printedNullInLists, toPaymentTerm } from "./Common.ts"
import { boughtLines, boughtSublists } from "./Lines.ts"
import { orderStatus } from "./Orders.ts"
import { days, equal, refersTo } from "./Conditions.ts"
import { document } from "./Documents.ts"
import { partyOf, transactionFilters } from "./Heads.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import { contactAt, referenceAt } from "./References.ts"
import { ofStates, purchaseOrderStates, statePart } from "./States.ts"
import type { Suite } from "./Suite.ts"

/**
 * Orders to vendors.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158012233564.html
 */

const status = orderStatus({
  states: purchaseOrderStates,
  closed: "BILLED",
  write: (value, { set }) => {
    const approval = value === "AUTHORIZED" ? "2" : value === "DELETED" ? "3" : "1"
    set("approvalStatus", { id: approval })
  }
})

const mapping = plainMapping(PurchaseOrder, (of) => [
  of.variant({
    nativeType: "purchaseOrder",
    entries: [
      ...heading(of, "issue_date"),
      of.lasting("purchase_order_number", "tranId", text),
      ...printed(of),
      of.field("delivery_date", "duedate", date),
      contactAt(of, "vendor", "entity", "vendor"),
      referenceAt(of, "customer", { native: "shipTo", resource: "contact", types: ["customer"] }),
      shipsTo(of, "delivery_address", "purchaseOrder"),
      of.field("payment_term", "terms.id", toPaymentTerm),
      of.readField("total_amount", "total", number),
      of.constant("inclusive_of_tax", false),
      of.lines("line_items", boughtLines({ total: "total_line_amount", shape: PurchaseOrderLineItem })),
      status(of)
    ],
    notHeld: { accounting_period: "NetSuite purchase orders post nothing, and so have no posting period." }
  })
])

export const purchaseOrder = (own: Suite): ResourceAdapter => ({
  ...records(
    own,
    mapping,
    [
      document({
        name: "purchaseOrder",
        codes: ["PurchOrd"],
        sign: 1,
        sublists: boughtSublists,
        columns: {
          ...partyOf("entity", "vendor"),
          duedate: Query.day("t.duedate"),
          terms: Query.ref("t.terms"),
          shippingAddress: Query.ref("t.shippingaddress")
        },
        filters: {
          ...transactionFilters("issued"),
          ...days("t.duedate", "due"),
          number: equal("t.tranid"),
          contact: refersTo("t.entity", "vendor"),
          status: ofStates(purchaseOrderStates)
        },
        parts: statePart("purchaseOrder", purchaseOrderStates)
      })
    ],
    ["customer", ...printedNullInLists]
  ),
  rules: [{ rule: "oneOf", fields: ["line_items[].item", "line_items[].account"] }],
  related: withShipping(own, "delivery_address")
})
