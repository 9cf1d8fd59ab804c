import { Decimal } from "decimal.js"
import { digitsOf } from "../../src/platform/Currency.ts"
import type { Doc } from "../../src/testing/contract/Answers.ts"

const docsIn = (value: unknown): ReadonlyArray<Doc> =>
  Array.isArray(value)
    ? value.filter((one: unknown): one is Doc => typeof one === "object" && one !== null && !Array.isArray(one))
    : []

const isNumber = (value: unknown): value is number => typeof value === "number"

const show = (amount: Decimal.Value) => new Decimal(amount).toFixed()

const sum = (amounts: ReadonlyArray<number>) => amounts.reduce((total, one) => total.plus(one), new Decimal(0))

/** Where a document has its lines, and each line its amount before or with tax. */
const linesOf: {
  readonly [resource: string]: { readonly list: string; readonly amount: string; readonly isNet?: true }
} = {
  invoice: { list: "line_items", amount: "total_amount" },
  credit_note: { list: "line_items", amount: "total_line_amount" },
  purchase_order: { list: "line_items", amount: "total_line_amount" },
  sales_order: { list: "lines", amount: "total_line_amount" },
  vendor_credit: { list: "lines", amount: "net_amount", isNet: true },
  expense: { list: "lines", amount: "net_amount", isNet: true }
}

/** Applications of other documents, whose amounts are money that settles this one. */
const settlements = ["applied_payments", "applied_credit_notes", "applied_vendor_credits"]

/** Whether two amounts are the same to the minor unit of the currency, once for each amount that may be rounded. */
const near = (a: Decimal.Value, b: Decimal.Value, currency: unknown, roundings = 1) =>
  new Decimal(a)
    .minus(b)
    .abs()
    .lte(new Decimal(10).pow(-digitsOf(currency)).times(roundings))

/** A rule that the amounts of a record break, and the amounts in words. */
export interface Imbalance {
  readonly rule: "lines" | "product" | "total" | "open" | "paid" | "balanced" | "applied"
  readonly detail: string
}

/**
 * The ways in which the amounts of a canonical record do not add up; empty if they do. Amounts that are null are not known, and
 * not judged.
 *
 * - `lines`: the lines of a document come to `sub_total`; where they contain tax, to `sub_total` plus tax.
 * - `product`: quantity times price is the amount of the line.
 * - `total`: `sub_total`, tax and discount come to `total_amount`.
 * - `open`: what was applied and what is open come to `total_amount`.
 * - `paid`: a paid document has nothing open.
 * - `balanced`: the lines of a journal entry come to nothing.
 * - `applied`: a payment applies no more than its amount.
 */
export const booksAddUp = (resource: string, record: Doc): ReadonlyArray<Imbalance> => {
  const { currency, inclusive_of_tax: isInclusive } = record
  const problems: Array<Imbalance> = []
  const report = (rule: Imbalance["rule"], detail: string) => void problems.push({ rule, detail })
  const compare = (rule: Imbalance["rule"], words: string, a: Decimal.Value, b: Decimal.Value, roundings = 1) => {
    if (!near(a, b, currency, roundings)) report(rule, `${words}: ${show(a)} is not ${show(b)}`)
  }
  const [subTotal, tax, total, discount, balance] = [
    record.sub_total,
    record.total_tax_amount,
    record.total_amount ?? record.total,
    record.total_discount,
    record.balance ?? record.remaining_credit
  ]

  const form = linesOf[resource]
  if (form !== undefined) {
    const lines = docsIn(record[form.list])
    const amounts = lines.map((line) => line[form.amount])
    if (lines.length > 0 && amounts.every(isNumber)) {
      const all = sum(amounts)
      const off = isNumber(discount) ? discount : 0
      const containsTax = isInclusive === true
      // `sub_total` is before the discount, which may have reduced the amounts of the lines
      const expected = (isNumber(subTotal) ? [subTotal] : []).flatMap((net) => [
        ...(containsTax ? [] : [new Decimal(net), new Decimal(net).minus(off)]),
        ...(containsTax && form.isNet === true ? [new Decimal(net)] : []),
        ...(containsTax && isNumber(tax) ? [new Decimal(net).plus(tax), new Decimal(net).plus(tax).minus(off)] : [])
      ])
      const last = expected.at(-1)
      if (last !== undefined) {
        if (!expected.some((one) => near(all, one, currency, lines.length)))
          compare("lines", `${form.list} and sub_total`, all, last, lines.length)
      } else if (isNumber(total) && containsTax && form.isNet !== true) {
        compare("lines", `${form.list} with tax and total`, all, total, lines.length)
      } else if (isNumber(total) && all.greaterThan(total) && !near(all.minus(off), total, currency, lines.length)) {
        report("lines", `${form.list} without tax exceed the total: ${show(all)} is more than ${total}`)
      }
    }
    for (const [i, line] of lines.entries()) {
      const { quantity, unit_price: price } = line
      const amount = line[form.amount]
      if (form.isNet === true && isInclusive === true) continue
      if (isNumber(quantity) && isNumber(price) && isNumber(amount)) {
        const product = new Decimal(quantity).times(price)
        const isReduced = isNumber(discount) && discount > 0 && product.greaterThan(amount)
        if (!isReduced) compare("product", `${form.list}.${i} quantity × unit_price and its amount`, product, amount)
      }
    }
  }

  if (isNumber(subTotal) && isNumber(tax) && isNumber(total)) {
    const gross = new Decimal(subTotal).plus(tax)
    const off = isNumber(discount) ? discount : 0
    if (!near(gross, total, currency)) compare("total", "sub_total + tax − discount and total", gross.minus(off), total)
  }

  if (isNumber(total) && isNumber(balance) && record.status !== "VOID" && record.status !== "DRAFT") {
    const applied = [
      ...settlements.flatMap((name) => docsIn(record[name])),
      ...(resource === "credit_note" ? docsIn(record.applied_to_lines) : [])
    ].map((one) => one.applied_amount)
    // null applications are not known
    const areKnown = settlements.every((name) => record[name] !== null) && applied.every(isNumber)
    if (areKnown) {
      const open = new Decimal(total).minus(sum(applied.filter(isNumber)))
      compare("open", "total less what was applied and what is open", open, balance, Math.max(1, applied.length))
    }
    if (record.status === "PAID" && !near(balance, 0, currency)) report("paid", `is PAID with ${balance} open`)
  }

  if (resource === "journal_entry") {
    const amounts = docsIn(record.lines)
      .map((line) => line.net_amount)
      .filter(isNumber)
    compare("balanced", "lines of the journal and nothing", sum(amounts), 0)
  }

  if (resource === "payment" && isNumber(total)) {
    const applied = sum(
      docsIn(record.applied_to_lines)
        .map((one) => one.applied_amount)
        .filter(isNumber)
    )
    if (applied.greaterThan(total) && !near(applied, total, currency))
      report("applied", `applies ${show(applied)}, more than its total_amount ${total}`)
  }
  return problems
}

/** Resources whose records have amounts that add up. */
export const resourcesThatAddUp = [
  "invoice",
  "credit_note",
  "vendor_credit",
  "purchase_order",
  "sales_order",
  "expense",
  "journal_entry",
  "payment"
] as const
