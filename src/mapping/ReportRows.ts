import { Decimal } from "decimal.js"
import { computed } from "./Entries.ts"
import type { Bundle, ComputedEntry } from "./Mapping.ts"
import type { Transform } from "./Transform.ts"

/** A row of a financial report with the rows below it, independent of the provider's format. */
export interface ReportRow {
  readonly name: string
  /** Amount in the report's currency, including the rows below. */
  readonly value: number
  /** Native id of the row's account, if it has one. */
  readonly account: string | undefined
  readonly rows: ReadonlyArray<ReportRow>
}

/** A part of a report as a tree of `report_item`. */
export const reportRows = <N extends string>(options: {
  readonly canonical: N
  /** Native fields that `rows` reads. */
  readonly native: ReadonlyArray<string>
  readonly rows: (bundle: Bundle) => ReadonlyArray<ReportRow>
  /** Transform to a reference to a row's account. */
  readonly account: Transform
  /** The report's company. */
  readonly company: ComputedEntry
}) =>
  computed({
    canonical: options.canonical,
    native: options.native,
    lookups: options.company.lookups ?? [],
    decode: (bundle, context) => {
      const company = options.company.decode(bundle, context)
      const item = ({ account, name, rows, value }: ReportRow): unknown => ({
        remote_id: account ?? null,
        account: account === undefined ? null : options.account.decode(account, context),
        name,
        value,
        company,
        sub_items: rows.map(item)
      })
      return options.rows(bundle).map(item)
    }
  })

/** Rows with their signs reversed: income among expenses, credits as positive amounts. */
export const turned = (rows: ReadonlyArray<ReportRow>): ReadonlyArray<ReportRow> =>
  rows.map((row) => ({ ...row, value: new Decimal(0).minus(row.value).toNumber(), rows: turned(row.rows) }))

/** The exact sum of rows. */
export const totalOf = (rows: ReadonlyArray<ReportRow>): Decimal =>
  rows.reduce((sum, { value }) => sum.plus(value), new Decimal(0))
