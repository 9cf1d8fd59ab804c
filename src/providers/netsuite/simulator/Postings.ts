import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, money, partsAt } from "../../simulation/Docs.ts"
import { accountNamed, inUnits, itemOf, specialAccount } from "./Books.ts"
import { idAt } from "./Fields.ts"

// What transactions put on accounts: double entry, so that the postings of each sum to nothing.

/** One side of a transaction; debit is positive. */
export interface Posting {
  /** Id of the account; absent for a line of an order, which posts nothing. */
  readonly account?: string
  /** Number of the line, as the record has it; 0 is the main line. */
  readonly line: number
  /** In the currency of the transaction. */
  readonly foreign: number
  /** In the base currency of the subsidiary. */
  readonly amount: number
  /** The line of the record, for what lines tell. */
  readonly source?: Doc
  /** Its place among the lines of the transaction. */
  readonly place: number
  readonly isTax?: true
  readonly isCost?: true
  readonly isDiscount?: true
}

type Side = Omit<Posting, "line" | "place" | "foreign" | "amount"> & {
  readonly by: Decimal
  /** The line of an item and what it costs belong together. */
  readonly isBase?: true
}

const ofItem = (account: Account, line: Doc, members: ReadonlyArray<string>): string | undefined => {
  const doc = itemOf(account, line)?.doc ?? {}
  return members.flatMap((member) => idAt(doc, member) ?? [])[0]
}

const costOf = (account: Account, line: Doc, sign: number): ReadonlyArray<Side> => {
  const found = itemOf(account, line)
  if (found?.type !== "inventoryItem") return []
  const by = amountAt(found.doc, "cost").times(amountAt(line, "quantity")).times(sign)
  const [cost, asset] = [idAt(found.doc, "cogsAccount") ?? "", idAt(found.doc, "assetAccount") ?? ""]
  return [
    { account: cost, by, source: line, isBase: true, isCost: true },
    { account: asset, by: by.negated(), source: line, isBase: true, isCost: true }
  ]
}

const purposeId = (account: Account, purpose: string) => String(specialAccount(account, purpose).id)

const taxSide = (account: Account, by: Decimal): Side => ({
  account: purposeId(account, "SalesTaxPay"),
  by,
  isTax: true
})

/** Where a receipt is until it is taken to the bank. */
const receivedOn = (account: Account, doc: Doc) => idAt(doc, "account") ?? purposeId(account, "UndepFunds")

/** A sale: its total on one account, against income, discount and tax. What is fulfilled from stock costs then. */
const sold = (account: Account, doc: Doc, sign: 1 | -1, main = idAt(doc, "account") ?? ""): ReadonlyArray<Side> => [
  { account: main, by: amountAt(doc, "total").times(sign) },
  ...partsAt(doc, "item").flatMap((line): ReadonlyArray<Side> => [
    {
      account: ofItem(account, line, ["incomeAccount", "account"]) ?? "",
      by: amountAt(line, "amount").times(-sign),
      source: line
    },
    ...(line.orderDoc === undefined ? costOf(account, line, sign) : [])
  ]),
  {
    account: idAt(account.get("discountItem", idAt(doc, "discountItem") ?? "") ?? {}, "account") ?? "",
    by: amountAt(doc, "discountTotal").times(-sign),
    isDiscount: true
  },
  taxSide(account, amountAt(doc, "taxTotal").times(-sign))
]

/** A purchase: its total on one account, against what was bought. */
const bought = (account: Account, doc: Doc, sign: 1 | -1): ReadonlyArray<Side> => [
  { account: idAt(doc, "account") ?? "", by: amountAt(doc, "total").times(-sign) },
  ...partsAt(doc, "expense").map((line): Side => ({
    account: idAt(line, "account") ?? "",
    by: amountAt(line, "amount").times(sign),
    source: line
  })),
  ...partsAt(doc, "item").map((line): Side => ({
    account: ofItem(account, line, ["assetAccount", "expenseAccount", "incomeAccount", "account"]) ?? "",
    by: amountAt(line, "amount").times(sign),
    source: line
  })),
  taxSide(account, amountAt(doc, "taxTotal").times(sign))
]

