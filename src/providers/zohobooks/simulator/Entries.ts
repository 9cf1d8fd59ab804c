import { Decimal } from "decimal.js"
import { Either } from "effect"
import { amountAt, partsAt } from "../../simulation/Docs.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import { type Rule, worked } from "../../simulation/table/Kind.ts"
import * as V from "../../simulation/table/Value.ts"
import { code, dated, head, nameOf, numbered, ofParty, posting, state } from "./Documents.ts"
import { positive, reckoned } from "./Lines.ts"
import {
  choice,
  day,
  digitsIn,
  flag,
  given,
  has,
  needs,
  nextId,
  number,
  opens,
  own,
  stamps,
  text,
  to,
  today
} from "./Fields.ts"
import { taxed } from "./Ledger.ts"
import { baseCurrency, currencyOf, type Defined } from "./Lists.ts"

// Expenses, journals and orders: https://www.zoho.com/books/api/v3/expenses/

export const cost = V.object(
  "object",
  {
    line_item_id: text(),
    account_id: to("chartofaccounts"),
    description: text(500),
    amount: number,
    tax_id: to("settings/taxes"),
    item_order: number,
    tags: V.list("array", V.object("object", { tag_id: text(), tag_option_id: text() }, [], {})),
    tax_exemption_id: text()
  },
  ["account_id", "amount"],
  { line_item_id: "", description: "", tax_id: "", item_order: 0, tags: [] }
)

/** The currency is that of the account it is paid from; the sums are those of its lines. */
const spent: Rule = ({ account, after }) => {
  const paid = account.get("chartofaccounts", String(after.paid_through_account_id)) ?? {}
  const given = partsAt(after, "line_items")
  const line_items = (
    given.length > 0
      ? given
      : [{ line_item_id: "", account_id: after.account_id, amount: after.amount, description: "", tax_id: "" }]
  ).map((one) => {
    const tax = account.get("settings/taxes", String(one.tax_id))
    return {
      ...one,
      line_item_id: one.line_item_id === "" ? nextId(account) : one.line_item_id,
      account_name: account.get("chartofaccounts", String(one.account_id))?.account_name,
      tax_percentage: tax?.tax_percentage ?? 0,
      item_total: one.amount
    }
  })
  const currency_id = after.currency_id === "" ? paid.currency_id : after.currency_id
  const digits = digitsIn(account, { currency_id })
  const parts = line_items.map((one) => taxed(one, { isInclusive: after.is_inclusive_tax === true, digits }))
  const net = parts.reduce((sum, part) => sum.plus(part.net), new Decimal(0))
  const tax = parts.reduce((sum, part) => sum.plus(part.tax), new Decimal(0))
  const isBase = currency_id === baseCurrency(account)
  return Either.right({
    ...after,
    line_items,
    currency_id,
    exchange_rate: isBase
      ? 1
      : after.exchange_rate === ""
        ? currencyOf(account, currency_id).exchange_rate
        : after.exchange_rate,
    sub_total: net.toNumber(),
    tax_amount: tax.toNumber(),
    total: net.plus(tax).toNumber()
  })
}

export const expenses: Defined = {
  kind: {
    name: "expenses",
    id: "expense_id",
    nextId,
    stamps,
    sorts: ["date", "account_name", "total", "bcy_total", "reference_number", "customer_name", "created_time"],
    fields: [
      own("expense_id"),
      needs("account_id", to("chartofaccounts")),
      worked(
        "account_name",
        "account_name",
        text(),
        (account, { account_id }) => account.get("chartofaccounts", String(account_id))?.account_name
      ),
      needs("paid_through_account_id", to("chartofaccounts")),
      needs("amount", number),
      has("date", day),
      given("currency_id", to("settings/currencies")),
      code,
      has("exchange_rate", positive),
      opens("vendor_id", to("contacts")),
      opens("customer_id", to("contacts")),
      opens("tax_id", to("settings/taxes")),
      opens("description", text(500)),
      opens("reference_number", text()),
      has("is_billable", flag, false),
      has("is_inclusive_tax", flag, false),
      has("line_items", V.list("array", cost), []),
      ...["sub_total", "tax_amount", "total"].map((name) => ({ ...own(name), initial: 0 })),
      { ...own("status"), initial: "nonbillable" },
      own("created_time"),
      own("last_modified_time")
    ],
    rules: [dated, spent]
  },
  module: {
    one: "expense",
    list: "expenses",
    noun: "Expense",
    listed: [
      "expense_id",
      "date",
      "account_name",
      "description",
      "currency_id",
      "currency_code",
      "total",
      "exchange_rate",
      "is_billable",
      "reference_number",
      "vendor_id",
      "customer_id",
      "status",
      "created_time",
      "last_modified_time"
    ]
  },
  follow: posting("expenses", "expense_id")
}

