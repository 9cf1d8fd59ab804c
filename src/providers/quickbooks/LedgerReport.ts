import { isRealDate } from "../../canonical/Resource.ts"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"

/**
 * The general ledger report goes account by account; here its rows are put together again by transaction.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/report-entities/generalledger
 */

/** Amounts have other names where a company uses several currencies; those that do not apply are left out. */
export const columns: ReadonlyArray<string> = [
  "tx_date",
  "txn_type",
  "name",
  "cust_name",
  "vend_name",
  "emp_name",
  "memo",
  "account_name",
  "item_name",
  "klass_name",
  "dept_name",
  "create_date",
  "last_mod_date",
  "currency",
  "exch_rate",
  "debt_amt",
  "credit_amt",
  "debt_home_amt",
  "credit_home_amt"
]

interface Cell {
  readonly value: string
  readonly id: string | undefined
}

/** The cells of a row by the keys of their columns; without those that are empty. */
const cellsOf = (keys: ReadonlyArray<string>, row: Native): ReadonlyMap<string, Cell> =>
  new Map(
    natives(row.ColData).flatMap((cell, i) => {
      const key = keys[i]
      const { id, value } = cell
      return key === undefined || typeof value !== "string" || value === ""
        ? []
        : [[key, { value, id: typeof id === "string" && id !== "" ? id : undefined }]]
    })
  )

const keysOf = (report: Native): ReadonlyArray<string> =>
  natives(getPath(report, "Columns.Column")).map((column) =>
    String(natives(column.MetaData).find(({ Name }) => Name === "ColKey")?.Value ?? column.ColType)
  )

/** Every row of a report with the account of the section it is in. */
const rowsIn = (section: unknown, account: unknown): ReadonlyArray<readonly [account: unknown, row: Native]> =>
  natives(getPath(section, "Rows.Row")).flatMap((row) =>
    row.Rows === undefined
      ? [[account, row] as const]
      : rowsIn(row, natives(getPath(row, "Header.ColData"))[0]?.id ?? account)
  )

const refOf = (cell: Cell | undefined) => (cell?.id === undefined ? undefined : { value: cell.id, name: cell.value })

const lineOf = (cells: ReadonlyMap<string, Cell>, account: unknown, home: unknown): Native => {
  const valueOf = (...keys: ReadonlyArray<string>) => keys.flatMap((key) => cells.get(key)?.value ?? [])[0]
  const name = cells.get("name")
  const is = (key: string) => (cells.has(key) ? refOf(name) : undefined)
  return {
    AccountRef: { value: cells.get("account_name")?.id ?? account },
    CustomerRef: is("cust_name"),
    VendorRef: is("vend_name"),
    EmployeeRef: is("emp_name"),
    ItemRef: refOf(cells.get("item_name")),
    ClassRef: refOf(cells.get("klass_name")),
    DepartmentRef: refOf(cells.get("dept_name")),
    Memo: valueOf("memo"),
    HomeCurrency: home,
    Currency: valueOf("currency") ?? home,
    ExchangeRate: valueOf("exch_rate") ?? "1",
    Debit: valueOf("debt_home_amt", "debt_amt") ?? "0",
    Credit: valueOf("credit_home_amt", "credit_amt") ?? "0"
  }
}

/** A transaction with what it posted (`Lines`); the id is its day and its own id. */
export interface Transaction extends Native {
  readonly Id: string
  readonly TxnId: string
  readonly TxnDate: string
}

/** Newest first. */
export const order = (a: Pick<Transaction, "TxnDate" | "TxnId">, b: Pick<Transaction, "TxnDate" | "TxnId">): number =>
  a.TxnDate !== b.TxnDate
    ? a.TxnDate < b.TxnDate
      ? 1
      : -1
    : b.TxnId.length - a.TxnId.length || (a.TxnId < b.TxnId ? 1 : a.TxnId > b.TxnId ? -1 : 0)

/** The transactions of a report. Balances that are brought forward are of none. */
export const transactionsIn = (report: Native): ReadonlyArray<Transaction> => {
  const keys = keysOf(report)
  const home = getPath(report, "Header.Currency")
  const found = new Map<string, { readonly head: Transaction; readonly lines: Array<Native> }>()
  for (const [account, row] of rowsIn(report, undefined)) {
    const cells = cellsOf(keys, row)
    const TxnId = cells.get("txn_type")?.id
    const TxnDate = cells.get("tx_date")?.value
    if (TxnId === undefined || TxnDate === undefined || !isRealDate(TxnDate)) continue
    const line = lineOf(cells, account, home)
    const known = found.get(TxnId)
    if (known !== undefined) known.lines.push(line)
    else {
      const head = {
        Id: `${TxnDate}:${TxnId}`,
        TxnId,
        TxnDate,
        TxnType: cells.get("txn_type")?.value,
        CreateTime: cells.get("create_date")?.value,
        LastUpdatedTime: cells.get("last_mod_date")?.value
      }
      found.set(TxnId, { head, lines: [line] })
    }
  }
  return [...found.values()].map(({ head, lines }) => ({ ...head, Lines: lines })).toSorted(order)
}
