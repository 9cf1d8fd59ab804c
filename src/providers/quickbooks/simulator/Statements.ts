import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Chart, dayBefore, earned as earnedBy, positions } from "../../simulation/Book.ts"
import { refAt, textAt } from "./Fields.ts"
import { sums } from "./Ledger.ts"

// Reports as trees of rows: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/report-entities

/** First and last day, both part of it. */
export interface Period {
  readonly start: string
  readonly end: string
}

const zero = new Decimal(0)

/** An amount as reports write it. */
export const written = (amount: Decimal): string => amount.toFixed(2)

const cells = (name: string, value: string, id?: string): Doc => ({
  ColData: [{ value: name, ...(id === undefined ? {} : { id }) }, { value }]
})

/** Rows with what they come to. */
interface Block {
  readonly rows: ReadonlyArray<Doc>
  readonly total: Decimal
}

const join = (...blocks: ReadonlyArray<Block>): Block => ({
  rows: blocks.flatMap(({ rows }) => rows),
  total: blocks.reduce((sum, { total }) => sum.plus(total), zero)
})

const section = (group: string, title: string, { rows, total }: Block, summary = `Total ${title}`): Block =>
  rows.length === 0
    ? { rows, total }
    : {
        rows: [
          {
            Header: cells(title, ""),
            Rows: { Row: rows },
            Summary: cells(summary, written(total)),
            type: "Section",
            group
          }
        ],
        total
      }

const sumRow = (group: string, title: string, total: Decimal): Doc => ({
  Summary: cells(title, written(total)),
  type: "Section",
  group
})

const dataRow = (group: string, title: string, total: Decimal): Doc => ({
  ...cells(title, written(total)),
  type: "Data",
  group
})

const months = "January February March April May June July August September October November December".split(" ")

/** The first day of the fiscal year that a day is in. */
export const fiscalYearStart = (account: Account, day: string): string => {
  const first = months.indexOf(textAt(account.get("CompanyInfo", "1") ?? {}, "FiscalYearStartMonth") ?? "January") + 1
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))]
  return `${month < first ? year - 1 : year}-${String(first).padStart(2, "0")}-01`
}

/** The accounts of a type that hold something, those below others under them; `sign` -1 shows credits as positive. */
const accountRows = (account: Account, held: ReadonlyMap<string, Decimal>, sign: 1 | -1, type: string): Block => {
  const all = account.all("Account").filter((one) => one.AccountType === type)
  const ids = new Set(all.map((one) => String(one.Id)))
  const below = (parent: string | undefined): Block =>
    join(
      ...all
        .filter((one) => {
          const above = refAt(one, "ParentRef")
          return parent === undefined ? above === undefined || !ids.has(above) : above === parent
        })
        .map((one): Block => {
          const id = String(one.Id)
          const own = (held.get(id) ?? zero).times(sign)
          const { rows, total } = below(id)
          const name = String(one.Name)
          if (rows.length > 0) {
            const whole = total.plus(own)
            return {
              rows: [
                {
                  Header: cells(name, own.isZero() ? "" : written(own), id),
                  Rows: { Row: rows },
                  Summary: cells(`Total ${name}`, written(whole)),
                  type: "Section"
                }
              ],
              total: whole
            }
          }
          return own.isZero()
            ? { rows: [], total: zero }
            : { rows: [{ ...cells(name, written(own), id), type: "Data" }], total: own }
        })
    )
  return below(undefined)
}

const chart: Chart = {
  sums,
  earning: (account) =>
    account
      .all("Account")
      .flatMap(({ Classification, Id }) =>
        Classification === "Revenue" || Classification === "Expense" ? [String(Id)] : []
      ),
  retained: (account) => {
    const kept = account.all("Account").find((one) => one.AccountSubType === "RetainedEarnings")
    return kept === undefined ? undefined : String(kept.Id)
  },
  yearStart: fiscalYearStart
}

