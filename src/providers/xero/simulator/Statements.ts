import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Chart, positions, trialBalance as balances } from "../../simulation/Book.ts"
import { systemAccount } from "./Accounts.ts"
import { sums } from "./Ledger.ts"
import { yearEndOf } from "./Organisation.ts"

// Reports as sections of rows: https://developer.xero.com/documentation/api/accounting/reports

const zero = new Decimal(0)

/** The amount of each account in one column of a report. */
type Column = ReadonlyMap<string, Decimal>

export const written = (amount: Decimal): string => amount.toFixed(2)

/** The first day of the calendar. */
const firstDay = "0001-01-01"

const moved = (day: string, years: number, days: number): string => {
  const [year = 1, month = 1, date = 1] = day.split("-").map(Number)
  const at = new Date(0)
  // unlike the Date constructor, setUTCFullYear takes years below 100 as they are
  at.setUTCFullYear(year + years, month - 1, date + days)
  return at.getUTCFullYear() < 1 ? firstDay : at.toISOString().slice(0, 10)
}

export const yearBefore = (day: string): string => moved(day, -1, 0)

const yearStart = (account: Account, day: string): string => {
  const end = yearEndOf(account)
  const last = `${String(end.month).padStart(2, "0")}-${String(end.day).padStart(2, "0")}`
  const year = Number(day.slice(0, 4)) - (day.slice(5) > last ? 0 : 1)
  return moved(`${year}-${last}`, 0, 1)
}

const cell = (value: string, accountId?: string): Doc => ({
  Value: value,
  ...(accountId === undefined ? {} : { Attributes: [{ Value: accountId, Id: "account" }] })
})

const row = (type: string, title: string, amounts: ReadonlyArray<Decimal>, accountId?: string): Doc => ({
  RowType: type,
  Cells: [cell(title, accountId), ...amounts.map((amount) => cell(written(amount), accountId))]
})

const section = (title: string, rows: ReadonlyArray<Doc>): Doc => ({ RowType: "Section", Title: title, Rows: rows })

export const header = (...titles: ReadonlyArray<string>): Doc => ({
  RowType: "Header",
  Cells: titles.map((title) => cell(title))
})

/** A section with its totals, one for each column. */
interface Block {
  readonly rows: ReadonlyArray<Doc>
  readonly totals: ReadonlyArray<Decimal>
}

const accountRows = (
  account: Account,
  columns: ReadonlyArray<Column>,
  sign: 1 | -1,
  types: ReadonlyArray<string>
): Block => {
  const held = account
    .all("Account")
    .filter(({ Type }) => types.includes(String(Type)))
    .toSorted((a, b) => (String(a.Code) < String(b.Code) ? -1 : 1))
    .map((one) => ({ one, amounts: columns.map((column) => (column.get(String(one.AccountID)) ?? zero).times(sign)) }))
    .filter(({ amounts }) => amounts.some((amount) => !amount.isZero()))
  return {
    rows: held.map(({ amounts, one }) => row("Row", String(one.Name), amounts, String(one.AccountID))),
    totals: columns.map((_, index) => held.reduce((sum, { amounts }) => sum.plus(amounts[index] ?? zero), zero))
  }
}

const summed = (title: string, { rows, totals }: Block, name = `Total ${title}`): ReadonlyArray<Doc> =>
  rows.length === 0 ? [] : [section(title, [...rows, row("SummaryRow", name, totals)])]

const combined = (sign: 1 | -1, first: ReadonlyArray<Decimal>, ...others: ReadonlyArray<ReadonlyArray<Decimal>>) =>
  first.map((amount, index) => others.reduce((sum, other) => sum.plus((other[index] ?? zero).times(sign)), amount))

const chart: Chart = {
  sums,
  earning: (account) =>
    account
      .all("Account")
      .flatMap(({ AccountID, Class }) => (Class === "REVENUE" || Class === "EXPENSE" ? [String(AccountID)] : [])),
  retained: (account) => systemAccount(account, "RETAINEDEARNINGS"),
  yearStart
}

/** Stands for the account in the row of the year's earnings, which has none. */
const noAccount = "00000000-0000-0000-0000-000000000000"

