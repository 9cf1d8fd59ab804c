import { Effect } from "effect"
import { BalanceSheet } from "../../canonical/accounting/BalanceSheet.ts"
import { CashFlowStatement } from "../../canonical/accounting/CashFlowStatement.ts"
import { IncomeStatement } from "../../canonical/accounting/IncomeStatement.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { type Bundle, getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { type ReportRow, reportRows, totalOf, turned } from "../../mapping/ReportRows.ts"
import { number, text } from "../../mapping/Transform.ts"
import { dayReport, periodReport } from "../base/Report.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { company, mappingOf, toAccount, xeroTime } from "./Common.ts"
import { calendarOf } from "./CompanyInfo.ts"
import type { Kept } from "./Kept.ts"
import { accounting, endpoints, type Endpoints, malformed } from "./Objects.ts"

/**
 * Balance sheet, and profit and loss: rows in sections. Titles are translated and layouts vary by company, so the accounts
 * of a section tell its kind. A profit and loss covers 365 days at most.
 * https://developer.xero.com/documentation/api/accounting/reports
 * Cash flow comes from the Finance API, for connections with the scope `finance.statements.read`, which Xero grants to
 * approved partners; companies in the United States have none.
 * https://developer.xero.com/documentation/api/finance/financialstatements
 */

/** The kind of a section: a class of accounts, or a type that is set apart from the usual revenue or expenses. */
type Part = "ASSET" | "LIABILITY" | "EQUITY" | "REVENUE" | "OTHERINCOME" | "DIRECTCOSTS" | "EXPENSE"

const partOf = ({ Class, Type }: Native): unknown => (Type === "OTHERINCOME" || Type === "DIRECTCOSTS" ? Type : Class)

export const accountOf = (row: Native): string | undefined => {
  const [cell] = natives(row.Cells)
  const found = natives(cell?.Attributes).find(({ Id }) => Id === "account")?.Value
  return typeof found === "string" ? found : undefined
}

const rowsOf = (section: Native): ReadonlyArray<Native> =>
  natives(section.Rows).filter((row) => row.RowType === "Row" && accountOf(row) !== undefined)

/** The kind of most accounts in a section; the year's earnings, which have no account, are equity. */
const kindOf = (section: Native, lookups: Native | undefined): unknown => {
  const known = new Map(natives(lookups?.accounts).map((one) => [one.id, partOf(one)]))
  const votes = new Map<unknown, number>()
  for (const row of rowsOf(section)) {
    const part = known.get(accountOf(row))
    if (part !== undefined) votes.set(part, (votes.get(part) ?? 0) + 1)
  }
  const [[most] = ["EQUITY"]] = [...votes].toSorted(([, left], [, right]) => right - left)
  return most
}

/** The row of the year's earnings names this account, which does not exist. */
const noAccount = "00000000-0000-0000-0000-000000000000"

const leafOf = (row: Native): ReportRow => {
  const [title, value] = natives(row.Cells)
  const amount = Number(value?.Value ?? 0)
  const account = accountOf(row)
  return {
    name: String(title?.Value ?? ""),
    value: Number.isFinite(amount) ? amount : 0,
    account: account === noAccount ? undefined : account,
    rows: []
  }
}

/** The sections of a part. */
const sectionsOf = ({ lookups, record }: Bundle, part: Part): ReadonlyArray<ReportRow> =>
  natives(record.Rows).flatMap((section) => {
    const rows = rowsOf(section).map(leafOf)
    return rows.length === 0 || kindOf(section, lookups) !== part
      ? []
      : [{ name: String(section.Title ?? ""), value: totalOf(rows).toNumber(), account: undefined, rows }]
  })

/** A field of sections. */
const tree = <N extends string>(
  of: Entries<N | "company">,
  canonical: N,
  rows: (bundle: Bundle) => ReadonlyArray<ReportRow>
) => {
  const entry = reportRows({ canonical, native: ["Rows"], rows, account: toAccount, company: company(of) })(of)
  return { ...entry, lookups: ["accounts", ...(entry.lookups ?? [])] }
}

/** A field with one amount: the sections of some parts less those of others. */
const amount = <N extends string>(of: Entries<N>, canonical: N, plus: ReadonlyArray<Part>, less: ReadonlyArray<Part>) =>
  of.computed({
    canonical,
    native: ["Rows"],
    lookups: ["accounts"],
    decode: (bundle) => {
      const sum = (parts: ReadonlyArray<Part>) => totalOf(parts.flatMap((part) => sectionsOf(bundle, part)))
      return sum(plus).minus(sum(less)).toNumber()
    }
  })

type Report = typeof BalanceSheet | typeof CashFlowStatement | typeof IncomeStatement

const identity = (of: EntriesOf<Report>) => [
  of.readField("remote_id", "Id", text),
  of.constant("remote_was_deleted", false),
  of.computed({
    canonical: "currency",
    native: [],
    lookups: ["organisation"],
    decode: ({ lookups }) => getPath(lookups, "organisation.BaseCurrency")
  }),
  company(of)
]

const isWorkedOut = "Xero works out a report whenever it is asked for, so that it has no time of creation or change."

const notRecords = { remote_created_at: isWorkedOut, remote_updated_at: isWorkedOut } as const

const heading = (of: EntriesOf<Report>) => [
  ...identity(of),
  of.readField("name", "ReportName", text),
  of.readField("remote_generated_at", "UpdatedDateUTC", xeroTime)
]

