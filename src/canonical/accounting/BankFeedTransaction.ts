import { boolean, date, literal, number, readOnly, reference, resource, text } from "../Resource.ts"
import { before, from } from "../Filter.ts"

/** Statement line of a bank feed. */
export const BankFeedTransaction = resource({
  category: "accounting",
  name: "bank_feed_transaction",
  class: "read-only",
  description: "statement line of a bank feed",
  fields: {
    bank_feed_account: readOnly(reference("feed it came from", "bank_feed_account")),
    transaction_date: readOnly(date("booking date")),
    posted_date: readOnly(date("day the bank posted it")),
    amount: readOnly(number("positive; direction in credit_or_debit")),
    description: readOnly(text("free text")),
    transaction_type: readOnly(text("provider's type name")),
    payee: readOnly(text("other party as printed")),
    credit_or_debit: readOnly(literal("direction", "CREDIT", "DEBIT")),
    source_transaction_id: readOnly(text("id at the bank")),
    is_processed: readOnly(boolean("matched in the ledger"))
  },
  filters: { transaction_after: from("transaction_date"), transaction_before: before("transaction_date") }
})
