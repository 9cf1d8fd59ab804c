import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, partsAt } from "../../simulation/Docs.ts"
import { dueOn } from "../../simulation/SampleTrade.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import { type Field, type Rule, worked } from "../../simulation/table/Kind.ts"
import * as V from "../../simulation/table/Value.ts"
import {
  choice,
  day,
  flag,
  given,
  has,
  needs,
  nextId,
  number,
  opens,
  own,
  stamp,
  stamps,
  text,
  to,
  today
} from "./Fields.ts"
import { post } from "./Ledger.ts"
import { lines, positive, reckoned } from "./Lines.ts"
import { baseCurrency, currencyOf, type Defined } from "./Lists.ts"

// Documents with lines: https://www.zoho.com/books/api/v3/invoices/

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
    credits: of("creditnotes", "invoices_credited", "invoice_id", "credited_amount")
  }
}

export const sumOf = (list: ReadonlyArray<{ readonly amount: Decimal }>) =>
  list.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))

export const openOf = (account: Account, record: Doc, id: string) => {
  const { credits, payments } = appliedTo(account, id)
  return amountAt(record, "total").minus(sumOf(payments)).minus(sumOf(credits))
}

/** A void document keeps its balance. */
const balance = (id: string) =>
  worked("balance", "balance", number, (account, record) => openOf(account, record, String(record[id])).toNumber())

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

const sums: ReadonlyArray<Field> = [
  "sub_total",
  "sub_total_inclusive_of_tax",
  "discount_total",
  "tax_total",
  "total"
].map((name) => ({ ...own(name), initial: 0 }))

export const head: ReadonlyArray<Field> = [
  given("currency_id", to("settings/currencies")),
  code,
  has("exchange_rate", positive),
  has("date", day),
  opens("reference_number", text()),
  opens("notes", text(5000)),
  opens("terms", text(10_000)),
  has("is_inclusive_tax", flag, false),
  has("adjustment", number, 0),
  opens("adjustment_description", text()),
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

/** Payments and credits change a document, whose stamp says so. */
export const touch = (account: Account, kind: string, id: string): void => {
  const held = account.get(kind, id)
  if (held !== undefined) account.put(kind, id, { ...held, last_modified_time: stamp(account.now) })
}

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
      has("shipping_charge", positive, 0),
      has("discount", positive, 0),
      has("discount_type", choice("entity_level", "item_level"), "item_level"),
      has("is_discount_before_tax", flag, true),
      settled("invoice_id", "sent"),
      balance("invoice_id"),
      state("draft"),
      worked("payment_made", "payment_made", number, (account, record) =>
        sumOf(appliedTo(account, String(record.invoice_id)).payments).toNumber()
      ),
      worked("credits_applied", "credits_applied", number, (account, record) =>
        sumOf(appliedTo(account, String(record.invoice_id)).credits).toNumber()
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
      "shipping_charge",
      "adjustment",
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
        sumOf(appliedTo(account, String(record.bill_id)).payments).toNumber()
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