const ordered = (doc: Doc, sign: 1 | -1): ReadonlyArray<Side> => [
  { by: amountAt(doc, "total").times(sign) },
  ...[...partsAt(doc, "expense"), ...partsAt(doc, "item")].map((source) => ({
    by: amountAt(source, "amount").times(-sign),
    source
  })),
  { by: amountAt(doc, "discountTotal").times(-sign), isDiscount: true },
  { by: amountAt(doc, "taxTotal").times(-sign), isTax: true }
]

const moved = (by: Decimal, to: string, from: string): ReadonlyArray<Side> => [
  { account: to, by },
  { account: from, by: by.negated() }
]

const rules: { readonly [type: string]: (account: Account, doc: Doc) => ReadonlyArray<Side> } = {
  invoice: (account, doc) => sold(account, doc, 1),
  creditMemo: (account, doc) => sold(account, doc, -1),
  vendorBill: (account, doc) => bought(account, doc, 1),
  vendorCredit: (account, doc) => bought(account, doc, -1),
  check: (account, doc) => bought(account, doc, 1),
  creditCardCharge: (account, doc) => bought(account, doc, 1),
  customerPayment: (account, doc) =>
    moved(amountAt(doc, "payment"), receivedOn(account, doc), idAt(doc, "arAcct") ?? ""),
  // the main line is on the account that pays
  vendorPayment: (_, doc) =>
    moved(amountAt(doc, "total").negated(), idAt(doc, "account") ?? "", idAt(doc, "apAcct") ?? ""),
  journalEntry: (_, doc) =>
    partsAt(doc, "line").map((line) => ({
      account: idAt(line, "account") ?? "",
      by: amountAt(line, "debit").minus(amountAt(line, "credit")),
      source: line
    })),
  expenseReport: (_, doc) => [
    { account: idAt(doc, "account") ?? "", by: amountAt(doc, "total").negated() },
    ...partsAt(doc, "expense").map((line) => ({
      account: idAt(line, "expenseaccount") ?? "",
      by: amountAt(line, "amount"),
      source: line
    }))
  ],
  // what goes out is the line; what it cost stands against it
  itemFulfillment: (account, doc) => [
    { by: new Decimal(0) },
    ...partsAt(doc, "item").flatMap((line) => {
      const [cost, { isCost: _, ...asset } = { by: new Decimal(0), source: line }] = costOf(account, line, 1)
      return cost === undefined ? [asset] : [asset, cost]
    })
  ],
  cashSale: (account, doc) => sold(account, doc, 1, receivedOn(account, doc)),
  customerDeposit: (account, doc) =>
    moved(amountAt(doc, "payment"), receivedOn(account, doc), String(accountNamed(account, "Customer Deposits").id)),
  deposit: (account, doc) => [
    { account: idAt(doc, "account") ?? "", by: amountAt(doc, "total") },
    ...partsAt(doc, "payment").map((line) => ({
      account: purposeId(account, "UndepFunds"),
      by: amountAt(line, "paymentAmount").negated(),
      source: line
    })),
    ...partsAt(doc, "other").map((line) => ({
      account: idAt(line, "account") ?? "",
      by: amountAt(line, "amount").negated(),
      source: line
    }))
  ],
  transfer: (_, doc) => [
    { account: idAt(doc, "account") ?? "", by: amountAt(doc, "total").negated() },
    { account: idAt(doc, "toAccount") ?? "", by: amountAt(doc, "total"), source: {} }
  ],
  inventoryAdjustment: (account, doc) => [
    { account: idAt(doc, "account") ?? "", by: amountAt(doc, "estimatedTotalValue").negated() },
    ...partsAt(doc, "inventory").map((line) => {
      const units = amountAt(line, "adjustQtyBy")
      return {
        account: ofItem(account, line, ["assetAccount"]) ?? "",
        by: units.times(amountAt(line, "unitCost")),
        source: { ...line, itemType: "InvtPart", quantity: units.abs().toNumber(), rate: line.unitCost }
      }
    })
  ],
  salesOrder: (_, doc) => ordered(doc, 1),
  purchaseOrder: (_, doc) => ordered(doc, -1)
}

