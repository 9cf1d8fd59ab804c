import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { digitsOf } from "../../platform/Currency.ts"
import { getPath, isNative, type LinesContext, type LinesView, type Native, natives } from "../../mapping/Mapping.ts"
import type { BodyRequest } from "../ProviderAdapter.ts"
import type { Books } from "./Books.ts"
import { amountOf, homeCurrency } from "./Common.ts"
import { withInactive } from "./Conditions.ts"
import { taxCharged } from "./TaxCharge.ts"

/**
 * Lines of a document as it shows them. Members of a bundle are lines of their own. In a document whose amounts include tax,
 * prices and amounts do: Intuit holds them without tax, and what includes it beside them.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice (Line, GroupLineDetail)
 * https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-sales-tax-for-non-us-locales
 */

export type Side = "SalesTaxRateList" | "PurchaseTaxRateList"

/** Digits Intuit keeps of a price. */
export const priceDigits = 7

type Get = (native: string) => unknown

export const isInclusive = (get: Get): boolean => get("GlobalTaxCalculation") === "TaxInclusive"

/** The item that Intuit bills shipping through; it is in no list of items. */
export const shippingItem = "SHIPPING_ITEM_ID"

const isShipping = (line: Native) => getPath(line, "SalesItemLineDetail.ItemRef.value") === shippingItem

/** Types of lines whose amounts repeat those of others, reduce them, or are none. */
const unbilled: ReadonlyArray<unknown> = [
  "SubTotalLineDetail",
  "DiscountLineDetail",
  "TaxLineDetail",
  "DescriptionOnly",
  undefined
]

const bills = (line: Native) => !unbilled.includes(line.DetailType) && amountOf(line.Amount)?.isZero() === false

const detailOf = (line: Native): Native => {
  const detail = line[String(line.DetailType)]
  return isNative(detail) ? detail : {}
}

const withDetail = (line: Native, Amount: number, detail: Native): Native => ({
  ...line,
  Amount,
  [String(line.DetailType)]: detail
})

const rounded = (value: Decimal, digits: number) => value.toDecimalPlaces(digits, Decimal.ROUND_HALF_UP)

/** A line with the tax in its amount and price. */
const grossLine = (line: Native): Native => {
  const { TaxInclusiveAmt, ...detail } = detailOf(line)
  const gross = amountOf(TaxInclusiveAmt)
  if (gross === undefined) return line
  const [price, count] = [amountOf(detail.UnitPrice), amountOf(detail.Qty) ?? new Decimal(1)]
  const isGross = price === undefined || count.isZero() || rounded(price.times(count), 2).equals(gross)
  const UnitPrice = isGross ? detail.UnitPrice : rounded(gross.div(count), priceDigits).toNumber()
  return withDetail(line, gross.toNumber(), { ...detail, ...(UnitPrice === undefined ? {} : { UnitPrice }) })
}

const shownLine = (line: Native, get: Get) => (isInclusive(get) ? grossLine(line) : line)

/** A line that is only read; `At` is the position of the native line that it stands for. */
const fixedLine = (line: Native, at: number, Fixed: string, id: string): Native => ({
  ...line,
  Id: line.Id ?? id,
  Fixed,
  At: at
})

const membersOf = (line: Native) => natives(getPath(line, "GroupLineDetail.Line"))

const openLine = (line: Native, at: number, get: Get, isPlain: (line: Native) => boolean, showsDiscount: boolean) => {
  const members = membersOf(line)
  if (members.length > 0)
    return members.map((one, i) => fixedLine(shownLine(one, get), at, "bundle", `${String(line.Id ?? at)}-${i + 1}`))
  if (isPlain(line)) return [shownLine(line, get)]
  if (showsDiscount && line.DetailType === "DiscountLineDetail") {
    const off = amountOf(line.Amount) ?? new Decimal(0)
    return off.isZero() ? [line] : [fixedLine({ ...line, Amount: off.negated().toNumber() }, at, "line", "discount")]
  }
  return [bills(line) ? fixedLine(shownLine(line, get), at, "line", isShipping(line) ? "shipping" : `at-${at}`) : line]
}

const codeOf = (line: Native) => getPath(detailOf(line), "TaxCodeRef.value")

/** Amounts below which a rate of tax cannot be told from what it comes to. */
const leastTelling = 10

/** The percentage of tax in a line: the shortest one that makes its amount with tax of the one without. */
const percentIn = (line: Native): Decimal | undefined => {
  const [gross, net] = [amountOf(detailOf(line).TaxInclusiveAmt), amountOf(line.Amount)]
  if (gross === undefined || net === undefined || net.abs().lt(leastTelling)) return undefined
  const percent = gross.div(net).minus(1).times(100)
  const isRight = (one: Decimal) => rounded(net.times(one.div(100).plus(1)), 2).equals(gross)
  return [0, 1, 2, 3].map((digits) => rounded(percent, digits)).find(isRight) ?? percent
}

/** What an amount with tax is of one without: as the line says of itself, or by its tax code; 1 for a line without a code. */
const shareOfTax = (line: Native, held: Native | undefined, side: Side, { lookups }: LinesContext): Decimal => {
  const code = codeOf(line)
  const same = held !== undefined && codeOf(held) === code ? percentIn(held) : undefined
  const known = natives(lookups.taxCodes).find(({ Id }) => Id === code)
  const percent = same ?? (known === undefined ? undefined : taxCharged(known, natives(lookups.taxRates), side))
  return (percent ?? new Decimal(0)).div(100).plus(1)
}

