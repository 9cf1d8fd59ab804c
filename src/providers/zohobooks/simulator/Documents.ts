import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, money, partsAt } from "../../simulation/Docs.ts"
import { dueOn } from "../../simulation/SampleTrade.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import { type Field, type Rule, worked } from "../../simulation/table/Kind.ts"
import * as V from "../../simulation/table/Value.ts"
import { choice, day, flag, given, has, needs, nextId, number, opens, own, stamps, text, to, today } from "./Fields.ts"
import { post, systemAccount, taxed } from "./Ledger.ts"
import { baseCurrency, currencyOf, type Defined } from "./Lists.ts"

// Documents with lines: https://www.zoho.com/books/api/v3/invoices/

export const positive = V.number("number", { least: 0 })

const blank = {
  item_id: "",
  account_id: "",
  customer_id: "",
  name: "",
  description: "",
  tax_id: "",
  unit: "",
  is_billable: false
}

export const line = V.object(
  "object",
  {
    line_item_id: text(),
    item_id: to("items"),
    account_id: to("chartofaccounts"),
    customer_id: to("contacts"),
    name: text(),
    description: text(2000),
    rate: number,
    quantity: number,
    unit: text(),
    tax_id: to("settings/taxes"),
    is_billable: flag
  },
  [],
  { ...blank, line_item_id: "", rate: "", quantity: 1 }
)

export const lines = has("line_items", V.list("array", line), [])

/** Completes a line from its item, and computes its total. */
const completed = (account: Account, one: Doc, isBought: boolean): Doc => {
  const item = account.get("items", String(one.item_id))
  const own = isBought ? item?.purchase_account_id : item?.account_id
  const stocked = isBought && item?.item_type === "inventory" ? item.inventory_account_id : own
  const usual = systemAccount(account, isBought ? "Other Expenses" : "Sales")
  const rate = typeof one.rate === "number" ? one.rate : ((isBought ? item?.purchase_rate : item?.rate) ?? 0)
  const tax = account.get(
    "settings/taxes",
    String(one.tax_id === "" ? (isBought ? "" : (item?.tax_id ?? "")) : one.tax_id)
  )
  const account_id = [one.account_id, stocked].find((id) => typeof id === "string" && id !== "") ?? usual
  return {
    ...one,
    line_item_id: one.line_item_id === "" ? nextId(account) : one.line_item_id,
    account_id,
    account_name: account.get("chartofaccounts", String(account_id))?.account_name,
    name: one.name === "" ? (item?.name ?? "") : one.name,
    rate: typeof rate === "number" ? rate : 0,
    tax_id: tax?.tax_id ?? "",
    tax_name: tax?.tax_name ?? "",
    tax_percentage: tax?.tax_percentage ?? 0,
    item_total: money(amountAt({ rate }, "rate").times(amountAt(one, "quantity")))
  }
}

/** Computes the totals of lines, and the sums of the document. */
export const reckoned =
  (isBought: boolean): Rule =>
  ({ account, after }) => {
    const given = partsAt(after, "line_items")
    if (given.length === 0) return refused("Please enter a value for line_items")
    if (given.some((one) => one.item_id === "" && one.name === "" && !isBought))
      return refused("Please enter a value for name")
    const line_items = given.map((one) => completed(account, one, isBought))
    const parts = line_items.map((one) => taxed(one, after.is_inclusive_tax === true))
    const sum = (of: (part: (typeof parts)[number]) => Decimal) =>
      parts.reduce((all, part) => all.plus(of(part)), new Decimal(0))
    const net = sum((part) => part.net)
    const discount = amountAt(after, "discount")
    // a discount before tax is not taxed
    const share = after.is_discount_before_tax === true && net.gt(0) ? net.minus(discount).div(net) : 1
    const tax = sum((part) => part.tax)
      .times(share)
      .toDecimalPlaces(2, Decimal.ROUND_HALF_UP)
    const total = net.plus(tax).minus(discount)
    return total.isNegative()
      ? refused("The total must not be negative.")
      : Either.right({
          ...after,
          line_items,
          sub_total: money(net),
          tax_total: money(tax),
          total: money(total)
        })
  }

/** Refuses a party of another type; takes the party's currency. */
export const ofParty =
  (member: "customer_id" | "vendor_id"): Rule =>
  ({ account, after, given: said }) => {
    const party = account.get("contacts", String(after[member]))
    const wanted = member === "customer_id" ? "customer" : "vendor"
    if (party === undefined) return Either.right(after)
    if (party.contact_type !== wanted) return refused(`Invalid value passed for ${member}`)
    if (said.currency_id !== undefined && said.currency_id !== party.currency_id)
      return refused("Invalid value passed for currency_id")
    const rate = amountAt(currencyOf(account, party.currency_id), "exchange_rate").toNumber()
    const isBase = party.currency_id === baseCurrency(account)
    return Either.right({
      ...after,
      currency_id: party.currency_id,
      exchange_rate: isBase ? 1 : after.exchange_rate === "" ? rate : after.exchange_rate
    })
  }

