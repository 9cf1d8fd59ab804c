import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, currencyIn, labels, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import { dayBefore } from "../../simulation/Book.ts"
import { bookings, sums } from "./Ledger.ts"
import { type Period, written } from "./Statements.ts"

// https://developer.intuit.com/app/developer/qbo/docs/api/accounting/report-entities/generalledger

/** A line of the ledger and its context. */
interface Line {
  readonly id: string
  readonly entity: string
  readonly date: string
  readonly txn: Doc
  /** The transaction line that it is from, and that line's detail. */
  readonly line: Doc
  readonly detail: Doc
  readonly account: Doc
  readonly home: Decimal
  /** Balance of the account after this line. */
  readonly balance: Decimal
}

const typeNames: { readonly [entity: string]: string } = {
  CreditMemo: "Credit Memo",
  VendorCredit: "Vendor Credit",
  JournalEntry: "Journal Entry",
  SalesReceipt: "Sales Receipt",
  RefundReceipt: "Refund",
  InventoryAdjustment: "Inventory Qty Adjust"
}

const typeName = (entity: string, txn: Doc): string => {
  if (entity === "BillPayment") return `Bill Payment (${txn.PayType === "CreditCard" ? "Credit Card" : "Check"})`
  if (entity !== "Purchase") return typeNames[entity] ?? entity
  if (txn.PaymentType === "CreditCard") return txn.Credit === true ? "Credit Card Credit" : "Credit Card Expense"
  return txn.PaymentType === "Check" ? "Check" : "Expense"
}

const zero = new Decimal(0)

const named = (account: Account, entity: string, id: string | undefined): Doc => {
  const found = id === undefined ? undefined : account.get(entity, id)
  return found === undefined || id === undefined ? { value: "" } : { value: found[labels[entity] ?? "Name"], id }
}

/** The party of a transaction or of its line. */
const partyOf = ({ detail, txn }: Line): readonly [entity: string, id: string | undefined] => {
  // purchases, and lines of journals and deposits, state the kind of the name
  const own = partAt(detail, "Entity")
  for (const ref of [partAt(own, "EntityRef"), own, partAt(txn, "EntityRef")]) {
    const id = textAt(ref, "value")
    if (id !== undefined) return [textAt(ref, "type") ?? textAt(own, "Type") ?? "Customer", id]
  }
  return txn.VendorRef === undefined ? ["Customer", refAt(txn, "CustomerRef")] : ["Vendor", refAt(txn, "VendorRef")]
}

const party = (account: Account, line: Line, entity?: string): Doc => {
  const [type, id] = partyOf(line)
  return entity === undefined || entity === type ? named(account, type, id) : { value: "" }
}

const either = (amount: Decimal): Doc => ({ value: amount.gt(0) ? written(amount) : "" })

/** Columns of amounts have other names where a company uses several currencies. */
export type Currencies = "one" | "several"

interface Column {
  readonly title: string
  readonly type: string
  readonly where?: Currencies
  readonly cell: (account: Account, line: Line) => Doc
}

const column = (title: string, type: string, cell: Column["cell"], where?: Currencies): Column => ({
  title,
  type,
  cell,
  ...(where === undefined ? {} : { where })
})

const debit: Column["cell"] = (_, { home }) => either(home)
const credit: Column["cell"] = (_, { home }) => either(home.negated())
const amount: Column["cell"] = (_, { account, home }) => ({
  value: written(isCredited(account) ? home.negated() : home)
})
const running: Column["cell"] = (_, { account, balance }) => ({
  value: written(isCredited(account) ? balance.negated() : balance)
})
const isCredited = ({ Classification }: Doc) => Classification !== "Asset" && Classification !== "Expense"
const stampOf =
  (name: string): Column["cell"] =>
  (_, { txn }) => ({ value: partAt(txn, "MetaData")[name] ?? "" })

