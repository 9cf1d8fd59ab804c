import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { accountId, amounts, cents, journals, type Json, reportOf, type Session, session, sumOf } from "./simulated.ts"

// The simulated books stay in balance, and agree with their documents, after any write.

const pick = fc.nat(1000)
const money = fc.integer({ min: 1, max: 5_000_000 }).map((amount) => amount / 100)
const share = fc.constantFrom(0.1, 0.333, 0.5, 1)
const isSale = fc.boolean()
const currency = fc.constantFrom("EUR", "USD", "GBP", "JPY")
const day = fc.integer({ min: 0, max: 300 })

const document = fc.record({
  kind: fc.constant("document" as const),
  isSale,
  currency,
  amount: money,
  quantity: fc.constantFrom(1, 2.5, 3, 7.3333),
  tax: fc.constantFrom("OUTPUT", "INPUT", "TAX001", "NONE"),
  types: fc.constantFrom("Exclusive", "Inclusive", "NoTax"),
  discount: fc.constantFrom(0, 12.5, 33.33),
  status: fc.constantFrom("DRAFT", "AUTHORISED", "AUTHORISED"),
  day
})

const write = fc.oneof(
  { weight: 3, arbitrary: document },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("pay" as const), pick, share, rate: fc.constantFrom(0.7, 0.8571, 160) })
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("unpay" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("credit" as const), pick, share, day }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("edit" as const), pick, quantity: fc.constantFrom(1, 4, 0.25) })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("end" as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("cash" as const), isSale, amount: money, isAhead: fc.boolean(), day })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("turn" as const), amount: money, day }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), amount: money, day }) }
)

type Write = typeof write extends fc.Arbitrary<infer A> ? A : never

const dateOf = (back: number) =>
  new Date(Date.parse("2026-11-20T00:00:00Z") - back * 86_400_000).toISOString().slice(0, 10)

/** Documents and payments made so far. */
interface Made {
  readonly documents: Array<Json>
  readonly payments: Array<Json>
}

const at = (list: ReadonlyArray<Json>, picked: number): Json => list[picked % Math.max(list.length, 1)]

/** Does one write; rules of the books may refuse it. */
const doing = ({ call, get }: Session, made: Made, banks: ReadonlyArray<string>, one: Write) =>
  Effect.gen(function* () {
    const send = (method: "PUT" | "POST", path: string, body: Json) =>
      Effect.map(call(method, path, body), ({ body: answer, status }): Json => {
        assert.include([200, 400], status, JSON.stringify(answer))
        return status === 200 ? answer[path.split("/")[0] ?? ""]?.[0] : undefined
      })
    const invoice = (picked: number) => {
      const found = at(made.documents, picked)
      return found === undefined
        ? Effect.succeed(undefined)
        : Effect.map(get(`Invoices/${found.InvoiceID}`), ({ body }) => body.Invoices[0])
    }
    switch (one.kind) {
      case "document": {
        const line = {
          Description: "Work",
          Quantity: one.quantity,
          UnitAmount: one.amount,
          AccountCode: one.isSale ? "260" : "429",
          TaxType: one.types === "NoTax" ? "NONE" : one.tax,
          ...(one.isSale && one.discount > 0 ? { DiscountRate: one.discount } : {})
        }
        const document = yield* send("PUT", "Invoices", {
          Type: one.isSale ? "ACCREC" : "ACCPAY",
          Contact: { Name: "Analytical Engines" },
          Date: dateOf(one.day),
          CurrencyCode: one.currency,
          LineAmountTypes: one.types,
          LineItems: [line],
          Status: one.status
        })
        if (document !== undefined) made.documents.push(document)
        return
      }
      case "pay": {
        const held = yield* invoice(one.pick)
        if (held === undefined) return
        const payment = yield* send("PUT", "Payments", {
          Invoice: { InvoiceID: held.InvoiceID },
          Account: { AccountID: banks[0] },
          Date: dateOf(0),
          Amount: Math.round(held.AmountDue * one.share * 100) / 100,
          ...(held.CurrencyCode === "EUR" ? {} : { CurrencyRate: one.rate })
        })
        if (payment !== undefined) made.payments.push(payment)
        return
      }
      case "credit": {
        const held = yield* invoice(one.pick)
        if (held === undefined) return
        const note = yield* send("PUT", "CreditNotes", {
          Type: held.Type === "ACCREC" ? "ACCRECCREDIT" : "ACCPAYCREDIT",
          Contact: { ContactID: held.Contact.ContactID },
          Date: dateOf(one.day),
          CurrencyCode: held.CurrencyCode,
          LineAmountTypes: "NoTax",
          LineItems: [
            { Description: "Back", Quantity: 1, UnitAmount: held.Total, AccountCode: "260", TaxType: "NONE" }
          ],
          Status: "AUTHORISED"
        })
        if (note === undefined) return
        const Amount = Math.round(held.AmountDue * one.share * 100) / 100
        yield* call("PUT", `CreditNotes/${note.CreditNoteID}/Allocations`, {
          Allocations: [{ Invoice: { InvoiceID: held.InvoiceID }, Amount, Date: dateOf(0) }]
        })
        return
      }
      case "edit": {
        const held = yield* invoice(one.pick)
        if (held === undefined) return
        const LineItems = [{ LineItemID: held.LineItems[0].LineItemID, Quantity: one.quantity }]
        yield* send("POST", `Invoices/${held.InvoiceID}`, { LineItems })
        return
      }
      case "end": {
        const held = yield* invoice(one.pick)
        if (held === undefined) return
        yield* send("POST", `Invoices/${held.InvoiceID}`, { Status: held.Status === "DRAFT" ? "DELETED" : "VOIDED" })
        return
      }
      case "unpay": {
        const payment = at(made.payments, one.pick)
        if (payment !== undefined) yield* send("POST", `Payments/${payment.PaymentID}`, { Status: "DELETED" })
        return
      }
      case "cash": {
        const type = one.isSale ? "RECEIVE" : "SPEND"
        yield* send("PUT", "BankTransactions", {
          Type: one.isAhead ? `${type}-OVERPAYMENT` : type,
          Contact: { Name: "Analytical Engines" },
          BankAccount: { AccountID: banks[0] },
          Date: dateOf(one.day),
          LineAmountTypes: "NoTax",
          LineItems: [
            {
              Description: "Cash",
              UnitAmount: one.amount,
              AccountCode: one.isAhead ? (one.isSale ? "610" : "800") : "429",
              TaxType: "NONE"
            }
          ]
        })
        return
      }
      case "turn":
        yield* send("PUT", "ManualJournals", {
          Narration: "Turn",
          Date: dateOf(one.day),
          Status: "POSTED",
          JournalLines: [
            { LineAmount: one.amount, AccountCode: "429" },
            { LineAmount: -one.amount, AccountCode: "260" }
          ]
        })
        return
      case "move":
        yield* send("PUT", "BankTransfers", {
          FromBankAccount: { AccountID: banks[0] },
          ToBankAccount: { AccountID: banks[1] },
          Date: dateOf(one.day),
          Amount: one.amount
        })
    }
  })

