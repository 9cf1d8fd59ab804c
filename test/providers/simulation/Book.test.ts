import { describe, expect, it } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { empty, open } from "../../../src/providers/simulation/Account.ts"
import {
  book,
  type Chart,
  type Entry,
  positions,
  type Posting,
  reversed,
  type Side,
  trialBalance,
  valued
} from "../../../src/providers/simulation/Book.ts"
import { partsAt } from "../../../src/providers/simulation/Docs.ts"

const account = () => open("books", empty, 0, new Map()).account

const ledger = book<Entry<Posting>>(
  "entry",
  (entry) => ({ ...entry }),
  (kept) => ({
    date: String(kept.date),
    waits: kept.waits === true,
    postings: partsAt(kept, "postings").map((one) => ({ account: String(one.account), amount: Number(one.amount) }))
  })
)

const chart: Chart = {
  sums: ledger.sums,
  earning: () => ["sales", "rent"],
  retained: () => "retained",
  yearStart: (_, day) => `${day.slice(0, 4)}-01-01`
}

const moves = (date: string, to: string, from: string, amount: number): Entry<Posting> => ({
  date,
  postings: [
    { account: to, amount },
    { account: from, amount: -amount }
  ]
})

const plain = (held: ReadonlyMap<string, Decimal>) =>
  Object.fromEntries([...held].map(([id, amount]) => [id, amount.toNumber()]))

describe("a book", () => {
  it("refuses what does not balance, and keeps what was posted before", () => {
    const books = account()
    ledger.post(books, "1", moves("2026-01-05", "bank", "sales", 10))
    const lopsided = {
      date: "2026-01-05",
      postings: [
        { account: "bank", amount: 10.01 },
        { account: "sales", amount: -10 }
      ]
    }
    expect(() => ledger.post(books, "1", lopsided)).toThrow(
      "entry 1 cannot be posted: its debits exceed its credits by 0.01"
    )
    expect(plain(ledger.sums(books))).toEqual({ bank: 10, sales: -10 })
  })

  it("sums what is posted by day, without what waits", () => {
    const books = account()
    ledger.post(books, "1", moves("2026-01-05", "bank", "sales", 10))
    ledger.post(books, "2", moves("2026-02-05", "bank", "sales", 20))
    ledger.post(books, "3", { ...moves("2026-01-05", "bank", "sales", 40), waits: true })
    expect(plain(ledger.sums(books, "2026-01-06", "2026-02-05"))).toEqual({ bank: 20, sales: -20 })
    ledger.unpost(books, "2")
    expect(plain(ledger.sums(books))).toEqual({ bank: 10, sales: -10 })
  })

  it("carries what earlier years earned to the retained earnings", () => {
    const books = account()
    ledger.post(books, "1", moves("2025-06-01", "bank", "sales", 100))
    ledger.post(books, "2", moves("2026-06-01", "bank", "sales", 30))
    ledger.post(books, "3", moves("2026-06-02", "rent", "bank", 12.5))
    const { earned, held } = positions(chart, books, "2026-12-31")
    expect([earned.toNumber(), plain(held).bank, plain(held).retained]).toEqual([17.5, 117.5, -100])
    const balances = trialBalance(chart, books, "2026-12-31")
    expect(plain(balances)).toEqual({ bank: 117.5, sales: -30, rent: 12.5, retained: -100 })
    expect([...balances.values()].reduce((sum, one) => sum.plus(one)).toNumber()).toBe(0)
  })
})

describe("sides in the base currency", () => {
  const side = (amount: number, base?: number): Side => ({
    amount: new Decimal(amount),
    ...(base === undefined ? {} : { base: new Decimal(base) })
  })
  const third = (amount: Decimal) => amount.div(3)
  const amounts = (pairs: ReturnType<typeof valued>) => pairs.map(([, amount]) => amount)

  it("take what rounding leaves over off the last that the rate values", () => {
    const sides = [side(1), side(1), side(-2), side(5, 5), side(-5, -5)]
    expect(amounts(valued(sides, third, "last"))).toEqual([0.33, 0.33, -0.66, 5, -5])
    expect(amounts(valued(sides, third, "none"))).toEqual([0.33, 0.33, -0.67, 5, -5])
    expect(amounts(valued(sides, third, (rest) => ({ amount: rest })))).toEqual([0.33, 0.33, -0.67, 5, -5, 0.01])
  })

  it("do not hide more than rounding", () => {
    expect(amounts(valued([side(1), side(-2)], third, "last"))).toEqual([0.33, -0.67])
  })

  it("turn with what they cost", () => {
    expect(reversed([side(2, 3)])).toEqual([side(-2, -3)])
  })
})
