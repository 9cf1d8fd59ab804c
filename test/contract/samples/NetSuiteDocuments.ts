import { Effect } from "effect"
import { type Call, listOf, recordOf } from "../../../src/testing/contract/Answers.ts"
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
  vendorCredit
} from "./Accounting.ts"
import { parties, path, uuid } from "./NetSuiteLists.ts"
import { type Sample, type Samples, uuidOf } from "./Sample.ts"

const netsuite = "netsuite"

const directExpense = (type: string) => (call: Call) =>
  Effect.gen(function* () {
    const all = yield* parties(call)
    const { company, currency, service } = all
    const account = yield* uuid(
      call,
      `${type} account`,
      "account",
      (record) => record.account_type === type && record.currency === currency && isActive(record)
    )
    const line = { item: service, net_amount: 2.5, description: "Delivery", is_billable: false }
    return own(expense(all, account, line), ["currency", "company"], { company })
  })

const salesOrder = (call: Call) =>
  Effect.gen(function* () {
    const { company, currency, customer, service } = yield* parties(call)
    const payment_term = yield* uuid(call, "term", "payment_term")
    const least = { customer, lines: [{ item: service, quantity: 1 }] }
    return {
      full: {
        ...least,
        status: "PENDING_APPROVAL",
        issue_date: "2026-11-10",
        transaction_number: "SO-9",
        payment_term,
        memo: "As agreed",
        currency,
        company,
        lines: [
          { item: service, description: "Turning", quantity: 2, unit_price: 45.25 },
          { item: service, quantity: 1, unit_price: 10 }
        ]
      },
      least,
      change: { memo: "As agreed by phone", status: "OPEN" },
      kept: ["status", "issue_date", "currency", "company", "transaction_number"],
      text: "memo"
    } satisfies Sample
  })

const claim = (call: Call) =>
  Effect.gen(function* () {
    const { company, cost, currency, customer } = yield* parties(call)
    const employee = yield* uuid(
      call,
      "claimant",
      "employee",
      (record) => isActive(record) && record.company === company
    )
    const least = {
      report_date: "2026-11-13",
      employee,
      lines: [{ account: cost, expense_date: "2026-11-12", amount: 18.4 }]
    }
    return {
      full: {
        ...least,
        report_identifier: "EXP-9",
        status: "SUBMITTED",
        currency,
        company,
        description: "To London",
        lines: [
          { account: cost, expense_date: "2026-11-11", amount: 61.2, description: "Rail", contact: customer },
          { account: cost, expense_date: "2026-11-12", amount: 9, non_reimbursable: true, is_billable: false }
        ]
      },
      least,
      change: { description: "To London and back", status: "APPROVED" },
      kept: ["report_identifier", "status", "currency", "company"],
      text: "description"
    } satisfies Sample
  })

const fulfilment = (call: Call) =>
  Effect.gen(function* () {
    const { customer, service } = yield* parties(call)
    const order = recordOf(
      yield* call("POST", path("sales_order"), {
        body: {
          customer,
          lines: [
            { item: service, quantity: 50 },
            { item: service, quantity: 20 }
          ]
        }
      })
    )
    const sales_order = uuidOf(order)
    const [first, second] = listOf(order.lines).map(uuidOf)
    const least = { sales_order, lines: [{ sales_order_line: second, quantity: 1 }] }
    return {
      full: {
        sales_order,
        fulfillment_date: "2026-11-14",
        status: "IN_PROGRESS",
        memo: "By rail",
        lines: [
          { sales_order_line: first, item: service, quantity: 4 },
          { sales_order_line: second, quantity: 2 }
        ]
      },
      least,
      change: { memo: "By road", status: "SHIPPED" },
      kept: ["fulfillment_date", "status"],
      text: "memo"
    } satisfies Sample
  })

export const netSuiteDocuments: Samples = {
  invoice: {
    receivable: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        const payment_term = yield* uuid(call, "term", "payment_term")
        const kept = ["number", "issue_date", "due_date", "company", "currency", "status"]
        const more = { company: all.company, payment_term, status: "OPEN" }
        return own(receivable(all, { item: all.service }), kept, more)
      }),
    payable: (call) =>
      Effect.map(parties(call), (all) => {
        const turning = { item: all.service, description: "Turning", quantity: 3, unit_price: 20, is_billable: false }
        const kept = ["number", "issue_date", "due_date", "company", "currency"]
        return own(payable(all, turning), kept, { company: all.company })
      })
  },
  payment: {
    received: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        const method = yield* uuid(call, "method", "payment_method")
        const { company } = all
        return own(yield* received(call, netsuite, all, method), ["currency", "company"], { company })
      }),
    paid: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        return own(yield* paid(call, netsuite, all), ["currency", "company"], { company: all.company })
      })
  },
  journal_entry: {
    entry: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        const employee = yield* uuid(call, "employee", "employee", isActive)
        const kept = ["posting_status", "currency", "journal_number"]
        return own(journalEntry(all, { company: all.company }, { employee }), kept)
      })
  },
  expense: { check: directExpense("BANK"), card: directExpense("CREDIT_CARD") },
  purchase_order: {
    order: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        const payment_term = yield* uuid(call, "term", "payment_term")
        const kept = ["status", "issue_date", "currency", "company", "purchase_order_number"]
        return own(purchaseOrder(all, payment_term), kept, { company: all.company })
      })
  },
  sales_order: { order: salesOrder },
  credit_note: {
    credit: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        // what is left of the credit follows from what it is applied to
        const kept = ["transaction_date", "status", "currency", "company", "number", "applied_to_lines"]
        return own(yield* creditNote(call, netsuite, all), kept, { company: all.company })
      })
  },
  vendor_credit: {
    credit: (call) =>
      Effect.gen(function* () {
        const all = yield* parties(call)
        const kept = ["currency", "company", "number"]
        return own(yield* vendorCredit(call, netsuite, all), kept, { company: all.company })
      })
  },
  expense_report: { claim },
  item_fulfillment: { fulfilment }
}
