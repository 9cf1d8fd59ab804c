import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { BalanceSheet } from "../../canonical/accounting/BalanceSheet.ts"
import { CashFlowStatement } from "../../canonical/accounting/CashFlowStatement.ts"
import { IncomeStatement } from "../../canonical/accounting/IncomeStatement.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { type Bundle, getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { type ReportRow, reportRows, totalOf, turned } from "../../mapping/ReportRows.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import { dayReport, periodReport } from "../base/Report.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Malformed, ProviderError } from "../ProviderError.ts"
import { company, toAccount } from "./Common.ts"
import { calendar } from "./CompanyInfo.ts"
import type { Books } from "./Books.ts"
import { reportStamps } from "./NotHeld.ts"

/**
 * Balance sheet, profit and loss, cash flow: rows in sections. `group` identifies a section, as titles are translated.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/report-entities/balancesheet
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/report-entities/profitandloss
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/report-entities/cashflow
 */

const below = (record: unknown): ReadonlyArray<Native> => natives(getPath(record, "Rows.Row"))

/** Finds the section (or row) of a group, at any depth. */
const grouped = (record: unknown, group: string): Native | undefined => {
  for (const row of below(record)) {
    const found = row.group === group ? row : grouped(row, group)
    if (found !== undefined) return found
  }
  return undefined
}

/** Parses an amount, which is text; the Total column is the last one. */
const amountIn = (cells: unknown): number | undefined => {
  const written = getPath(natives(cells).at(-1), "value")
  const amount = typeof written === "string" && written !== "" ? Number(written) : NaN
  return Number.isFinite(amount) ? amount : undefined
}

/** Total of a section, or amount of a row. */
const amountOf = (row: Native | undefined): number | undefined =>
  amountIn(getPath(row, "Summary.ColData")) ?? amountIn(row?.ColData)

const idIn = (cell: Native | undefined): string | undefined =>
  typeof cell?.id === "string" && cell.id !== "" ? cell.id : undefined

/** A row with its subrows. For an account with subaccounts, the first subrow holds the account's own amount. */
const rowOf = (row: Native): ReportRow => {
  const title = natives(getPath(row, "Header.ColData"))
  const [label] = title.length > 0 ? title : natives(row.ColData ?? getPath(row, "Summary.ColData"))
  const name = String(label?.value ?? "")
  const account = idIn(label)
  const own = amountIn(title)
  const rows = below(row).map(rowOf)
  return {
    name,
    value: amountOf(row) ?? own ?? 0,
    account,
    rows: own === undefined || rows.length === 0 ? rows : [{ name, value: own, account, rows: [] }, ...rows]
  }
}

const rowsIn = (record: unknown, group: string): ReadonlyArray<ReportRow> => below(grouped(record, group)).map(rowOf)

/** A field of rows. */
const tree = <N extends string>(
  of: Entries<N | "company">,
  canonical: N,
  rows: (record: Native) => ReadonlyArray<ReportRow>
) =>
  reportRows({
    canonical,
    native: ["Rows"],
    rows: ({ record }: Bundle) => rows(record),
    account: toAccount,
    company: company(of)
  })(of)

/** A field with one amount. */
const amount = <N extends string>(of: Entries<N>, canonical: N, read: (record: Native) => number) =>
  of.computed({ canonical, native: ["Rows"], decode: ({ record }) => read(record) })

type Report = typeof BalanceSheet | typeof CashFlowStatement | typeof IncomeStatement

const heading = (of: EntriesOf<Report>) => [
  of.readField("remote_id", "Id", text),
  of.constant("remote_was_deleted", false),
  of.readField("name", "Header.ReportName", text),
  of.readField("currency", "Header.Currency", text),
  of.readField("remote_generated_at", "Header.Time", dateTime),
  company(of)
]

const periodEntries = (of: Entries<"end_period" | "start_period">) => [
  of.readField("start_period", "Header.StartPeriod", text),
  of.readField("end_period", "Header.EndPeriod", text)
]

const assets = (record: Native) => rowsIn(record, "TotalAssets")
const liabilities = (record: Native) => rowsIn(record, "Liabilities")

const balanceSheetMapping = plainMapping(BalanceSheet, (of) => [
  of.variant({
    nativeType: "BalanceSheet",
    entries: [
      ...heading(of),
      of.readField("date", "Header.EndPeriod", text),
      tree(of, "assets", assets),
      tree(of, "liabilities", liabilities),
      tree(of, "equity", (record) => rowsIn(record, "Equity")),
      amount(of, "net_assets", (record) =>
        totalOf(assets(record))
          .minus(totalOf(liabilities(record)))
          .toNumber()
      )
    ],
    notHeld: reportStamps
  })
])

