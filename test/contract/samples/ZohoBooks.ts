import { Effect } from "effect"
import { type Call, type Doc, recordOf } from "../../../src/testing/contract/Answers.ts"
import * as ledger from "./Accounting.ts"
import { type Sample, type Samples, uuidOf } from "./Sample.ts"

const serving = ledger.serving("zoho_books")

const accountOf = (call: Call, purpose: string, holds: (one: Doc) => boolean) =>
  serving(call, purpose, "account", (one) => ledger.isActive(one) && holds(one))

const parties = (call: Call) =>
  Effect.all({
    currency: Effect.succeed("USD"),
    customer: serving(call, "customer", "contact", (one) => one.is_customer === true && one.currency === "USD"),
    vendor: serving(call, "vendor", "contact", (one) => one.is_supplier === true && one.currency === "USD"),
    service: serving(call, "service", "item", (one) => one.type === "SERVICE"),
    cost: accountOf(call, "cost", (one) => one.type === "EXPENSE"),
    bank: accountOf(call, "bank", (one) => one.account_type === "BANK")
  })

const contact = (is: { readonly is_customer: boolean; readonly is_supplier: boolean }) => () =>
  Effect.succeed({
    ...ledger.contact(is, { currency: "EUR", phone_numbers: [{ type: "MAIN", number: "+44 20 7946 0301" }] }, "name"),
    kept: ["status", "currency"]
  } satisfies Sample)

const account = (call: Call) =>
  Effect.map(
    accountOf(call, "cost", (one) => one.type === "EXPENSE"),
    (parent) => ledger.own(ledger.account("USD", parent), ["classification", "status", "currency", "type"])
  )

const item = (call: Call) =>
  Effect.gen(function* () {
    const sales = yield* accountOf(call, "sales", (one) => one.type === "INCOME")
    const purchases = yield* accountOf(call, "purchases", (one) => one.type === "COST_OF_GOODS_SOLD")
    return ledger.own(ledger.item(sales, purchases, { name: "Sprocket" }), ["status", "type", "unit_price"])
  })

const taxRate = () =>
  Effect.succeed({
    full: { name: "Brass tax", country: "US", total_tax_rate: 6.5, tax_components: [{ name: "Brass tax", rate: 6.5 }] },
    least: { name: "Steel tax", total_tax_rate: 5 },
    change: { country: "GB" },
    kept: ["total_tax_rate", "tax_components"],
    text: "name"
  } satisfies Sample)

/** A sample whose private note is a note for the counterparty, as these documents have no other. */
const printed = (sample: Sample): Sample => {
  const { full, least } = sample
  const renamed = ({ memo, ...body }: Doc): Doc => (memo === undefined ? body : { ...body, customer_note: memo })
  return {
    ...sample,
    full: { ...renamed(full), reference: "PO-4711" },
    least,
    change: renamed(sample.change),
    text: "customer_note"
  }
}

const receivable = (call: Call) =>
  Effect.map(parties(call), (all) => {
    const base = printed(ledger.receivable(all, {}))
    return ledger.own(base, ["number", "issue_date", "due_date", "currency", "status", "inclusive_of_tax"], {
      status: "OPEN",
      inclusive_of_tax: false
    })
  })

const payable = (call: Call) =>
  Effect.map(parties(call), (all): Sample => {
    const base = printed(ledger.payable(all, { item: all.service, quantity: 2, unit_price: 3 }))
    const { amount } = base
    return {
      ...ledger.own(base, ["number", "issue_date", "due_date", "currency"]),
      least: { ...base.least, number: "BILL-2" },
      ...(amount === undefined
        ? {}
        : { amount: { ...amount, body: (sum) => ({ ...amount.body(sum), number: `Bill of ${sum}` }) } })
    }
  })

/** An invoice that was sent, or a bill, of 1000. */
const owed = (call: Call, body: Doc) =>
  Effect.map(call("POST", "/accounting/invoice?provider=zoho_books", { body }), (answer) => uuidOf(recordOf(answer)))

const sent = (call: Call, { customer, service }: ledger.Parties) =>
  owed(call, {
    type: "ACCOUNTS_RECEIVABLE",
    contact: customer,
    status: "OPEN",
    line_items: [{ item: service, quantity: 1, unit_price: 1000 }]
  })

let bills = 0

const billed = (call: Call, { cost, vendor }: ledger.Parties) =>
  owed(call, {
    type: "ACCOUNTS_PAYABLE",
    contact: vendor,
    number: `Owed ${(bills += 1)}`,
    line_items: [{ account: cost, description: "Brass", total_amount: 1000 }]
  })