/** Gives a record the next number of its kind where it has none; numbers are unique. */
export const numbered =
  (kind: string, id: string, member: string, prefix: string, noun: string): Rule =>
  ({ account, after }) => {
    if (after[member] !== "") {
      return account.all(kind).some((one) => one[id] !== after[id] && one[member] === after[member])
        ? refused(`The ${noun} number ${String(after[member])} already exists.`)
        : Either.right(after)
    }
    const last = amountAt(account.get("counter", kind) ?? {}, "last").toNumber() + 1
    account.put("counter", kind, { last })
    return Either.right({ ...after, [member]: `${prefix}${String(last).padStart(5, "0")}` })
  }

export const dated: Rule = ({ account, after }) => {
  const date = after.date === "" ? today(account) : String(after.date)
  const due =
    after.due_date === "" ? dueOn(date, { days: amountAt(after, "payment_terms").toNumber() }) : after.due_date
  return Either.right({ ...after, date, ...("due_date" in after ? { due_date: due } : {}) })
}

/** Payments and credits applied to a document. */
export const appliedTo = (account: Account, id: string) => {
  const of = (kind: string, list: string, member: string, amount: string) =>
    account
      .all(kind)
      .flatMap((source) =>
        partsAt(source, list).flatMap((one) =>
          one[member] === id ? [{ source, one, amount: amountAt(one, amount) }] : []
        )
      )
  return {
    payments: [
      ...of("customerpayments", "invoices", "invoice_id", "amount_applied"),
      ...of("vendorpayments", "bills", "bill_id", "amount_applied")
    ],
    credits: of("creditnotes", "invoices", "invoice_id", "amount")
  }
}

export const sumOf = (list: ReadonlyArray<{ readonly amount: Decimal }>) =>
  list.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))

export const openOf = (account: Account, record: Doc, id: string) => {
  const { credits, payments } = appliedTo(account, id)
  return amountAt(record, "total").minus(sumOf(payments)).minus(sumOf(credits))
}

const balance = (id: string) =>
  worked("balance", "balance", number, (account, record) =>
    record.state === "void" ? 0 : money(openOf(account, record, String(record[id])))
  )

const settled = (id: string, open: "sent" | "open") =>
  worked("status", "status", text(), (account, record) => {
    if (record.state !== open) return record.state
    const left = openOf(account, record, String(record[id]))
    if (left.lte(0)) return "paid"
    if (left.lt(amountAt(record, "total"))) return "partially_paid"
    return String(record.due_date) < today(account) ? "overdue" : open
  })

export const nameOf = (member: string, by: string) =>
  worked(member, member, text(), (account, record) => account.get("contacts", String(record[by]))?.contact_name ?? "")

export const code = worked(
  "currency_code",
  "currency_code",
  text(),
  (account, { currency_id }) => currencyOf(account, currency_id).currency_code
)

export const state = (initial: string): Field => ({ ...own("state"), initial })

const sums: ReadonlyArray<Field> = ["sub_total", "tax_total", "total"].map((name) => ({ ...own(name), initial: 0 }))

export const head: ReadonlyArray<Field> = [
  given("currency_id", to("settings/currencies")),
  code,
  has("exchange_rate", positive),
  has("date", day),
  opens("reference_number", text()),
  opens("notes", text(5000)),
  opens("terms", text(10_000)),
  has("is_inclusive_tax", flag, false),
  lines,
  ...sums,
  own("created_time"),
  own("last_modified_time")
]

const terms: ReadonlyArray<Field> = [
  has("payment_terms", V.number("number", { whole: true }), 0),
  opens("payment_terms_label", text()),
  has("due_date", day)
]

/** The refusal to delete, or to change the status of, a document with payments or credits. */
const paid = (account: Account, id: string, noun: string) => {
  const { credits, payments } = appliedTo(account, id)
  return payments.length + credits.length > 0 ? `${noun} with payments or credits cannot be changed so.` : undefined
}

const covered =
  (id: string): Rule =>
  ({ account, after, before }) =>
    before !== undefined && openOf(account, after, String(after[id])).isNegative()
      ? refused("The total is less than what was paid of it.")
      : Either.right(after)

