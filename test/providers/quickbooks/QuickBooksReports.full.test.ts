import { assert, describe, it, layer } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { Effect, Layer } from "effect"
import { BalanceSheet } from "../../../src/canonical/accounting/BalanceSheet.ts"
import { CashFlowStatement } from "../../../src/canonical/accounting/CashFlowStatement.ts"
import { IncomeStatement } from "../../../src/canonical/accounting/IncomeStatement.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import type { Native } from "../../../src/mapping/Mapping.ts"
import { All } from "../../../src/providers/All.ts"
import { Providers } from "../../../src/providers/Providers.ts"
import { harness } from "../../support/Harness.ts"
import {
  type Call,
  type Doc,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"

const quickbooks = "provider=quickbooks"

const rowsOf = (value: unknown): ReadonlyArray<Doc> => (Array.isArray(value) ? value : [])

/** The rows with nothing below them. */
const leaves = (rows: unknown): ReadonlyArray<Doc> =>
  rowsOf(rows).flatMap((row) => (rowsOf(row.sub_items).length === 0 ? [row] : leaves(row.sub_items)))

const sum = (values: ReadonlyArray<unknown>): number =>
  values.reduce<Decimal>((total, value) => total.plus(Number(value)), new Decimal(0)).toNumber()

const total = (rows: unknown) => sum(leaves(rows).map(({ value }) => value))

const minus = (a: number, b: number) => new Decimal(a).minus(b).toNumber()

/** The one record of a report. */
const report = (call: Call, resource: string, bounds = "") =>
  Effect.map(call("GET", `/accounting/${resource}?${quickbooks}${bounds}`), (answer) => {
    const { data, pagination } = pageOf(answer)
    assert.strictEqual(data.length, 1)
    assert.isFalse(pagination.hasMore)
    return data[0] ?? {}
  })

interface Line {
  readonly account: string
  readonly date: string
  readonly by: Decimal
}

/** Every line of the general ledger; debit is positive. */
const ledgerOf = (call: Call) =>
  Effect.map(walk(call, `/accounting/general_ledger_transaction?${quickbooks}`), ({ records }) =>
    records.flatMap((record) =>
      rowsOf(record.general_ledger_transaction_lines).map((line): Line => ({
        account: String(line.account),
        date: String(record.posting_date),
        by: new Decimal(Number(line.debit_amount)).minus(Number(line.credit_amount))
      }))
    )
  )

const movement = (lines: ReadonlyArray<Line>, account: unknown) =>
  lines.filter((line) => line.account === account).reduce((all, { by }) => all.plus(by), new Decimal(0))

/** That every row of an account is what the ledger holds of it. */
const assertTies = (rows: unknown, lines: ReadonlyArray<Line>, sign: 1 | -1) => {
  for (const row of leaves(rows)) {
    if (row.account === null) continue
    assert.strictEqual(row.value, movement(lines, row.account).times(sign).toNumber(), String(row.name))
  }
}

layer(sandboxApplication(), { timeout: "60 seconds" })("QuickBooks Online reports", (it) => {
  it.effect("are one record, named by their period, the fiscal year to date when nothing is said", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["quickbooks"])
      const cases = [
        ["balance_sheet", "", "2026-11-20"],
        ["balance_sheet", "&created_before=2026-06-30", "2026-06-30"],
        ["balance_sheet", "&created_after=2026-05-01&created_before=2026-06-30T10:00:00Z", "2026-06-30"],
        ["income_statement", "", "2026-01-01_2026-11-20"],
        ["income_statement", "&created_after=2026-03-01&created_before=2026-03-31", "2026-03-01_2026-03-31"],
        ["income_statement", "&created_before=2025-12-31", "2025-01-01_2025-12-31"],
        ["cash_flow_statement", "&created_after=2026-10-01", "2026-10-01_2026-11-20"],
        // a moment is of the day that it has where the company is: San Francisco
        ["balance_sheet", `&created_before=${encodeURIComponent("2026-03-31T23:30:00-07:00")}`, "2026-03-31"],
        ["balance_sheet", "&created_before=2026-04-01T06:59:59Z", "2026-03-31"],
        [
          "income_statement",
          `&created_after=${encodeURIComponent("2026-01-31T20:00:00-08:00")}&created_before=2026-02-28`,
          "2026-01-31_2026-02-28"
        ]
      ] as const
      for (const [resource, bounds, id] of cases) {
        const listed = yield* report(call, resource, bounds)
        assert.strictEqual(listed.remote_id, id, resource + bounds)
        assert.deepStrictEqual(recordOf(yield* call("GET", `/accounting/${resource}/${id}?${quickbooks}`)), listed)
        const [start, end = start] = id.split("_")
        if (resource === "balance_sheet") assert.strictEqual(listed.date, end)
        else assert.deepStrictEqual([listed.start_period, listed.end_period], [start, end])
        assert.strictEqual(listed.currency, "USD")
      }
    })
  )

  it.effect("know no other ids, and are not written", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["quickbooks"])
      for (const [resource, ids] of [
        ["balance_sheet", ["1", "2026-02-30", "2026-01-01_2026-02-01"]],
        ["income_statement", ["2026-01-01", "2026-02-01_2026-01-01", "2026-01-01_2026-02-01_2026-03-01", "_"]],
        ["general_ledger_transaction", ["2026-01-01", "2026-01-01:999999", "2026-02-30:1", "x:1"]]
      ] as const) {
        for (const id of ids) {
          const answer = yield* call("GET", `/accounting/${resource}/${id}?${quickbooks}`)
          assert.deepStrictEqual(refusalOf(answer), [404, `${resource.toUpperCase()}_NOT_FOUND`], id)
        }
      }
      const backwards = yield* call(
        "GET",
        `/accounting/income_statement?${quickbooks}&created_after=2026-03-01&created_before=2026-02-01`
      )
      assert.strictEqual(backwards.status, 400)
    })
  )

  it.effect("tie with each other and with the ledger, and move with a document", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["quickbooks"])
      const lines = yield* ledgerOf(call)
      assert.isAbove(lines.length, 500)

      for (const date of ["2025-12-31", "2026-04-15", "2026-11-20"]) {
        const sheet = yield* report(call, "balance_sheet", `&created_before=${date}`)
        const [assets, liabilities, equity] = [total(sheet.assets), total(sheet.liabilities), total(sheet.equity)]
        assert.isAbove(assets, 0)
        assert.strictEqual(minus(assets, liabilities), equity, `${date} balances`)
        assert.strictEqual(sheet.net_assets, equity)
        const until = lines.filter((line) => line.date <= date)
        assertTies(sheet.assets, until, 1)
        assertTies(sheet.liabilities, until, -1)
      }

      const [from, to] = ["2026-02-01", "2026-07-31"]
      const bounds = `&created_after=${from}&created_before=${to}`
      const within = lines.filter(({ date }) => date >= from && date <= to)
      const statement = yield* report(call, "income_statement", bounds)
      assertTies(statement.income, within, -1)
      for (const part of ["cost_of_sales", "operating_expenses", "non_operating_expenses"]) {
        assertTies(statement[part], within, 1)
      }
      const gross = minus(total(statement.income), total(statement.cost_of_sales))
      const operating = minus(gross, total(statement.operating_expenses))
      assert.strictEqual(statement.gross_profit, gross)
      assert.strictEqual(statement.net_operating_income, operating)
      assert.strictEqual(statement.net_income, minus(operating, total(statement.non_operating_expenses)))

      const flow = yield* report(call, "cash_flow_statement", bounds)
      const parts = ["operating_activities", "investing_activities", "financing_activities"]
      assert.strictEqual(
        flow.cash_at_end_of_period,
        sum([flow.cash_at_beginning_of_period, ...parts.map((part) => total(flow[part]))])
      )
      const netIncome = leaves(flow.operating_activities).find(({ name }) => name === "Net Income")
      assert.strictEqual(netIncome?.value, statement.net_income)

      // ten hours of a service: income and what is owed to the company rise by the same
      const items = pageOf(yield* call("GET", `/accounting/item?${quickbooks}&limit=5`)).data
      const customers = pageOf(yield* call("GET", `/accounting/contact?${quickbooks}&limit=100`)).data
      const [item, customer] = [
        items.find(({ type }) => type === "SERVICE"),
        customers.find(({ currency, status }) => currency === "USD" && status === "ACTIVE")
      ]
      const before = yield* report(call, "income_statement")
      const sheet = yield* report(call, "balance_sheet")
      const made = yield* call("POST", `/accounting/invoice?${quickbooks}`, {
        body: {
          type: "ACCOUNTS_RECEIVABLE",
          contact: customer?.id,
          issue_date: "2026-11-20",
          line_items: [{ item: item?.id, quantity: 10, unit_price: 12.34 }]
        }
      })
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      const after = yield* report(call, "income_statement")
      assert.strictEqual(minus(Number(after.net_income), Number(before.net_income)), 123.4)
      const grown = yield* report(call, "balance_sheet")
      assert.strictEqual(minus(total(grown.assets), total(sheet.assets)), 123.4)
      assert.strictEqual(minus(total(grown.equity), total(sheet.equity)), 123.4)
    })
  )

  it.effect("the general ledger comes by transaction, newest first, each in balance", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["quickbooks"])
      const path = `/accounting/general_ledger_transaction?${quickbooks}`
      const { records } = yield* walk(call, path)
      const days = records.map(({ posting_date }) => String(posting_date))
      assert.deepStrictEqual(days, days.toSorted().toReversed())
      for (const record of records) {
        const lines = rowsOf(record.general_ledger_transaction_lines)
        assert.isAtLeast(lines.length, 2)
        const debits = sum(lines.map((line) => line.debit_amount))
        assert.strictEqual(debits, sum(lines.map((line) => line.credit_amount)), String(record.remote_id))
        assert.strictEqual(record.remote_id, [record.posting_date, record.underlying_transaction_remote_id].join(":"))
        for (const line of lines) assert.isNotNull(line.account)
      }
      const kinds = new Set(records.map((record) => record.underlying_transaction_type))
      for (const kind of ["INVOICE", "PAYMENT", "CREDIT_NOTE", "VENDOR_CREDIT", "TRANSACTION"]) {
        assert.isTrue(kinds.has(kind), kind)
      }

      // a line names the customer its invoice names, and what is tracked
      const invoices = records.filter((record) => record.underlying_transaction_type === "INVOICE")
      const [invoice] = invoices.filter((record) => rowsOf(record.tracking_categories).length > 0)
      const source = recordOf(
        yield* call("GET", `/accounting/invoice/${String(invoice?.underlying_transaction_remote_id)}?${quickbooks}`)
      )
      for (const line of rowsOf(invoice?.general_ledger_transaction_lines)) {
        assert.strictEqual(line.contact, source.contact)
        assert.strictEqual(line.transaction_currency, source.currency)
        assert.strictEqual(line.exchange_rate, source.exchange_rate)
      }
      const foreign = records
        .flatMap((record) => rowsOf(record.general_ledger_transaction_lines))
        .filter((line) => line.transaction_currency !== line.base_currency)
      assert.isAbove(foreign.length, 0)
      for (const line of foreign) assert.isNull(line.foreign_debit_amount)

      // by creation, from inclusive, before exclusive
      const [from, before] = ["2026-03-01T00:00:00.000Z", "2026-05-01T00:00:00.000Z"]
      const some = yield* walk(call, `${path}&created_after=${from}&created_before=${before}`, 7)
      const wanted = records.filter(({ created_at }) => String(created_at) >= from && String(created_at) < before)
      assert.isAbove(wanted.length, 10)
      assert.deepStrictEqual(
        some.records.map(({ id }) => id),
        wanted.map(({ id }) => id)
      )
    })
  )
})