/** Whether a transaction is on the books: orders are not, nor what waits for approval or is not shipped. */
export const isPosting = (type: string, doc: Doc): boolean => {
  if (type === "salesOrder" || type === "purchaseOrder") return false
  if (type === "itemFulfillment") return idAt(doc, "shipStatus") === "C"
  if (type === "expenseReport") return ["F", "G", "I", "J"].includes(idAt(doc, "status") ?? "")
  return (idAt(doc, "approvalStatus") ?? "2") === "2"
}

/** Lines keep the number that the record has for them; others, such as taxes, follow after those. */
const numbersOf = (type: string, sides: ReadonlyArray<Side>): ReadonlyArray<number> => {
  const held = sides.map(({ isCost, source }) => (isCost === true ? 0 : amountAt(source ?? {}, "line").toNumber()))
  let next = Math.max(0, ...held)
  return held.map((line, index) => (line > 0 ? line : index === 0 && type !== "journalEntry" ? 0 : (next += 1)))
}

/** The lines of a transaction with what each posts. What rounding leaves over in the base currency goes to the last. */
const postingsOf = (account: Account, type: string, doc: Doc): ReadonlyArray<Posting> => {
  const sides = (rules[type]?.(account, doc) ?? []).filter(
    ({ by, source }, index) => source !== undefined || !by.isZero() || (index === 0 && type !== "journalEntry")
  )
  const rate =
    doc.exchangeRate === undefined && doc.expensereportexchangerate === undefined
      ? new Decimal(1)
      : amountAt(doc, doc.exchangeRate === undefined ? "expensereportexchangerate" : "exchangeRate")
  const base = sides.map(({ by, isBase }) => new Decimal(money(isBase === true ? by : by.times(rate))))
  const over =
    type === "salesOrder" || type === "purchaseOrder"
      ? new Decimal(0)
      : base.reduce((sum, one) => sum.plus(one), new Decimal(0))
  const last = sides.findLastIndex(({ isBase }) => isBase !== true)
  const lines = numbersOf(type, sides)
  return sides.map(({ by, isBase, ...side }, index) => {
    const amount = (base[index] ?? new Decimal(0)).minus(index === last ? over : 0)
    return {
      ...side,
      line: lines[index] ?? 0,
      place: index,
      amount: money(amount),
      foreign: isBase === true ? inUnits(account, idAt(doc, "currency"), by.div(rate)) : by.toNumber()
    }
  })
}

const kept = "posting"

const isList = (value: unknown): value is ReadonlyArray<Posting> => Array.isArray(value)

/** The lines of a transaction as they were booked. */
export const linesOf = (account: Account, id: string): ReadonlyArray<Posting> => {
  const lines = account.get(kept, id)?.lines
  return isList(lines) ? lines : []
}

/** Books a transaction in place of what it was; without one, takes it off the books. */
export const book = (account: Account, type: string, id: string, doc: Doc | undefined): void => {
  if (doc === undefined) account.remove(kept, id)
  else account.put(kept, id, { lines: postingsOf(account, type, doc), isPosting: isPosting(type, doc) })
}

/** What is on an account, in base currency; debit is positive. */
export const balanceOf = (account: Account, id: unknown): Decimal =>
  account
    .all(kept)
    .flatMap((entry) => (entry.isPosting === true && isList(entry.lines) ? entry.lines : []))
    .filter((line) => line.account === id)
    .reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))