export const becomes =
  (id: string, noun: string, next: string) =>
  (account: Account, record: Doc): Doc | string =>
    next === "void" || next === "draft"
      ? (paid(account, String(record[id]), noun) ?? { ...record, state: next })
      : record.state === "void" && next !== "draft"
        ? `${noun} is void.`
        : { ...record, state: next }

export const posting =
  (kind: string, id: string): NonNullable<Defined["follow"]> =>
  (account, record, before) =>
    post(account, kind, String((record ?? before)?.[id]), record)

export const invoices: Defined = {
  kind: {
    name: "invoices",
    id: "invoice_id",
    nextId,
    stamps,
    sorts: ["customer_name", "invoice_number", "date", "due_date", "total", "balance", "created_time"],
    fields: [
      own("invoice_id"),
      needs("customer_id", to("contacts")),
      nameOf("customer_name", "customer_id"),
      has("invoice_number", text()),
      ...head,
      ...terms,
      has("discount", positive, 0),
      has("discount_type", choice("entity_level", "item_level"), "item_level"),
      has("is_discount_before_tax", flag, true),
      settled("invoice_id", "sent"),
      balance("invoice_id"),
      state("draft"),
      worked("payment_made", "payment_made", number, (account, record) =>
        money(sumOf(appliedTo(account, String(record.invoice_id)).payments))
      ),
      worked("credits_applied", "credits_applied", number, (account, record) =>
        money(sumOf(appliedTo(account, String(record.invoice_id)).credits))
      ),
      worked(
        "last_payment_date",
        "last_payment_date",
        text(),
        (account, record) =>
          appliedTo(account, String(record.invoice_id))
            .payments.map(({ source }) => String(source.date))
            .toSorted()
            .at(-1) ?? ""
      )
    ],
    rules: [
      ofParty("customer_id"),
      numbered("invoices", "invoice_id", "invoice_number", "INV-", "invoice"),
      dated,
      reckoned(false),
      covered("invoice_id")
    ]
  },
  module: {
    one: "invoice",
    list: "invoices",
    noun: "Invoice",
    listed: [
      "invoice_id",
      "customer_name",
      "customer_id",
      "status",
      "invoice_number",
      "reference_number",
      "date",
      "due_date",
      "currency_id",
      "currency_code",
      "total",
      "balance",
      "created_time",
      "last_modified_time",
      "last_payment_date",
      "exchange_rate"
    ]
  },
  actions: {
    "status/sent": becomes("invoice_id", "Invoice", "sent"),
    "status/void": becomes("invoice_id", "Invoice", "void"),
    "status/draft": becomes("invoice_id", "Invoice", "draft"),
    submit: becomes("invoice_id", "Invoice", "pending_approval")
  },
  stays: (account, record) => paid(account, String(record.invoice_id), "Invoice"),
  follow: posting("invoices", "invoice_id")
}

export const bills: Defined = {
  kind: {
    name: "bills",
    id: "bill_id",
    nextId,
    stamps,
    sorts: ["vendor_name", "bill_number", "date", "due_date", "total", "balance", "created_time"],
    fields: [
      own("bill_id"),
      needs("vendor_id", to("contacts")),
      nameOf("vendor_name", "vendor_id"),
      needs("bill_number", V.text("string", { filled: true, most: 100 })),
      ...head,
      ...terms,
      settled("bill_id", "open"),
      balance("bill_id"),
      state("open"),
      worked("payment_made", "payment_made", number, (account, record) =>
        money(sumOf(appliedTo(account, String(record.bill_id)).payments))
      ),
      worked("payments", "payments", V.list("array", text()), (account, record) =>
        appliedTo(account, String(record.bill_id)).payments.map(({ amount, one, source }) => ({
          payment_id: source.payment_id,
          bill_id: record.bill_id,
          bill_payment_id: one.bill_payment_id,
          date: source.date,
          amount: amount.toNumber(),
          paid_through_account_id: source.paid_through_account_id
        }))
      )
    ],
    rules: [ofParty("vendor_id"), dated, reckoned(true), covered("bill_id")]
  },
  module: {
    one: "bill",
    list: "bills",
    noun: "Bill",
    listed: [
      "bill_id",
      "vendor_id",
      "vendor_name",
      "status",
      "bill_number",
      "reference_number",
      "date",
      "due_date",
      "currency_id",
      "currency_code",
      "exchange_rate",
      "total",
      "balance",
      "created_time",
      "last_modified_time"
    ]
  },
  actions: {
    "status/open": becomes("bill_id", "Bill", "open"),
    "status/void": becomes("bill_id", "Bill", "void"),
    submit: becomes("bill_id", "Bill", "pending_approval")
  },
  stays: (account, record) => paid(account, String(record.bill_id), "Bill"),
  follow: posting("bills", "bill_id")
}