const cell = (value: string, id?: string): Native => ({ value, ...(id === undefined ? {} : { id }) })
const data = (name: string, value: string, id?: string): Native => ({
  type: "Data",
  ColData: [cell(name, id), cell(value)]
})

describe("report rows of QuickBooks Online", () => {
  const decoded = Effect.fnUntraced(function* (name: string, Rows: Native) {
    const adapter = (yield* Providers).get("quickbooks")
    const resource = [BalanceSheet, IncomeStatement, CashFlowStatement].find((one) => one.name === name)
    const mapping = adapter?.resources[name]?.mapping
    const [variant] =
      resource === undefined || mapping === undefined ? [] : compile("quickbooks", resource, mapping).variants
    if (variant === undefined) return assert.fail(name)
    const Header = { ReportName: name, Currency: "USD", StartPeriod: "2026-01-01", EndPeriod: "2026-03-31" }
    return variant.decode(
      { record: { Id: "x", Header, Rows } },
      { reference: (_, type, id) => `${type} ${id}`, line: () => "" }
    )
  })
  const provided = Effect.provide(Layer.provideMerge(All, harness([])))

  it.effect("an account with others below it gives what it holds itself as its first row", () =>
    Effect.gen(function* () {
      const fees = {
        type: "Section",
        Header: { ColData: [cell("Legal fees", "12"), cell("75.00")] },
        Rows: { Row: [data("Accounting", "640.00", "69"), data("Lawyer", "", "71")] },
        Summary: { ColData: [cell("Total Legal fees"), cell("715.00")] }
      }
      const out = yield* decoded("income_statement", {
        Row: [
          { type: "Section", group: "Income", Rows: { Row: [data("Sales", "1000.10", "1")] } },
          { type: "Section", group: "Expenses", Rows: { Row: [fees] } },
          { type: "Section", group: "OtherIncome", Rows: { Row: [data("Interest", "5.05", "2")] } }
        ]
      })
      const company = "CompanyInfo 1"
      const leaf = (remote_id: string, name: string, value: number) => ({
        remote_id,
        account: `Account ${remote_id}`,
        name,
        value,
        company,
        sub_items: []
      })
      assert.deepStrictEqual(out.operating_expenses, [
        {
          ...leaf("12", "Legal fees", 715),
          sub_items: [leaf("12", "Legal fees", 75), leaf("69", "Accounting", 640), leaf("71", "Lawyer", 0)]
        }
      ])
      assert.deepStrictEqual(out.non_operating_expenses, [leaf("2", "Interest", -5.05)])
      // without summaries they are reckoned
      assert.deepStrictEqual([out.gross_profit, out.net_operating_income, out.net_income], [1000.1, 285.1, 290.15])
    }).pipe(provided)
  )

  it.effect("a company without figures has empty trees and zeros", () =>
    Effect.gen(function* () {
      const sheet = yield* decoded("balance_sheet", {})
      assert.deepStrictEqual([sheet.assets, sheet.liabilities, sheet.equity, sheet.net_assets], [[], [], [], 0])
      const flow = yield* decoded("cash_flow_statement", {})
      assert.deepStrictEqual([flow.cash_at_beginning_of_period, flow.cash_at_end_of_period], [0, 0])
    }).pipe(provided)
  )
})
