import { boolean, date, decimal, list, listOf, number, readOnly, reference, resource, text } from "../Resource.ts"
import { before, equals, from, oneOf, refers } from "../Filter.ts"
import { TransactionLineItem } from "./Nested.ts"

/** Money movement no other resource covers (transfers, deposits, cash sales ...). */
export const Transaction = resource({
  category: "accounting",
  name: "transaction",
  class: "read-only",
  description: "money movement no other resource covers (transfers, deposits, cash sales ...)",
  fields: {
    transaction_type: readOnly(text("provider's type name")),
    number: readOnly(text("document number")),
    transaction_date: readOnly(date("booking date")),
    account: readOnly(reference("GL account", "account")),
    contact: readOnly(reference("other party", "contact")),
    inclusive_of_tax: readOnly(boolean("amounts already contain tax")),
    total_amount: readOnly(number("gross total; computed by the provider")),
    currency: readOnly(text("ISO 4217 code")),
    exchange_rate: readOnly(decimal("rate from currency to base currency, as decimal text")),
    company: readOnly(reference("legal entity the record belongs to", "company_info")),
    tracking_categories: readOnly(
      listOf("classes, departments, locations", reference("classes, departments, locations", "tracking_category"))
    ),
    line_items: readOnly(list("document lines", TransactionLineItem)),
    accounting_period: readOnly(reference("posting period", "accounting_period"))
  },
  filters: {
    number: equals("number"),
    contact: refers("contact"),
    account: refers("account"),
    transaction_after: from("transaction_date"),
    transaction_before: before("transaction_date"),
    currency: oneOf("currency")
  }
})
