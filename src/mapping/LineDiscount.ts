import { Decimal } from "decimal.js"
import { natives } from "./Mapping.ts"

const amountOf = (value: unknown, otherwise = 0) => new Decimal(typeof value === "number" ? value : otherwise)

/**
 * Whether the discount of an invoice is that of its lines, whose amounts are less by it than quantity times price. What is
 * taken off them is not to be taken off the whole again. `digits` are those of the currency's amounts after the point.
 */
export const isDiscountOfLines = (invoice: { readonly [field: string]: unknown } | undefined, digits = 2): boolean => {
  const discount = amountOf(invoice?.total_discount)
  if (!discount.isPositive() || discount.isZero()) return false
  const off = natives(invoice?.line_items).map(({ quantity, total_amount, unit_price }) =>
    typeof unit_price === "number" && typeof total_amount === "number"
      ? amountOf(quantity, 1).times(unit_price).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP).minus(total_amount)
      : new Decimal(0)
  )
  return off.reduce((sum, one) => sum.plus(one), new Decimal(0)).equals(discount)
}

export const inTheLines = "is held in the amounts of the lines, which are less by it"

export const lessDiscount = "is held less the discount of the line"
