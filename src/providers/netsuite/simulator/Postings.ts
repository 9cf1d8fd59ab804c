import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import * as Book from "../../simulation/Book.ts"
import { amountAt, partsAt } from "../../simulation/Docs.ts"
import { accountNamed, inUnits, itemOf, specialAccount } from "./Books.ts"
import { idAt } from "./Fields.ts"
import { billingLines } from "./Notes.ts"

// Postings of transactions to accounts.

export interface Posting extends Book.Posting {
  /** Number of the line, as the record has it; 0 is the main line. */
  readonly line: number
  /** In the currency of the transaction. */
  readonly foreign: number
  /** The record's line, for the fields that lines have. */
  readonly source?: Doc
  /** Its place among the lines of the transaction. */
  readonly place: number
  readonly isTax?: true
  readonly isCost?: true
  readonly isDiscount?: true
}

type Side = Omit<Posting, "line" | "place" | "foreign" | "amount"> &
  Book.Side & {
    /** The amount that the row of a line shows, which posts nothing. */
    readonly shown?: Decimal
  }

const zero = new Decimal(0)

/** The rows of a document's items: what it bills, and the lines beside that, which post nothing. */
const itemSides = (
  lines: ReadonlyArray<Doc>,
  sign: 1 | -1,
  sidesOf: (line: Doc, amount: Decimal) => ReadonlyArray<Side>
): ReadonlyArray<Side> => {
  const billing = new Set(billingLines(lines))
  return lines.flatMap((line) => {
    const amount = amountAt(line, "amount").times(sign)
    return billing.has(line) ? sidesOf(line, amount) : [{ amount: zero, base: zero, shown: amount, source: line }]
  })
}

/** Shipping and handling, which are rows of one item each but no lines of the record. */
const shippingSides = (account: Account | undefined, doc: Doc, sign: 1 | -1): ReadonlyArray<Side> =>
  ["shippingCost", "handlingCost"].flatMap((name) => {
    const amount = amountAt(doc, name).times(sign)
    const posted = account === undefined ? {} : { account: String(accountNamed(account, "Shipping Income").id) }
    return amount.isZero() ? [] : [{ ...posted, amount, source: { itemType: "ShipItem" } }]
  })

const ofItem = (account: Account, line: Doc, members: ReadonlyArray<string>): string | undefined => {
  const doc = itemOf(account, line)?.doc ?? {}
  return members.flatMap((member) => idAt(doc, member) ?? [])[0]
}

const costOf = (account: Account, line: Doc, sign: number): ReadonlyArray<Side> => {
  const found = itemOf(account, line)
  if (found?.type !== "inventoryItem") return []
  const amount = amountAt(found.doc, "cost").times(amountAt(line, "quantity")).times(sign)
  const [cost, asset] = [idAt(found.doc, "cogsAccount") ?? "", idAt(found.doc, "assetAccount") ?? ""]
  return [
    { account: cost, amount, base: amount, source: line, isCost: true },
    { account: asset, amount: amount.negated(), base: amount.negated(), source: line, isCost: true }
  ]
}

const purposeId = (account: Account, purpose: string) => String(specialAccount(account, purpose).id)

const taxSide = (account: Account, amount: Decimal): Side => ({
  account: purposeId(account, "SalesTaxPay"),
  amount,
  isTax: true
})

/** The account that holds a receipt until it is taken to the bank. */
const receivedOn = (account: Account, doc: Doc) => idAt(doc, "account") ?? purposeId(account, "UndepFunds")

/** A sale: its total on one account, against income, discount and tax. Fulfilment posts the cost of stock. */
const sold = (account: Account, doc: Doc, sign: 1 | -1, main = idAt(doc, "account") ?? ""): ReadonlyArray<Side> => [
  { account: main, amount: amountAt(doc, "total").times(sign) },
  ...itemSides(partsAt(doc, "item"), sign === 1 ? -1 : 1, (line, amount) => [
    { account: ofItem(account, line, ["incomeAccount", "account"]) ?? "", amount, source: line },
    ...(line.orderDoc === undefined ? costOf(account, line, sign) : [])
  ]),
  ...shippingSides(account, doc, sign === 1 ? -1 : 1),
  {
    account: idAt(account.get("discountItem", idAt(doc, "discountItem") ?? "") ?? {}, "account") ?? "",
    amount: amountAt(doc, "discountTotal").times(-sign),
    isDiscount: true
  },
  taxSide(account, amountAt(doc, "taxTotal").times(-sign))
]

