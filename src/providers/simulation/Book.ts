import { Decimal } from "decimal.js"
import type { Account, Doc } from "./Account.ts"
import { money } from "./Docs.ts"

// Double-entry book-keeping, common to all ledgers; each provider decides which accounts a transaction is posted to.

/** One side of a transaction before it is valued, in the transaction's currency; debit is positive. */
export interface Side {
  readonly amount: Decimal
  /** In the base currency, where the transaction's rate does not apply: the cost of stock, a side with its own rate. */
  readonly base?: Decimal
}

/** One side of a transaction, in the base currency; debit is positive. */
export interface Posting {
  /** Absent for a line without an account, such as an order's. */
  readonly account?: string
  readonly amount: number
}

/** All that one transaction posts. */
export interface Entry<P extends Posting> {
  /** The day it counts for, `YYYY-MM-DD`. */
  readonly date: string
  /** Sum to 0, unless the entry waits. */
  readonly postings: ReadonlyArray<P>
  /** True where it is not on the books: an order, or a transaction that awaits approval. */
  readonly waits?: boolean
}

const zero = new Decimal(0)
const cent = new Decimal("0.01")

/** Adds an amount, exact to the cent, to a sum in cents: as a plain number, which is fast, as long as that is exact. */
const withAmount = (cents: number | Decimal, amount: number): number | Decimal => {
  const sum = typeof cents === "number" ? cents + Math.round(amount * 100) : Number.NaN
  return Number.isSafeInteger(sum) ? sum : new Decimal(amount).times(100).plus(cents)
}

const sumOf = (postings: ReadonlyArray<Posting>) => postings.reduce((sum, { amount }) => sum.plus(amount), zero)

/**
 * Values each side in the base currency, to the cent. The rounding difference, at most a cent a side, is taken off the
 * `last` side that the rate values, or goes to a side of its own, which may take any amount.
 */
export const valued = <S extends Side>(
  sides: ReadonlyArray<S>,
  inBase: (amount: Decimal) => Decimal,
  over: "last" | "none" | ((rest: Decimal) => S)
): ReadonlyArray<readonly [side: S, amount: number]> => {
  const pairs = sides.map((side) => [side, money(side.base ?? inBase(side.amount))] as const)
  const rest = pairs.reduce((sum, [, amount]) => sum.plus(amount), zero)
  if (rest.isZero() || over === "none") return pairs
  if (over !== "last") return [...pairs, [over(rest.negated()), money(rest.negated())]]
  if (rest.abs().gt(cent.times(sides.length))) return pairs
  const last = sides.findLastIndex(({ base }) => base === undefined)
  return pairs.map(([side, amount], index) => [side, index === last ? money(rest.negated().plus(amount)) : amount])
}

/** The reverse of some sides, as a credit note reverses an invoice. */
export const reversed = <S extends Side>(sides: ReadonlyArray<S>): ReadonlyArray<S> =>
  sides.map((side) => ({
    ...side,
    amount: side.amount.negated(),
    ...(side.base === undefined ? {} : { base: side.base.negated() })
  }))

/** The sides that move an amount from one account to another. */
export const moved = (amount: Decimal, from: string, to: string) => [
  { account: to, amount },
  { account: from, amount: amount.negated() }
]

/** The books of an account, one entry for each transaction, kept as the provider's simulator keeps them. */
export const book = <E extends Entry<Posting>>(table: string, keep: (entry: E) => Doc, read: (kept: Doc) => E) => {
  const entry = (account: Account, id: string): E | undefined => {
    const kept = account.get(table, id)
    return kept === undefined ? undefined : read(kept)
  }

  /** Balance of each account over the days `from` to `to`; debit is positive. */
  const sums = (account: Account, from?: string, to?: string): Map<string, Decimal> => {
    const found = new Map<string, number | Decimal>()
    for (const kept of account.all(table)) {
      const { date, postings, waits } = read(kept)
      if (waits === true || (to !== undefined && date > to) || (from !== undefined && date < from)) continue
      for (const { account: id, amount } of postings) {
        if (id !== undefined) found.set(id, withAmount(found.get(id) ?? 0, amount))
      }
    }
    return new Map([...found].map(([id, cents]) => [id, cent.times(cents)]))
  }

  return {
    entry,
    entries: (account: Account) => account.entries(table).map(([id, kept]) => [id, read(kept)] as const),
    sums,
    /** Posts a transaction, replacing its earlier posting. One that does not balance is a mistake of its posting rule. */
    post: (account: Account, id: string, one: E): void => {
      const rest = sumOf(one.postings)
      if (one.waits !== true && !rest.isZero())
        throw new Error(`${table} ${id} cannot be posted: its debits exceed its credits by ${rest.toFixed(2)}`)
      account.put(table, id, keep(one))
    },
    unpost: (account: Account, id: string): void => account.remove(table, id)
  }
}

/** The parts of an account's chart that statements need. */
export interface Chart {
  readonly sums: (account: Account, from?: string, to?: string) => Map<string, Decimal>
  /** Ids of the accounts of income and expense. */
  readonly earning: (account: Account) => ReadonlyArray<string>
  /** The account of earlier years' earnings. */
  readonly retained: (account: Account) => string | undefined
  /** The first day of the financial year that a day is in. */
  readonly yearStart: (account: Account, day: string) => string
}

export const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)

/** Result of the income and expense accounts; a profit is positive. */
export const earned = (ids: ReadonlyArray<string>, held: ReadonlyMap<string, Decimal>): Decimal =>
  ids.reduce((sum, id) => sum.minus(held.get(id) ?? zero), zero)

/**
 * The books at the end of a day: balances of the balance sheet's accounts, with earlier years' earnings in retained
 * earnings, though no transaction posts them there; the year's balances; and the year's result.
 */
export const positions = (chart: Chart, account: Account, day: string) => {
  const ids = chart.earning(account)
  const start = chart.yearStart(account, day)
  const held = chart.sums(account, undefined, day)
  const year = chart.sums(account, start, day)
  const retained = chart.retained(account)
  const earlier = earned(ids, held).minus(earned(ids, year))
  if (retained !== undefined) held.set(retained, (held.get(retained) ?? zero).minus(earlier))
  return { held, year, earned: earned(ids, year) }
}

/** Balances of all accounts at the end of a day, those of income and expense since the year began; they sum to 0. */
export const trialBalance = (chart: Chart, account: Account, day: string): ReadonlyMap<string, Decimal> => {
  const { held, year } = positions(chart, account, day)
  for (const id of chart.earning(account)) held.set(id, year.get(id) ?? zero)
  return held
}
