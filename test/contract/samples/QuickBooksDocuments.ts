import { Effect } from "effect"
import { type Call, type Doc, recordOf } from "../../../src/testing/contract/Answers.ts"
import {
  creditNote,
  expense,
  isActive,
  journalEntry,
  own,
  paid,
  payable,
  purchaseOrder,
  receivable,
  received,
  serving,
  vendorCredit
} from "./Accounting.ts"
import type { Samples } from "./Sample.ts"

const quickbooks = "quickbooks"

const uuid = serving(quickbooks)

const parties = (call: Call) =>
  Effect.gen(function* () {
    return {
      currency: "USD",
      customer: yield* uuid(call, "customer", "contact", (one) => one.is_customer === true && isActive(one)),
      vendor: yield* uuid(call, "vendor", "contact", (one) => one.is_supplier === true && isActive(one)),
      service: yield* uuid(
        call,
        "service",
        "item",
        (one) => one.type === "SERVICE" && one.sales_account !== null && isActive(one)
      ),
      cost: yield* uuid(call, "cost", "account", (one) => one.type === "EXPENSE" && isActive(one)),
      bank: yield* uuid(call, "bank", "account", (one) => one.account_type === "BANK" && isActive(one))
    }
  })

const methodOf = (call: Call) => uuid(call, "method", "payment_method", () => true)

export const quickBooksDocuments: Samples = {
  invoice: {
    receivable: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        const item = recordOf(yield* call("GET", `/accounting/item/urn:uuid:${all.service}?provider=${quickbooks}`))
        const sample = receivable(all, { account: item.sales_account })
        return own(sample, ["currency", "issue_date", "due_date", "number"], { total_discount: 5 })
      }),
    payable: (call) =>
      Effect.map(parties(call), (all) => own(payable(all), ["currency", "issue_date", "due_date", "number"]))
  },
  payment: {
    received: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        return own(yield* received(call, quickbooks, all, yield* methodOf(call)), ["account", "currency"])
      }),
    paid: (call) =>
      Effect.gen(function* () {
        return own(yield* paid(call, quickbooks, yield* parties(call)), ["currency"])
      })
  },
  journal_entry: {
    entry: (call) =>
      Effect.map(parties(call), (all) =>
        own(journalEntry(all, {}, {}), ["posting_status", "currency", "journal_number"])
      )
  },
  expense: {
    expense: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        const isCard = (one: Doc) => one.account_type === "CREDIT_CARD" && isActive(one)
        const card = yield* uuid(call, "card", "account", isCard)
        const water = { account: all.cost, net_amount: 2.5, description: "Water", is_billable: false }
        return own(expense(all, card, water), ["currency"], { payment_method: yield* methodOf(call) })
      })
  },
  purchase_order: {
    order: (call) =>
      Effect.gen(function* () {
        const term = yield* uuid(call, "term", "payment_term", () => true)
        return own(purchaseOrder(yield* parties(call), term), [
          "status",
          "issue_date",
          "currency",
          "purchase_order_number"
        ])
      })
  },
  credit_note: {
    credit: (call) =>
      Effect.gen(function* () {
        // what is applied are payments of their own
        const kept = ["number", "transaction_date", "status", "currency", "applied_to_lines"]
        return own(yield* creditNote(call, quickbooks, yield* parties(call)), kept)
      })
  },
  vendor_credit: {
    credit: (call) =>
      Effect.gen(function* () {
        return own(yield* vendorCredit(call, quickbooks, yield* parties(call)), [
          "number",
          "currency",
          "applied_to_lines"
        ])
      })
  }
}
