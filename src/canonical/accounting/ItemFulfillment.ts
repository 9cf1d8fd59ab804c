import { date, list, literal, readOnly, reference, required, resource, text } from "../Resource.ts"
import { oneOf, refers } from "../Filter.ts"
import { ItemFulfillmentLine } from "./Nested.ts"

/** Shipment against a sales order. */
export const ItemFulfillment = resource({
  category: "accounting",
  name: "item_fulfillment",
  class: "writable",
  description: "shipment against a sales order",
  fields: {
    sales_order: required(reference("order being shipped", "sales_order")),
    fulfillment_date: date("shipping date"),
    customer: readOnly(reference("from the order", "contact")),
    company: readOnly(reference("legal entity the record belongs to", "company_info")),
    status: literal(
      "SHIPPED fixed by the specification, the others from the naming family",
      "DRAFT",
      "IN_PROGRESS",
      "SHIPPED",
      "CANCELLED"
    ),
    memo: text("private note"),
    lines: list("whole order when absent", ItemFulfillmentLine)
  },
  filters: { contact: refers("customer"), status: oneOf("status") }
})
