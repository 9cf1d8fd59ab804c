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
import { AppliedCreditNote, AppliedPayment, AppliedVendorCredit, InvoiceLineItem } from "./Nested.ts"

/** Sales invoice or purchase bill. */
export const Invoice = resource({
  category: "accounting",
  name: "invoice",
  class: "writable",
  description: "sales invoice or purchase bill",
  fields: {
    type: required(
      literal("customer invoice or vendor bill; cannot change after create", "ACCOUNTS_RECEIVABLE", "ACCOUNTS_PAYABLE")
    ),
    contact: required(reference("customer for receivable, vendor for payable", "contact")),
    number: text("provider document number"),
    issue_date: date("today when absent"),
    due_date: date("from payment_term when absent"),
    paid_on_date: computed(date("null until fully paid; accepted on write but computed by the provider")),
    memo: text("private note, which the counterparty does not see"),
    reference: text("reference that the counterparty sees, such as an order number"),
    customer_note: text("note printed on the document for the counterparty"),
    company: reference("legal entity the record belongs to", "company_info"),
    employee: reference("sales person", "employee"),
    currency: text("ISO 4217"),
    exchange_rate: decimal('currency to base currency, "1.0" when equal'),
    payment_term: reference("due-date rule", "payment_term"),
    total_discount: number("discount total in currency"),
    sub_total: computed(number("before tax and discount; accepted on write but computed by the provider")),
    status: literal("closest native value is written", "PAID", "DRAFT", "SUBMITTED", "PARTIALLY_PAID", "OPEN", "VOID"),
    total_tax_amount: computed(
      number("tax total; computed by the provider; accepted on write but computed by the provider")
    ),
    total_amount: computed(number("sub_total + tax - discount; accepted on write but computed by the provider")),
    balance: computed(number("0 when fully paid; accepted on write but computed by the provider")),
    tracking_categories: listOf("header level", reference("header level", "tracking_category")),
    accounting_period: reference("posting period", "accounting_period"),
    purchase_orders: listOf("orders billed", reference("orders billed", "purchase_order")),
    sales_orders: listOf("orders invoiced", reference("orders invoiced", "sales_order")),
    payments: readOnly(
      listOf("payments touching the document", reference("payments touching the document", "payment"))
    ),
    applied_payments: readOnly(list("payment shares set against it", AppliedPayment)),
    applied_credit_notes: readOnly(list("receivable only", AppliedCreditNote)),
    applied_vendor_credits: readOnly(list("payable only", AppliedVendorCredit)),
    line_items: required(list("at least one", InvoiceLineItem)),
    inclusive_of_tax: boolean("amounts already contain tax")
  },
  filters: {
    number: equals("number"),
    contact: refers("contact"),
    status: oneOf("status"),
    type: oneOf("type"),
    issued_after: from("issue_date"),
    issued_before: before("issue_date"),
    due_after: from("due_date"),
    due_before: before("due_date"),
    currency: oneOf("currency"),
    q: searches()
  }
})
