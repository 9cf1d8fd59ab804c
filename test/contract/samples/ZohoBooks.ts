import { Effect } from "effect"
import type { Call, Doc } from "../../../src/testing/contract/Answers.ts"
import * as ledger from "./Accounting.ts"
import type { Sample, Samples } from "./Sample.ts"

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

const receivable = (call: Call) =>
  Effect.map(parties(call), (all) => {
    const base = ledger.receivable(all, {})
    return ledger.own(base, ["number", "issue_date", "due_date", "currency", "status", "inclusive_of_tax"], {
      status: "OPEN",
      inclusive_of_tax: false
    })
  })

const payable = (call: Call) =>
  Effect.map(parties(call), (all): Sample => {
    const base = ledger.payable(all, { item: all.service, quantity: 2, unit_price: 3 })
    const { amount } = base
    return {
      ...ledger.own(base, ["number", "issue_date", "due_date", "currency"]),
      least: { ...base.least, number: "BILL-2" },
      ...(amount === undefined
        ? {}
        : { amount: { ...amount, body: (sum) => ({ ...amount.body(sum), number: `Bill of ${sum}` }) } })
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
  invoice: { receivable, payable }
}