export const side = V.object(
  "object",
  {
    line_id: text(),
    account_id: to("chartofaccounts"),
    customer_id: to("contacts"),
    description: text(500),
    amount: positive,
    debit_or_credit: choice("debit", "credit"),
    tax_id: to("settings/taxes"),
    tags: V.list("array", V.object("object", { tag_id: text(), tag_option_id: text() }, [], {})),
    project_id: text()
  },
  ["account_id", "amount", "debit_or_credit"],
  { line_id: "", customer_id: "", description: "", tax_id: "", tags: [], project_id: "" }
)

/** Debits and credits come to the same. */
const balanced: Rule = ({ account, after }) => {
  const lines = partsAt(after, "line_items")
  const of = (name: string) =>
    lines.reduce((sum, one) => (one.debit_or_credit === name ? sum.plus(amountAt(one, "amount")) : sum), new Decimal(0))
  if (lines.length < 2) return refused("Please enter a value for line_items")
  if (!of("debit").equals(of("credit"))) return refused("Please ensure that the debits and credits are equal.")
  const currency_id = after.currency_id === "" ? baseCurrency(account) : after.currency_id
  return Either.right({
    ...after,
    currency_id,
    exchange_rate:
      currency_id === baseCurrency(account)
        ? 1
        : after.exchange_rate === ""
          ? currencyOf(account, currency_id).exchange_rate
          : after.exchange_rate,
    total: of("debit").toNumber(),
    state: after.status,
    line_items: lines.map((one) => ({
      ...one,
      line_id: one.line_id === "" ? nextId(account) : one.line_id,
      account_name: account.get("chartofaccounts", String(one.account_id))?.account_name
    }))
  })
}

export const journals: Defined = {
  kind: {
    name: "journals",
    id: "journal_id",
    nextId,
    stamps,
    sorts: ["journal_date", "entry_number", "reference_number", "total"],
    fields: [
      own("journal_id"),
      own("entry_number"),
      has("journal_date", day),
      opens("reference_number", text()),
      opens("notes", text(5000)),
      has("journal_type", choice("both", "cash"), "both"),
      given("currency_id", to("settings/currencies")),
      code,
      has("exchange_rate", positive),
      has("line_items", V.list("array", side), []),
      { ...own("total"), initial: 0 },
      given("status", choice("draft", "published"), "published"),
      state("published"),
      own("created_time"),
      own("last_modified_time")
    ],
    rules: [
      numbered("journals", "journal_id", "entry_number", "", "journal"),
      ({ account, after }) =>
        Either.right(after.journal_date === "" ? { ...after, journal_date: today(account) } : after),
      balanced
    ]
  },
  module: {
    one: "journal",
    list: "journals",
    noun: "Journal",
    listed: [
      "journal_id",
      "journal_date",
      "entry_number",
      "reference_number",
      "currency_id",
      "notes",
      "journal_type",
      "status",
      "total",
      "last_modified_time"
    ]
  },
  actions: { "status/publish": (_, record) => ({ ...record, status: "published", state: "published" }) },
  follow: posting("journals", "journal_id")
}

export const purchaseOrders: Defined = {
  kind: {
    name: "purchaseorders",
    id: "purchaseorder_id",
    nextId,
    stamps,
    sorts: ["vendor_name", "purchaseorder_number", "date", "delivery_date", "total", "created_time"],
    fields: [
      own("purchaseorder_id"),
      needs("vendor_id", to("contacts")),
      nameOf("vendor_name", "vendor_id"),
      has("purchaseorder_number", text()),
      opens("delivery_date", day),
      opens("delivery_customer_id", to("contacts")),
      ...head,
      worked("status", "status", text(), (_, record) => record.state),
      worked("order_status", "order_status", text(), (_, record) =>
        record.state === "billed" ? "closed" : record.state
      ),
      worked("billed_status", "billed_status", text(), (_, record) =>
        record.state === "billed" ? "billed" : record.state === "draft" ? "to_be_billed" : ""
      ),
      has("discount", positive, 0),
      has("discount_type", choice("entity_level", "item_level"), "item_level"),
      state("draft")
    ],
    rules: [
      ofParty("vendor_id"),
      numbered("purchaseorders", "purchaseorder_id", "purchaseorder_number", "PO-", "purchase order"),
      dated,
      reckoned(true)
    ]
  },
  module: {
    one: "purchaseorder",
    list: "purchaseorders",
    noun: "Purchase order",
    listed: [
      "purchaseorder_id",
      "vendor_id",
      "vendor_name",
      "status",
      "purchaseorder_number",
      "reference_number",
      "date",
      "delivery_date",
      "currency_id",
      "currency_code",
      "total",
      "created_time",
      "last_modified_time"
    ]
  },
  actions: {
    "status/open": (_, record) => ({ ...record, state: "open" }),
    "status/billed": (_, record) =>
      record.state === "cancelled"
        ? "A cancelled purchase order cannot be marked as billed."
        : { ...record, state: "billed" },
    "status/cancelled": (_, record) =>
      record.state === "billed" ? "A billed purchase order cannot be cancelled." : { ...record, state: "cancelled" },
    submit: (_, record) => ({ ...record, state: "pending_approval" })
  }
}
