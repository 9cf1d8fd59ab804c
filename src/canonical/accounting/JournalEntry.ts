import {
  boolean,
  date,
  decimal,
  list,
  listOf,
  literal,
  readOnly,
  reference,
  required,
  resource,
  text
} from "../Resource.ts"
import { before, equals, from, oneOf } from "../Filter.ts"
import { AppliedPayment, JournalLine } from "./Nested.ts"

/** Manual double-entry booking. */
export const JournalEntry = resource({
  category: "accounting",
  name: "journal_entry",
  class: "writable",
  description: "manual double-entry booking",
  fields: {
    transaction_date: required(date("booking date")),
    memo: text("narration"),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    company: reference("legal entity the record belongs to", "company_info"),
    inclusive_of_tax: boolean("amounts already contain tax"),
    lines: required(list("two or more, balanced", JournalLine)),
    journal_number: text("entry number"),
    posting_status: literal("on the ledger or not", "UNPOSTED", "POSTED"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    accounting_period: reference("posting period", "accounting_period"),
    payments: readOnly(listOf("payments touching it", reference("payments touching it", "payment"))),
    applied_payments: readOnly(list("payment shares set against it", AppliedPayment))
  },
  rules: [{ rule: "balanced", fields: ["lines[].net_amount"] }],
  amounts: [{ rule: "currency", list: "lines" }],
  filters: {
    number: equals("journal_number"),
    transaction_after: from("transaction_date"),
    transaction_before: before("transaction_date"),
    currency: oneOf("currency")
  }
})
