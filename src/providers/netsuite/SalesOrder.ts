import { SalesOrder } from "../../canonical/accounting/SalesOrder.ts"
import { SalesOrderLine } from "../../canonical/accounting/Nested.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { leaveOut, number, text } from "../../mapping/Transform.ts"
import { shipsTo, withShipping } from "./Address.ts"
import { heading, printed, printedNullInLists, toPaymentTerm } from "./Common.ts"
import { soldLines } from "./Lines.ts"
import { orderStatus } from "./Orders.ts"
import { equal, refersTo } from "./Conditions.ts"
import { document } from "./Documents.ts"
import { partyOf, transactionFilters } from "./Heads.ts"
import * as Query from "./Select.ts"
import { records } from "./Records.ts"
import { contactAt } from "./References.ts"
import { ofStates, salesOrderStates, statePart } from "./States.ts"
import type { Suite } from "./Suite.ts"

/**
 * Orders of customers. Fulfilments and invoices complete them.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157901123882.html
 */

const status = orderStatus({
  states: salesOrderStates,
  closed: "CLOSED",
  write: (value, encoding) => {
    if (value === "PENDING_APPROVAL" || value === "DRAFT") encoding.set("orderStatus", { id: "A" })
    else if (value === "OPEN") encoding.set("orderStatus", { id: "B" })
    else
      leaveOut(
        encoding,
        `${encoding.prefix}status`,
        value,
        "follows from the item fulfilments and invoices of the order: create an invoice with sales_orders to bill it, or send CLOSED to close it"
      )
  }
})

const mapping = plainMapping(SalesOrder, (of) => [
  of.variant({
    nativeType: "salesOrder",
    entries: [
      ...heading(of, "issue_date"),
      of.lasting("transaction_number", "tranId", text),
      ...printed(of),
      contactAt(of, "customer", "entity", "customer"),
      shipsTo(of, "shipping_address", "salesOrder"),
      of.field("payment_term", "terms.id", toPaymentTerm),
      of.readField("total", "total", number),
      of.lines("lines", soldLines({ total: "total_line_amount", shape: SalesOrderLine })),
      status(of)
    ],
    notHeld: {}
  })
])

export const salesOrder = (own: Suite) => ({
  ...records(
    own,
    mapping,
    [
      document({
        name: "salesOrder",
        codes: ["SalesOrd"],
        sign: -1,
        sublists: ["item"],
        columns: {
          ...partyOf("entity", "customer"),
          terms: Query.ref("t.terms"),
          shippingAddress: Query.ref("t.shippingaddress")
        },
        filters: {
          ...transactionFilters("issued"),
          number: equal("t.tranid"),
          contact: refersTo("t.entity", "customer"),
          status: ofStates(salesOrderStates)
        },
        parts: statePart("salesOrder", salesOrderStates)
      })
    ],
    printedNullInLists
  ),
  related: withShipping(own, "shipping_address")
})
