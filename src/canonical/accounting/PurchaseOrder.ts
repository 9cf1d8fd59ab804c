import {
  boolean,
  computed,
  date,
  decimal,
  list,
  listOf,
  literal,
  number,
  reference,
  required,
  resource,
  text
} from "../Resource.ts"
import { before, equals, from, oneOf, refers, searches } from "../Filter.ts"
import { PurchaseOrderLineItem } from "./Nested.ts"

/** Order sent to a vendor. */
export const PurchaseOrder = resource({
  category: "accounting",
  name: "purchase_order",
  class: "writable",
  description: "order sent to a vendor",
  fields: {
    status: literal(
      "BILLED fixed by the specification, the others from the naming family",
      "DRAFT",
      "SUBMITTED",
      "AUTHORIZED",
      "BILLED",
      "DELETED"
    ),
    issue_date: date("document date"),
    purchase_order_number: text("order number"),
    delivery_date: date("expected"),
    delivery_address: reference("UUID on read; an inline address object is accepted on write", "address"),
    customer: reference("drop-ship customer", "contact"),
    vendor: required(reference("supplying contact", "contact")),
    memo: text("private note, which the counterparty does not see"),
    reference: text("reference that the counterparty sees, such as an order number"),
    customer_note: text("note printed on the document for the counterparty"),
    company: reference("legal entity the record belongs to", "company_info"),
    total_amount: computed(
      number("gross total; computed by the provider; accepted on write but computed by the provider")
    ),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    payment_term: reference("due-date rule", "payment_term"),
    line_items: required(list("document lines", PurchaseOrderLineItem)),
    inclusive_of_tax: boolean("amounts already contain tax"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    accounting_period: reference("posting period", "accounting_period")
  },
  filters: {
    number: equals("purchase_order_number"),
    contact: refers("vendor"),
    status: oneOf("status"),
    issued_after: from("issue_date"),
    issued_before: before("issue_date"),
    due_after: from("delivery_date"),
    due_before: before("delivery_date"),
    currency: oneOf("currency"),
    q: searches()
  }
})
