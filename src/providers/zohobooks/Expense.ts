import { Expense } from "../../canonical/accounting/Expense.ts"
import { Decimal } from "decimal.js"
import { computed } from "../../mapping/Entries.ts"
import { isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, toAccount, toContact, toTaxRate } from "./Common.ts"
import { document, inclusiveOfTax, total } from "./Documents.ts"
import { type Kind, records } from "./Records.ts"

/**
 * What was paid at once, with a line for each cost. What is billed on to a customer is the whole of it.
 * https://www.zoho.com/books/api/v3/expenses/
 */

/** A cost is one piece. */
const unitPrice = computed({
  canonical: "unit_price",
  native: ["amount"],
  decode: ({ record }) => record.amount,
  encode: (value, { body, prefix, refuse }) => {
    if (typeof value === "number" && value !== body.net_amount) {
      refuse(`${prefix}unit_price`, "is the line's net_amount: Zoho Books has no quantities here")
    }
  }
})

const mapping = mappingOf(Expense, (of) => [
  {
    nativeType: "expense",
    entries: [
      ...document(of, "expense_id", "transaction_date"),
      of.lasting("account", "paid_through_account_id", toAccount),
      of.field("contact", "vendor_id", toContact),
      of.field("memo", "description", text),
      inclusiveOfTax(of),
      of.lines("lines", {
        native: "line_items",
        id: "line_item_id",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.field("account", "account_id", toAccount),
              of.field("net_amount", "amount", number),
              of.field("description", "description", text),
              of.field("tax_rate", "tax_id", toTaxRate),
              of.constant("quantity", 1),
              unitPrice(of),
              of.constant("is_billable", false),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      }),
      of.readField("sub_total", "sub_total", number),
      of.readField("total_tax_amount", "tax_amount", number),
      total(of)
    ]
  }
])

const members = ["line_item_id", "account_id", "description", "amount", "tax_id"]

/** The whole has the account of its first line, and their sum. */
const write = (record: Native): Native => {
  if (!Array.isArray(record.line_items)) return record
  const line_items = natives(record.line_items).map((line) =>
    Object.fromEntries(
      Object.entries(line).filter(([name, value]) => members.includes(name) && (value !== "" || name === "description"))
    )
  )
  const amount = line_items.reduce((sum, line) => sum.plus(Number(line.amount ?? 0)), new Decimal(0)).toNumber()
  return { ...record, line_items, account_id: line_items[0]?.account_id, amount }
}

const expenses: Kind = {
  nativeType: "expense",
  path: "expenses",
  id: "expense_id",
  sort: "created_time",
  // the description calls the lines of an answer by the name of one
  read: (record) => (isNative(record.line_item) ? { ...record, line_items: [record.line_item] } : record),
  write
}

export const expense = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, [expenses]),
  nullInLists: ["account", "contact", "exchange_rate", "inclusive_of_tax", "lines", "sub_total", "total_tax_amount"],
  rules: [{ rule: "required", fields: ["lines[].account"] }]
})
