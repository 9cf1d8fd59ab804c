import type { Category } from "../canonical/Resource.ts"

/** Names that people use for the resources. */
const synonyms: { readonly [C in Category]: { readonly [resource: string]: ReadonlyArray<string> } } = {
  crm: {
    contact: ["person", "people", "client", "customer"],
    company: ["account", "organisation", "organization", "business", "firm"],
    lead: ["prospect"],
    deal: ["opportunity", "sale"],
    note: ["comment", "memo"],
    task: ["to-do", "todo", "reminder", "follow-up"],
    meeting: ["calendar event", "call"],
    activity: ["call", "email", "interaction", "history"],
    appointment: ["booking", "calendar event"],
    owner: ["user", "rep", "salesperson", "account manager"],
    pipeline: ["stages", "sales process"]
  },
  accounting: {
    invoice: ["bill", "receivable", "payable"],
    contact: ["customer", "vendor", "supplier"],
    account: ["ledger account", "chart of accounts"],
    payment: ["paid", "receipt"],
    tax_rate: ["vat", "gst", "sales tax"],
    journal_entry: ["journal", "manual posting", "debit credit"],
    expense: ["purchase", "spending", "cost"],
    purchase_order: ["po", "order from a supplier"],
    sales_order: ["order from a customer"],
    credit_note: ["refund", "credit memo"],
    vendor_credit: ["supplier credit", "refund from a supplier"],
    item: ["product", "service", "sku"],
    tracking_category: ["class", "department", "location", "cost centre"],
    accounting_period: ["fiscal period", "financial year", "month"],
    payment_method: ["way to pay", "card", "cash"],
    payment_term: ["net 30", "due date rule"],
    employee: ["staff", "worker"],
    project: ["job"],
    attachment: ["file", "document", "scan", "pdf"],
    expense_report: ["reimbursement", "expense claim"],
    item_fulfillment: ["shipment", "delivery"],
    company_info: ["books", "base currency", "legal entity", "organisation"],
    address: ["street", "city"],
    phone_number: ["telephone"],
    balance_sheet: ["assets", "liabilities", "equity", "financial position"],
    income_statement: ["profit and loss", "p&l", "pnl", "revenue", "net income"],
    cash_flow_statement: ["cash flow"],
    general_ledger_transaction: ["gl posting", "ledger"],
    transaction: ["movement"],
    bank_feed_account: ["bank account"],
    bank_feed_transaction: ["bank statement line", "bank transaction"]
  }
}

/** Other words for a resource, by which search finds its tools. */
export const synonymsOf = (category: Category, resource: string): ReadonlyArray<string> =>
  synonyms[category][resource] ?? []
