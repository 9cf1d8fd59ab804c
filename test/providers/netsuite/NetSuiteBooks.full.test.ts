import { assert, layer } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { Effect, FastCheck as fc } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { parties } from "../../contract/samples/NetSuiteLists.ts"
import { uuidOf } from "../../contract/samples/Sample.ts"
import {
  type Call,
  type Caller,
  type Doc,
  listOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"

const of = (resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=netsuite`

const made = (call: Call, resource: string, body: Doc) =>
  Effect.map(call("POST", of(resource), { body }), (answer) => recordOf(answer))

const found = (records: ReadonlyArray<Doc>, holds: (record: Doc) => boolean): Doc =>
  records.find(holds) ?? assert.fail("no such record")

const sumOf = (values: ReadonlyArray<unknown>) =>
  values.reduce((sum: Decimal, value) => sum.plus(Number(value)), new Decimal(0))

/** The day of the tests; sample data is older. */
const today = "2026-11-20"

const cents = fc.integer({ min: 1, max: 500_000 }).map((amount) => amount / 100)

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom("invoice", "bill", "credit", "expense", "returned"), amount: cents }),
  fc.record({ kind: fc.constantFrom("journal", "paid", "changed", "deleted"), amount: cents })
)

layer(sandboxApplication(), { timeout: "60 seconds" })("books", (it) => {
  const caller = Effect.flatMap(SandboxApplication, (app) => app.caller(["netsuite"]))

  /** The account shared by all runs, and its results after any number of writes. */
  let shared: Caller | undefined
  let results: ReadonlySet<string> | undefined

  it.effect.prop(
    "the balance sheet balances, the income statement is what the ledger moved, the cash flow ends with the cash",
    [fc.array(step, { minLength: 1, maxLength: 6 })],
    ([steps]) =>
      Effect.gen(function* () {
        shared ??= yield* caller
        const { call } = shared
        const { bank, cost: account, customer, service: item, vendor } = yield* parties(call)
        const invoices: Array<Doc> = []
        for (const { amount, kind } of steps) {
          const last = invoices.at(-1)
          if (kind === "invoice") {
            const lines = [
              { item, quantity: 2, unit_price: amount },
              { item, total_amount: 0.1 }
            ]
            const head = { type: "ACCOUNTS_RECEIVABLE", contact: customer }
            invoices.push(yield* made(call, "invoice", { ...head, line_items: lines }))
          } else if (kind === "bill") {
            const head = { type: "ACCOUNTS_PAYABLE", contact: vendor }
            yield* made(call, "invoice", { ...head, line_items: [{ account, total_amount: amount }] })
          } else if (kind === "credit") {
            yield* made(call, "credit_note", { contact: customer, line_items: [{ item, total_line_amount: amount }] })
          } else if (kind === "returned") {
            const head = { vendor, transaction_date: today }
            yield* made(call, "vendor_credit", { ...head, lines: [{ account, net_amount: amount }] })
          } else if (kind === "expense") {
            const head = { contact: vendor, account: bank, transaction_date: today }
            yield* made(call, "expense", { ...head, lines: [{ account, net_amount: amount }] })
          } else if (kind === "journal") {
            const lines = [
              { account, net_amount: -amount },
              { account: bank, net_amount: amount }
            ]
            const { company } = yield* parties(call)
            yield* made(call, "journal_entry", { company, transaction_date: today, lines })
          } else if (last !== undefined && kind === "paid") {
            yield* made(call, "payment", {
              type: "ACCOUNTS_RECEIVABLE",
              contact: customer,
              transaction_date: today,
              total_amount: amount
            })
          } else if (last !== undefined && kind === "changed") {
            const body = { line_items: [{ item, quantity: 1, unit_price: amount }] }
            recordOf(yield* call("PATCH", of("invoice", last.remote_id), { body }))
          } else if (last !== undefined) {
            recordOf(yield* call("DELETE", of("invoice", last.remote_id)))
            invoices.pop()
          }
        }

        const [sheet] = pageOf(yield* call("GET", of("balance_sheet"))).data
        const total = (name: string) => sumOf(listOf(sheet?.[name]).map(({ value }) => value))
        assert.strictEqual(total("assets").toNumber(), total("liabilities").plus(total("equity")).toNumber())
        assert.strictEqual(sheet?.net_assets, total("equity").toNumber())

        const days = `created_after=${today}&created_before=${today}`
        const [statement] = pageOf(yield* call("GET", `${of("income_statement")}&${days}`)).data
        results ??= new Set(
          (yield* walk(call, of("account"))).records.flatMap((one) =>
            ["REVENUE", "EXPENSE"].includes(String(one.classification)) ? [uuidOf(one)] : []
          )
        )
        const since = yield* walk(call, `${of("general_ledger_transaction")}&created_after=${today}T00:00:00Z`)
        const lines = since.records.flatMap((one) => listOf(one.general_ledger_transaction_lines))
        const moved = lines
          .filter((line) => results?.has(String(line.account)))
          .map(({ credit_amount, debit_amount }) => new Decimal(Number(credit_amount)).minus(Number(debit_amount)))
        assert.strictEqual(statement?.net_income, sumOf(moved).toNumber())

        const [flow] = pageOf(yield* call("GET", `${of("cash_flow_statement")}&${days}`)).data
        const flows = ["operating_activities", "investing_activities", "financing_activities"].flatMap((name) =>
          listOf(flow?.[name]).map(({ value }) => value)
        )
        assert.strictEqual(sumOf([flow?.cash_at_beginning_of_period, ...flows]).toNumber(), flow?.cash_at_end_of_period)
        assert.strictEqual(
          sumOf(lines.map((line) => line.debit_amount)).toNumber(),
          sumOf(lines.map((line) => line.credit_amount)).toNumber()
        )
      }),
    { fastCheck: { numRuns: 5 } }
  )

  it.effect("amounts have the digits of their currency, and rates are decimal text", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const { service: item } = yield* parties(call)
      const contacts = (yield* walk(call, of("contact"))).records
      const tax = (yield* walk(call, of("tax_rate"))).records
      const tax_rate = uuidOf(found(tax, ({ effective_tax_rate }) => effective_tax_rate === 8.25))
      for (const { currency, exchange_rate, price, taxed, total } of [
        { currency: "JPY", exchange_rate: "0.0071", price: 333.33, taxed: 83, total: 1083 },
        { currency: "KWD", exchange_rate: "3.2499", price: 1.2345, taxed: 0.306, total: 4.01 },
        { currency: "USD", exchange_rate: "1.0", price: 12.345, taxed: 3.06, total: 40.1 }
      ]) {
        const contact = uuidOf(
          found(contacts, (one) => one.is_customer === true && one.currency === currency && one.status === "ACTIVE")
        )
        const invoice = yield* made(call, "invoice", {
          type: "ACCOUNTS_RECEIVABLE",
          contact,
          exchange_rate,
          line_items: [{ item, quantity: 3, unit_price: price, tax_rate }]
        })
        assert.deepInclude(invoice, {
          currency,
          exchange_rate,
          total_tax_amount: taxed,
          total_amount: total,
          balance: total
        })
      }
    })
  )

  it.effect("a line may be below 0, a discount takes from all of them", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const { customer: contact, service: item } = yield* parties(call)
      const items = (yield* walk(call, of("item"))).records
      const discount = found(items, ({ name }) => name === "Education discount")
      const invoice = yield* made(call, "invoice", {
        type: "ACCOUNTS_RECEIVABLE",
        contact,
        line_items: [
          { item, quantity: 1, unit_price: 100.1 },
          { item, quantity: 2, unit_price: -10.05 }
        ],
        integration_params: { discountItem: { id: discount.remote_id } }
      })
      assert.deepStrictEqual(
        listOf(invoice.line_items).map(({ total_amount }) => total_amount),
        [100.1, -20.1]
      )
      assert.deepInclude(invoice, { sub_total: 80, total_discount: 8, total_amount: 72, balance: 72 })
    })
  )

  it.effect("an account without subsidiaries has books, and no company of its own", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* caller
      yield* Effect.flatMap(SimulationStore, (store) =>
        store.run("netsuite", connections.netsuite ?? "", (account) =>
          account.put("feature", "subsidiaries", { isOff: true })
        )
      )
      assert.deepStrictEqual(pageOf(yield* call("GET", of("company_info"))).data, [])
      assert.strictEqual((yield* call("GET", of("company_info", "1"))).status, 404)
      const { records } = yield* walk(call, of("address"))
      assert.isFalse(records.some(({ remote_id }) => String(remote_id).startsWith("subsidiary")))
      const [sheet] = pageOf(yield* call("GET", of("balance_sheet"))).data
      assert.deepInclude(sheet, { company: null, currency: "USD" })
      assert.strictEqual(sheet?.net_assets, sumOf(listOf(sheet?.equity).map(({ value }) => value)).toNumber())
      const [entry] = pageOf(yield* call("GET", `${of("general_ledger_transaction")}&limit=1`)).data
      assert.deepInclude(listOf(entry?.general_ledger_transaction_lines)[0], { company: null, base_currency: "USD" })
      const [customer] = pageOf(yield* call("GET", `${of("contact")}&limit=1`)).data
      assert.isNull(customer?.company)
    })
  )

  it.effect("what no other resource has is told with what stands against it", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const { records } = yield* walk(call, of("transaction"))
      const accounts = (yield* walk(call, of("account"))).records
      const account = (name: string) => uuidOf(found(accounts, (one) => one.name === name))
      const of1 = (type: string) => found(records, ({ transaction_type }) => transaction_type === type)
      const [sale, prepaid, deposit, transfer, counted] = [
        of1("CashSale"),
        of1("CustDep"),
        of1("Deposit"),
        of1("Transfer"),
        of1("InvAdjst")
      ]
      assert.strictEqual(sale.account, account("Operating Account"))
      assert.isString(sale.contact)
      for (const line of listOf(sale.line_items)) {
        assert.isAbove(Number(line.quantity), 0)
        assert.isAbove(Number(line.total_line_amount), 0)
      }
      assert.strictEqual(prepaid.account, account("Undeposited Funds"))
      assert.deepInclude(listOf(prepaid.line_items)[0], {
        account: account("Customer Deposits"),
        total_line_amount: prepaid.total_amount
      })
      for (const one of [deposit, transfer]) {
        const lines = listOf(one.line_items)
        assert.strictEqual(sumOf(lines.map((line) => line.total_line_amount)).toNumber(), one.total_amount)
      }
      assert.strictEqual(transfer.account, account("Operating Account"))
      assert.strictEqual(listOf(transfer.line_items)[0]?.account, account("Payroll Account"))
      const [line] = listOf(counted.line_items)
      assert.strictEqual(line?.account, account("Inventory Asset"))
      assert.isTrue(Number(line?.quantity) * Number(line?.total_line_amount) > 0)
      const types = new Set(records.map(({ transaction_type }) => transaction_type))
      assert.sameMembers([...types], ["CashSale", "CustDep", "Deposit", "InvAdjst", "Transfer"])
    })
  )

  it.effect("a fulfilment ships the lines of the order that it names, and no others", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const { customer, service: item } = yield* parties(call)
      const body = { customer, lines: [1, 2, 3].map((quantity) => ({ item, quantity, unit_price: 5 })) }
      const order = yield* made(call, "sales_order", body)
      const [first, second, third] = listOf(order.lines).map(({ id }) => String(id).replace("urn:uuid:", ""))
      const sales_order = uuidOf(order)
      const shipped = yield* made(call, "item_fulfillment", {
        sales_order,
        lines: [{ sales_order_line: `urn:uuid:${String(second)}`, quantity: 1 }]
      })
      assert.deepInclude(shipped, { status: "SHIPPED", customer, sales_order })
      assert.deepStrictEqual(
        listOf(shipped.lines).map(({ item, quantity, sales_order_line }) => ({ item, quantity, sales_order_line })),
        [{ item, quantity: 1, sales_order_line: second }]
      )
      const rest = yield* made(call, "item_fulfillment", { sales_order })
      assert.deepStrictEqual(
        listOf(rest.lines).map(({ quantity, sales_order_line }) => [sales_order_line, quantity]),
        [
          [first, 1],
          [second, 1],
          [third, 3]
        ]
      )
      const wrong = yield* call("POST", of("item_fulfillment"), {
        body: { sales_order, lines: [{ sales_order_line: customer, quantity: 1 }, { quantity: 1 }] }
      })
      assert.deepInclude(wrong, { status: 422 })
      assert.deepInclude(wrong.body, {
        errors: {
          "lines.0.sales_order_line": "is not a line of the sales order",
          "lines.1.sales_order_line": "is needed, or item"
        }
      })
    })
  )
})
