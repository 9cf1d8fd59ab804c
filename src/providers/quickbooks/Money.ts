import { Decimal } from "decimal.js"
import { digitsOf } from "../../platform/Currency.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { type Encoding, getPath } from "../../mapping/Mapping.ts"
import { amountOf, homeCurrency } from "./Common.ts"

/** Amounts of money: they are of the document's currency, and no finer than it is. */

/** The currency of the record that is written, or that the line which is written stands in. */
const currencyOf = ({ get, lookups, parent }: Encoding): unknown =>
  (parent?.get ?? get)("CurrencyRef.value") ?? homeCurrency(lookups)

/** As exact as the currency is. Needs the lookup `preferences`. */
export const rounded = (value: Decimal, encoding: Encoding): Decimal =>
  value.toDecimalPlaces(digitsOf(currencyOf(encoding)), Decimal.ROUND_HALF_UP)

/** The amount at a path of the body, unless it is finer than its currency, which is refused. Needs the lookup `preferences`. */
export const exact = (value: unknown, path: string, encoding: Encoding): Decimal | undefined => {
  const amount = amountOf(value)
  if (amount === undefined || rounded(amount, encoding).equals(amount)) return amount
  const currency = currencyOf(encoding)
  const digits = digitsOf(currency)
  const allowed = digits === 0 ? "no digits" : `at most ${digits} digits`
  encoding.refuse(path, `is finer than its currency: ${String(currency)} has ${allowed} after the point`)
  return undefined
}

/** An amount of the record. */
export const amount = <N extends string>(of: Entries<N>, canonical: N, native: string) =>
  of.computed({
    canonical,
    native: [native],
    encodeLookups: ["preferences"],
    needsCurrent: true,
    decode: ({ record }) => amountOf(getPath(record, native))?.toNumber(),
    encode: (value, encoding) => {
      if (value === null) encoding.set(native, null)
      else if (exact(value, encoding.prefix + canonical, encoding) !== undefined) encoding.set(native, value)
    }
  })

/**
 * An amount with the sign it has here, and back: Intuit holds money that came back on a credit card without a sign, and
 * says `Credit` of the whole.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/purchase
 */
export const signed = (value: unknown, isCredit: unknown): unknown =>
  isCredit === true && typeof value === "number" ? new Decimal(0).minus(value).toNumber() : value
