import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { timestamp } from "./Faults.ts"
import { amountAt, currencyOf, homeCurrency, money, partAt, partsAt, refAt, textAt } from "./Fields.ts"
import { isOnBalanceSheet } from "./Lists.ts"

/** What a transaction does to another record. All that it does is kept with it, to be taken back exactly. */
interface Movement {
  readonly type: string
  readonly id: string
  readonly field: string
  readonly by: number
  /** The transaction, as the other one's `LinkedTxn` names it. */
  readonly link?: Doc
}

const movements = "movements"

/** In place of a transaction, for what is valued in the home currency. */
const home: Doc = { CurrencyRef: { value: homeCurrency }, ExchangeRate: 1 }

/** What a transaction is called in the `LinkedTxn` of others. */
export const linkTypeOf = (entity: string, doc: Doc): string =>
  entity !== "BillPayment" ? entity : doc.PayType === "CreditCard" ? "BillPaymentCreditCard" : "BillPaymentCheck"

const entityOfLink = (type: string): string => (type.startsWith("BillPayment") ? "BillPayment" : type)

/** The receivable or payable account of a currency; made when the first transaction needs it, as Intuit does. */
export const controlAccount = (
  account: Account,
  type: "Accounts Receivable" | "Accounts Payable",
  currency: string
): string => {
  const found = account
    .all("Account")
    .find((one) => one.AccountType === type && currencyOf(one) === currency && one.Active === true)
  if (found !== undefined) return String(found.Id)
  const [name, subType, classification] =
    type === "Accounts Receivable"
      ? ["Accounts Receivable (A/R)", "AccountsReceivable", "Asset"]
      : ["Accounts Payable (A/P)", "AccountsPayable", "Liability"]
  const full = currency === homeCurrency ? name : `${name} - ${currency}`
  const id = String(account.nextId())
  const now = timestamp(account.now)
  account.put("Account", id, {
    Id: id,
    SyncToken: "0",
    MetaData: { CreateTime: now, LastUpdatedTime: now },
    Name: full,
    FullyQualifiedName: full,
    SubAccount: false,
    Active: true,
    Classification: classification,
    AccountType: type,
    AccountSubType: subType,
    CurrencyRef: { value: currency },
    CurrentBalance: 0,
    CurrentBalanceWithSubAccounts: 0
  })
  return id
}

/** The account of a detail type, such as the one sales tax is owed on. */
export const accountOfType = (account: Account, subType: string): string | undefined =>
  account.all("Account").flatMap((one) => (one.AccountSubType === subType ? (textAt(one, "Id") ?? []) : []))[0]

/** A movement on an account of the balance sheet, in its currency; debit is positive. */
const posting = (account: Account, id: string | undefined, amount: Decimal, txn: Doc): ReadonlyArray<Movement> => {
  const target = id === undefined ? undefined : account.get("Account", id)
  if (id === undefined || target === undefined || !isOnBalanceSheet(target) || amount.isZero()) return []
  const isSame = currencyOf(target) === currencyOf(txn)
  const by = money(isSame ? amount : amount.times(amountAt(txn, "ExchangeRate")))
  return [{ type: "Account", id, field: "CurrentBalance", by }]
}

const party = (type: string, txn: Doc, member: string, amount: Decimal): ReadonlyArray<Movement> => {
  const id = refAt(txn, member)
  return id === undefined ? [] : [{ type, id, field: "Balance", by: money(amount) }]
}

/** Stock that leaves (`sign` -1) or comes back with a sale, at what it cost. */
const stockSold = (account: Account, txn: Doc, sign: number): ReadonlyArray<Movement> =>
  partsAt(txn, "Line").flatMap((line) => {
    const detail = partAt(line, "SalesItemLineDetail")
    const id = refAt(detail, "ItemRef")
    const item = id === undefined ? undefined : account.get("Item", id)
    if (id === undefined || item?.Type !== "Inventory") return []
    const quantity = (detail.Qty === undefined ? new Decimal(1) : amountAt(detail, "Qty")).times(sign)
    const cost = quantity.times(amountAt(item, "PurchaseCost"))
    return [
      { type: "Item", id, field: "QtyOnHand", by: quantity.toNumber() },
      ...posting(account, refAt(item, "AssetAccountRef"), cost, home)
    ]
  })