const sumOf = (record: Native, ...groups: ReadonlyArray<string>) =>
  groups.reduce((sum, group) => sum.plus(totalOf(rowsIn(record, group))), new Decimal(0))

const grossProfit = (record: Native) =>
  amountOf(grouped(record, "GrossProfit")) ?? sumOf(record, "Income").minus(sumOf(record, "COGS")).toNumber()

const operatingIncome = (record: Native) =>
  amountOf(grouped(record, "NetOperatingIncome")) ??
  new Decimal(grossProfit(record)).minus(sumOf(record, "Expenses")).toNumber()

const netIncome = (record: Native) =>
  amountOf(grouped(record, "NetIncome")) ??
  new Decimal(operatingIncome(record))
    .plus(sumOf(record, "OtherIncome"))
    .minus(sumOf(record, "OtherExpenses"))
    .toNumber()

const incomeStatementMapping = plainMapping(IncomeStatement, (of) => [
  of.variant({
    nativeType: "ProfitAndLoss",
    entries: [
      ...heading(of),
      ...periodEntries(of),
      tree(of, "income", (record) => rowsIn(record, "Income")),
      tree(of, "cost_of_sales", (record) => rowsIn(record, "COGS")),
      amount(of, "gross_profit", grossProfit),
      tree(of, "operating_expenses", (record) => rowsIn(record, "Expenses")),
      amount(of, "net_operating_income", operatingIncome),
      tree(of, "non_operating_expenses", (record) => [
        ...turned(rowsIn(record, "OtherIncome")),
        ...rowsIn(record, "OtherExpenses")
      ]),
      amount(of, "net_income", netIncome)
    ],
    notHeld: reportStamps
  })
])

const cashFlowMapping = plainMapping(CashFlowStatement, (of) => [
  of.variant({
    nativeType: "CashFlow",
    entries: [
      ...heading(of),
      ...periodEntries(of),
      // the row is missing where there was no cash
      amount(of, "cash_at_beginning_of_period", (record) => amountOf(grouped(record, "BeginningCash")) ?? 0),
      amount(of, "cash_at_end_of_period", (record) => amountOf(grouped(record, "EndingCash")) ?? 0),
      tree(of, "operating_activities", (record) => rowsIn(record, "OperatingActivities")),
      tree(of, "investing_activities", (record) => rowsIn(record, "InvestingActivities")),
      tree(of, "financing_activities", (record) => rowsIn(record, "FinancingActivities"))
    ],
    notHeld: reportStamps
  })
])

/** Runs a report; the response has no envelope. */
export const runReport = (books: Books) => {
  const { ask } = books
  return (connection: ConnectionRef, name: string, query: { readonly [parameter: string]: string }) =>
    Effect.flatMap(
      ask(connection, { operation: `${name}.report`, method: "GET", path: "reports/:name", params: { name }, query }),
      ({ body, status }) =>
        isNative(body) && isNative(body.Header)
          ? Effect.succeed(body)
          : Effect.fail(
              new ProviderError({
                provider: "quickbooks",
                operation: `${name}.report`,
                reason: new Malformed(),
                status,
                detail: "no Header in the answer"
              })
            )
    )
}

const provider = "quickbooks"

/** Reports on the accrual basis, as in the ledger; a company's own preference may be the cash basis. */
const accrual = { accounting_method: "Accrual" }

export const balanceSheet = (books: Books) => {
  const run = runReport(books)
  return dayReport({
    provider,
    mapping: balanceSheetMapping,
    calendar: calendar(books),
    // QuickBooks requires a start before the end; it has no effect
    run: (connection, end) =>
      run(connection, "BalanceSheet", { start_date: `${Number(end.slice(0, 4)) - 1}-01-01`, end_date: end, ...accrual })
  })
}

export const incomeStatement = (books: Books) => {
  const run = runReport(books)
  return periodReport({
    provider,
    mapping: incomeStatementMapping,
    calendar: calendar(books),
    run: (connection, { end, start }) =>
      run(connection, "ProfitAndLoss", { start_date: start, end_date: end, ...accrual })
  })
}

export const cashFlowStatement = (books: Books) => {
  const run = runReport(books)
  return periodReport({
    provider,
    mapping: cashFlowMapping,
    calendar: calendar(books),
    run: (connection, { end, start }) => run(connection, "CashFlow", { start_date: start, end_date: end })
  })
}
