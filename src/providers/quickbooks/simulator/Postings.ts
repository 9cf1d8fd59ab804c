import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import * as Book from "../../simulation/Book.ts"
import { moved, reversed } from "../../simulation/Book.ts"
import { timestamp } from "./Faults.ts"
import { amountAt, currencyIn, currencyOf, homeOf, moneyOf, partAt, partsAt, refAt } from "./Fields.ts"

// Postings of transactions to accounts.

export interface Posting extends Book.Posting {
  readonly account: string
  /** Amount in the currency of the account. */
  readonly own: number
  /** Id of the line that it is from, if any. */
  readonly line?: string
}

export interface Side extends Book.Side {
  readonly account: string
  readonly line?: string
}

/** A side in home currency, which the transaction's rate does not convert, such as the cost of stock. */
const atHome = (account: string, amount: Decimal): Side => ({ account, amount, base: amount })

/** Accounts that Intuit creates when a transaction first needs them, by detail type. */
const madeWhenNeeded = {
  AccountsReceivable: ["Accounts Receivable (A/R)", "Accounts Receivable", "Asset"],
  AccountsPayable: ["Accounts Payable (A/P)", "Accounts Payable", "Liability"],
  UndepositedFunds: ["Undeposited Funds", "Other Current Asset", "Asset"],
  SalesTaxPayable: ["Sales Tax Payable", "Other Current Liability", "Liability"],
  OpeningBalanceEquity: ["Opening Balance Equity", "Equity", "Equity"],
  DiscountsRefundsGiven: ["Discounts given", "Income", "Revenue"],
  OtherMiscellaneousServiceCost: ["Uncategorized Expense", "Expense", "Expense"],
  OtherPrimaryIncome: ["Shipping Income", "Income", "Revenue"]
} as const

