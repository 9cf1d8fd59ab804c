import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import * as Book from "../../simulation/Book.ts"
import { amountAt, compact, money, partsAt } from "../../simulation/Docs.ts"
import { systemAccount } from "./Accounts.ts"

// The general ledger is the journals: https://developer.xero.com/documentation/api/accounting/journals

export interface Side extends Book.Side {
  readonly account: string
  /** Not in the amount. */
  readonly tax?: Decimal
  /** Where it is valued at another rate than the transaction. */
  readonly rate?: Decimal
  /** The line it is from, which gives the description, tax and tracking. */
  readonly line?: Doc
}

/** The transaction that is posted. */
export interface Source {
  readonly id: string
  readonly type: string
  /** The day it counts for, `YYYY-MM-DD`. */
  readonly date: string
  readonly reference?: unknown
  /** How many of the transaction's currency one of the base currency buys. */
  readonly rate: Decimal
  /** The account for what is left over in the base currency; that of rounding where it is absent. */
  readonly over?: "REALISEDCURRENCYGAIN"
}

const zero = new Decimal(0)

/** What a transaction posts, as the journals have it. */
interface Posted extends Book.Entry<{ readonly account: string; readonly amount: number; readonly line: Doc }> {
  readonly type: string
  readonly reference: unknown
}

const ledger = Book.book<Posted>(
  "posted",
  ({ date, postings, reference, type }) => compact({ type, date, reference, lines: postings.map(({ line }) => line) }),
  (kept) => ({
    type: String(kept.type),
    date: String(kept.date),
    reference: kept.reference,
    postings: partsAt(kept, "lines").map((line) => ({
      account: String(line.AccountID),
      amount: amountAt(line, "NetAmount").toNumber(),
      line
    }))
  })
)

/** What is on each account from a day on, to a day; debit is positive. */
export const { sums } = ledger

const journal = (account: Account, source: Omit<Source, "rate" | "over">, postings: Posted["postings"]): void => {
  const last = Number(account.get("counter", "journal")?.last ?? 0)
  const JournalNumber = last + 1
  account.put("counter", "journal", { last: JournalNumber })
  account.put("Journal", String(JournalNumber), {
    JournalID: crypto.randomUUID(),
    JournalDate: source.date,
    JournalNumber,
    CreatedDateUTC: account.now,
    ...(source.reference === undefined ? {} : { Reference: source.reference }),
    SourceID: source.id,
    SourceType: source.type,
    JournalLines: postings.map(({ line }) => ({ JournalLineID: crypto.randomUUID(), ...line }))
  })
}

/** Sides in the base currency; what is left over has an account of its own. */
const valued = (account: Account, source: Source, sides: ReadonlyArray<Side>): Posted["postings"] =>
  Book.valued<Side>(
    sides
      .filter(({ amount }) => !amount.isZero())
      .map((side) => (side.rate === undefined ? side : { ...side, base: side.amount.div(side.rate) })),
    (amount) => amount.div(source.rate),
    (rest) => ({ account: systemAccount(account, source.over ?? "ROUNDING"), amount: rest })
  ).map(([{ account: AccountID, line = {}, rate = source.rate, tax = zero }, NetAmount]) => {
    const TaxAmount = money(tax.div(rate))
    return {
      account: AccountID,
      amount: NetAmount,
      line: compact({
        AccountID,
        Description: line.Description ?? "",
        NetAmount,
        GrossAmount: money(new Decimal(NetAmount).plus(TaxAmount)),
        TaxAmount,
        TaxType: line.TaxType,
        Tracking: partsAt(line, "Tracking")
      })
    }
  })

const turned = ({ account, amount, line }: Posted["postings"][number]) => {
  const [GrossAmount, TaxAmount] = [-amountAt(line, "GrossAmount").toNumber(), -amountAt(line, "TaxAmount").toNumber()]
  return { account, amount: -amount, line: { ...line, NetAmount: -amount, GrossAmount, TaxAmount } }
}

/** Takes back what a transaction posted, with a journal that says the contrary. */
export const unpost = (account: Account, id: string): void => {
  const before = ledger.entry(account, id)
  if (before === undefined) return
  const { postings, ...source } = before
  journal(account, { id, ...source }, postings.map(turned))
  ledger.unpost(account, id)
}

/** Posts a transaction in place of what it posted before. Journals are never changed. */
export const post = (account: Account, source: Source, sides: ReadonlyArray<Side>): void => {
  const { date, id, reference, type } = source
  const now = { type, date, reference, postings: valued(account, source, sides) }
  if (JSON.stringify(ledger.entry(account, id)) === JSON.stringify(now)) return
  unpost(account, id)
  if (now.postings.length === 0) return
  journal(account, source, now.postings)
  ledger.post(account, id, now)
}

/** What the lines of a document put on their accounts, and its tax; `sign` 1 debits them. */
export const lineSides = (account: Account, document: Doc, sign: 1 | -1): ReadonlyArray<Side> => {
  const isInclusive = document.LineAmountTypes === "Inclusive"
  return [
    ...partsAt(document, "LineItems").map((line) => {
      const tax = amountAt(line, "TaxAmount")
      const amount = amountAt(line, "LineAmount")
      return {
        account: String(line.AccountID),
        amount: (isInclusive ? amount.minus(tax) : amount).times(sign),
        tax: tax.times(sign),
        line
      }
    }),
    { account: systemAccount(account, "GST"), amount: amountAt(document, "TotalTax").times(sign) }
  ]
}
