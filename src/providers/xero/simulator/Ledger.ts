import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, money, partsAt } from "../../simulation/Docs.ts"
import { systemAccount } from "./Accounts.ts"

// The general ledger is the journals: https://developer.xero.com/documentation/api/accounting/journals

/** One side of what a transaction posts, in its currency; debit is positive. */
export interface Side {
  readonly account: string
  readonly amount: Decimal
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

const journal = (account: Account, source: Omit<Source, "rate" | "over">, lines: ReadonlyArray<Doc>): void => {
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
    JournalLines: lines.map((line) => ({ JournalLineID: crypto.randomUUID(), ...line }))
  })
}

/** Sides in the base currency; what is left over has an account of its own. */
const valued = (account: Account, source: Source, sides: ReadonlyArray<Side>): ReadonlyArray<Doc> => {
  const lines = sides
    .filter(({ amount }) => !amount.isZero())
    .map(({ account: AccountID, amount, line = {}, rate = source.rate, tax = zero }) => {
      const [net, taxed] = [money(amount.div(rate)), money(tax.div(rate))]
      return compact({
        AccountID,
        Description: line.Description ?? "",
        NetAmount: net,
        GrossAmount: money(new Decimal(net).plus(taxed)),
        TaxAmount: taxed,
        TaxType: line.TaxType,
        Tracking: partsAt(line, "Tracking")
      })
    })
  const over = lines.reduce((sum, line) => sum.plus(amountAt(line, "NetAmount")), zero)
  if (over.isZero()) return lines
  const rounding = money(over.negated())
  return [
    ...lines,
    {
      AccountID: systemAccount(account, source.over ?? "ROUNDING"),
      Description: "",
      NetAmount: rounding,
      GrossAmount: rounding,
      TaxAmount: 0,
      Tracking: []
    }
  ]
}

const turned = (line: Doc): Doc => ({
  ...line,
  NetAmount: -amountAt(line, "NetAmount").toNumber(),
  GrossAmount: -amountAt(line, "GrossAmount").toNumber(),
  TaxAmount: -amountAt(line, "TaxAmount").toNumber()
})

const posted = (account: Account, id: string): Doc | undefined => account.get("posted", id)

/** Takes back what a transaction posted, with a journal that says the contrary. */
export const unpost = (account: Account, id: string): void => {
  const before = posted(account, id)
  if (before === undefined) return
  const source = { id, type: String(before.type), date: String(before.date), reference: before.reference }
  journal(account, source, partsAt(before, "lines").map(turned))
  account.remove("posted", id)
}

/** Posts a transaction in place of what it posted before. Journals are never changed. */
export const post = (account: Account, source: Source, sides: ReadonlyArray<Side>): void => {
  const lines = valued(account, source, sides)
  const now = compact({ type: source.type, date: source.date, reference: source.reference, lines })
  if (JSON.stringify(posted(account, source.id)) === JSON.stringify(now)) return
  unpost(account, source.id)
  if (lines.length === 0) return
  journal(account, source, lines)
  account.put("posted", source.id, now)
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

/** What is on each account from a day on, to a day; debit is positive. */
export const sums = (account: Account, from: string | undefined, to: string): ReadonlyMap<string, Decimal> => {
  const found = new Map<string, Decimal>()
  for (const { JournalDate, JournalLines } of account.all("Journal")) {
    if (String(JournalDate) > to || (from !== undefined && String(JournalDate) < from)) continue
    for (const line of partsAt({ JournalLines }, "JournalLines")) {
      const id = String(line.AccountID)
      found.set(id, (found.get(id) ?? zero).plus(amountAt(line, "NetAmount")))
    }
  }
  return found
}