/** What the lines of a bill (`sign` 1) or vendor credit put on accounts and into stock. */
const bought = (account: Account, txn: Doc, sign: number): ReadonlyArray<Movement> =>
  partsAt(txn, "Line").flatMap((line) => {
    const amount = amountAt(line, "Amount").times(sign)
    const detail = partAt(line, "ItemBasedExpenseLineDetail")
    const id = refAt(detail, "ItemRef")
    const item = id === undefined ? undefined : account.get("Item", id)
    if (id === undefined || item === undefined) {
      return posting(account, refAt(partAt(line, "AccountBasedExpenseLineDetail"), "AccountRef"), amount, txn)
    }
    if (item.Type !== "Inventory") return posting(account, refAt(item, "ExpenseAccountRef"), amount, txn)
    const quantity = (detail.Qty === undefined ? new Decimal(1) : amountAt(detail, "Qty")).times(sign)
    return [
      { type: "Item", id, field: "QtyOnHand", by: quantity.toNumber() },
      ...posting(account, refAt(item, "AssetAccountRef"), amount, txn)
    ]
  })

/** What a payment takes off the balances of what it is applied to. */
const applied = (entity: string, txn: Doc): ReadonlyArray<Movement> =>
  partsAt(txn, "Line").flatMap((line) =>
    partsAt(line, "LinkedTxn").map((link) => ({
      type: String(link.TxnType),
      id: String(link.TxnId),
      field: "Balance",
      by: money(amountAt(line, "Amount").negated()),
      link: { TxnId: String(txn.Id), TxnType: linkTypeOf(entity, txn) }
    }))
  )

const sale = (account: Account, txn: Doc, sign: number): ReadonlyArray<Movement> => {
  const total = amountAt(txn, "TotalAmt").times(sign)
  const receivable = controlAccount(account, "Accounts Receivable", currencyOf(txn))
  const tax = amountAt(partAt(txn, "TxnTaxDetail"), "TotalTax").times(sign)
  return [
    ...posting(account, receivable, total, txn),
    ...party("Customer", txn, "CustomerRef", total),
    ...posting(account, accountOfType(account, "SalesTaxPayable"), tax.negated(), txn),
    ...stockSold(account, txn, -sign)
  ]
}

const purchase = (account: Account, txn: Doc, sign: number): ReadonlyArray<Movement> => {
  const total = amountAt(txn, "TotalAmt").times(sign)
  return [
    ...posting(account, refAt(txn, "APAccountRef"), total.negated(), txn),
    ...party("Vendor", txn, "VendorRef", total),
    ...bought(account, txn, sign)
  ]
}

/** What each kind of transaction does to other records. */
const effects: { readonly [entity: string]: (account: Account, txn: Doc) => ReadonlyArray<Movement> } = {
  Invoice: (account, txn) => sale(account, txn, 1),
  CreditMemo: (account, txn) => sale(account, txn, -1),
  Bill: (account, txn) => purchase(account, txn, 1),
  VendorCredit: (account, txn) => purchase(account, txn, -1),
  Payment: (account, txn) => {
    const total = amountAt(txn, "TotalAmt")
    return [
      ...posting(account, refAt(txn, "ARAccountRef"), total.negated(), txn),
      ...posting(account, refAt(txn, "DepositToAccountRef"), total, txn),
      ...party("Customer", txn, "CustomerRef", total.negated()),
      ...applied("Payment", txn)
    ]
  },
  BillPayment: (account, txn) => {
    const total = amountAt(txn, "TotalAmt")
    const source =
      refAt(partAt(txn, "CheckPayment"), "BankAccountRef") ?? refAt(partAt(txn, "CreditCardPayment"), "CCAccountRef")
    return [
      ...posting(account, refAt(txn, "APAccountRef"), total, txn),
      ...posting(account, source, total.negated(), txn),
      ...party("Vendor", txn, "VendorRef", total.negated()),
      ...applied("BillPayment", txn)
    ]
  }
}

