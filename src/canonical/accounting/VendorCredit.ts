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
import { before, equals, from, oneOf, refers } from "../Filter.ts"
import { CreditApplication, VendorCreditLine } from "./Nested.ts"

/** Credit received from a vendor. */
export const VendorCredit = resource({
  category: "accounting",
  name: "vendor_credit",
  class: "writable",
  description: "credit received from a vendor",
  fields: {
    number: text("document number"),
    transaction_date: required(date("booking date")),
    vendor: required(reference("supplying contact", "contact")),
    total_amount: computed(number("positive; accepted on write but computed by the provider")),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    inclusive_of_tax: boolean("amounts already contain tax"),
    company: reference("legal entity the record belongs to", "company_info"),
    memo: text("private note, which the counterparty does not see"),
    lines: required(list("document lines", VendorCreditLine)),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    applied_to_lines: list("documents it is applied to", CreditApplication),
    accounting_period: reference("posting period", "accounting_period")
  },
  rules: [{ rule: "oneOf", fields: ["lines[].account", "lines[].item"] }],
  filters: {
    number: equals("number"),
    contact: refers("vendor"),
    issued_after: from("transaction_date"),
    issued_before: before("transaction_date"),
    currency: oneOf("currency")
  }
})
