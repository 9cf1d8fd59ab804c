import { Decimal } from "decimal.js"
import { Clock, Effect } from "effect"
import { BalanceSheet } from "../../canonical/accounting/BalanceSheet.ts"
import { CashFlowStatement } from "../../canonical/accounting/CashFlowStatement.ts"
import { IncomeStatement } from "../../canonical/accounting/IncomeStatement.ts"
import { computed, type Entries, type EntriesOf } from "../../mapping/Entries.ts"
import { type ComputedEntry, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { type ReportRow, reportRows, totalOf, turned } from "../../mapping/ReportRows.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import { type Calendar, dayReport, periodReport } from "../base/Report.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { toAccount, toCompany } from "./Common.ts"
import { postingTypes, requiring } from "./Requires.ts"
import { isId, type Suite } from "./Suite.ts"

/**
 * Balance sheet, income statement and cash flow. NetSuite offers its reports to no program, so they are summed from the
 * primary book: of the topmost subsidiary, where there are several, as sums over several currencies would mean nothing.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158618434012.html
 */

const quotedDay = (day: string) => `TO_DATE('${day}', 'YYYY-MM-DD')`

/**
 * Statements follow the period that a transaction is posted to, whatever its date. Where a report's bound lies within a
 * period, the date decides.
 */
const until = (day: string) =>
  `(p.enddate <= ${quotedDay(day)} OR (p.startdate <= ${quotedDay(day)} AND t.trandate <= ${quotedDay(day)}))`
const since = (day: string) =>
  `(p.startdate >= ${quotedDay(day)} OR (p.enddate >= ${quotedDay(day)} AND t.trandate >= ${quotedDay(day)}))`
const before = (day: string) =>
  `(p.enddate < ${quotedDay(day)} OR (p.startdate < ${quotedDay(day)} AND t.trandate < ${quotedDay(day)}))`

/** Sums by name, each with the condition of its transactions' days. */
type Sums = { readonly [name: string]: string }

/** Balances of accounts, debit positive, over the transactions that meet a condition. */
const sums = (book: string, subsidiary: string | undefined, parts: Sums, days: string) =>
  `SELECT c.id, c.accttype, c.fullname, ` +
  `${Object.entries(parts)
    .map(([name, when]) => `SUM(CASE WHEN ${when} THEN a.amount ELSE 0 END) AS ${name}`)
    .join(", ")} ` +
  `FROM transactionaccountingline a ` +
  `INNER JOIN transaction t ON t.id = a.transaction ` +
  `INNER JOIN transactionline l ON l.transaction = a.transaction AND l.id = a.transactionline ` +
  `INNER JOIN account c ON c.id = a.account ` +
  `INNER JOIN accountingperiod p ON p.id = t.postingperiod ` +
  `WHERE a.posting = 'T' AND a.accountingbook = ${book} AND ${subsidiary === undefined ? "" : `l.subsidiary = ${subsidiary} AND `}${days} ` +
  `GROUP BY c.id, c.accttype, c.fullname ORDER BY c.id`

const years = `SELECT id, TO_CHAR(startdate, 'MM-DD') AS start FROM accountingperiod WHERE isyear = 'T' ORDER BY id`

const companies = "SELECT id, currency FROM subsidiary WHERE parent IS NULL ORDER BY id"
const baseCurrencies = "SELECT id AS currency FROM currency WHERE isbasecurrency = 'T' ORDER BY id"

const retainedEarnings = "SELECT id, fullname FROM account WHERE UPPER(sspecacct) = 'RETEARNINGS' ORDER BY id"

const assetTypes = ["Bank", "AcctRec", "UnbilledRec", "OthCurrAsset", "FixedAsset", "OthAsset", "DeferExpense"]
const liabilityTypes = ["AcctPay", "CredCard", "OthCurrLiab", "LongTermLiab", "DeferRevenue"]
const resultTypes = ["Income", "COGS", "Expense", "OthIncome", "OthExpense"]

const rowsIn = (accounts: unknown, types: ReadonlyArray<string>): ReadonlyArray<ReportRow> =>
  natives(accounts)
    .filter(({ accttype, amount }) => types.includes(String(accttype)) && Number(amount) !== 0)
    .map(({ amount, fullname, id }) => ({
      name: String(fullname),
      value: Number(amount),
      account: String(id),
      rows: []
    }))

/** The result of the income and expense accounts; a profit is positive. */
const resultOf = (accounts: unknown): Decimal => new Decimal(0).minus(totalOf(rowsIn(accounts, resultTypes)))

const company = computed({
  canonical: "company",
  native: ["subsidiary"],
  decode: ({ record: { subsidiary } }, context) =>
    subsidiary === undefined ? null : toCompany.decode(subsidiary, context)
})

const noTimes = "NetSuite keeps no such report: it is summed from the ledger each time it is asked for."
const notHeld = { remote_created_at: noTimes, remote_updated_at: noTimes }

type Report = typeof BalanceSheet | typeof CashFlowStatement | typeof IncomeStatement

const heading = (of: EntriesOf<Report>, name: string) => [
  of.readField("remote_id", "Id", text),
  of.constant("remote_was_deleted", false),
  of.constant("name", name),
  of.computed({
    canonical: "currency",
    native: ["currency"],
    lookups: ["currencies"],
    decode: ({ lookups, record }) => natives(lookups?.currencies).find((one) => one.id === record.currency)?.symbol
  }),
  of.readField("remote_generated_at", "generated", dateTime),
  company(of)
]

const tree = <N extends string>(
  of: Entries<N | "company">,
  canonical: N,
  rows: (record: Native) => ReadonlyArray<ReportRow>
): ComputedEntry<N> =>
  reportRows({
    canonical,
    native: ["accounts", "retained", "retainedAccount", "result"],
    rows: ({ record }) => rows(record),
    account: toAccount,
    company: company(of)
  })(of)

const amount = <N extends string>(
  of: Entries<N>,
  canonical: N,
  read: (record: Native) => Decimal,
  native: ReadonlyArray<string> = ["accounts"]
): ComputedEntry<N> => of.computed({ canonical, native, decode: ({ record }) => read(record).toNumber() })

const periodEntries = (of: Entries<"end_period" | "start_period">) => [
  of.readField("start_period", "start", text),
  of.readField("end_period", "end", text)
]

const assets = ({ accounts }: Native) => rowsIn(accounts, assetTypes)
const liabilities = ({ accounts }: Native) => turned(rowsIn(accounts, liabilityTypes))

/**
 * Equity, with past years' results added to the account of retained earnings: no transaction posts them there, though entries
 * by hand may.
 */
const equity = ({ accounts, result, retained, retainedAccount }: Native): ReadonlyArray<ReportRow> => {
  const account = isNative(retainedAccount) ? retainedAccount : {}
  const posted = natives(accounts).filter(({ id }) => id === account.id)
  return [
    ...turned(
      rowsIn(
        natives(accounts).filter(({ id }) => id !== account.id),
        ["Equity"]
      )
    ),
    {
      name: typeof account.fullname === "string" ? account.fullname : "Retained Earnings",
      value: posted.reduce((sum, { amount }) => sum.minus(Number(amount)), new Decimal(Number(retained))).toNumber(),
      account: isId(account.id) ? account.id : undefined,
      rows: []
    },
    { name: "Net Income", value: Number(result), account: undefined, rows: [] }
  ]
}

const balanceSheetMapping = plainMapping(BalanceSheet, (of) => [
  of.variant({
    nativeType: "balanceSheet",
    entries: [
      ...heading(of, "Balance Sheet"),
      of.readField("date", "Id", text),
      tree(of, "assets", assets),
      tree(of, "liabilities", liabilities),
      tree(of, "equity", equity),
      amount(of, "net_assets", (record) => totalOf(assets(record)).minus(totalOf(liabilities(record))))
    ],
    notHeld
  })
])

const income = ({ accounts }: Native) => turned(rowsIn(accounts, ["Income"]))
const costOfSales = ({ accounts }: Native) => rowsIn(accounts, ["COGS"])
const operating = ({ accounts }: Native) => rowsIn(accounts, ["Expense"])
const grossProfit = (record: Native) => totalOf(income(record)).minus(totalOf(costOfSales(record)))

const incomeStatementMapping = plainMapping(IncomeStatement, (of) => [
  of.variant({
    nativeType: "incomeStatement",
    entries: [
      ...heading(of, "Income Statement"),
      ...periodEntries(of),
      tree(of, "income", income),
      tree(of, "cost_of_sales", costOfSales),
      tree(of, "operating_expenses", operating),
      tree(of, "non_operating_expenses", ({ accounts }) => rowsIn(accounts, ["OthIncome", "OthExpense"])),
      amount(of, "gross_profit", grossProfit),
      amount(of, "net_operating_income", (record) => grossProfit(record).minus(totalOf(operating(record)))),
      amount(of, "net_income", ({ accounts }) => resultOf(accounts))
    ],
    notHeld
  })
])

/** Cash flows of the accounts of some types; cash that they took is below 0. */
const flows = (accounts: unknown, types: ReadonlyArray<string>) => turned(rowsIn(accounts, types))

const cash = (accounts: unknown) => totalOf(rowsIn(accounts, ["Bank"]))

const workingTypes = [
  ...["AcctRec", "UnbilledRec", "OthCurrAsset", "DeferExpense"],
  ...["AcctPay", "CredCard", "OthCurrLiab", "DeferRevenue"]
]

/** By the indirect method: net income, adjusted by the changes of the other accounts. Cash is the balance of banks. */
const cashFlowMapping = plainMapping(CashFlowStatement, (of) => [
  of.variant({
    nativeType: "cashFlow",
    entries: [
      ...heading(of, "Cash Flow Statement"),
      ...periodEntries(of),
      amount(of, "cash_at_beginning_of_period", ({ opening }) => cash(opening), ["opening"]),
      amount(of, "cash_at_end_of_period", ({ accounts, opening }) => cash(opening).plus(cash(accounts)), [
        "accounts",
        "opening"
      ]),
      tree(of, "operating_activities", ({ accounts }) => [
        { name: "Net Income", value: resultOf(accounts).toNumber(), account: undefined, rows: [] },
        ...flows(accounts, workingTypes)
      ]),
      tree(of, "investing_activities", ({ accounts }) => flows(accounts, ["FixedAsset", "OthAsset"])),
      tree(of, "financing_activities", ({ accounts }) => flows(accounts, ["LongTermLiab", "Equity"]))
    ],
    notHeld
  })
])

/** Permissions that reports need: sums silently leave out transactions of types that the role may not see. */
const requires = [...requiring(["accountingPeriod"]), ...requiring(postingTypes)]

const ledger = (own: Suite) => {
  const { query, settled } = own

  /** The first day of a fiscal year. NetSuite keeps days in the account's own zone, and does not say which. */
  const calendar = (connection: ConnectionRef) =>
    Effect.map(settled(connection, "accountingperiod", years), (found): Calendar => {
      const start = found.at(-1)?.start
      return { yearStart: typeof start === "string" ? start : "01-01", zone: undefined }
    })

  /** The subsidiary, currency and time of a report, and the sums of its accounts over some days. */
  const frame = Effect.fnUntraced(function* (connection: ConnectionRef) {
    const [top] = (yield* own.oneWorld(connection))
      ? yield* settled(connection, "subsidiary", companies)
      : (yield* own.has(connection, "currency", "id"))
        ? yield* settled(connection, "currency", baseCurrencies)
        : []
    const book = yield* own.book(connection)
    const subsidiary = isId(top?.id) ? top.id : undefined
    const generated = new Date(yield* Clock.currentTimeMillis).toISOString()
    /** All sums of a statement in one query, so that they reflect one state of the books. */
    const sumsOf = (parts: Sums, days: string) =>
      query(connection, "transactionaccountingline", sums(book, subsidiary, parts, days))
    return { sumsOf, native: { subsidiary, currency: top?.currency, generated } }
  })

  /** The account of retained earnings; undefined if the role may not see what accounts are for. */
  const retainedAccount = (connection: ConnectionRef) =>
    settled(connection, "account", retainedEarnings).pipe(
      Effect.map(([account]) => account),
      Effect.catchIf(
        ({ reason }) => reason._tag === "NotPermitted" || reason._tag === "Missing",
        () => Effect.succeed(undefined)
      )
    )

  return { calendar, frame, retainedAccount }
}

export const balanceSheet = (own: Suite) => {
  const { calendar, frame, retainedAccount } = ledger(own)
  const report = dayReport({
    provider: "netsuite",
    mapping: balanceSheetMapping,
    calendar,
    run: Effect.fnUntraced(function* (connection, day) {
      const { native, sumsOf } = yield* frame(connection)
      const { yearStart } = yield* calendar(connection)
      const start = `${Number(day.slice(0, 4)) - (day.slice(5) < yearStart ? 1 : 0)}-${yearStart}`
      const accounts = yield* sumsOf({ amount: until(day), earlier: before(start) }, until(day))
      const retained = resultOf(accounts.map(({ earlier, ...account }) => ({ ...account, amount: earlier })))
      return {
        ...native,
        accounts,
        retainedAccount: yield* retainedAccount(connection),
        retained: retained.toNumber(),
        result: resultOf(accounts).minus(retained).toNumber()
      }
    })
  })
  return { ...report, requires }
}

export const incomeStatement = (own: Suite) => {
  const { calendar, frame } = ledger(own)
  const report = periodReport({
    provider: "netsuite",
    mapping: incomeStatementMapping,
    calendar,
    run: Effect.fnUntraced(function* (connection, { end, start }) {
      const { native, sumsOf } = yield* frame(connection)
      const days = `${since(start)} AND ${until(end)}`
      const accounts = yield* sumsOf({ amount: days }, days)
      return { ...native, start, end, accounts }
    })
  })
  return { ...report, requires }
}

export const cashFlowStatement = (own: Suite) => {
  const { calendar, frame } = ledger(own)
  const report = periodReport({
    provider: "netsuite",
    mapping: cashFlowMapping,
    calendar,
    run: Effect.fnUntraced(function* (connection, { end, start }) {
      const { native, sumsOf } = yield* frame(connection)
      const accounts = yield* sumsOf(
        { amount: since(start), opening: before(start) },
        `${until(end)} AND (c.accttype = 'Bank' OR ${since(start)})`
      )
      const opening = accounts.map(({ opening, ...account }) => ({ ...account, amount: opening }))
      return { ...native, start, end, accounts, opening }
    })
  })
  return { ...report, requires }
}