/** Balances that are kept twice: with and without what lies below, or under a second name. */
const twins: { readonly [type: string]: readonly [twin: string, reachesParents: boolean] } = {
  Account: ["CurrentBalanceWithSubAccounts", true],
  Customer: ["BalanceWithJobs", true],
  CreditMemo: ["RemainingCredit", false]
}

const add = (account: Account, type: string, id: string, fields: ReadonlyArray<string>, by: Decimal) => {
  const doc = account.get(type, id)
  if (doc === undefined) return undefined
  const sums = Object.fromEntries(fields.map((field) => [field, money(amountAt(doc, field).plus(by))]))
  const changed = { ...doc, ...sums }
  account.put(type, id, changed)
  return changed
}

const apply = (account: Account, { by, field, id, link, type }: Movement, sign: number) => {
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
    MetaData: { ...partAt(doc, "MetaData"), LastUpdatedTime: timestamp(account.now) }
  })
}

const isMovements = (list: unknown): list is ReadonlyArray<Movement> => Array.isArray(list)

const takeBack = (account: Account, id: string) => {
  const list = account.get(movements, id)?.list
  if (isMovements(list)) for (const movement of list) apply(account, movement, -1)
  account.remove(movements, id)
}

/** Keeps a transaction, in place of the one of its id, with all that it does to other records. */
export const post = (account: Account, entity: string, id: string, doc: Doc): void => {
  takeBack(account, id)
  account.put(entity, id, doc)
  const list = effects[entity]?.(account, doc) ?? []
  for (const movement of list) apply(account, movement, 1)
  account.put(movements, id, { list })
}

/** Removes a transaction and what it did. */
export const unpost = (account: Account, entity: string, id: string): void => {
  takeBack(account, id)
  account.remove(entity, id)
}

/** What of a payment is applied to nothing. */
export const unapplied = (payment: Doc): number =>
  money(
    partsAt(payment, "Line").reduce(
      (rest, line) =>
        partsAt(line, "LinkedTxn")[0]?.TxnType === "CreditMemo"
          ? rest.plus(amountAt(line, "Amount"))
          : rest.minus(amountAt(line, "Amount")),
      amountAt(payment, "TotalAmt")
    )
  )

/** Takes a transaction out of the payments that are applied to it: what they paid is unapplied then. */
export const release = (account: Account, id: string, txn: Doc): void => {
  for (const link of partsAt(txn, "LinkedTxn")) {
    const entity = entityOfLink(String(link.TxnType))
    const payment = account.get(entity, String(link.TxnId))
    if (payment === undefined) continue
    const Line = partsAt(payment, "Line").filter((line) => partsAt(line, "LinkedTxn")[0]?.TxnId !== id)
    const freed = { ...payment, Line }
    post(account, entity, String(payment.Id), {
      ...freed,
      ...(entity === "Payment" ? { UnappliedAmt: unapplied(freed) } : {}),
      MetaData: { ...partAt(payment, "MetaData"), LastUpdatedTime: timestamp(account.now) }
    })
  }
}

/** Stock that an item is given or loses outside of trade; a new item's is the owners'. */
export const stockAdjusted = (account: Account, item: Doc, before: Doc | undefined): void => {
  const change = amountAt(item, "QtyOnHand").minus(amountAt(before ?? {}, "QtyOnHand"))
  const value = change.times(amountAt(item, "PurchaseCost"))
  const list = [
    ...posting(account, refAt(item, "AssetAccountRef"), value, home),
    ...(before === undefined
      ? posting(account, accountOfType(account, "OpeningBalanceEquity"), value.negated(), home)
      : [])
  ]
  for (const movement of list) apply(account, movement, 1)
}
