import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { book, type Entry } from "../../simulation/Book.ts"
import { timestamp } from "./Faults.ts"
import { amountAt, money, moneyOf, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import { isOnBalanceSheet } from "./Lists.ts"
import { costAccount, type Posting, postingsOf, quantityOf, stockAccount, systemAccount, valued } from "./Postings.ts"

/** What a transaction does to another record. All that it does is kept with it, to be taken back exactly. */
interface Movement {
  readonly type: string
  readonly id: string
  /** Absent where there is only a link. */
  readonly field?: string
  readonly by: number
  /** The transaction, as the other one's `LinkedTxn` names it. */
  readonly link?: Doc
}

const movements = "movements"

/** What a transaction is called in the `LinkedTxn` of others. */
const linkTypeOf = (entity: string, doc: Doc): string =>
  entity !== "BillPayment" ? entity : doc.PayType === "CreditCard" ? "BillPaymentCreditCard" : "BillPaymentCheck"

export const entityOfLink = (type: string): string => (type.startsWith("BillPayment") ? "BillPayment" : type)

/** Balances of accounts; those of income and expense show none. */
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
    : [{ type, id, field: "Balance", by: moneyOf(txn, amountAt(txn, "TotalAmt").times(sign)) }]
}

/** Stock that the lines of a transaction bring (`sign` 1) or take. */
const stock = (
  account: Account,
  txn: Doc,
  detailType: string,
  sign: number,
  unitsOf = quantityOf
): ReadonlyArray<Movement> =>
  partsAt(txn, "Line").flatMap((line) => {
    const detail = partAt(line, detailType)
    const id = refAt(detail, "ItemRef")
    const isStocked = id !== undefined && account.get("Item", id)?.Type === "Inventory"
    return isStocked ? [{ type: "Item", id, field: "QtyOnHand", by: unitsOf(detail).times(sign).toNumber() }] : []
  })

/** What shows how much of it is open; a journal entry, or what is deposited, does not. */
const haveBalance = new Set<unknown>(["Invoice", "CreditMemo", "Bill", "VendorCredit"])

/** What a payment takes off the balances of what it is applied to. */
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

/** A journal entry's lines on receivables and payables are what customers owe and vendors are owed. */
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

/** The purchase orders that a bill is of. */
const ordered = (txn: Doc): ReadonlyArray<Movement> =>
  partsAt(txn, "LinkedTxn").flatMap(({ TxnId, TxnType }) =>
    TxnType === "PurchaseOrder"
      ? [{ type: TxnType, id: String(TxnId), by: 0, link: { TxnId: String(txn.Id), TxnType: "Bill" } }]
      : []
  )

/** What each kind of transaction does to records besides accounts. */
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

/** Balances that are kept twice: with and without what lies below, or under a second name. */
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
    // what is billed is closed
    ...(type === "PurchaseOrder" ? { POStatus: sign > 0 ? "Closed" : "Open" } : {}),
    MetaData: { ...partAt(doc, "MetaData"), LastUpdatedTime: timestamp(account.now) }
  })
}

const isList = <A>(list: unknown): list is ReadonlyArray<A> => Array.isArray(list)

/** What is in the general ledger of one transaction, and what it did to other records. */
export interface Booking extends Entry<Posting> {
  /** Entity of the transaction; the kind, such as `Opening Balance`, of what the books put there themselves. */
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

/** The general ledger: all that was ever posted, in the order of ids. What reports are made of. */
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

/** Keeps a transaction, in place of the one of its id, with all that it does to other records. */
export const post = (account: Account, entity: string, id: string, doc: Doc): void => {
  takeBack(account, id)
  account.put(entity, id, doc)
  record(account, entity, id, String(doc.TxnDate), postingsOf(account, entity, doc), effects[entity]?.(account, doc))
}

/** Removes a transaction and what it did. */
export const unpost = (account: Account, entity: string, id: string): void => {
  takeBack(account, id)
  account.remove(entity, id)
}

/** Puts amounts of the home currency on accounts without a transaction of a client's: what the books begin with. */
export const postOwn = (
  account: Account,
  kind: string,
  sides: ReadonlyArray<readonly [account: string | undefined, amount: Decimal]>,
  date = timestamp(account.now).slice(0, 10)
): void => {
  const all = sides.flatMap(([id, amount]) => (id === undefined ? [] : [{ account: id, amount }]))
  record(account, kind, String(account.nextId()), date, valued(account, {}, all))
}

/** Credits are used up by a payment; everything else takes of it. */
const isCredit = (link: Doc | undefined) => link?.TxnType === "CreditMemo" || link?.TxnType === "VendorCredit"

/** What of a payment is applied to nothing. */
export const unapplied = (payment: Doc): number =>
  moneyOf(
    payment,
    partsAt(payment, "Line").reduce(
      (rest, line) =>
        isCredit(partsAt(line, "LinkedTxn")[0])
          ? rest.plus(amountAt(line, "Amount"))
          : rest.minus(amountAt(line, "Amount")),
      amountAt(payment, "TotalAmt")
    )
  )

const touched = (account: Account, doc: Doc): Doc => ({
  ...doc,
  MetaData: { ...partAt(doc, "MetaData"), LastUpdatedTime: timestamp(account.now) }
})

/** Where what is left of deleted records is kept, by entity. */
export const deleted = (entity: string) => `deleted ${entity}`

/** Removes a transaction, with a note that it was there. */
export const remove = (account: Account, entity: string, id: string): void => {
  unpost(account, entity, id)
  account.put(deleted(entity), id, { Id: id, LastUpdatedTime: timestamp(account.now) })
}

/** Lines of a payment as far as they still stand: credits settle no more than there is to settle, nor does the money. */
const covered = (payment: Doc): ReadonlyArray<Doc> => {
  const lines = partsAt(payment, "Line")
  const isOfCredit = (line: Doc) => isCredit(partsAt(line, "LinkedTxn")[0])
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
 * Takes a transaction out of the payments that name it in their lines, and out of the bills that an order became: what was
 * paid is unapplied then, and a payment that only set a credit off is no more.
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
      const freed = { ...other, Line: covered({ ...other, Line: others }) }
      if (freed.Line.length === 0 && amountAt(freed, "TotalAmt").isZero()) remove(account, entity, String(other.Id))
      else {
        post(account, entity, String(other.Id), {
          ...touched(account, freed),
          ...(entity === "Payment" ? { UnappliedAmt: unapplied(freed) } : {})
        })
      }
    }
  }
}

/** Stock that an item is given or loses outside of trade; a new item's is the owners'. */
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
