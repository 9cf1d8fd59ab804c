import { date, list, listOf, literal, readOnly, reference, resource, text } from "../Resource.ts"
import { before, from } from "../Filter.ts"
import { GeneralLedgerTransactionLine } from "./Nested.ts"

/** Posted ledger transaction with debit/credit lines. */
export const GeneralLedgerTransaction = resource({
  category: "accounting",
  name: "general_ledger_transaction",
  class: "read-only",
  description: "posted ledger transaction with debit/credit lines",
  fields: {
    underlying_transaction_remote_id: readOnly(text("provider id of the source document")),
    underlying_transaction_type: readOnly(
      literal(
        "kind of source document",
        "INVOICE",
        "EXPENSE",
        "TRANSACTION",
        "JOURNAL_ENTRY",
        "PAYMENT",
        "VENDOR_CREDIT",
        "CREDIT_NOTE"
      )
    ),
    accounting_period: readOnly(reference("posting period", "accounting_period")),
    company: readOnly(reference("legal entity the record belongs to", "company_info")),
    tracking_categories: readOnly(
      listOf("classes, departments, locations", reference("classes, departments, locations", "tracking_category"))
    ),
    posting_date: readOnly(date("ledger date")),
    general_ledger_transaction_lines: readOnly(list("debit and credit lines", GeneralLedgerTransactionLine))
  },
  filters: { posted_after: from("posting_date"), posted_before: before("posting_date") }
})
