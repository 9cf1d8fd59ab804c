import { Either } from "effect"
import { dayBefore } from "../../simulation/Book.ts"
import { isDay } from "../../simulation/Period.ts"
import type { Account, Doc } from "../../simulation/Account.ts"
import {
  business,
  invalidEnumeration,
  type Outcome,
  refuse,
  timestamp,
  unknownParameter,
  unsupported
} from "./Faults.ts"
import { homeOf, partAt } from "./Fields.ts"
import { columns, type Currencies, generalLedger } from "./GeneralLedger.ts"
import { balanceSheet, cashFlow, fiscalYearStart, type Period, profitAndLoss } from "./Statements.ts"

// https://developer.intuit.com/app/developer/qbo/docs/workflows/run-reports

const parameters = ["start_date", "end_date", "date_macro", "summarize_column_by"]

type Statement = (account: Account, period: Period) => ReadonlyArray<Doc>

const statements: { readonly [name: string]: Statement } = {
  BalanceSheet: balanceSheet,
  ProfitAndLoss: profitAndLoss,
  CashFlow: cashFlow
}

const wrongDate = (name: string) => business(`Invalid date parameter ${name}: use the format YYYY-MM-DD.`)

const yearLater = (day: string, years: number): string => `${Number(day.slice(0, 4)) + years}${day.slice(4)}`

/** The days a report covers; a bound that is not given is that of the fiscal year to date. */
const periodOf = (account: Account, query: URLSearchParams): Outcome<Period> => {
  const today = timestamp(account.now).slice(0, 10)
  const year = fiscalYearStart(account, today)
  const macros: { readonly [macro: string]: Period } = {
    today: { start: today, end: today },
    "this fiscal year-to-date": { start: year, end: today },
    "this fiscal year": { start: year, end: dayBefore(yearLater(year, 1)) },
    "last fiscal year": { start: yearLater(year, -1), end: dayBefore(year) }
  }
  const [start, end] = [query.get("start_date"), query.get("end_date")]
  if (start === null && end === null) {
    const macro = query.get("date_macro") ?? "This Fiscal Year-to-date"
    const period = macros[macro.toLowerCase()]
    return period === undefined ? refuse(invalidEnumeration(macro)) : Either.right(period)
  }
  if (query.has("date_macro")) return refuse(business("Use date_macro or start_date and end_date, not both."))
  if (start !== null && !isDay(start)) return refuse(wrongDate("start_date"))
  if (end !== null && !isDay(end)) return refuse(wrongDate("end_date"))
  const last = end ?? today
  const first = start ?? fiscalYearStart(account, last)
  return first > last
    ? refuse(business("start_date must be before end_date."))
    : Either.right({ start: first, end: last })
}

const currenciesOf = (account: Account): Currencies =>
  partAt(account.get("Preferences", "1") ?? {}, "CurrencyPrefs").MultiCurrencyEnabled === true ? "several" : "one"

const usualColumns: { readonly [currencies in Currencies]: string } = {
  one: "tx_date,txn_type,doc_num,name,memo,subt_nat_amount,rbal_nat_amount",
  several: "tx_date,txn_type,doc_num,name,memo,subt_nat_home_amount,rbal_nat_home_amount"
}

/** The columns that are asked for; amounts of the other way of keeping currencies are left out without a word. */
const columnsOf = (account: Account, asked: string | null) =>
  Either.gen(function* () {
    const currencies = currenciesOf(account)
    const found = yield* Either.all(
      (asked ?? usualColumns[currencies])
        .split(",")
        .map((key) =>
          Either.fromNullable(columns.get(key), () => [unknownParameter(`columns ${key}`)] as const).pipe(
            Either.map((column) => ({ key, ...column }))
          )
        )
    )
    return found.filter(({ where }) => where === undefined || where === currencies)
  })

const plainColumns = [
  { ColTitle: "", ColType: "Account", MetaData: [{ Name: "ColKey", Value: "account" }] },
  { ColTitle: "Total", ColType: "Money", MetaData: [{ Name: "ColKey", Value: "total" }] }
]

/** A report, which is the whole answer: it has no envelope. */
export const report = (account: Account, name: string, query: URLSearchParams): Outcome<Doc> =>
  Either.gen(function* () {
    const statement = statements[name]
    const method = query.get("accounting_method") ?? "Accrual"
    if (method !== "Accrual") return yield* refuse(unsupported(`accounting_method ${method}`))
    const summary = query.get("summarize_column_by") ?? "Total"
    if (summary !== "Total") return yield* refuse(unsupported(`summarize_column_by ${summary}`))
    const period = yield* periodOf(account, query)
    const shown = statement === undefined ? yield* columnsOf(account, query.get("columns")) : undefined
    const rows = shown === undefined ? (statement?.(account, period) ?? []) : generalLedger(account, period, shown)
    return {
      Header: {
        Time: timestamp(account.now),
        ReportName: name,
        ReportBasis: "Accrual",
        StartPeriod: period.start,
        EndPeriod: period.end,
        ...(shown === undefined ? { SummarizeColumnsBy: "Total" } : {}),
        Currency: homeOf(account),
        Option: [{ Name: "NoReportData", Value: String(rows.length === 0) }]
      },
      Columns: {
        Column:
          shown === undefined
            ? plainColumns
            : shown.map(({ key, title, type }) => ({
                ColTitle: title,
                ColType: type,
                MetaData: [{ Name: "ColKey", Value: key }]
              }))
      },
      Rows: rows.length === 0 ? {} : { Row: rows }
    }
  })

/** The reports there are, with the parameters that each takes. */
export const reportParameters: { readonly [name: string]: ReadonlyArray<string> } = {
  BalanceSheet: [...parameters, "accounting_method"],
  ProfitAndLoss: [...parameters, "accounting_method"],
  CashFlow: parameters,
  GeneralLedger: [...parameters, "accounting_method", "columns"]
}