export const balanceSheet = (account: Account, days: ReadonlyArray<string>): ReadonlyArray<Doc> => {
  const all = days.map((day) => positions(chart, account, day))
  const [columns, current] = [all.map(({ held }) => held), all.map(({ earned }) => earned)]
  const asset = (...types: ReadonlyArray<string>) => accountRows(account, columns, 1, types)
  const owed = (...types: ReadonlyArray<string>) => accountRows(account, columns, -1, types)
  const [bank, liquid] = [asset("BANK"), asset("CURRENT", "INVENTORY", "PREPAYMENT")]
  const [fixed, other] = [asset("FIXED"), asset("NONCURRENT")]
  const [short, long] = [owed("CURRLIAB", "LIABILITY", "PAYG"), owed("TERMLIAB")]
  const own = owed("EQUITY")
  const assets = combined(1, bank.totals, liquid.totals, fixed.totals, other.totals)
  const liabilities = combined(1, short.totals, long.totals)
  return [
    section("Assets", []),
    ...summed("Bank", bank),
    ...summed("Current Assets", liquid),
    ...summed("Fixed Assets", fixed),
    ...summed("Non-current Assets", other),
    section("", [row("SummaryRow", "Total Assets", assets)]),
    section("Liabilities", []),
    ...summed("Current Liabilities", short),
    ...summed("Non-current Liabilities", long),
    section("", [row("SummaryRow", "Total Liabilities", liabilities)]),
    section("", [row("Row", "Net Assets", combined(-1, assets, liabilities))]),
    ...summed("Equity", {
      rows: [row("Row", "Current Year Earnings", current, noAccount), ...own.rows],
      totals: combined(1, own.totals, current)
    })
  ]
}

export const profitAndLoss = (account: Account, from: string, to: string): ReadonlyArray<Doc> => {
  const columns = [sums(account, from, to)]
  const income = accountRows(account, columns, -1, ["REVENUE", "SALES"])
  const costs = accountRows(account, columns, 1, ["DIRECTCOSTS"])
  const others = accountRows(account, columns, -1, ["OTHERINCOME"])
  const expenses = accountRows(account, columns, 1, ["EXPENSE", "OVERHEADS", "DEPRECIATN"])
  const gross = combined(-1, income.totals, costs.totals)
  const net = combined(-1, combined(1, gross, others.totals), expenses.totals)
  return [
    ...summed("Income", income),
    ...summed("Less Cost of Sales", costs, "Total Cost of Sales"),
    section("", [row("Row", "Gross Profit", gross)]),
    ...summed("Plus Other Income", others, "Total Other Income"),
    ...summed("Less Operating Expenses", expenses, "Total Operating Expenses"),
    section("", [row("Row", "Net Profit", net)])
  ]
}

const sides = (amount: Decimal): readonly [debit: string, credit: string] =>
  amount.isNegative() ? ["", written(amount.negated())] : [written(amount), ""]

/** Lists accounts with the postings of the month and of the year to a day; for balance-sheet accounts, of all time. */
export const trialBalance = (account: Account, day: string): ReadonlyArray<Doc> => {
  const month = sums(account, `${day.slice(0, 8)}01`, day)
  const held = balances(chart, account, day)
  return [
    ["Revenue", "REVENUE"],
    ["Expenses", "EXPENSE"],
    ["Assets", "ASSET"],
    ["Liabilities", "LIABILITY"],
    ["Equity", "EQUITY"]
  ].flatMap(([title = "", accountClass]) => {
    const rows = account
      .all("Account")
      .filter(({ Class }) => Class === accountClass)
      .flatMap((one) => {
        const id = String(one.AccountID)
        const total = held.get(id) ?? zero
        const recent = month.get(id) ?? zero
        if (total.isZero() && recent.isZero()) return []
        const name = one.Code === undefined ? String(one.Name) : `${String(one.Name)} (${String(one.Code)})`
        const values = [...sides(recent), ...sides(total)]
        return [{ RowType: "Row", Cells: [cell(name, id), ...values.map((value) => cell(value, id))] }]
      })
    return rows.length === 0 ? [] : [section(title, rows)]
  })
}