export const columns: ReadonlyMap<string, Column> = new Map([
  ["tx_date", column("Date", "Date", (_, { date }) => ({ value: date }))],
  [
    "txn_type",
    column("Transaction Type", "String", (_, { entity, id, txn }) => ({ value: typeName(entity, txn), id }))
  ],
  ["doc_num", column("Num", "String", (_, { txn }) => ({ value: txn.DocNumber ?? "" }))],
  ["name", column("Name", "String", (account, line) => party(account, line))],
  ["cust_name", column("Customer", "String", (account, line) => party(account, line, "Customer"))],
  ["vend_name", column("Vendor", "String", (account, line) => party(account, line, "Vendor"))],
  ["emp_name", column("Employee", "String", (account, line) => party(account, line, "Employee"))],
  [
    "memo",
    column("Memo/Description", "String", (_, { line, txn }) => ({
      value: line.Description ?? txn.PrivateNote ?? ""
    }))
  ],
  [
    "account_name",
    column("Account", "String", (_, { account }) => ({
      value: account.FullyQualifiedName,
      id: account.Id
    }))
  ],
  [
    "item_name",
    column("Product/Service", "String", (account, { detail }) => named(account, "Item", refAt(detail, "ItemRef")))
  ],
  [
    "klass_name",
    column("Class", "String", (account, { detail }) => named(account, "Class", refAt(detail, "ClassRef")))
  ],
  [
    "dept_name",
    column("Location", "String", (account, { detail, txn }) =>
      named(account, "Department", refAt(detail, "DepartmentRef") ?? refAt(txn, "DepartmentRef"))
    )
  ],
  ["create_date", column("Create Date", "Date", stampOf("CreateTime"))],
  ["last_mod_date", column("Last Modified", "Date", stampOf("LastUpdatedTime"))],
  ["debt_amt", column("Debit", "Money", debit, "one")],
  ["credit_amt", column("Credit", "Money", credit, "one")],
  ["subt_nat_amount", column("Amount", "Money", amount, "one")],
  ["rbal_nat_amount", column("Balance", "Money", running, "one")],
  ["debt_home_amt", column("Debit", "Money", debit, "several")],
  ["credit_home_amt", column("Credit", "Money", credit, "several")],
  ["subt_nat_home_amount", column("Amount", "Money", amount, "several")],
  ["rbal_nat_home_amount", column("Balance", "Money", running, "several")],
  [
    "currency",
    column(
      "Currency",
      "String",
      (account, { txn }) => ({
        value: currencyIn(account, txn)
      }),
      "several"
    )
  ],
  [
    "exch_rate",
    column(
      "Exchange Rate",
      "Rate",
      (_, { txn }) => ({
        value: txn.ExchangeRate === undefined ? "1" : amountAt(txn, "ExchangeRate").toString()
      }),
      "several"
    )
  ]
])

/** Lists each account with its opening balance and every line posted to it. */
export const generalLedger = (
  account: Account,
  { end, start }: Period,
  shown: ReadonlyArray<Column>
): ReadonlyArray<Doc> => {
  const before = sums(account, undefined, dayBefore(start))
  const lines = new Map<string, Array<Line>>()
  const balances = new Map(before)
  const all = bookings(account).filter(([, { date }]) => date >= start && date <= end)
  for (const [id, { date, entity, postings }] of all.toSorted(([, a], [, b]) =>
    a.date < b.date ? -1 : a.date > b.date ? 1 : 0
  )) {
    const txn = account.get(entity, id) ?? {}
    for (const { account: accountId, amount, line: lineId } of postings) {
      const target = account.get("Account", accountId)
      if (target === undefined) continue
      const line = partsAt(txn, "Line").find((one) => lineId !== undefined && one.Id === lineId) ?? {}
      const home = new Decimal(amount)
      const balance = (balances.get(accountId) ?? zero).plus(home)
      balances.set(accountId, balance)
      const detail = partAt(line, textAt(line, "DetailType") ?? "")
      const written = { id, entity, date, txn, line, detail, account: target, home, balance }
      const known = lines.get(accountId)
      if (known === undefined) lines.set(accountId, [written])
      else known.push(written)
    }
  }
  const blanks = shown.slice(1).map(() => ({ value: "" }))
  const below = (parent: string | undefined): ReadonlyArray<Doc> =>
    account
      .all("Account")
      .filter((one) => refAt(one, "ParentRef") === parent)
      .flatMap((one) => {
        const id = String(one.Id)
        const own = (lines.get(id) ?? []).map((line) => ({
          ColData: shown.map(({ cell }) => cell(account, line)),
          type: "Data"
        }))
        const rows = [...own, ...below(id)]
        if (rows.length === 0) return []
        const opening = { ColData: [{ value: "Beginning Balance" }, ...blanks], type: "Data" }
        return [
          {
            Header: { ColData: [{ value: one.Name, id }, ...blanks] },
            Rows: { Row: before.get(id) === undefined ? rows : [opening, ...rows] },
            Summary: { ColData: [{ value: `Total for ${String(one.Name)}` }, ...blanks] },
            type: "Section"
          }
        ]
      })
  return below(undefined)
}
