import {
  boolean,
  computed,
  date,
  decimal,
  list,
  listOf,
  number,
  reference,
  required,
  resource,
  text
} from "../Resource.ts"
import { before, from, oneOf, refers, searches } from "../Filter.ts"
import { ExpenseLine } from "./Nested.ts"

/** Direct purchase paid from bank, card or cash. */
export const Expense = resource({
  category: "accounting",
  name: "expense",
  class: "writable",
  description: "direct purchase paid from bank, card or cash",
  fields: {
    transaction_date: required(date("booking date")),
    account: required(reference("account paid from", "account")),
    contact: reference("payee", "contact"),
    total_amount: computed(
      number("gross total; computed by the provider; accepted on write but computed by the provider")
    ),
    sub_total: computed(number("net total; computed by the provider; accepted on write but computed by the provider")),
    total_tax_amount: computed(
      number("tax total; computed by the provider; accepted on write but computed by the provider")
    ),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    inclusive_of_tax: boolean("amounts already contain tax"),
    company: reference("legal entity the record belongs to", "company_info"),
    employee: reference("staff member", "employee"),
    memo: text("private note, which the counterparty does not see"),
    reference: text("reference that the counterparty sees, such as an order number"),
    payment_method: reference("way of paying", "payment_method"),
    lines: required(list("document lines", ExpenseLine)),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    accounting_period: reference("posting period", "accounting_period")
  },
  rules: [{ rule: "oneOf", fields: ["lines[].account", "lines[].item"] }],
  filters: {
    contact: refers("contact"),
    employee: refers("employee"),
    account: refers("account"),
    transaction_after: from("transaction_date"),
    transaction_before: before("transaction_date"),
    currency: oneOf("currency"),
    q: searches()
  }
})