const balanceSheetMapping = mappingOf(BalanceSheet, (of) => [
  of.variant({
    nativeType: "BalanceSheet",
    entries: [
      ...heading(of),
      of.readField("date", "Id", text),
      tree(of, "assets", (bundle) => sectionsOf(bundle, "ASSET")),
      tree(of, "liabilities", (bundle) => sectionsOf(bundle, "LIABILITY")),
      tree(of, "equity", (bundle) => sectionsOf(bundle, "EQUITY")),
      amount(of, "net_assets", ["ASSET"], ["LIABILITY"])
    ],
    notHeld: notRecords
  })
])

const incomeStatementMapping = mappingOf(IncomeStatement, (of) => [
  of.variant({
    nativeType: "ProfitAndLoss",
    entries: [
      ...heading(of),
      of.readField("start_period", "Start", text),
      of.readField("end_period", "End", text),
      tree(of, "income", (bundle) => sectionsOf(bundle, "REVENUE")),
      tree(of, "cost_of_sales", (bundle) => sectionsOf(bundle, "DIRECTCOSTS")),
      amount(of, "gross_profit", ["REVENUE"], ["DIRECTCOSTS"]),
      tree(of, "operating_expenses", (bundle) => sectionsOf(bundle, "EXPENSE")),
      amount(of, "net_operating_income", ["REVENUE"], ["DIRECTCOSTS", "EXPENSE"]),
      tree(of, "non_operating_expenses", (bundle) => turned(sectionsOf(bundle, "OTHERINCOME"))),
      amount(of, "net_income", ["REVENUE", "OTHERINCOME"], ["DIRECTCOSTS", "EXPENSE"])
    ],
    notHeld: notRecords
  })
])

/** An activity and its rows. */
const activity = <N extends string>(of: Entries<N | "company">, canonical: N, name: RegExp) =>
  reportRows({
    canonical,
    native: ["cashflowActivities"],
    rows: ({ record }) =>
      natives(record.cashflowActivities)
        .filter((one) => name.test(String(one.name)))
        .flatMap((one) => natives(one.cashflowTypes))
        .map((type) => ({
          ...flowOf(type),
          rows: natives(type.accounts).map((account) => ({ ...flowOf(account), account: String(account.accountId) }))
        })),
    account: toAccount,
    company: company(of)
  })(of)

const flowOf = ({ name, total }: Native): ReportRow => ({
  name: String(name ?? ""),
  value: Number(total ?? 0),
  account: undefined,
  rows: []
})

const cashFlowMapping = mappingOf(CashFlowStatement, (of) => [
  of.variant({
    nativeType: "Cashflow",
    entries: [
      ...identity(of),
      of.constant("name", "Cash Flow"),
      of.readField("start_period", "startDate", text),
      of.readField("end_period", "endDate", text),
      of.readField("cash_at_beginning_of_period", "cashBalance.openingCashBalance", number),
      of.readField("cash_at_end_of_period", "cashBalance.closingCashBalance", number),
      activity(of, "operating_activities", /^operating/i),
      activity(of, "investing_activities", /^investing/i),
      activity(of, "financing_activities", /^financing/i)
    ],
    notHeld: {
      ...notRecords,
      remote_generated_at: "Xero's Finance API does not say when it worked out the statement."
    }
  })
])

export const runReport =
  ({ askOne }: Endpoints) =>
  (connection: ConnectionRef, name: string, query: { readonly [parameter: string]: string }) =>
    askOne(connection, "Reports", {
      operation: `${name}.report`,
      method: "GET",
      path: `${accounting}/Reports/${name}`,
      query
    })

const provider = "xero"

/** The standard layout, which companies cannot change. */
const sameForAll = { standardLayout: "true" }

export const balanceSheet = (call: Caller, { organisation }: Pick<Kept, "organisation">) => {
  const run = runReport(endpoints(call))
  return dayReport({
    provider,
    mapping: balanceSheetMapping,
    calendar: (connection) => Effect.map(organisation(connection), calendarOf),
    run: (connection, date) => run(connection, "BalanceSheet", { date, ...sameForAll })
  })
}

export const incomeStatement = (call: Caller, { organisation }: Pick<Kept, "organisation">) => {
  const run = runReport(endpoints(call))
  return periodReport({
    provider,
    mapping: incomeStatementMapping,
    calendar: (connection) => Effect.map(organisation(connection), calendarOf),
    run: (connection, { end, start }) =>
      Effect.map(run(connection, "ProfitAndLoss", { fromDate: start, toDate: end, ...sameForAll }), (report) => ({
        ...report,
        Start: start,
        End: end
      }))
  })
}

export const cashFlowStatement = (call: Caller, { organisation }: Pick<Kept, "organisation">) =>
  periodReport({
    provider,
    mapping: cashFlowMapping,
    calendar: (connection) => Effect.map(organisation(connection), calendarOf),
    run: (connection, { end, start }) => {
      const operation = "Cashflow.report"
      return Effect.flatMap(
        call(connection, {
          operation,
          method: "GET",
          path: "/finance.xro/1.0/FinancialStatements/Cashflow",
          query: { startDate: start, endDate: end }
        }),
        ({ body, status }) =>
          isNative(body) ? Effect.succeed(body) : Effect.fail(malformed(operation, status, "no report in the answer"))
      )
    }
  })
