import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accountId,
  amounts,
  cents,
  inCompany,
  journals,
  type Json,
  messages,
  reportOf,
  sale,
  sumOf
} from "./simulated.ts"
import { full } from "../../support/Full.ts"

describe("the simulated Xero's books", () => {
  full(it).effect("has books that balance", () =>
    inCompany((xero) =>
      Effect.gen(function* () {
        const all = yield* journals(xero)
        assert.isAbove(all.length, 500)
        for (const { JournalLines, JournalNumber } of all) {
          assert.strictEqual(sumOf(JournalLines.map((one: Json) => one.NetAmount)), 0, String(JournalNumber))
        }
        for (const day of ["2025-12-31", "2026-03-31", "2026-04-01", "2026-11-21"]) {
          const sheet = amounts(yield* reportOf(xero, `BalanceSheet?date=${day}`))
          assert.strictEqual(cents(sheet["Net Assets"] ?? 0), cents(sheet["Total Equity"] ?? 1), day)
          assert.strictEqual(
            sumOf([sheet["Total Assets"] ?? 0, -(sheet["Total Liabilities"] ?? 0)]),
            cents(sheet["Net Assets"] ?? 1)
          )
        }

        const period = all.filter(({ JournalDate }) => Number(/\d+/.exec(JournalDate)?.[0]) >= Date.parse("2026-04-01"))
        const accounts = new Map((yield* xero.list("Accounts")).map((one) => [one.AccountID, one.Class]))
        const earned = period.flatMap(({ JournalLines }) =>
          JournalLines.filter((one: Json) => ["REVENUE", "EXPENSE"].includes(String(accounts.get(one.AccountID)))).map(
            (one: Json) => -one.NetAmount
          )
        )
        const income = amounts(yield* reportOf(xero, "ProfitAndLoss?fromDate=2026-04-01&toDate=2026-11-21"))
        assert.strictEqual(cents(income["Net Profit"] ?? 0), sumOf(earned))
        const sheet = amounts(yield* reportOf(xero, "BalanceSheet?date=2026-11-21"))
        assert.strictEqual(cents(sheet["Current Year Earnings"] ?? 0), sumOf(earned))

        const trial = yield* reportOf(xero, "TrialBalance?date=2026-11-21")
        const cells = trial.Rows.flatMap(({ Rows = [] }: Json) => Rows.map(({ Cells }: Json) => Cells))
        const column = (at: number) => sumOf(cells.map((row: Json) => Number(row[at].Value)))
        assert.strictEqual(column(1), column(2))
        assert.strictEqual(column(3), column(4))
      })
    )
  )

  it.effect("owes and is owed what its documents say", () =>
    inCompany((xero) =>
      Effect.gen(function* () {
        const base = (amount: number, { CurrencyRate = 1 }: Json) => amount / CurrencyRate
        const open = yield* xero.list("Invoices?page=1&pageSize=1000&Statuses=AUTHORISED")
        const credits = yield* xero.list("CreditNotes?page=1&pageSize=1000")
        const ahead = [...(yield* xero.list("Overpayments")), ...(yield* xero.list("Prepayments"))]
        const owed = (isSales: RegExp) => [
          ...open.filter(({ Type }) => isSales.test(Type)).map((one) => base(one.AmountDue, one)),
          ...[...credits, ...ahead]
            .filter(({ Type }) => isSales.test(Type))
            .map((one) => -base(one.RemainingCredit, one))
        ]
        const sheet = amounts(yield* reportOf(xero, "BalanceSheet"))
        // each document is rounded on its own
        assert.closeTo(sumOf(owed(/ACCREC|RECEIVE/)), cents(sheet["Accounts Receivable"] ?? 0), 60)
        assert.closeTo(sumOf(owed(/ACCPAY|SPEND/)), cents(sheet["Accounts Payable"] ?? 0), 60)
        assert.isAbove(open.filter((one) => one.AmountPaid > 0).length, 5)
        assert.isAbove(open.filter((one) => one.CurrencyCode === "USD").length, 5)
        assert.isAbove(credits.filter((one) => one.Allocations.length > 0).length, 3)
      })
    )
  )

  full(it).effect("moves documents through their statuses, and the ledger with them", () =>
    inCompany((xero) =>
      Effect.gen(function* () {
        const { call, get, save } = xero
        const to = (id: string, Status: string) => call("POST", `Invoices/${id}`, { Status })
        const draft = yield* save("PUT", "Invoices", sale)
        assert.strictEqual(draft.Status, "DRAFT")
        assert.deepStrictEqual(messages(yield* to(draft.InvoiceID, "VOIDED")), [
          "Invoice not of valid status for modification"
        ])
        const posted = (id: string) =>
          Effect.map(journals(xero), (all) =>
            all.filter(({ SourceID }) => SourceID === id).map((one) => one.JournalLines)
          )
        assert.lengthOf(yield* posted(draft.InvoiceID), 0)
        assert.strictEqual((yield* to(draft.InvoiceID, "AUTHORISED")).body.Invoices[0].Status, "AUTHORISED")
        const [lines] = yield* posted(draft.InvoiceID)
        assert.deepStrictEqual(
          lines.map((one: Json) => [one.AccountCode, one.NetAmount, one.TaxAmount]),
          [
            ["610", 123, 0],
            ["260", -100, -23],
            ["820", -23, 0]
          ]
        )
        assert.strictEqual((yield* to(draft.InvoiceID, "DELETED")).status, 400)
        const ended = (yield* to(draft.InvoiceID, "VOIDED")).body.Invoices[0]
        assert.deepInclude(ended, { Status: "VOIDED", AmountDue: 0, Total: 123 })
        const both = yield* posted(draft.InvoiceID)
        assert.lengthOf(both, 2)
        assert.strictEqual(
          sumOf(both.flat().map((one: Json) => one.NetAmount * (one.AccountCode === "610" ? 1 : 0))),
          0
        )
        assert.strictEqual((yield* to(draft.InvoiceID, "AUTHORISED")).status, 400)

        const first = yield* save("PUT", "Invoices", { ...sale, InvoiceNumber: "A-1" })
        assert.deepStrictEqual(messages(yield* call("PUT", "Invoices", { ...sale, InvoiceNumber: "a-1" })), [
          "Invoice # must be unique."
        ])
        const again = yield* save("POST", "Invoices", { ...sale, InvoiceNumber: "A-1", Reference: "By number" })
        assert.deepInclude(again, { InvoiceID: first.InvoiceID, Reference: "By number" })
        assert.strictEqual((yield* get("Invoices/A-1")).body.Invoices[0].InvoiceID, first.InvoiceID)
      })
    )
  )

  it.effect("gains and loses by rates of exchange", () =>
    inCompany((xero) =>
      Effect.gen(function* () {
        const { save } = xero
        const before = amounts(yield* reportOf(xero, "BalanceSheet"))
        const abroad = { CurrencyCode: "USD", CurrencyRate: 1.25, Status: "AUTHORISED", LineAmountTypes: "NoTax" }
        const { InvoiceID } = yield* save("PUT", "Invoices", { ...sale, ...abroad })
        const Account = { AccountID: yield* accountId(xero, "090") }
        const paid = yield* save("PUT", "Payments", {
          Invoice: { InvoiceID },
          Account,
          Amount: 100,
          CurrencyRate: 1.6,
          Date: "2026-11-20"
        })
        assert.deepInclude(paid, { Amount: 100, BankAmount: 62.5, CurrencyRate: 1.6 })
        assert.deepInclude(paid.Invoice, { InvoiceID, CurrencyCode: "USD" })
        const after = amounts(yield* reportOf(xero, "BalanceSheet"))
        const change = (name: string) => sumOf([after[name] ?? 0, -(before[name] ?? 0)])
        assert.strictEqual(change("Accounts Receivable"), 0)
        assert.strictEqual(change("Business Current Account"), 6250)
        const posted = (yield* journals(xero)).find(({ SourceID }) => SourceID === paid.PaymentID)
        assert.deepStrictEqual(
          posted.JournalLines.map((one: Json) => [one.AccountCode, one.NetAmount]),
          [
            ["090", 62.5],
            ["610", -80],
            ["499", 17.5]
          ]
        )
      })
    )
  )

  it.effect("keeps tracked items at their average cost", () =>
    inCompany((xero) =>
      Effect.gen(function* () {
        const { call, get, save } = xero
        const item = yield* save("PUT", "Items", {
          Code: "GEAR",
          InventoryAssetAccountCode: "630",
          SalesDetails: { UnitPrice: 30, AccountCode: "220", TaxType: "OUTPUT" },
          PurchaseDetails: { UnitPrice: 10, COGSAccountCode: "310", TaxType: "INPUT" }
        })
        assert.deepInclude(item, { IsTrackedAsInventory: true, QuantityOnHand: 0, TotalCostPool: 0 })
        const before = amounts(yield* reportOf(xero, "BalanceSheet"))
        const trade = (Type: string, Quantity: number, UnitAmount: number) => ({
          Type,
          Contact: { Name: "Gearworks" },
          Status: "AUTHORISED",
          LineItems: [{ ItemCode: "GEAR", Quantity, UnitAmount }]
        })
        const held = Effect.map(get("Items/GEAR"), ({ body }) => [
          body.Items[0].QuantityOnHand,
          body.Items[0].TotalCostPool
        ])
        assert.match(messages(yield* call("PUT", "Invoices", trade("ACCREC", 1, 30)))[0] ?? "", /not enough/)
        yield* save("PUT", "Invoices", trade("ACCPAY", 4, 10))
        const dearer = yield* save("PUT", "Invoices", trade("ACCPAY", 4, 16))
        assert.deepStrictEqual(yield* held, [8, 104])
        const sold = yield* save("PUT", "Invoices", trade("ACCREC", 2, 30))
        assert.deepStrictEqual(yield* held, [6, 78])
        const after = amounts(yield* reportOf(xero, "BalanceSheet"))
        assert.strictEqual(after.Inventory, 78)
        assert.strictEqual(
          sumOf([after["Current Year Earnings"] ?? 0, -(before["Current Year Earnings"] ?? 0)]),
          cents(60 - 26)
        )
        yield* save("POST", `Invoices/${sold.InvoiceID}`, { Status: "VOIDED" })
        yield* save("POST", `Invoices/${dearer.InvoiceID}`, { Status: "VOIDED" })
        assert.deepStrictEqual(yield* held, [4, 40])
        assert.strictEqual((yield* call("DELETE", `Items/${item.ItemID}`)).status, 400)
      })
    )
  )
})
