import { Decimal } from "decimal.js"
import { computed } from "../../mapping/Entries.ts"
import { inTheLines, isDiscountOfLines } from "../../mapping/LineDiscount.ts"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { amountOf } from "./Common.ts"
import { billedBy, isInclusive } from "./LinesView.ts"
import { exact, rounded } from "./Money.ts"

const isDiscount = (line: Native) => line.DetailType === "DiscountLineDetail"

const sumOf = (found: ReadonlyArray<Native>) =>
  found.reduce((sum, line) => sum.plus(amountOf(line.Amount) ?? 0), new Decimal(0))

/** What a sale is less than its lines. Discount lines say it; where amounts include tax, they say it without tax. */
export const discountOf = (record: Native): Decimal => {
  const lines = natives(record.Line).filter(isDiscount)
  const total = amountOf(record.TotalAmt)
  const isGross = lines.length > 0 && total !== undefined && isInclusive((native) => getPath(record, native))
  return isGross ? billedBy(record).minus(total) : sumOf(lines)
}

/** Amount of a discount on lines that come to `billed`; a percentage follows them. */
const comesTo = (discount: Native, billed: Decimal): Decimal => {
  const percent = amountOf(getPath(discount, "DiscountLineDetail.DiscountPercent"))
  if (getPath(discount, "DiscountLineDetail.PercentBased") !== true || percent === undefined) return sumOf([discount])
  return billed.times(percent).div(100)
}

/** Writes one discount line of that amount; keeps the present lines when they already add up to it. */
export const totalDiscount = computed({
  canonical: "total_discount",
  native: ["Line", "TotalAmt", "GlobalTaxCalculation"],
  needsCurrent: true,
  encodeLookups: ["preferences"],
  decode: ({ record }) => discountOf(record).toNumber(),
  encode: (value, encoding) => {
    const { body, get, prefix, refuse, set, warn } = encoding
    const path = `${prefix}total_discount`
    const isOfLines = isDiscountOfLines(body)
    if (isOfLines) warn(path, "CHANGED", inTheLines)
    const wanted = value === null || isOfLines ? new Decimal(0) : exact(value, path, encoding)
    if (wanted === undefined) return
    if (wanted.isNegative()) return refuse(path, "must be 0 or more")
    const present = natives(get("Line"))
    const [first, ...others] = present.filter(isDiscount)
    const billed = billedBy(get, true)
    if (wanted.gt(0) && wanted.gt(billed)) return refuse(path, "is more than the lines come to")
    const now = present.filter(isDiscount).map((line) => comesTo(line, billed))
    if (rounded(Decimal.sum(0, ...now), encoding).equals(wanted)) return
    const detail = isNative(first?.DiscountLineDetail) ? first.DiscountLineDetail : {}
    const { DiscountPercent: _percent, ...kept } = detail
    const line = {
      ...first,
      DetailType: "DiscountLineDetail",
      Amount: wanted.toNumber(),
      DiscountLineDetail: { ...kept, PercentBased: false }
    }
    const rest = present.filter((one) => !others.includes(one))
    if (wanted.isZero())
      set(
        "Line",
        rest.filter((one) => one !== first)
      )
    else set("Line", first === undefined ? [...rest, line] : rest.map((one) => (one === first ? line : one)))
  }
})