const inBase = (amount: number, { CurrencyRate = 1 }: Json) => amount / CurrencyRate

describe("the simulated Xero's books", () => {
  it.effect.prop(
    "tie after whatever is written",
    {
      documents: fc.array(document, { minLength: 3, maxLength: 5 }),
      writes: fc.array(write, { minLength: 15, maxLength: 30 })
    },
    ({ documents, writes }) =>
      Effect.gen(function* () {
        const xero = yield* session
        const banks = [yield* accountId(xero, "090"), yield* accountId(xero, "091")]
        const made: Made = { documents: [], payments: [] }
        for (const one of [...documents, ...writes]) yield* doing(xero, made, banks, one)

        const all = yield* journals(xero)
        for (const { JournalLines } of all) {
          assert.strictEqual(sumOf(JournalLines.map((line: Json) => line.NetAmount)), 0)
        }
        const [start, end] = ["2026-04-01", "2026-11-21"]
        const sheet = amounts(yield* reportOf(xero, `BalanceSheet?date=${end}`))
        const net = cents(sheet["Net Assets"] ?? Number.NaN)
        assert.strictEqual(net, cents(sheet["Total Equity"] ?? 0))
        assert.strictEqual(net, sumOf([sheet["Total Assets"] ?? 0, -(sheet["Total Liabilities"] ?? 0)]))

        // what was left over was only ever a cent
        assert.closeTo(cents(sheet.Rounding ?? 0), 0, 100)

        // what the year earned is what the ledger moved on its accounts
        const classes = new Map((yield* xero.list("Accounts")).map((one) => [one.AccountID, one.Class]))
        const earned = all
          .filter(({ JournalDate }) => Number(/\d+/.exec(JournalDate)?.[0]) >= Date.parse(start))
          .flatMap(({ JournalLines }) => JournalLines)
          .filter((line: Json) => ["REVENUE", "EXPENSE"].includes(String(classes.get(line.AccountID))))
          .map((line: Json) => -line.NetAmount)
        const income = amounts(yield* reportOf(xero, `ProfitAndLoss?fromDate=${start}&toDate=${end}`))
        assert.strictEqual(cents(income["Net Profit"] ?? Number.NaN), sumOf(earned))
        assert.strictEqual(cents(sheet["Current Year Earnings"] ?? Number.NaN), sumOf(earned))

        // what is owed is what the documents leave open, each rounded on its own
        const open = yield* xero.list("Invoices?page=1&pageSize=1000&Statuses=AUTHORISED")
        const credits = [
          ...(yield* xero.list("CreditNotes?page=1&pageSize=1000")),
          ...(yield* xero.list("Overpayments")),
          ...(yield* xero.list("Prepayments"))
        ]
        const owed = (side: RegExp) =>
          sumOf([
            ...open.filter(({ Type }) => side.test(Type)).map((one) => inBase(one.AmountDue, one)),
            ...credits.filter(({ Type }) => side.test(Type)).map((one) => -inBase(one.RemainingCredit, one))
          ])
        assert.closeTo(owed(/ACCREC|RECEIVE/), cents(sheet["Accounts Receivable"] ?? 0), 100)
        assert.closeTo(owed(/ACCPAY|SPEND/), cents(sheet["Accounts Payable"] ?? 0), 100)
      }).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer))),
    { fastCheck: { numRuns: 5, endOnFailure: true }, timeout: 60_000 }
  )
})
