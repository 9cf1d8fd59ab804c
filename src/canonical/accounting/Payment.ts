import { date, decimal, list, listOf, literal, number, reference, required, resource, text } from "../Resource.ts"
import { before, from, oneOf, refers, searches } from "../Filter.ts"
import { PaymentLineItem } from "./Nested.ts"

/** Money received from a customer or paid to a vendor. */
export const Payment = resource({
  category: "accounting",
  name: "payment",
  class: "writable",
  description: "money received from a customer or paid to a vendor",
  fields: {
    transaction_date: required(date("booking date")),
    contact: required(reference("payer or payee", "contact")),
    account: reference("bank or clearing account", "account"),
    payment_method: reference("way of paying", "payment_method"),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    company: reference("legal entity the record belongs to", "company_info"),
    total_amount: required(number("amount paid, of which parts may be applied to documents")),
    type: required(literal("direction", "ACCOUNTS_PAYABLE", "ACCOUNTS_RECEIVABLE")),
    memo: text("private note, which the counterparty does not see"),
    reference: text("reference that the counterparty sees, such as an order number"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    accounting_period: reference("posting period", "accounting_period"),
    applied_to_lines: list("documents settled; some providers take exactly one", PaymentLineItem)
  },
  filters: {
    contact: refers("contact"),
    type: oneOf("type"),
    transaction_after: from("transaction_date"),
    transaction_before: before("transaction_date"),
    q: searches()
  }
})
