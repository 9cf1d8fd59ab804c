import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { book, type Entry } from "../../simulation/Book.ts"
import { timestamp } from "./Faults.ts"
import { amountAt, money, moneyOf, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import { isOnBalanceSheet } from "./Lists.ts"
import {
  costAccount,
  type Posting,
  postingsOf,
  quantityOf,
  soldLines,
  stockAccount,
  systemAccount,
  valued
} from "./Postings.ts"

/** An effect of a transaction on another record. All are stored with the transaction, so that they can be undone exactly. */
interface Movement {
  readonly type: string
  readonly id: string
  /** Absent where the transaction only adds a link. */
  readonly field?: string
  readonly by: number
  /** The transaction, as it is named in the other record's `LinkedTxn`. */
  readonly link?: Doc
}

const movements = "movements"

/** Type of a transaction in the `LinkedTxn` of others. */
const linkTypeOf = (entity: string, doc: Doc): string =>
  entity !== "BillPayment" ? entity : doc.PayType === "CreditCard" ? "BillPaymentCreditCard" : "BillPaymentCheck"

export const entityOfLink = (type: string): string => (type.startsWith("BillPayment") ? "BillPayment" : type)

/** Effects on the balances of accounts; income and expense accounts show none. */
const balances = (account: Account, postings: ReadonlyArray<Posting>): ReadonlyArray<Movement> =>
  postings.flatMap(({ account: id, own }) => {
    const target = account.get("Account", id)
    return target !== undefined && isOnBalanceSheet(target)
      ? [{ type: "Account", id, field: "CurrentBalance", by: own }]
      : []
  })

const party = (type: string, txn: Doc, member: string, sign: number): ReadonlyArray<Movement> => {
  const id = refAt(txn, member)
  return id === undefined
    ? []
    : [
        {
          type,
          id,
          field: "Balance",
          by: moneyOf(txn, amountAt(txn, "TotalAmt").minus(amountAt(txn, "Deposit")).times(sign))
        }
      ]
}

/** Effects on stock: the lines of a transaction add it (`sign` 1) or remove it. */
const stock = (
  account: Account,
  txn: Doc,
  detailType: string,
  sign: number,
  unitsOf = quantityOf
): ReadonlyArray<Movement> =>
  soldLines(txn).flatMap((line) => {
    const detail = partAt(line, detailType)
    const id = refAt(detail, "ItemRef")
    const isStocked = id !== undefined && account.get("Item", id)?.Type === "Inventory"
    return isStocked ? [{ type: "Item", id, field: "QtyOnHand", by: unitsOf(detail).times(sign).toNumber() }] : []
  })

/** Entities that show their open balance, unlike journal entries and deposited transactions. */
const haveBalance = new Set<unknown>(["Invoice", "CreditMemo", "Bill", "VendorCredit"])

/** Effects of a payment on the balances of the transactions that it is applied to. */
const applied = (entity: string, txn: Doc): ReadonlyArray<Movement> =>
  partsAt(txn, "Line").flatMap((line) =>
    partsAt(line, "LinkedTxn").map((link) => ({
      type: String(link.TxnType),
      id: String(link.TxnId),
      ...(haveBalance.has(link.TxnType) ? { field: "Balance" } : {}),
      by: moneyOf(txn, amountAt(line, "Amount").negated()),
      link: { TxnId: String(txn.Id), TxnType: linkTypeOf(entity, txn) }
    }))
  )

/** Effects of a journal entry on parties: its lines on receivables and payables change their balances. */
const owed = (account: Account, txn: Doc): ReadonlyArray<Movement> =>
  partsAt(txn, "Line").flatMap((line) => {
    const detail = partAt(line, "JournalEntryLineDetail")
    const type = account.get("Account", refAt(detail, "AccountRef") ?? "")?.AccountType
    const entity = partAt(detail, "Entity")
    const id = refAt(entity, "EntityRef")
    const side = type === "Accounts Receivable" ? 1 : type === "Accounts Payable" ? -1 : 0
    if (id === undefined || side === 0) return []
    const sign = detail.PostingType === "Credit" ? -side : side
    return [{ type: String(entity.Type), id, field: "Balance", by: moneyOf(txn, amountAt(line, "Amount").times(sign)) }]
  })

/** Effects of a bill on its purchase orders. */
const ordered = (txn: Doc): ReadonlyArray<Movement> =>
  partsAt(txn, "LinkedTxn").flatMap(({ TxnId, TxnType }) =>
    TxnType === "PurchaseOrder"
      ? [{ type: TxnType, id: String(TxnId), by: 0, link: { TxnId: String(txn.Id), TxnType: "Bill" } }]
      : []
  )

/** Effects of each kind of transaction on records other than accounts. */
const effects: { readonly [entity: string]: (account: Account, txn: Doc) => ReadonlyArray<Movement> } = {
  Invoice: (account, txn) => [
    ...party("Customer", txn, "CustomerRef", 1),
    ...stock(account, txn, "SalesItemLineDetail", -1)
  ],
  CreditMemo: (account, txn) => [
    ...party("Customer", txn, "CustomerRef", -1),
    ...stock(account, txn, "SalesItemLineDetail", 1)
  ],
  SalesReceipt: (account, txn) => stock(account, txn, "SalesItemLineDetail", -1),
  RefundReceipt: (account, txn) => stock(account, txn, "SalesItemLineDetail", 1),
  Bill: (account, txn) => [
    ...party("Vendor", txn, "VendorRef", 1),
    ...stock(account, txn, "ItemBasedExpenseLineDetail", 1),
    ...ordered(txn)
  ],
  VendorCredit: (account, txn) => [
    ...party("Vendor", txn, "VendorRef", -1),
    ...stock(account, txn, "ItemBasedExpenseLineDetail", -1)
  ],
  Purchase: (account, txn) => stock(account, txn, "ItemBasedExpenseLineDetail", txn.Credit === true ? -1 : 1),
  Payment: (_, txn) => [...party("Customer", txn, "CustomerRef", -1), ...applied("Payment", txn)],
  BillPayment: (_, txn) => [...party("Vendor", txn, "VendorRef", -1), ...applied("BillPayment", txn)],
  Deposit: (_, txn) => applied("Deposit", txn),
  JournalEntry: owed,
  InventoryAdjustment: (account, txn) =>
    stock(account, txn, "ItemAdjustmentLineDetail", 1, (detail) => amountAt(detail, "QtyDiff"))
}

/** Balances stored twice: with and without child records, or under a second name. */
const twins: { readonly [type: string]: readonly [twin: string, reachesParents: boolean] } = {
  Account: ["CurrentBalanceWithSubAccounts", true],
  Customer: ["BalanceWithJobs", true],
  CreditMemo: ["RemainingCredit", false]
}

const add = (account: Account, type: string, id: string, names: ReadonlyArray<string | undefined>, by: Decimal) => {
  const doc = account.get(type, id)
  if (doc === undefined) return undefined
  const fields = names.filter((name) => name !== undefined)
  const sums = Object.fromEntries(fields.map((field) => [field, moneyOf(doc, amountAt(doc, field).plus(by))]))
  const changed = { ...doc, ...sums }
  account.put(type, id, changed)
  return changed
}

const apply = (account: Account, { by, field, id, link, type }: Movement, sign: number) => {
  if (by === 0 && link === undefined) return
  const amount = new Decimal(by).times(sign)
  const [twin, reachesParents] = field === "QtyOnHand" ? [] : (twins[type] ?? [])
  const doc = add(account, type, id, twin === undefined ? [field] : [field, twin], amount)
  if (doc === undefined) return
  if (twin !== undefined && reachesParents === true) {
    for (let parent = refAt(doc, "ParentRef"); parent !== undefined;) {
      const above = add(account, type, parent, [twin], amount)
      parent = above === undefined ? undefined : refAt(above, "ParentRef")
    }
  }
  if (link === undefined) return
  const others = partsAt(doc, "LinkedTxn").filter((one) => one.TxnId !== link.TxnId)
  account.put(type, id, {
    ...doc,
    ...("HomeBalance" in doc
      ? { HomeBalance: money(amountAt(doc, "Balance").times(amountAt(doc, "ExchangeRate"))) }
      : {}),
    LinkedTxn: sign > 0 ? [...others, link] : others,
    // a billed order is closed
    ...(type === "PurchaseOrder" ? { POStatus: sign > 0 ? "Closed" : "Open" } : {}),
    MetaData: { ...partAt(doc, "MetaData"), LastUpdatedTime: timestamp(account.now) }
  })
}

const isList = <A>(list: unknown): list is ReadonlyArray<A> => Array.isArray(list)

/** A transaction in the general ledger, with its effects on other records. */
export interface Booking extends Entry<Posting> {
  /** Entity of the transaction, or the kind of the books' own posting, such as `Opening Balance`. */
  readonly entity: string
  readonly list: ReadonlyArray<Movement>
}

const ledger = book<Booking>(
  movements,
  (booking) => ({ ...booking }),
  ({ date, entity, list, postings }) => ({
    date: String(date),
    entity: String(entity),
    list: isList<Movement>(list) ? list : [],
    postings: isList<Posting>(postings) ? postings : []
  })
)

/** The general ledger: all postings, in the order of ids. Reports are built from it. */
export const { entries: bookings, sums } = ledger

const takeBack = (account: Account, id: string) => {
  for (const movement of ledger.entry(account, id)?.list ?? []) apply(account, movement, -1)
  ledger.unpost(account, id)
}

const record = (
  account: Account,
  entity: string,
  id: string,
  date: string,
  postings: ReadonlyArray<Posting>,
  others: ReadonlyArray<Movement> = []
): void => {
  const list = [...balances(account, postings), ...others]
  for (const movement of list) apply(account, movement, 1)
  ledger.post(account, id, { entity, date, list, postings })
}

/** Stores a transaction, replacing that of the same id, and applies its effects on other records. */
export const post = (account: Account, entity: string, id: string, doc: Doc): void => {
  takeBack(account, id)
  account.put(entity, id, doc)
  record(account, entity, id, String(doc.TxnDate), postingsOf(account, entity, doc), effects[entity]?.(account, doc))
}

/** Removes a transaction and its effects. */
export const unpost = (account: Account, entity: string, id: string): void => {
  takeBack(account, id)
  account.remove(entity, id)
}

/** Posts amounts in home currency without a client's transaction, such as opening balances. */
export const postOwn = (
  account: Account,
  kind: string,
  sides: ReadonlyArray<readonly [account: string | undefined, amount: Decimal]>,
  date = timestamp(account.now).slice(0, 10)
): void => {
  const all = sides.flatMap(([id, amount]) => (id === undefined ? [] : [{ account: id, amount }]))
  record(account, kind, String(account.nextId()), date, valued(account, {}, all))
}

/** What a journal entry has a customer or vendor owe; less than 0 for an entry in their favour. */
export const owedByEntry = (account: Account, entry: Doc, party: string | undefined): Decimal =>
  partsAt(entry, "Line").reduce((sum, line) => {
    const detail = partAt(line, "JournalEntryLineDetail")
    const type = account.get("Account", refAt(detail, "AccountRef") ?? "")?.AccountType
    const side = type === "Accounts Receivable" ? "Debit" : type === "Accounts Payable" ? "Credit" : undefined
    if (side === undefined || refAt(partAt(detail, "Entity"), "EntityRef") !== party) return sum
    return sum.plus(amountAt(line, "Amount").times(detail.PostingType === side ? 1 : -1))
  }, new Decimal(0))

/** Whether a line of a payment uses up its transaction, as a credit, rather than settling it. */
const isCredit = (account: Account, payment: Doc, line: Doc): boolean => {
  const link = partsAt(line, "LinkedTxn")[0]
  if (link?.TxnType !== "JournalEntry") return link?.TxnType === "CreditMemo" || link?.TxnType === "VendorCredit"
  const party = refAt(payment, "CustomerRef") ?? refAt(payment, "VendorRef")
  return owedByEntry(account, account.get("JournalEntry", String(link.TxnId)) ?? {}, party).isNegative()
}

/** The unapplied amount of a payment. */
export const unapplied = (account: Account, payment: Doc): number =>
  moneyOf(
    payment,
    partsAt(payment, "Line").reduce(
      (rest, line) =>
        isCredit(account, payment, line) ? rest.plus(amountAt(line, "Amount")) : rest.minus(amountAt(line, "Amount")),
      amountAt(payment, "TotalAmt")
    )
  )

const touched = (account: Account, doc: Doc): Doc => ({
  ...doc,
  MetaData: { ...partAt(doc, "MetaData"), LastUpdatedTime: timestamp(account.now) }
})

/** Table of the traces of deleted records, by entity. */
export const deleted = (entity: string) => `deleted ${entity}`

/** Removes a transaction, leaving a trace that it existed. */
export const remove = (account: Account, entity: string, id: string): void => {
  unpost(account, entity, id)
  account.put(deleted(entity), id, { Id: id, LastUpdatedTime: timestamp(account.now) })
}

/** Reduces the lines of a payment so that credits and money settle no more than there is to settle. */
const covered = (account: Account, payment: Doc): ReadonlyArray<Doc> => {
  const lines = partsAt(payment, "Line")
  const isOfCredit = (line: Doc) => isCredit(account, payment, line)
  const sumOf = (some: ReadonlyArray<Doc>) =>
    some.reduce((sum, line) => sum.plus(amountAt(line, "Amount")), new Decimal(0))
  const owed = sumOf(lines.filter((line) => !isOfCredit(line)))
  const credit = Decimal.min(sumOf(lines.filter(isOfCredit)), owed)
  const left = { credit, paid: Decimal.min(owed, credit.plus(amountAt(payment, "TotalAmt"))) }
  return lines.flatMap((line) => {
    const kind = isOfCredit(line) ? "credit" : "paid"
    const amount = Decimal.min(amountAt(line, "Amount"), left[kind])
    left[kind] = left[kind].minus(amount)
    return amount.isZero() ? [] : [{ ...line, Amount: moneyOf(payment, amount) }]
  })
}

/**
 * Removes a transaction from the payments whose lines name it, and an order from the bills made from it. Its payments become
 * unapplied; a payment that only applied a credit is removed.
 */
export const release = (account: Account, id: string, txn: Doc): void => {
  for (const link of partsAt(txn, "LinkedTxn")) {
    const entity = entityOfLink(String(link.TxnType))
    const other = account.get(entity, String(link.TxnId))
    if (other === undefined) continue
    if (entity === "Bill") {
      const LinkedTxn = partsAt(other, "LinkedTxn").filter(({ TxnId }) => TxnId !== id)
      account.put(entity, String(other.Id), touched(account, { ...other, LinkedTxn }))
    } else if (entity === "Payment" || entity === "BillPayment") {
      const others = partsAt(other, "Line").filter((line) => partsAt(line, "LinkedTxn")[0]?.TxnId !== id)
      const freed = { ...other, Line: covered(account, { ...other, Line: others }) }
      if (freed.Line.length === 0 && amountAt(freed, "TotalAmt").isZero()) remove(account, entity, String(other.Id))
      else {
        post(account, entity, String(other.Id), {
          ...touched(account, freed),
          ...(entity === "Payment" ? { UnappliedAmt: unapplied(account, freed) } : {})
        })
      }
    }
  }
}

/** Posts a change of stock that no trade caused; a new item's opening stock goes to the owners' equity. */
export const stockAdjusted = (account: Account, item: Doc, before: Doc | undefined): void => {
  const change = amountAt(item, "QtyOnHand").minus(amountAt(before ?? {}, "QtyOnHand"))
  if (change.isZero()) return
  const value = change.times(amountAt(item, "PurchaseCost"))
  const other = before === undefined ? systemAccount(account, "OpeningBalanceEquity") : costAccount(account, item)
  postOwn(
    account,
    before === undefined ? "Inventory Starting Value" : "Inventory Qty Adjust",
    [
      [stockAccount(account, item), value],
      [other, value.negated()]
    ],
    before === undefined ? textAt(item, "InvStartDate") : undefined
  )
}