const isPricedAlike = (a: Native, b: Native) =>
  a.Amount === b.Amount &&
  codeOf(a) === codeOf(b) &&
  ["UnitPrice", "Qty"].every((member) => detailOf(a)[member] === detailOf(b)[member])

/** The opposite of `grossLine`. */
const netLine = (line: Native, held: Native | undefined, side: Side, context: LinesContext): Native => {
  const gross = amountOf(line.Amount)
  if (gross === undefined || unbilled.includes(line.DetailType)) return line
  const { TaxInclusiveAmt: _, ...detail } = detailOf(line)
  if (held !== undefined && isPricedAlike(line, grossLine(held))) {
    const { TaxInclusiveAmt, UnitPrice } = detailOf(held)
    const prices = Object.entries({ UnitPrice, TaxInclusiveAmt }).filter(([, value]) => value !== undefined)
    return { ...withDetail(line, 0, { ...detail, ...Object.fromEntries(prices) }), Amount: held.Amount }
  }
  const digits = digitsOf(context.get("CurrencyRef.value") ?? homeCurrency(context.lookups))
  const net = rounded(gross.div(shareOfTax(line, held, side, context)), digits)
  const [price, count] = [amountOf(detail.UnitPrice), amountOf(detail.Qty) ?? new Decimal(1)]
  const UnitPrice = price === undefined || count.isZero() ? undefined : rounded(net.div(count), priceDigits).toNumber()
  return withDetail(line, net.toNumber(), {
    ...detail,
    ...(UnitPrice === undefined ? {} : { UnitPrice }),
    TaxInclusiveAmt: gross.toNumber()
  })
}

/** A line of a document whose amounts do not include tax. */
export const plainLine = (line: Native): Native => {
  const { TaxInclusiveAmt, ...detail } = detailOf(line)
  return TaxInclusiveAmt === undefined ? line : { ...line, [String(line.DetailType)]: detail }
}

/** The native lines that fixed ones stand for, each once. A bundle stays whole as long as one of its members does. */
const nativeOfFixed = (
  line: Native,
  opened: ReadonlyArray<Native>,
  held: ReadonlyArray<Native>,
  { canonical, warn }: LinesContext
): ReadonlyArray<Native> => {
  const mine = opened.filter(({ At }) => At === line.At)
  const native = held[Number(line.At)]
  if (native === undefined || mine[0] !== line) return []
  if (mine.length < membersOf(native).length)
    warn(canonical, "CHANGED", "keep the other lines of a bundle, which stays whole: name all of its lines or none")
  return [native]
}

interface ViewOptions {
  readonly side: Side
  /** Types of lines that can be written. */
  readonly types: ReadonlyArray<string>
  /** Discounts are lines, for documents that do not have them as a field of their own. */
  readonly showsDiscount?: boolean
}

export const linesView = ({ showsDiscount = false, side, types }: ViewOptions): LinesView => {
  const isPlain = (line: Native) => types.includes(String(line.DetailType)) && !isShipping(line)
  return {
    open: (lines, get) => lines.flatMap((line, at) => openLine(line, at, get, isPlain, showsDiscount)),
    close: (opened, held, context) =>
      opened.flatMap((line) => {
        if (line.Fixed !== undefined) return nativeOfFixed(line, opened, held, context)
        if (!isPlain(line)) return [line]
        const before = line.Id === undefined ? undefined : held.find(({ Id }) => Id === line.Id)
        return [isInclusive(context.get) ? netLine(line, before, side, context) : plainLine(line)]
      })
  }
}

const everyLine = linesView({ side: "SalesTaxRateList", types: [] })

/** Everything that a record bills, in the amounts that it shows; `isDiscounted`: without shipping, which no discount reduces. */
export const billedBy = (record: Native | Get, isDiscounted = false): Decimal => {
  const get: Get = typeof record === "function" ? record : (native) => getPath(record, native)
  return everyLine
    .open(natives(get("Line")), get)
    .filter((line) => line.Fixed !== undefined && !(isDiscounted && isShipping(line)))
    .reduce((sum, { Amount }) => sum.plus(amountOf(Amount) ?? 0), new Decimal(0))
}

/** Whether a line of a body keeps the tax code of the line that it is, which tells the rate. */
const keepsRate =
  (held: ReadonlyArray<Native>, { resolve }: BodyRequest) =>
  ({ remote_id, tax_rate }: Native) => {
    const line = held.find(({ Id }) => remote_id !== undefined && String(Id) === String(remote_id))
    if (line === undefined || percentIn(line) === undefined) return false
    return tax_rate === undefined || (typeof tax_rate === "string" && resolve(tax_rate)?.remoteId === codeOf(line))
  }

/** Reads the tax codes and rates for lines whose amounts include tax, where what is held does not tell the rates. */
export const withTaxCodes =
  ({ queries }: Books) =>
  (request: BodyRequest) => {
    const { body, connection, current, lookups } = request
    const held = (native: string) => getPath(current?.record, native)
    const isGross = body.inclusive_of_tax === true || (body.inclusive_of_tax === undefined && isInclusive(held))
    const lines = natives(body.line_items ?? body.lines)
    const isTold = lines.every(keepsRate(natives(held("Line")), request))
    if (!isGross || isTold || getPath(lookups, "company.Country") === "US") return Effect.succeed({})
    return Effect.flatMap(
      queries(connection, [
        { name: "TaxCode", where: [withInactive] },
        { name: "TaxRate", where: [withInactive] }
      ]),
      ([codes, rates]) => Effect.all({ taxCodes: codes ?? Effect.succeed([]), taxRates: rates ?? Effect.succeed([]) })
    )
  }