/** Returns the account of a detail type; receivables and payables have one for each currency. */
export const systemAccount = (
  account: Account,
  subType: keyof typeof madeWhenNeeded,
  currency = homeOf(account)
): string => {
  const found = account
    .all("Account")
    .find((one) => one.AccountSubType === subType && currencyOf(one) === currency && one.Active === true)
  if (found !== undefined) return String(found.Id)
  const [name, type, classification] = madeWhenNeeded[subType]
  const full = currency === homeOf(account) ? name : `${name} - ${currency}`
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

export const controlAccount = (account: Account, type: "Accounts Receivable" | "Accounts Payable", currency: string) =>
  systemAccount(account, type === "Accounts Receivable" ? "AccountsReceivable" : "AccountsPayable", currency)

const itemOf = (account: Account, detail: Doc) => account.get("Item", refAt(detail, "ItemRef") ?? "")

/** Quantity of a line; 1 by default. */
export const quantityOf = (detail: Doc): Decimal =>
  detail.Qty === undefined ? new Decimal(1) : amountAt(detail, "Qty")

/** The account that purchases of an item post to. */
export const costAccount = (account: Account, item: Doc) =>
  refAt(item, "ExpenseAccountRef") ?? systemAccount(account, "OtherMiscellaneousServiceCost")

export const stockAccount = (account: Account, item: Doc) =>
  refAt(item, "AssetAccountRef") ?? costAccount(account, item)

/** Stock that leaves with a sale, at cost. */
const stockSold = (account: Account, item: Doc, detail: Doc): ReadonlyArray<Side> => {
  const cost = quantityOf(detail).times(amountAt(item, "PurchaseCost"))
  return [atHome(costAccount(account, item), cost), atHome(stockAccount(account, item), cost.negated())]
}

/** The account that money of a sale goes to. */
const till = (account: Account, txn: Doc) =>
  refAt(txn, "DepositToAccountRef") ?? systemAccount(account, "UndepositedFunds")

/** The lines of a sale, with the members of bundles in place of these. */
export const soldLines = (txn: Doc): ReadonlyArray<Doc> =>
  partsAt(txn, "Line").flatMap((line) =>
    line.DetailType === "GroupLineDetail" ? partsAt(partAt(line, "GroupLineDetail"), "Line") : [line]
  )

/** The discount of a sale without tax, which it includes where amounts do. */
const netDiscount = (txn: Doc, amount: Decimal): Decimal =>
  txn.GlobalTaxCalculation === "TaxInclusive"
    ? soldLines(txn)
        .filter(({ DetailType }) => DetailType === "SalesItemLineDetail")
        .reduce((sum, line) => sum.plus(amountAt(line, "Amount")), amountAt(partAt(txn, "TxnTaxDetail"), "TotalTax"))
        .minus(amountAt(txn, "TotalAmt"))
    : amount

/** A sale: its total on one account, against income, discount and tax. */
const sold = (account: Account, txn: Doc, control: string): ReadonlyArray<Side> => [
  { account: control, amount: amountAt(txn, "TotalAmt").minus(amountAt(txn, "Deposit")) },
  { account: till(account, txn), amount: amountAt(txn, "Deposit") },
  ...soldLines(txn).flatMap((line): ReadonlyArray<Side> => {
    const amount = amountAt(line, "Amount")
    if (line.DetailType === "DiscountLineDetail") {
      const given = refAt(partAt(line, "DiscountLineDetail"), "DiscountAccountRef")
      return [{ account: given ?? systemAccount(account, "DiscountsRefundsGiven"), amount: netDiscount(txn, amount) }]
    }
    const detail = partAt(line, "SalesItemLineDetail")
    const item = itemOf(account, detail)
    const income = refAt(detail, "ItemAccountRef")
    if (income === undefined) return []
    return [
      { account: income, amount: amount.negated(), line: String(line.Id) },
      ...(item?.Type === "Inventory" ? stockSold(account, item, detail) : [])
    ]
  }),
  {
    account: systemAccount(account, "SalesTaxPayable"),
    amount: amountAt(partAt(txn, "TxnTaxDetail"), "TotalTax").negated()
  }
]

/** A purchase: its total on one account, against the accounts of its lines. */
const bought = (account: Account, txn: Doc, control: string): ReadonlyArray<Side> => [
  { account: control, amount: amountAt(txn, "TotalAmt").negated() },
  {
    account: systemAccount(account, "SalesTaxPayable"),
    amount: amountAt(partAt(txn, "TxnTaxDetail"), "TotalTax")
  },
  ...partsAt(txn, "Line").map((line): Side => {
    const item = itemOf(account, partAt(line, "ItemBasedExpenseLineDetail"))
    const cost =
      item === undefined
        ? (refAt(partAt(line, "AccountBasedExpenseLineDetail"), "AccountRef") ??
          systemAccount(account, "OtherMiscellaneousServiceCost"))
        : item.Type === "Inventory"
          ? stockAccount(account, item)
          : costAccount(account, item)
    return { account: cost, amount: amountAt(line, "Amount"), line: String(line.Id) }
  })
]

const receivable = (account: Account, txn: Doc) =>
  controlAccount(account, "Accounts Receivable", currencyIn(account, txn))
const payable = (account: Account, txn: Doc) =>
  refAt(txn, "APAccountRef") ?? controlAccount(account, "Accounts Payable", currencyIn(account, txn))

const rules: { readonly [entity: string]: (account: Account, txn: Doc) => ReadonlyArray<Side> } = {
  Invoice: (account, txn) => sold(account, txn, receivable(account, txn)),
  CreditMemo: (account, txn) => reversed(sold(account, txn, receivable(account, txn))),
  SalesReceipt: (account, txn) => sold(account, txn, till(account, txn)),
  RefundReceipt: (account, txn) => reversed(sold(account, txn, till(account, txn))),
  Bill: (account, txn) => bought(account, txn, payable(account, txn)),
  VendorCredit: (account, txn) => reversed(bought(account, txn, payable(account, txn))),
  Purchase: (account, txn) => {
    const sides = bought(account, txn, refAt(txn, "AccountRef") ?? systemAccount(account, "UndepositedFunds"))
    return txn.Credit === true ? reversed(sides) : sides
  },
  Payment: (account, txn) =>
    moved(amountAt(txn, "TotalAmt"), refAt(txn, "ARAccountRef") ?? receivable(account, txn), till(account, txn)),
  BillPayment: (account, txn) => {
    const source =
      refAt(partAt(txn, "CheckPayment"), "BankAccountRef") ?? refAt(partAt(txn, "CreditCardPayment"), "CCAccountRef")
    return moved(amountAt(txn, "TotalAmt"), source ?? systemAccount(account, "UndepositedFunds"), payable(account, txn))
  },
  JournalEntry: (_, txn) =>
    partsAt(txn, "Line").flatMap((line): ReadonlyArray<Side> => {
      const detail = partAt(line, "JournalEntryLineDetail")
      const id = refAt(detail, "AccountRef")
      const amount = amountAt(line, "Amount")
      if (id === undefined) return []
      return [
        { account: id, amount: detail.PostingType === "Credit" ? amount.negated() : amount, line: String(line.Id) }
      ]
    }),
  Deposit: (account, txn) => {
    const cashBack = partAt(txn, "CashBack")
    const taken = refAt(cashBack, "AccountRef")
    return [
      { account: till(account, txn), amount: amountAt(txn, "TotalAmt") },
      ...partsAt(txn, "Line").map((line) => ({
        account: refAt(partAt(line, "DepositLineDetail"), "AccountRef") ?? systemAccount(account, "UndepositedFunds"),
        amount: amountAt(line, "Amount").negated(),
        line: String(line.Id)
      })),
      ...(taken === undefined ? [] : [{ account: taken, amount: amountAt(cashBack, "Amount") }])
    ]
  },
  Transfer: (_, txn) =>
    moved(amountAt(txn, "Amount"), refAt(txn, "FromAccountRef") ?? "", refAt(txn, "ToAccountRef") ?? ""),
  InventoryAdjustment: (account, txn) =>
    partsAt(txn, "Line").flatMap((line): ReadonlyArray<Side> => {
      const detail = partAt(line, "ItemAdjustmentLineDetail")
      const item = itemOf(account, detail)
      if (item === undefined) return []
      const value = amountAt(detail, "QtyDiff").times(amountAt(item, "PurchaseCost"))
      return moved(
        value,
        refAt(txn, "AdjustAccountRef") ?? costAccount(account, item),
        stockAccount(account, item)
      ).map((side) => ({ ...atHome(side.account, side.amount), line: String(line.Id) }))
    })
}

/** The postings of a transaction, valued. */
export const postingsOf = (account: Account, entity: string, txn: Doc): ReadonlyArray<Posting> =>
  valued(account, txn, rules[entity]?.(account, txn) ?? [])

/** Values sides in the home currency and in the currency of their accounts. */
export const valued = (account: Account, txn: Doc, all: ReadonlyArray<Side>): ReadonlyArray<Posting> => {
  const [own, currency] = [homeOf(account), currencyIn(account, txn)]
  const rate = currency === own ? new Decimal(1) : amountAt(txn, "ExchangeRate")
  const sides = all.filter(({ amount }) => !amount.isZero())
  return Book.valued(sides, (amount) => amount.times(rate), "last").map(
    ([{ account: id, amount, base, line }, home]) => {
      const isOwn = base === undefined && currency !== own && currencyOf(account.get("Account", id) ?? {}) === currency
      return {
        account: id,
        amount: home,
        own: isOwn ? moneyOf(txn, amount) : home,
        ...(line === undefined ? {} : { line })
      }
    }
  )
}
