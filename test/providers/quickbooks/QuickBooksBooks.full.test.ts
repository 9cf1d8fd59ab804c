import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { Effect, FastCheck as fc, Layer, TestClock } from "effect"
import { simulator } from "../../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect } from "../../../src/providers/simulation/Simulator.ts"

// The simulated books stay in balance after any write.

/** Answers, read as a client without types reads them. */
type Json = ReturnType<typeof JSON.parse>

const base = "https://quickbooks.api.intuit.com/v3/company/9130357992221046"

const company = (name: string) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-11-21T18:00:00Z"))
    const http = yield* client(simulator)
    const { accessToken } = yield* connect(simulator, name)
    const send = (request: HttpClientRequest.HttpClientRequest) =>
      http.execute(HttpClientRequest.bearerToken(request, accessToken)).pipe(
        Effect.flatMap((response) => response.text),
        Effect.map((text): Json => JSON.parse(text))
      )
    const get = (path: string) => send(HttpClientRequest.get(base + path))
    const post = (path: string, body: Json) =>
      send(HttpClientRequest.post(base + path).pipe(HttpClientRequest.bodyUnsafeJson(body)))
    const rows = (text: string) =>
      Effect.map(
        get(`/query?query=${encodeURIComponent(`${text} maxresults 1000`)}`),
        ({ QueryResponse }): ReadonlyArray<Json> => Object.values<Json>(QueryResponse).find(Array.isArray) ?? []
      )
    return { get, post, rows }
  })

type Company = Effect.Effect.Success<ReturnType<typeof company>>

