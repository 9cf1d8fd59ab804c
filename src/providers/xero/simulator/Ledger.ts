import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import * as Book from "../../simulation/Book.ts"
import { amountAt, compact, money, partsAt } from "../../simulation/Docs.ts"
import { systemAccount } from "./Accounts.ts"

// The general ledger consists of the journals: https://developer.xero.com/documentation/api/accounting/journals

export interface Side extends Book.Side {
  readonly account: string
  /** The tax, not included in the amount. */
  readonly tax?: Decimal
  /** The exchange rate, where it differs from the transaction's. */
  readonly rate?: Decimal
  /** The document line, for the description, tax and tracking. */
  readonly line?: Doc
}

/** The transaction to post. */
export interface Source {
  readonly id: string
  readonly type: string
  /** The posting date, `YYYY-MM-DD`. */
  readonly date: string
  readonly reference?: unknown
  /** Units of the transaction's currency for one of the base currency. */
  readonly rate: Decimal
  /** The account for a remainder in the base currency; absent: rounding. */
  readonly over?: "REALISEDCURRENCYGAIN"
}

const zero = new Decimal(0)

/** The postings of a transaction, as in the journals. */
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

/** Sums the postings to each account between two days; debit is positive. */
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

/** Values sides in the base currency; a remainder goes to an account of its own. */
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

/** Reverses the postings of a transaction with a journal of the opposite amounts. */
export const unpost = (account: Account, id: string): void => {
  const before = ledger.entry(account, id)
  if (before === undefined) return
  const { postings, ...source } = before
  journal(account, { id, ...source }, postings.map(turned))
  ledger.unpost(account, id)
}

/** Posts a transaction, reversing its previous postings. Journals never change. */
export const post = (account: Account, source: Source, sides: ReadonlyArray<Side>): void => {
  const { date, id, reference, type } = source
  const now = { type, date, reference, postings: valued(account, source, sides) }
  if (JSON.stringify(ledger.entry(account, id)) === JSON.stringify(now)) return
  unpost(account, id)
  if (now.postings.length === 0) return
  journal(account, source, now.postings)
  ledger.post(account, id, now)
}

/** The sides of a document's lines, and its tax; `sign` 1 debits them. */
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