/** A purchase: its total on one account, against what was bought. */
const bought = (account: Account, doc: Doc, sign: 1 | -1): ReadonlyArray<Side> => [
  { account: idAt(doc, "account") ?? "", amount: amountAt(doc, "total").times(-sign) },
  ...partsAt(doc, "expense").map((line): Side => ({
    account: idAt(line, "account") ?? "",
    amount: amountAt(line, "amount").times(sign),
    source: line
  })),
  ...itemSides(partsAt(doc, "item"), sign, (line, amount) => [
    {
      account: ofItem(account, line, ["assetAccount", "expenseAccount", "incomeAccount", "account"]) ?? "",
      amount,
      source: line
    }
  ]),
  taxSide(account, amountAt(doc, "taxTotal").times(sign))
]

const ordered = (doc: Doc, sign: 1 | -1): ReadonlyArray<Side> => [
  { amount: amountAt(doc, "total").times(sign) },
  ...itemSides([...partsAt(doc, "expense"), ...partsAt(doc, "item")], sign === 1 ? -1 : 1, (source, amount) => [
    { amount, source }
  ]),
  ...shippingSides(undefined, doc, sign === 1 ? -1 : 1),
  { amount: amountAt(doc, "discountTotal").times(-sign), isDiscount: true },
  { amount: amountAt(doc, "taxTotal").times(-sign), isTax: true }
]

const rules: { readonly [type: string]: (account: Account, doc: Doc) => ReadonlyArray<Side> } = {
  invoice: (account, doc) => sold(account, doc, 1),
  creditMemo: (account, doc) => sold(account, doc, -1),
  vendorBill: (account, doc) => bought(account, doc, 1),
  vendorCredit: (account, doc) => bought(account, doc, -1),
  check: (account, doc) => bought(account, doc, 1),
  creditCardCharge: (account, doc) => bought(account, doc, 1),
  customerPayment: (account, doc) =>
    Book.moved(amountAt(doc, "payment"), idAt(doc, "arAcct") ?? "", receivedOn(account, doc)),
  // the main line is on the account that pays
  vendorPayment: (_, doc) =>
    Book.moved(amountAt(doc, "total").negated(), idAt(doc, "apAcct") ?? "", idAt(doc, "account") ?? ""),
  journalEntry: (_, doc) =>
    partsAt(doc, "line").map((line) => ({
      account: idAt(line, "account") ?? "",
      amount: amountAt(line, "debit").minus(amountAt(line, "credit")),
      source: line
    })),
  expenseReport: (_, doc) => [
    { account: idAt(doc, "account") ?? "", amount: amountAt(doc, "total").negated() },
    ...partsAt(doc, "expense").map((line) => ({
      account: idAt(line, "expenseaccount") ?? "",
      amount: amountAt(line, "amount"),
      source: line
    }))
  ],
  // the record's line is the stock that goes out; its cost stands against it
  itemFulfillment: (account, doc) => [
    { amount: new Decimal(0) },
    ...partsAt(doc, "item").flatMap((line) => {
      const [cost, { isCost: _, ...asset } = { amount: new Decimal(0), source: line }] = costOf(account, line, 1)
      return cost === undefined ? [asset] : [asset, cost]
    })
  ],
  cashSale: (account, doc) => sold(account, doc, 1, receivedOn(account, doc)),
  customerDeposit: (account, doc) =>
    Book.moved(
      amountAt(doc, "payment"),
      String(accountNamed(account, "Customer Deposits").id),
      receivedOn(account, doc)
    ),
  deposit: (account, doc) => [
    { account: idAt(doc, "account") ?? "", amount: amountAt(doc, "total") },
    ...partsAt(doc, "payment").map((line) => ({
      account: purposeId(account, "UndepFunds"),
      amount: amountAt(line, "paymentAmount").negated(),
      source: line
    })),
    ...partsAt(doc, "other").map((line) => ({
      account: idAt(line, "account") ?? "",
      amount: amountAt(line, "amount").negated(),
      source: line
    }))
  ],
  transfer: (_, doc) => [
    { account: idAt(doc, "account") ?? "", amount: amountAt(doc, "total").negated() },
    { account: idAt(doc, "toAccount") ?? "", amount: amountAt(doc, "total"), source: {} }
  ],
  inventoryAdjustment: (account, doc) => [
    { account: idAt(doc, "account") ?? "", amount: amountAt(doc, "estimatedTotalValue").negated() },
    ...partsAt(doc, "inventory").map((line) => {
      const units = amountAt(line, "adjustQtyBy")
      return {
        account: ofItem(account, line, ["assetAccount"]) ?? "",
        amount: units.times(amountAt(line, "unitCost")),
        source: { ...line, itemType: "InvtPart", quantity: units.abs().toNumber(), rate: line.unitCost }
      }
    })
  ],
  salesOrder: (_, doc) => ordered(doc, 1),
  purchaseOrder: (_, doc) => ordered(doc, -1)
}

