import {
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
import { before, equals, from, oneOf, refers } from "../Filter.ts"
import { SalesOrderLine } from "./Nested.ts"

/** Order accepted from a customer. */
export const SalesOrder = resource({
  category: "accounting",
  name: "sales_order",
  class: "writable",
  description: "order accepted from a customer",
  fields: {
    customer: required(reference("buying contact", "contact")),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    company: reference("legal entity the record belongs to", "company_info"),
    status: literal(
      "COMPLETED fixed by the specification, the others from the naming family",
      "DRAFT",
      "PENDING_APPROVAL",
      "OPEN",
      "PARTIALLY_COMPLETED",
      "COMPLETED",
      "CLOSED"
    ),
    payment_term: reference("due-date rule", "payment_term"),
    memo: text("private note, which the counterparty does not see"),
    reference: text("reference that the counterparty sees, such as an order number"),
    customer_note: text("note printed on the document for the counterparty"),
    shipping_address: reference("UUID on read; inline address object accepted on write", "address"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    issue_date: date("document date"),
    transaction_number: text("order number"),
    total: computed(number("gross total; computed by the provider; accepted on write but computed by the provider")),
    lines: required(list("document lines", SalesOrderLine))
  },
  filters: {
    number: equals("transaction_number"),
    contact: refers("customer"),
    status: oneOf("status"),
    issued_after: from("issue_date"),
    issued_before: before("issue_date"),
    currency: oneOf("currency")
  }
})