export const balanceSheet = (account: Account, { end }: Period): ReadonlyArray<Doc> => {
  const { earned: income, held } = positions(chart, account, end)
  const asset = (type: string) => accountRows(account, held, 1, type)
  const owed = (type: string) => accountRows(account, held, -1, type)
  const assets = join(
    section(
      "CurrentAssets",
      "Current Assets",
      join(
        section("BankAccounts", "Bank Accounts", asset("Bank")),
        section("AR", "Accounts Receivable", asset("Accounts Receivable")),
        section("OtherCurrentAssets", "Other Current Assets", asset("Other Current Asset"))
      )
    ),
    section("FixedAssets", "Fixed Assets", asset("Fixed Asset")),
    section("OtherAssets", "Other Assets", asset("Other Asset"))
  )
  const liabilities = join(
    section(
      "CurrentLiabilities",
      "Current Liabilities",
      join(
        section("AP", "Accounts Payable", owed("Accounts Payable")),
        section("CreditCards", "Credit Cards", owed("Credit Card")),
        section("OtherCurrentLiabilities", "Other Current Liabilities", owed("Other Current Liability"))
      )
    ),
    section("LongTermLiabilities", "Long-Term Liabilities", owed("Long Term Liability"))
  )
  const equity = join(owed("Equity"), { rows: [dataRow("NetIncome", "Net Income", income)], total: income })
  return join(
    section("TotalAssets", "ASSETS", assets, "TOTAL ASSETS"),
    section(
      "TotalLiabilitiesAndEquity",
      "LIABILITIES AND EQUITY",
      join(section("Liabilities", "Liabilities", liabilities), section("Equity", "Equity", equity)),
      "TOTAL LIABILITIES AND EQUITY"
    )
  ).rows
}

export const profitAndLoss = (account: Account, { end, start }: Period): ReadonlyArray<Doc> => {
  const held = sums(account, start, end)
  const earned = (type: string) => accountRows(account, held, -1, type)
  const spent = (type: string) => accountRows(account, held, 1, type)
  const income = section("Income", "Income", earned("Income"))
  const cost = section("COGS", "Cost of Goods Sold", spent("Cost of Goods Sold"))
  const expenses = section("Expenses", "Expenses", spent("Expense"))
  const otherIncome = section("OtherIncome", "Other Income", earned("Other Income"))
  const otherExpenses = section("OtherExpenses", "Other Expenses", spent("Other Expense"))
  const gross = income.total.minus(cost.total)
  const operating = gross.minus(expenses.total)
  const other = otherIncome.total.minus(otherExpenses.total)
  return [
    ...income.rows,
    ...cost.rows,
    sumRow("GrossProfit", "Gross Profit", gross),
    ...expenses.rows,
    sumRow("NetOperatingIncome", "Net Operating Income", operating),
    ...otherIncome.rows,
    ...otherExpenses.rows,
    sumRow("NetOtherIncome", "Net Other Income", other),
    sumRow("NetIncome", "Net Income", operating.plus(other))
  ]
}

const isCash = (one: Doc): boolean => one.AccountType === "Bank" || one.AccountSubType === "UndepositedFunds"

/** From the income to the money, by what changed elsewhere on the balance sheet. */
export const cashFlow = (account: Account, { end, start }: Period): ReadonlyArray<Doc> => {
  const changes = sums(account, start, end)
  const cashAt = (day: string) => {
    const held = sums(account, undefined, day)
    return account
      .all("Account")
      .filter(isCash)
      .reduce((sum, one) => sum.plus(held.get(String(one.Id)) ?? zero), zero)
  }
  const elsewhere = new Map(changes)
  for (const one of account.all("Account").filter(isCash)) elsewhere.delete(String(one.Id))
  const freed = (...types: ReadonlyArray<string>) =>
    join(...types.map((type) => accountRows(account, elsewhere, -1, type)))
  const income = earnedBy(chart.earning(account), changes)
  const title = "Adjustments to reconcile Net Income to Net Cash provided by operations:"
  const adjustments = section(
    "OperatingAdjustments",
    title,
    freed("Accounts Receivable", "Other Current Asset", "Accounts Payable", "Credit Card", "Other Current Liability")
  )
  const all = join(
    section(
      "OperatingActivities",
      "OPERATING ACTIVITIES",
      join({ rows: [dataRow("NetIncome", "Net Income", income)], total: income }, adjustments),
      "Net cash provided by operating activities"
    ),
    section(
      "InvestingActivities",
      "INVESTING ACTIVITIES",
      freed("Fixed Asset", "Other Asset"),
      "Net cash provided by investing activities"
    ),
    section(
      "FinancingActivities",
      "FINANCING ACTIVITIES",
      freed("Long Term Liability", "Equity"),
      "Net cash provided by financing activities"
    )
  )
  const before = cashAt(dayBefore(start))
  return [
    ...all.rows,
    sumRow("CashIncrease", "Net cash increase for period", all.total),
    ...(before.isZero() ? [] : [dataRow("BeginningCash", "Cash at beginning of period", before)]),
    sumRow("EndingCash", "Cash at end of period", cashAt(end))
  ]
}