/** Whether a transaction is on the books: not an order, nor one that awaits approval or shipment. */
export const isPosting = (type: string, doc: Doc): boolean => {
  if (type === "salesOrder" || type === "purchaseOrder") return false
  if (type === "itemFulfillment") return idAt(doc, "shipStatus") === "C"
  if (type === "expenseReport") return ["F", "G", "I", "J"].includes(idAt(doc, "status") ?? "")
  return (idAt(doc, "approvalStatus") ?? "2") === "2"
}

/** Keeps the numbers that the record has for its lines; other lines, such as taxes, are numbered after those. */
const numbersOf = (type: string, sides: ReadonlyArray<Side>): ReadonlyArray<number> => {
  const held = sides.map(({ isCost, source }) => (isCost === true ? 0 : amountAt(source ?? {}, "line").toNumber()))
  let next = Math.max(0, ...held)
  return held.map((line, index) => (line > 0 ? line : index === 0 && type !== "journalEntry" ? 0 : (next += 1)))
}

/** The lines of a transaction with their postings; for orders, rounding differences stay. */
const postingsOf = (account: Account, type: string, doc: Doc): ReadonlyArray<Posting> => {
  const sides = (rules[type]?.(account, doc) ?? []).filter(
    ({ amount, source }, index) => source !== undefined || !amount.isZero() || (index === 0 && type !== "journalEntry")
  )
  const rate =
    doc.exchangeRate === undefined && doc.expensereportexchangerate === undefined
      ? new Decimal(1)
      : amountAt(doc, doc.exchangeRate === undefined ? "expensereportexchangerate" : "exchangeRate")
  const isOrder = type === "salesOrder" || type === "purchaseOrder"
  const lines = numbersOf(type, sides)
  return Book.valued(sides, (amount) => amount.times(rate), isOrder ? "none" : "last").map(
    ([{ base, shown, ...side }, amount], place) => ({
      ...side,
      line: lines[place] ?? 0,
      place,
      amount,
      foreign:
        shown?.toNumber() ??
        (base === undefined ? side.amount.toNumber() : inUnits(account, idAt(doc, "currency"), base.div(rate)))
    })
  )
}

const isList = (value: unknown): value is ReadonlyArray<Posting> => Array.isArray(value)

const ledger = Book.book<Book.Entry<Posting>>(
  "posting",
  ({ date, postings, waits }) => ({ date, lines: postings, isPosting: waits !== true }),
  ({ date, isPosting: isPosted, lines }) => ({
    date: String(date),
    postings: isList(lines) ? lines : [],
    waits: isPosted !== true
  })
)

/** The lines of a transaction as they were booked. */
export const linesOf = (account: Account, id: string): ReadonlyArray<Posting> =>
  ledger.entry(account, id)?.postings ?? []

/** Books a transaction in place of what it was; without one, takes it off the books. */
export const book = (account: Account, type: string, id: string, doc: Doc | undefined): void => {
  if (doc === undefined) ledger.unpost(account, id)
  else {
    ledger.post(account, id, {
      date: String(doc.tranDate),
      postings: postingsOf(account, type, doc),
      waits: !isPosting(type, doc)
    })
  }
}

/** An account's balance, in base currency; debit is positive. */
export const balanceOf = (account: Account, id: unknown): Decimal =>
  ledger.sums(account).get(String(id)) ?? new Decimal(0)
