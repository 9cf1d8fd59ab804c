import { Effect } from "effect"
import {
  type Bundle,
  computed,
  constant,
  type Entry,
  getPath,
  isNative,
  type Native,
  natives,
  readField
} from "../../mapping/Mapping.ts"
import { type ReportRow, reportRows, totalOf, turned } from "../../mapping/ReportRows.ts"
import { number, text } from "../../mapping/Transform.ts"
import { dayReport, periodReport } from "../axes/Report.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { company, mappingOf, toAccount, xeroTime } from "./Common.ts"
import { calendar } from "./CompanyInfo.ts"
import { accounting, endpoints, type Endpoints, malformed } from "./Objects.ts"

/**
 * Balance sheet, and profit and loss: rows in sections. Titles are translated and layouts the company's own, so that what a
 * section is of is told by its accounts. A profit and loss covers 365 days at most.
 * https://developer.xero.com/documentation/api/accounting/reports
 * Cash flow is told by the Finance API, to connections with the scope `finance.statements.read`, which Xero gives to approved
 * partners, and of no company in the United States.
 * https://developer.xero.com/documentation/api/finance/financialstatements
 */

/** What a section is of: a class of accounts; of expenses and revenue also what they are apart from the usual. */
type Part = "ASSET" | "LIABILITY" | "EQUITY" | "REVENUE" | "OTHERINCOME" | "DIRECTCOSTS" | "EXPENSE"

const partOf = ({ Class, Type }: Native): unknown => (Type === "OTHERINCOME" || Type === "DIRECTCOSTS" ? Type : Class)

export const accountOf = (row: Native): string | undefined => {
  const [cell] = natives(row.Cells)
  const found = natives(cell?.Attributes).find(({ Id }) => Id === "account")?.Value
  return typeof found === "string" ? found : undefined
}

const rowsOf = (section: Native): ReadonlyArray<Native> =>
  natives(section.Rows).filter((row) => row.RowType === "Row" && accountOf(row) !== undefined)

/** What most accounts of a section are; earnings of the year, which are no account's, are equity. */
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

/** The row of the year's earnings names an account that there is not. */
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
const tree = (canonical: string, rows: (bundle: Bundle) => ReadonlyArray<ReportRow>): Entry => {
  const entry = reportRows({ canonical, native: ["Rows"], rows, account: toAccount, company })({ computed })
  return { ...entry, lookups: ["accounts", ...(entry.lookups ?? [])] }
}

/** A field that is one amount: sections of some parts less those of others. */
const amount = (canonical: string, plus: ReadonlyArray<Part>, less: ReadonlyArray<Part>): Entry =>
  computed({
    canonical,
    native: ["Rows"],
    lookups: ["accounts"],
    decode: (bundle) => {
      const sum = (parts: ReadonlyArray<Part>) => totalOf(parts.flatMap((part) => sectionsOf(bundle, part)))
      return sum(plus).minus(sum(less)).toNumber()
    }
  })

const identity: ReadonlyArray<Entry> = [
  readField("remote_id", "Id", text),
  constant("remote_created_at", null),
  constant("remote_updated_at", null),
  constant("remote_was_deleted", false),
  computed({
    canonical: "currency",
    native: [],
    lookups: ["organisation"],
    decode: ({ lookups }) => getPath(lookups, "organisation.BaseCurrency")
  }),
  company
]

const heading: ReadonlyArray<Entry> = [
  ...identity,
  readField("name", "ReportName", text),
  readField("remote_generated_at", "UpdatedDateUTC", xeroTime)
]

const balanceSheetMapping = mappingOf([
  {
    nativeType: "BalanceSheet",
    entries: [
      ...heading,
      readField("date", "Id", text),
      tree("assets", (bundle) => sectionsOf(bundle, "ASSET")),
      tree("liabilities", (bundle) => sectionsOf(bundle, "LIABILITY")),
      tree("equity", (bundle) => sectionsOf(bundle, "EQUITY")),
      amount("net_assets", ["ASSET"], ["LIABILITY"])
    ]
  }
])

const incomeStatementMapping = mappingOf([
  {
    nativeType: "ProfitAndLoss",
    entries: [
      ...heading,
      readField("start_period", "Start", text),
      readField("end_period", "End", text),
      tree("income", (bundle) => sectionsOf(bundle, "REVENUE")),
      tree("cost_of_sales", (bundle) => sectionsOf(bundle, "DIRECTCOSTS")),
      amount("gross_profit", ["REVENUE"], ["DIRECTCOSTS"]),
      tree("operating_expenses", (bundle) => sectionsOf(bundle, "EXPENSE")),
      amount("net_operating_income", ["REVENUE"], ["DIRECTCOSTS", "EXPENSE"]),
      tree("non_operating_expenses", (bundle) => turned(sectionsOf(bundle, "OTHERINCOME"))),
      amount("net_income", ["REVENUE", "OTHERINCOME"], ["DIRECTCOSTS", "EXPENSE"])
    ]
  }
])

/** An activity and what it consists of. */
const activity = (canonical: string, name: RegExp): Entry =>
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
    company
  })({ computed })

const flowOf = ({ name, total }: Native): ReportRow => ({
  name: String(name ?? ""),
  value: Number(total ?? 0),
  account: undefined,
  rows: []
})

const cashFlowMapping = mappingOf([
  {
    nativeType: "Cashflow",
    entries: [
      ...identity,
      constant("name", "Cash Flow"),
      readField("start_period", "startDate", text),
      readField("end_period", "endDate", text),
      readField("cash_at_beginning_of_period", "cashBalance.openingCashBalance", number),
      readField("cash_at_end_of_period", "cashBalance.closingCashBalance", number),
      activity("operating_activities", /^operating/i),
      activity("investing_activities", /^investing/i),
      activity("financing_activities", /^financing/i)
    ]
  }
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

/** The layout that no company made its own. */
const sameForAll = { standardLayout: "true" }

export const balanceSheet = (call: Caller) => {
  const run = runReport(endpoints(call))
  return dayReport({
    provider,
    mapping: balanceSheetMapping,
    calendar: calendar(call),
    run: (connection, date) => run(connection, "BalanceSheet", { date, ...sameForAll })
  })
}

export const incomeStatement = (call: Caller) => {
  const run = runReport(endpoints(call))
  return periodReport({
    provider,
    mapping: incomeStatementMapping,
    calendar: calendar(call),
    run: (connection, { end, start }) =>
      Effect.map(run(connection, "ProfitAndLoss", { fromDate: start, toDate: end, ...sameForAll }), (report) => ({
        ...report,
        Start: start,
        End: end
      }))
  })
}

export const cashFlowStatement = (call: Caller) =>
  periodReport({
    provider,
    mapping: cashFlowMapping,
    calendar: calendar(call),
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