const settling = (type: string, related_object_id: string, applied_amount: number) => ({
  type,
  applied_to_lines: [{ related_object_type: "INVOICE", related_object_id, applied_amount }]
})

const received = (call: Call) =>
  Effect.gen(function* () {
    const all = yield* parties(call)
    const invoice = yield* sent(call, all)
    const least = {
      type: "ACCOUNTS_RECEIVABLE",
      contact: all.customer,
      transaction_date: "2026-11-04",
      total_amount: 60
    }
    return {
      full: {
        ...least,
        ...settling("ACCOUNTS_RECEIVABLE", invoice, 40),
        account: all.bank,
        memo: "On account",
        reference: "7001"
      },
      least,
      change: { memo: "On account, thank you", total_amount: 75.5 },
      kept: ["account"],
      text: "memo"
    } satisfies Sample
  })

const paid = (call: Call) =>
  Effect.gen(function* () {
    const all = yield* parties(call)
    const least = {
      ...settling("ACCOUNTS_PAYABLE", yield* billed(call, all), 40),
      contact: all.vendor,
      account: all.bank,
      transaction_date: "2026-11-05",
      total_amount: 40
    }
    return {
      full: { ...least, memo: "By check", reference: "1188" },
      least,
      change: { memo: "By check 7" },
      kept: [],
      text: "memo"
    } satisfies Sample
  })

const credit = (call: Call) =>
  Effect.gen(function* () {
    const all = yield* parties(call)
    const least = { contact: all.customer, line_items: [{ item: all.service, total_line_amount: 30 }] }
    return {
      full: {
        ...least,
        transaction_date: "2026-11-11",
        status: "AUTHORIZED",
        number: "CN-900",
        customer_note: "Scratched",
        reference: "PO-4711",
        inclusive_of_tax: false,
        line_items: [
          { item: all.service, description: "Cogs", quantity: 3, unit_price: 12.5, total_line_amount: 37.5 }
        ],
        applied_to_lines: [{ invoice: yield* sent(call, all), applied_amount: 20 }]
      },
      least,
      change: { customer_note: "Scratched badly", number: "CN-901" },
      kept: ["transaction_date", "status", "number", "inclusive_of_tax", "applied_to_lines"],
      text: "customer_note"
    } satisfies Sample
  })

const entry = (call: Call) =>
  Effect.map(parties(call), ({ bank, cost, customer }): Sample => {
    const least = {
      transaction_date: "2026-11-07",
      lines: [
        { account: cost, net_amount: 12.5 },
        { account: bank, net_amount: -12.5 }
      ]
    }
    return {
      full: {
        ...least,
        memo: "Correction",
        posting_status: "POSTED",
        lines: [
          { account: cost, net_amount: 20, description: "Brass", contact: customer },
          { account: cost, net_amount: 0.1 },
          { account: bank, net_amount: -20.1, description: "Bank" }
        ]
      },
      least,
      change: { memo: "Corrected", transaction_date: "2026-11-08" },
      kept: ["posting_status"],
      text: "memo"
    }
  })

const expense = (call: Call) =>
  Effect.map(parties(call), (all): Sample => {
    const base = ledger.expense(all, all.bank, { account: all.cost, net_amount: 2.5, description: "Water" })
    const { currency: _, ...full } = base.full
    return { ...base, full }
  })

const order = (call: Call) =>
  Effect.map(parties(call), ({ cost, customer, service, vendor }): Sample => {
    const least = { vendor, line_items: [{ account: cost, description: "Brass", total_line_amount: 80 }] }
    return {
      full: {
        ...least,
        status: "AUTHORIZED",
        issue_date: "2026-11-10",
        purchase_order_number: "PO-901",
        delivery_date: "2026-11-30",
        customer,
        customer_note: "As agreed",
        reference: "Q-118",
        line_items: [
          { account: cost, description: "Brass", total_line_amount: 80 },
          { item: service, description: "Turning", quantity: 2, unit_price: 45.25 }
        ]
      },
      least,
      change: { customer_note: "As agreed by phone", status: "BILLED" },
      kept: ["status", "issue_date", "purchase_order_number"],
      text: "customer_note"
    }
  })

export const zohoBooks: Samples = {
  contact: {
    customer: contact({ is_customer: true, is_supplier: false }),
    vendor: contact({ is_customer: false, is_supplier: true })
  },
  account: { account },
  item: { item },
  tax_rate: { rate: taxRate },
  invoice: { receivable, payable },
  payment: { received, paid },
  credit_note: { credit },
  journal_entry: { entry },
  expense: { expense },
  purchase_order: { order }
}
