import { date, literal, number, readOnly, resource, text } from "../Resource.ts"
import { begins } from "../Filter.ts"

/** Outside bank account feeding statement lines. */
export const BankFeedAccount = resource({
  category: "accounting",
  name: "bank_feed_account",
  class: "read-only",
  description: "outside bank account feeding statement lines",
  fields: {
    source_account_id: readOnly(text("id at the bank")),
    target_account_id: readOnly(text("provider ledger account fed")),
    source_account_name: readOnly(text("name at the bank")),
    source_account_number: readOnly(text("masked")),
    target_account_name: readOnly(text("name of the ledger account")),
    currency: readOnly(text("ISO 4217 code")),
    feed_status: readOnly(literal("feed running or not", "ACTIVE", "INACTIVE")),
    feed_start_date: readOnly(date("first day fed")),
    source_account_balance: readOnly(number("balance at the bank")),
    account_type: readOnly(literal("bank or card", "BANK", "CREDIT_CARD"))
  },
  filters: { name: begins("source_account_name") }
})
