import { Expense } from "../../canonical/accounting/Expense.ts"
import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { computed } from "../../mapping/Entries.ts"
import { ofDocument } from "../../mapping/LineParts.ts"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { number, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { accounts } from "./Account.ts"
import { mappingOf, money, noPeriods, tagsAreNoCategories, toAccount, toContact, toTaxRate } from "./Common.ts"
import { document, inclusiveOfTax, total } from "./Documents.ts"
import { day, link, search } from "./Filters.ts"
import { items } from "./Item.ts"
import { currencyBy, withCurrency } from "./Named.ts"
import { type Kind, readOne, records } from "./Records.ts"

/**
 * Expenses: paid at once, with a line for each cost. Only a whole expense can be billed to a customer.
 * https://www.zoho.com/books/api/v3/expenses/
 */

/** The amount of the cost, whose quantity is always 1. */
const unitPrice = computed({
  canonical: "unit_price",
  native: ["amount"],
  decode: ({ record }) => record.amount,
  encode: (value, { body, prefix, refuse, warn }) => {
    const { net_amount, quantity } = body
    if (typeof value !== "number" || value === net_amount || typeof net_amount !== "number") return
    const count = typeof quantity === "number" ? quantity : 1
    const isTheirs = new Decimal(value).times(count).minus(net_amount).abs().lt(0.005)
    if (isTheirs) warn(`${prefix}unit_price`, "CHANGED", `is held as ${net_amount}: Zoho Books has no quantities here`)
    else refuse(`${prefix}unit_price`, "times quantity is not the line's net_amount; leave one of them out")
  }
})

/** The item of a cost. Zoho holds only accounts here, so it gives the line's account where the body has none. */
const item = computed({
  canonical: "item",
  native: [],
  decode: () => null,
  encode: (value, encoding) => {
    if (value === null) return
    const { body, lookups, prefix, refuse, set, warn } = encoding
    const id = remoteIdOf(value, "item", ["item"], encoding, `${prefix}item`)
    if (id === undefined) return
    if (typeof body.account === "string") return warn(`${prefix}item`, "NOT_HELD", "Zoho Books has accounts only here")
    const account = getPath(lookups.items, `${id}.purchase_account_id`)
    if (typeof account !== "string" || account === "") return refuse(`${prefix}account`, "is required by zoho_books")
    set("account_id", account)
    warn(`${prefix}item`, "NOT_HELD", "is held as the account that it is bought on")
  }
})

/** Reads the items whose accounts the lines of a body need. */
const withItems = (call: Caller): NonNullable<ResourceAdapter["related"]> => {
  const read = readOne(call, items)
  return ({ body, connection, resolve }) => {
    const ids = natives(body.lines).flatMap(({ account, item }) => {
      const found = typeof item === "string" && typeof account !== "string" ? resolve(item) : undefined
      return found?.resource === "item" ? [found.remoteId] : []
    })
    return Effect.map(
      Effect.forEach([...new Set(ids)], (id) => Effect.map(read(connection, id), (found) => [id, found] as const)),
      (found) => ({ items: Object.fromEntries(found) })
    )
  }
}

const mapping = mappingOf(Expense, (of) => [
  of.variant({
    nativeType: "expense",
    entries: [
      ...document(of, "expense_id", "transaction_date", { inCurrency: currencyBy("account") }),
      of.lasting("account", "paid_through_account_id", toAccount),
      of.field("contact", "vendor_id", toContact),
      of.field("memo", "description", text),
      of.field("reference", "reference_number", text),
      inclusiveOfTax(of),
      of.lines("lines", {
        native: "line_items",
        id: "line_item_id",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.field("account", "account_id", toAccount),
              item(of),
              of.field("net_amount", "amount", number),
              of.field("description", "description", text),
              of.field("tax_rate", "tax_id", toTaxRate),
              of.constant("quantity", 1),
              unitPrice(of),
              of.constant("is_billable", false),
              ...ofDocument(of, money),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      }),
      of.readField("sub_total", "sub_total", number),
      of.readField("total_tax_amount", "tax_amount", number),
      total(of)
    ],
    notHeld: {
      employee: "Zoho Books names the employee of an expense, but employees are not offered for Zoho Books.",
      payment_method: "Zoho Books states how an expense was paid as text, not as a record to refer to.",
      accounting_period: noPeriods,
      tracking_categories: tagsAreNoCategories
    }
  })
])

const members = ["line_item_id", "account_id", "description", "amount", "tax_id"]

/** Gives the expense the account of its first line, and the sum of its lines. */
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

const spentDay = day("date")

const expenses: Kind = {
  nativeType: "expense",
  path: "expenses",
  id: "expense_id",
  sort: "created_time",
  filters: {
    contact: link("vendor_id"),
    account: link("paid_through_account_id"),
    transaction_after: spentDay.after,
    transaction_before: spentDay.before,
    q: search
  },
  // the API description names the lines of a response by the singular
  read: (record) => (isNative(record.line_item) ? { ...record, line_items: [record.line_item] } : record),
  write
}

export const expense = (call: Caller): ResourceAdapter => {
  const [byAccount, byItems] = [withCurrency(call, "account", accounts), withItems(call)]
  return {
    ...records(call, mapping, [expenses]),
    nullInLists: ["account", "contact", "exchange_rate", "inclusive_of_tax", "lines", "sub_total", "total_tax_amount"],
    related: (request) =>
      Effect.map(Effect.all([byAccount(request), byItems(request)], { concurrency: 2 }), ([a, b]) => ({ ...a, ...b }))
  }
}
