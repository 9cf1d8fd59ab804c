import {
  bag,
  boolean,
  date,
  decimal,
  entryId,
  listOf,
  literal,
  number,
  readOnly,
  reference,
  required,
  text,
  writeOnly,
  type Shape
} from "../Resource.ts"

/** Accounting address as embedded in contact / company_info / orders; the `address` resource adds the common fields */
export const Address = {
  name: "Address",
  description:
    "accounting address as embedded in contact / company_info / orders; the `address` resource adds the common fields",
  fields: {
    type: literal("use of the address; first entry is the primary one", "BILLING", "SHIPPING"),
    street_1: text("first street line"),
    street_2: text("remaining street lines, joined with newline"),
    city: text("town"),
    country_subdivision: text("state, region or province (code or name as the provider holds it)"),
    country: text("ISO 3166-1 alpha-2 where the provider gives a code, else its text"),
    zip_code: text("postal code")
  }
} satisfies Shape

/** Accounting phone number as embedded; the `phone_number` resource adds the common fields */
export const PhoneNumber = {
  name: "PhoneNumber",
  description: "accounting phone number as embedded; the `phone_number` resource adds the common fields",
  fields: {
    number: text("number in one string, country and area code first"),
    type: text("provider's label, upper-cased (MAIN, MOBILE, FAX, DIRECT, HOME ...)")
  }
} satisfies Shape

/** Line of an invoice or bill */
export const InvoiceLineItem = {
  name: "InvoiceLineItem",
  description: "line of an invoice or bill",
  fields: {
    id: readOnly(text("service id of the line")),
    remote_id: entryId("provider's line id"),
    description: text("text on the line"),
    unit_price: number("price per unit in the line currency"),
    quantity: number("units; 1 when the provider holds only an amount"),
    total_amount: number("line amount"),
    currency: text("ISO 4217; document currency when absent"),
    exchange_rate: decimal("document rate when absent"),
    account: reference("GL account posted to", "account"),
    item: reference("product or service", "item"),
    tax_rate: reference("tax applied to the line", "tax_rate"),
    tracking_categories: listOf(
      "classes, departments, locations on the line",
      reference("classes, departments, locations on the line", "tracking_category")
    ),
    project: reference("project or job", "project"),
    employee: reference("sales person on the line", "employee"),
    contact: reference("billable customer (bills) or other party", "contact"),
    company: reference("entity, for intercompany lines", "company_info"),
    is_billable: boolean("cost is to be charged on to a customer"),
    remote_was_deleted: readOnly(boolean("deleted at the provider")),
    integration_params: writeOnly(bag("native line fields passed through"))
  }
} satisfies Shape

/** Share of a payment set against one document */
export const AppliedPayment = {
  name: "AppliedPayment",
  description: "share of a payment set against one document",
  fields: {
    remote_id: readOnly(text("provider id of the application, or payment id + line")),
    payment: readOnly(reference("payment it comes from", "payment")),
    applied_amount: readOnly(number("amount in document currency")),
    applied_date: readOnly(date("date applied"))
  }
} satisfies Shape

