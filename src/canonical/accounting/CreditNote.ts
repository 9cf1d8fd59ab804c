import {
  boolean,
  computed,
  date,
  decimal,
  list,
  listOf,
  literal,
  number,
  readOnly,
  reference,
  required,
  resource,
  text
} from "../Resource.ts"
import { before, equals, from, oneOf, refers, searches } from "../Filter.ts"
import { AppliedPayment, CreditApplication, CreditNoteLineItem } from "./Nested.ts"

/** Credit given to a customer. */
export const CreditNote = resource({
  category: "accounting",
  name: "credit_note",
  class: "writable",
  description: "credit given to a customer",
  fields: {
    transaction_date: date("booking date"),
    status: literal("closest native value is written", "DRAFT", "SUBMITTED", "AUTHORIZED", "PAID", "VOID"),
    number: text("document number"),
    contact: required(reference("customer", "contact")),
    company: reference("legal entity the record belongs to", "company_info"),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    total_amount: computed(number("positive; accepted on write but computed by the provider")),
    remaining_credit: computed(number("not yet applied; accepted on write but computed by the provider")),
    inclusive_of_tax: boolean("amounts already contain tax"),
    memo: text("private note, which the counterparty does not see"),
    reference: text("reference that the counterparty sees, such as an order number"),
    customer_note: text("note printed on the document for the counterparty"),
    line_items: required(list("document lines", CreditNoteLineItem)),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    payments: readOnly(listOf("refunds", reference("refunds", "payment"))),
    applied_payments: readOnly(list("payment shares set against it", AppliedPayment)),
    applied_to_lines: list("documents it is applied to", CreditApplication),
    accounting_period: reference("posting period", "accounting_period")
  },
  filters: {
    number: equals("number"),
    contact: refers("contact"),
    status: oneOf("status"),
    issued_after: from("transaction_date"),
    issued_before: before("transaction_date"),
    currency: oneOf("currency"),
    q: searches()
  }
})
