import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { book, type Entry, moved, type Posting, reversed, type Side, valued } from "../../simulation/Book.ts"
import { amountAt, money, partsAt, textAt } from "../../simulation/Docs.ts"
import { digitsIn } from "./Fields.ts"

const isList = (value: unknown): value is ReadonlyArray<Posting> => Array.isArray(value)

const ledger = book<Entry<Posting>>(
  "postings",
  ({ date, postings }) => ({ date, postings }),
  ({ date, postings }) => ({ date: String(date), postings: isList(postings) ? postings : [] })
)

export const { sums } = ledger

/** An account that the books need, by its type or name. */
export const systemAccount = (account: Account, nameOrType: string): string =>
  String(
    account
      .all("chartofaccounts")
      .find(
        (one) => one.is_system_account === true && (one.account_name === nameOrType || one.account_type === nameOrType)
      )?.account_id
  )

/** Whether debits add to an account, as to assets and expenses; credits add to others. */
const isDebit = (type: string): boolean => /asset|cash|bank|stock|receivable|clearing|expense|cost/.test(type)

export const closingBalance = (account: Account, { account_id, account_type }: Doc): number => {
  const held = sums(account).get(String(account_id)) ?? new Decimal(0)
  return money(isDebit(String(account_type)) ? held : held.negated())
}

type Sided = Side & { readonly account: string }

/** A line's amount without the tax in it, and the tax, in a currency with so many digits after the point. */
export const taxed = (
  line: Doc,
  { digits, isInclusive }: { readonly isInclusive: boolean; readonly digits: number }
): { readonly net: Decimal; readonly tax: Decimal } => {
  const round = (amount: Decimal) => amount.toDecimalPlaces(digits, Decimal.ROUND_HALF_UP)
  const amount = amountAt(line, "item_total")
  const rate = amountAt(line, "tax_percentage").div(100)
  const net = isInclusive ? round(amount.div(rate.plus(1))) : amount
  return { net, tax: isInclusive ? amount.minus(net) : round(amount.times(rate)) }
}

/** Lines with what each adds to its account: expenses alone state amounts with tax in them. */
const linesOf = (account: Account, doc: Doc) =>
  partsAt(doc, "line_items").map((line) => ({
    line,
    net:
      line.amount !== undefined && doc.is_inclusive_tax === true
        ? taxed(line, { isInclusive: true, digits: digitsIn(account, doc) }).net
        : amountAt(line, "item_total")
  }))

/** What a document charges beside its lines. */
const charges = (doc: Doc) => amountAt(doc, "shipping_charge").plus(amountAt(doc, "adjustment"))

const taxSide = (account: Account, doc: Doc, sign: 1 | -1): Sided => ({
  account: systemAccount(account, "Tax Payable"),
  amount: amountAt(doc, "tax_total").times(sign)
})

/** The cost of stock that leaves with a sale. */
const cost = (account: Account, line: Doc): ReadonlyArray<Sided> => {
  const item = account.get("items", String(line.item_id)) ?? {}
  if (item.item_type !== "inventory") return []
  const amount = amountAt(item, "purchase_rate").times(amountAt(line, "quantity"))
  const bought = textAt(item, "purchase_account_id") ?? ""
  return [
    { account: bought === "" ? systemAccount(account, "Cost of Goods Sold") : bought, amount, base: amount },
    { account: String(item.inventory_account_id), amount: amount.negated(), base: amount.negated() }
  ]
}

const sold = (account: Account, doc: Doc): ReadonlyArray<Sided> => [
  { account: systemAccount(account, "accounts_receivable"), amount: amountAt(doc, "total") },
  ...linesOf(account, doc).flatMap(({ line, net }) => [
    { account: String(line.account_id), amount: net.negated() },
    ...cost(account, line)
  ]),
  { account: systemAccount(account, "Sales"), amount: charges(doc).negated() },
  { account: systemAccount(account, "Discount"), amount: amountAt(doc, "discount") },
  taxSide(account, doc, -1)
]

const bought = (account: Account, doc: Doc, control: string): ReadonlyArray<Sided> => [
  { account: control, amount: amountAt(doc, "total").negated() },
  ...linesOf(account, doc).map(({ line, net }) => ({ account: String(line.account_id), amount: net })),
  { account: systemAccount(account, "Other Expenses"), amount: charges(doc) },
  taxSide(account, doc, 1)
]

const rules: { readonly [kind: string]: (account: Account, doc: Doc) => ReadonlyArray<Sided> } = {
  invoices: sold,
  creditnotes: (account, doc) => reversed(sold(account, doc)),
  bills: (account, doc) => bought(account, doc, systemAccount(account, "accounts_payable")),
  expenses: (account, doc) => bought(account, doc, String(doc.paid_through_account_id)),
  customerpayments: (account, doc) =>
    moved(amountAt(doc, "amount"), systemAccount(account, "accounts_receivable"), String(doc.account_id)),
  vendorpayments: (account, doc) =>
    moved(amountAt(doc, "amount"), String(doc.paid_through_account_id), systemAccount(account, "accounts_payable")),
  journals: (_, doc) =>
    partsAt(doc, "line_items").map((line) => ({
      account: String(line.account_id),
      amount: amountAt(line, "amount").times(line.debit_or_credit === "debit" ? 1 : -1)
    }))
}

/** Drafts and void documents are not on the books, and orders never are. */
const isPosted = ({ state }: Doc) => state !== "draft" && state !== "void"

/** Posts a transaction, replacing its earlier posting. */
export const post = (account: Account, kind: string, id: string, doc: Doc | undefined): void => {
  const sides = doc === undefined || !isPosted(doc) ? [] : (rules[kind]?.(account, doc) ?? [])
  const rate = amountAt({ exchange_rate: 1, ...doc }, "exchange_rate")
  const some = sides.filter(({ amount }) => !amount.isZero())
  if (some.length === 0) ledger.unpost(account, id)
  else {
    ledger.post(account, id, {
      date: String(doc?.date ?? doc?.journal_date),
      postings: valued(some, (amount) => amount.times(rate), "last").map(([{ account: on }, amount]) => ({
        account: on,
        amount
      }))
    })
  }
}

/** Posts the opening balances; the difference belongs to the owners. */
export const open = (
  account: Account,
  date: string,
  amounts: ReadonlyArray<readonly [id: string, amount: number]>
): void => {
  const left = amounts.reduce((sum, [, amount]) => sum.plus(amount), new Decimal(0))
  ledger.post(account, "opening", {
    date,
    postings: [
      ...amounts.filter(([, amount]) => amount !== 0).map(([id, amount]) => ({ account: id, amount })),
      { account: systemAccount(account, "Opening Balance Offset"), amount: money(left.negated()) }
    ]
  })
}
