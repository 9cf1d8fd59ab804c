import { computed, literal, number, reference, required, resource, text } from "../Resource.ts"
import { begins, equals, oneOf } from "../Filter.ts"

/** General-ledger account. */
export const Account = resource({
  category: "accounting",
  name: "account",
  class: "writable",
  description: "general-ledger account",
  fields: {
    name: required(text("display name")),
    description: text("free text"),
    classification: literal(
      "derived from the native type on read",
      "ASSET",
      "EQUITY",
      "EXPENSE",
      "LIABILITY",
      "REVENUE"
    ),
    type: literal(
      "coarse type; with account_type it selects the native type, and follows from it when absent",
      "ASSET",
      "LIABILITY",
      "EQUITY",
      "INCOME",
      "EXPENSE",
      "OTHER_INCOME",
      "OTHER_EXPENSE",
      "COST_OF_GOODS_SOLD"
    ),
    account_type: literal(
      "null for plain equity, income and expense accounts (the specification enum has no value for them)",
      "BANK",
      "CREDIT_CARD",
      "ACCOUNTS_PAYABLE",
      "ACCOUNTS_RECEIVABLE",
      "FIXED_ASSET",
      "OTHER_ASSET",
      "OTHER_CURRENT_ASSET",
      "OTHER_EXPENSE",
      "OTHER_INCOME",
      "COST_OF_GOODS_SOLD",
      "OTHER_CURRENT_LIABILITY",
      "LONG_TERM_LIABILITY",
      "NON_POSTING"
    ),
    status: literal("state of the record", "ACTIVE", "PENDING", "INACTIVE"),
    current_balance: computed(number("in `currency`; computed by the provider")),
    currency: text("ISO 4217 code"),
    account_number: text("chart-of-accounts code"),
    parent_account: reference("account above it", "account"),
    company: reference("legal entity the record belongs to", "company_info"),
    remote_type: text("provider subtype, verbatim")
  },
  rules: [{ rule: "oneOf", fields: ["type", "account_type"] }],
  filters: {
    name: begins("name"),
    account_number: equals("account_number"),
    type: oneOf("type"),
    classification: oneOf("classification"),
    status: oneOf("status")
  }
})