/** Share of a credit note set against an invoice */
export const AppliedCreditNote = {
  name: "AppliedCreditNote",
  description: "share of a credit note set against an invoice",
  fields: {
    remote_id: readOnly(text("provider id of the allocation")),
    credit_note: readOnly(reference("source credit note", "credit_note")),
    applied_date: readOnly(date("date applied")),
    applied_amount: readOnly(number("amount in document currency")),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Share of a vendor credit set against a bill */
export const AppliedVendorCredit = {
  name: "AppliedVendorCredit",
  description: "share of a vendor credit set against a bill",
  fields: {
    remote_id: readOnly(text("provider id of the allocation")),
    vendor_credit: readOnly(reference("source vendor credit", "vendor_credit")),
    applied_date: readOnly(date("date applied")),
    applied_amount: readOnly(number("amount in document currency")),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Document a payment is set against */
export const PaymentLineItem = {
  name: "PaymentLineItem",
  description: "document a payment is set against",
  fields: {
    remote_id: entryId("provider id of the application"),
    applied_amount: required(number("amount in payment currency")),
    applied_date: date("payment date when absent"),
    related_object_id: required(
      reference(
        "UUID of the settled document (invoice, credit_note, vendor_credit or journal_entry)",
        "invoice",
        "credit_note",
        "vendor_credit",
        "journal_entry"
      )
    ),
    related_object_type: required(
      literal("which resource related_object_id points to", "INVOICE", "CREDIT_NOTE", "VENDOR_CREDIT", "JOURNAL_ENTRY")
    )
  }
} satisfies Shape

/** Credit set against an invoice (on credit_note and vendor_credit) */
export const CreditApplication = {
  name: "CreditApplication",
  description: "credit set against an invoice (on credit_note and vendor_credit)",
  fields: {
    remote_id: entryId("provider id of the allocation"),
    invoice: required(reference("invoice (or bill) credited", "invoice")),
    applied_date: date("today when absent"),
    applied_amount: required(number("amount in document currency")),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Line of a credit note */
export const CreditNoteLineItem = {
  name: "CreditNoteLineItem",
  description: "line of a credit note",
  fields: {
    id: readOnly(text("service id")),
    remote_id: entryId("provider's line id"),
    item: reference("product or service", "item"),
    name: text("short label when there is no item"),
    description: text("free text"),
    quantity: number("units"),
    memo: text("private note on the line"),
    unit_price: number("price per unit"),
    tax_rate: reference("tax code applied", "tax_rate"),
    total_line_amount: number("positive; the document itself is a credit"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    account: reference("GL account", "account"),
    company: reference("legal entity the record belongs to", "company_info"),
    contact: reference("other party", "contact"),
    project: reference("project or job", "project"),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Line of a vendor credit */
export const VendorCreditLine = {
  name: "VendorCreditLine",
  description: "line of a vendor credit",
  fields: {
    id: readOnly(text("service id")),
    remote_id: entryId("provider's line id"),
    net_amount: required(number("positive line amount before tax")),
    description: text("free text"),
    account: reference("expense account credited", "account"),
    item: reference("product or service returned", "item"),
    quantity: number("units"),
    unit_price: number("price per unit"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    tax_rate: reference("tax code applied", "tax_rate"),
    project: reference("project or job", "project"),
    contact: reference("billable customer", "contact"),
    company: reference("legal entity the record belongs to", "company_info"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Line of a journal entry */
export const JournalLine = {
  name: "JournalLine",
  description: "line of a journal entry",
  fields: {
    id: readOnly(text("service id")),
    remote_id: entryId("provider's line id"),
    account: required(reference("GL account", "account")),
    net_amount: required(number("signed: positive = debit, negative = credit; lines must sum to 0")),
    description: text("free text"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    contact: reference("whom it is about; some providers need it on receivable and payable accounts", "contact"),
    employee: reference("staff member", "employee"),
    project: reference("project or job", "project"),
    tax_rate: reference("tax code applied", "tax_rate"),
    currency: text("document currency when absent"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    company: reference("legal entity the record belongs to", "company_info"),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Line of a direct expense */
export const ExpenseLine = {
  name: "ExpenseLine",
  description: "line of a direct expense",
  fields: {
    id: readOnly(text("service id")),
    remote_id: entryId("provider's line id"),
    account: reference("cost account; needed unless item is given", "account"),
    item: reference("product or service", "item"),
    net_amount: required(number("line amount before tax")),
    description: text("free text"),
    quantity: number("units"),
    unit_price: number("price per unit"),
    tax_rate: reference("tax code applied", "tax_rate"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    contact: reference("billable customer", "contact"),
    employee: reference("staff member", "employee"),
    project: reference("project or job", "project"),
    is_billable: boolean("charge on to the customer"),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    company: reference("legal entity the record belongs to", "company_info"),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Line of a purchase order */
export const PurchaseOrderLineItem = {
  name: "PurchaseOrderLineItem",
  description: "line of a purchase order",
  fields: {
    id: readOnly(text("service id")),
    remote_id: entryId("provider's line id"),
    description: text("free text"),
    unit_price: number("price per unit"),
    quantity: number("units"),
    item: reference("product or service", "item"),
    account: reference("GL account", "account"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    tax_rate: reference("tax code applied", "tax_rate"),
    tax_amount: number("tax on the line"),
    total_line_amount: number("line amount"),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    company: reference("legal entity the record belongs to", "company_info"),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Line of a sales order */
export const SalesOrderLine = {
  name: "SalesOrderLine",
  description: "line of a sales order",
  fields: {
    id: readOnly(text("service id")),
    remote_id: entryId("target of item_fulfillment_line.sales_order_line"),
    description: text("free text"),
    unit_price: number("price per unit"),
    quantity: required(number("units")),
    item: required(reference("product or service", "item")),
    total_line_amount: readOnly(number("amount the provider computed")),
    tax_rate: reference("tax code applied", "tax_rate"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    company: reference("legal entity the record belongs to", "company_info"),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Shipped line */
export const ItemFulfillmentLine = {
  name: "ItemFulfillmentLine",
  description: "shipped line",
  fields: {
    id: readOnly(text("service id")),
    remote_id: entryId("provider's line id"),
    item: reference("product or service", "item"),
    sales_order_line: text("UUID of the sales order line shipped"),
    quantity: required(number("units shipped")),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Claimed cost */
export const ExpenseReportLine = {
  name: "ExpenseReportLine",
  description: "claimed cost",
  fields: {
    id: readOnly(text("service id")),
    remote_id: entryId("provider's line id"),
    account: reference("cost account (or the provider's expense category behind it)", "account"),
    description: text("free text"),
    expense_date: required(date("day of the cost")),
    amount: required(number("amount")),
    currency: text("ISO 4217 code"),
    exchange_rate: decimal("rate from currency to base currency, as decimal text"),
    is_billable: boolean("to be charged on"),
    non_reimbursable: boolean("paid by company card"),
    quantity: number("units"),
    unit_price: number("price per unit"),
    tax_rate: reference("tax code applied", "tax_rate"),
    tax_amount: number("tax on the line"),
    inclusive_of_tax: boolean("amounts already contain tax"),
    tracking_categories: listOf(
      "classes, departments, locations",
      reference("classes, departments, locations", "tracking_category")
    ),
    employee: reference("staff member", "employee"),
    project: reference("project or job", "project"),
    contact: reference("billable customer", "contact"),
    company: reference("legal entity the record belongs to", "company_info"),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Part of a compound tax rate */
export const TaxComponent = {
  name: "TaxComponent",
  description: "part of a compound tax rate",
  fields: {
    id: readOnly(text("service id")),
    remote_id: entryId("provider's line id"),
    name: required(text("display name")),
    rate: required(number("percent points (5 = 5 %)")),
    is_compound: boolean("charged on top of the other components"),
    component_type: literal("side the component applies to", "SALES", "PURCHASE"),
    remote_was_deleted: readOnly(boolean("deleted at the provider"))
  }
} satisfies Shape

/** Line of an uncategorised transaction */
export const TransactionLineItem = {
  name: "TransactionLineItem",
  description: "line of an uncategorised transaction",
  fields: {
    id: readOnly(text("service id")),
    remote_id: readOnly(text("provider's line id")),
    memo: readOnly(text("private note")),
    unit_price: readOnly(number("price per unit")),
    quantity: readOnly(number("units")),
    item: readOnly(reference("product or service", "item")),
    account: readOnly(reference("GL account", "account")),
    tracking_categories: readOnly(
      listOf("classes, departments, locations", reference("classes, departments, locations", "tracking_category"))
    ),
    total_line_amount: readOnly(number("line amount")),
    tax_rate: readOnly(reference("tax code applied", "tax_rate")),
    currency: readOnly(text("ISO 4217 code")),
    exchange_rate: readOnly(decimal("rate from currency to base currency, as decimal text")),
    company: readOnly(reference("legal entity the record belongs to", "company_info"))
  }
} satisfies Shape

/** Posted ledger line */
export const GeneralLedgerTransactionLine = {
  name: "GeneralLedgerTransactionLine",
  description: "posted ledger line",
  fields: {
    id: readOnly(text("service id")),
    remote_id: readOnly(text("provider's line id")),
    account: readOnly(reference("GL account", "account")),
    company: readOnly(reference("legal entity the record belongs to", "company_info")),
    employee: readOnly(reference("staff member", "employee")),
    contact: readOnly(reference("other party", "contact")),
    project: readOnly(reference("project or job", "project")),
    item: readOnly(reference("product or service", "item")),
    base_currency: readOnly(text("company currency")),
    transaction_currency: readOnly(text("document currency")),
    exchange_rate: readOnly(decimal("rate from currency to base currency, as decimal text")),
    description: readOnly(text("free text")),
    tracking_categories: readOnly(
      listOf("classes, departments, locations", reference("classes, departments, locations", "tracking_category"))
    ),
    debit_amount: readOnly(number("in base currency, 0 when the line is a credit")),
    credit_amount: readOnly(number("in base currency, 0 when the line is a debit")),
    foreign_debit_amount: readOnly(number("in transaction currency")),
    foreign_credit_amount: readOnly(number("in transaction currency"))
  }
} satisfies Shape

/** Row of a financial report; its rows are under `sub_items`. */
export const ReportItem = {
  name: "ReportItem",
  description: "row of a financial report, nested",
  fields: {
    remote_id: readOnly(text("provider account id behind the row, when there is one")),
    account: readOnly(reference("same account as a reference", "account")),
    name: readOnly(text("row label")),
    value: readOnly(number("amount in report currency")),
    company: readOnly(reference("legal entity the record belongs to", "company_info"))
  }
} satisfies Shape