/** Every row of a report with the group it stands for, at whatever depth. */
const groups = (rows: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  rows.flatMap((row) => [row, ...groups(row.Rows?.Row ?? [])])

/** The total of a group of a report. */
const totalOf = (report: Json, group: string) => {
  const found = groups(report.Rows.Row).find((row) => row.group === group)
  assert.isDefined(found, group)
  return new Decimal(found.Summary.ColData.at(-1).value)
}

const sum = (rows: ReadonlyArray<Json>, member: string) =>
  rows.reduce<Decimal>((total, row) => total.plus(row[member] ?? 0), new Decimal(0))

/** Totals of the books' own reports, in the home currency. */
const state = ({ get, rows }: Company) =>
  Effect.gen(function* () {
    const period = "start_date=2020-01-01&end_date=2030-12-31"
    const sheet = yield* get(`/reports/BalanceSheet?${period}`)
    const income = yield* get(`/reports/ProfitAndLoss?${period}`)
    const accounts = yield* rows("select * from Account where Active in (true, false)")
    const ofType = (type: string) =>
      accounts.filter((one) => one.AccountType === type && one.CurrencyRef.value === "USD")
    const home = (entity: string, more = "") =>
      Effect.map(rows(`select * from ${entity}${more}`), (all) => all.filter((one) => one.CurrencyRef.value === "USD"))
    return {
      assets: totalOf(sheet, "TotalAssets"),
      others: totalOf(sheet, "TotalLiabilitiesAndEquity"),
      net: totalOf(income, "NetIncome"),
      /** Debit is positive: what all accounts of the balance sheet hold came in as income, or was there before. */
      held: sum(
        accounts.filter((one) => ["Asset", "Liability", "Equity"].includes(one.Classification)),
        "CurrentBalance"
      ),
      receivable: sum(ofType("Accounts Receivable"), "CurrentBalance"),
      payable: sum(ofType("Accounts Payable"), "CurrentBalance"),
      customers: sum(yield* home("Customer", " where Active in (true, false)"), "Balance"),
      vendors: sum(yield* home("Vendor", " where Active in (true, false)"), "Balance"),
      open: sum(yield* home("Invoice"), "Balance")
        .minus(sum(yield* home("CreditMemo"), "RemainingCredit"))
        .minus(sum(yield* home("Payment"), "UnappliedAmt")),
      owed: sum(yield* home("Bill"), "Balance").minus(sum(yield* home("VendorCredit"), "Balance"))
    }
  })

const asserted = (now: Effect.Effect.Success<ReturnType<typeof state>>, before: typeof now, done: string) => {
  const equal = (a: Decimal, b: Decimal, what: string) =>
    assert.strictEqual(a.toFixed(2), b.toFixed(2), `${what}${done}`)
  equal(now.assets, now.others, "the balance sheet after ")
  equal(now.net.minus(before.net), now.held.minus(before.held), "income and the movement of accounts after ")
  equal(now.customers, now.receivable, "customers and receivables after ")
  equal(now.vendors, now.payable.negated(), "vendors and payables after ")
  // entries on receivables and payables are on no document
  equal(now.open.minus(before.open), now.receivable.minus(before.receivable), "open invoices after ")
  equal(now.owed.minus(before.owed), now.payable.negated().plus(before.payable), "open bills after ")
}

/** One write: which kind, what about, how much. */
const write = fc.record({
  kind: fc.constantFrom(
    "Invoice",
    "CreditMemo",
    "SalesReceipt",
    "RefundReceipt",
    "Bill",
    "VendorCredit",
    "Purchase",
    "JournalEntry",
    "Transfer",
    "Deposit",
    "InventoryAdjustment",
    "pay",
    "settle",
    "credit",
    "update",
    "delete",
    "void"
  ),
  cents: fc.integer({ min: 1, max: 500_000 }),
  units: fc.integer({ min: 1, max: 4 }),
  pick: fc.nat(99)
})

describe("the books", () => {
  it.effect.prop(
    "tie after whatever is written",
    { first: write, more: fc.array(write, { minLength: 6, maxLength: 14 }) },
    ({ first, more }) =>
      Effect.gen(function* () {
        // what is there to be changed, at least
        const writes = [{ ...first, kind: "Invoice" }, ...more]
        const books = yield* company("bay")
        const { post, rows } = books
        const before = yield* state(books)
        const at = (list: ReadonlyArray<Json>, pick: number) => list[pick % list.length]
        const [items, accounts] = [
          yield* rows("select * from Item where Type in ('Service', 'Inventory', 'NonInventory')"),
          yield* rows("select * from Account")
        ]
        const isHome = (one: Json) => one.CurrencyRef.value === "USD"
        const customer = (yield* rows("select * from Customer")).find(isHome)
        const vendor = (yield* rows("select * from Vendor")).find(isHome)
        const named = (type: string, pick: number) => ({
          value: at(
            accounts.filter((one) => one.AccountType === type),
            pick
          ).Id
        })
        const bank = named("Bank", 0)
        const till = { value: accounts.find((one) => one.AccountSubType === "UndepositedFunds").Id }
        const made: Array<{ entity: string; record: Json }> = []

        const bodyOf = (kind: string, amount: number, units: number, pick: number): Json => {
          const item = at(items, pick)
          const detail = { ItemRef: { value: item.Id }, Qty: units, UnitPrice: item.UnitPrice }
          const sale = {
            CustomerRef: { value: customer.Id },
            Line: [
              {
                Amount: new Decimal(item.UnitPrice).times(units).toNumber(),
                DetailType: "SalesItemLineDetail",
                SalesItemLineDetail: { ...detail, TaxCodeRef: { value: pick % 2 === 0 ? "TAX" : "NON" } }
              },
              ...(pick % 3 === 0
                ? [
                    {
                      DetailType: "DiscountLineDetail",
                      DiscountLineDetail: { PercentBased: true, DiscountPercent: 7.5 }
                    }
                  ]
                : [])
            ]
          }
          const purchase = {
            Line: [
              {
                Amount: amount,
                DetailType: "AccountBasedExpenseLineDetail",
                AccountBasedExpenseLineDetail: { AccountRef: named("Expense", pick) }
              },
              {
                Amount: amount,
                DetailType: "ItemBasedExpenseLineDetail",
                ItemBasedExpenseLineDetail: { ItemRef: { value: item.Id }, Qty: units }
              }
            ]
          }
          const side = (PostingType: string, AccountRef: Json) => ({
            Amount: amount,
            DetailType: "JournalEntryLineDetail",
            JournalEntryLineDetail: { PostingType, AccountRef }
          })
          switch (kind) {
            case "SalesReceipt":
              return { ...sale, DepositToAccountRef: pick % 2 === 0 ? till : bank }
            case "RefundReceipt":
              return { ...sale, DepositToAccountRef: bank }
            case "Bill":
            case "VendorCredit":
              return { ...purchase, VendorRef: { value: vendor.Id } }
            case "Purchase":
              return pick % 2 === 0
                ? {
                    ...purchase,
                    PaymentType: "CreditCard",
                    AccountRef: named("Credit Card", pick),
                    Credit: pick % 4 === 0
                  }
                : { ...purchase, PaymentType: "Cash", AccountRef: bank }
            case "JournalEntry":
              return { Line: [side("Debit", named("Expense", pick)), side("Credit", named("Long Term Liability", 0))] }
            case "Transfer":
              return { FromAccountRef: bank, ToAccountRef: named("Bank", 1), Amount: amount }
            case "Deposit":
              return {
                DepositToAccountRef: bank,
                Line: [
                  {
                    Amount: amount,
                    DetailType: "DepositLineDetail",
                    DepositLineDetail: { AccountRef: named("Other Income", 0) }
                  }
                ]
              }
            case "InventoryAdjustment": {
              const stocked = at(
                items.filter((one) => one.Type === "Inventory"),
                pick
              )
              return {
                AdjustAccountRef: named("Cost of Goods Sold", 0),
                Line: [
                  {
                    DetailType: "ItemAdjustmentLineDetail",
                    ItemAdjustmentLineDetail: {
                      ItemRef: { value: stocked.Id },
                      QtyDiff: pick % 2 === 0 ? units : -units
                    }
                  }
                ]
              }
            }
            default:
              return sale
          }
        }

        const linked = (Amount: number, TxnType: string, record: Json) => ({
          Amount,
          LinkedTxn: [{ TxnId: record.Id, TxnType }]
        })

        /** The path, entity and body of a write; undefined where there is nothing for it. */
        const request = ({ cents, kind, pick, units }: (typeof writes)[number]) =>
          Effect.gen(function* () {
            const amount = cents / 100
            const open = (entity: string) =>
              Effect.map(rows(`select * from ${entity}`), (all) => all.filter((one) => isHome(one) && one.Balance > 0))
            const mine = made.length === 0 ? undefined : at(made, pick)
            const now =
              mine === undefined
                ? undefined
                : (yield* rows(`select * from ${mine.entity} where Id = '${mine.record.Id}'`))[0]
            switch (kind) {
              case "pay": {
                const invoice = at(yield* open("Invoice"), pick)
                const TotalAmt = Math.max(amount, invoice.Balance)
                return [
                  "Payment",
                  "",
                  { CustomerRef: invoice.CustomerRef, TotalAmt, Line: [linked(invoice.Balance, "Invoice", invoice)] }
                ] as const
              }
              case "settle": {
                const bill = at(yield* open("Bill"), pick)
                return [
                  "BillPayment",
                  "",
                  {
                    VendorRef: bill.VendorRef,
                    TotalAmt: bill.Balance,
                    PayType: "Check",
                    CheckPayment: { BankAccountRef: bank },
                    Line: [linked(bill.Balance, "Bill", bill)]
                  }
                ] as const
              }
              case "credit": {
                const credit = (yield* open("CreditMemo"))[0]
                const invoice = (yield* open("Invoice")).find(
                  (one) => one.CustomerRef.value === credit?.CustomerRef.value
                )
                if (credit === undefined || invoice === undefined) return undefined
                const Amount = Math.min(credit.Balance, invoice.Balance)
                return [
                  "Payment",
                  "",
                  {
                    CustomerRef: credit.CustomerRef,
                    TotalAmt: 0,
                    Line: [linked(Amount, "Invoice", invoice), linked(Amount, "CreditMemo", credit)]
                  }
                ] as const
              }
              case "update":
                if (mine === undefined || now === undefined) return undefined
                return [mine.entity, "", { ...now, ...bodyOf(mine.entity, amount, units, pick) }] as const
              case "delete":
              case "void":
                if (mine === undefined || now === undefined) return undefined
                return [mine.entity, `?operation=${kind}`, { Id: now.Id, SyncToken: now.SyncToken }] as const
              default:
                return [kind, "", bodyOf(kind, amount, units, pick)] as const
            }
          })

        for (const one of writes) {
          const asked = yield* request(one)
          if (asked === undefined) continue
          const [entity, operation, body] = asked
          const answer = yield* post(`/${entity.toLowerCase()}${operation}`, body)
          const record = answer[entity]
          if (record === undefined) assert.isDefined(answer.Fault, JSON.stringify(answer))
          else if (body.Id === undefined) made.push({ entity, record })
        }
        assert.isNotEmpty(made)
        asserted(yield* state(books), before, writes.map(({ kind }) => kind).join(", "))
      }).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer))),
    { fastCheck: { numRuns: 6 }, timeout: 60_000 }
  )
})
