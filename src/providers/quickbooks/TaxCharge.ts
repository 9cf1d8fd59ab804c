import { Decimal } from "decimal.js"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { amountOf } from "./Common.ts"

/**
 * Tax that a tax code charges, from the rates that it is made of. A compound rate taxes the tax of another one too, or only.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/taxcode
 */

export const detailsOf = (code: Native, list: string) => natives(getPath(code, `${list}.TaxRateDetail`))

export const rateId = (detail: Native) => String(getPath(detail, "TaxRateRef.value"))

export const isCompound = ({ TaxOnTaxOrder }: Native) => typeof TaxOnTaxOrder === "number" && TaxOnTaxOrder > 0

export const percentOf = (rates: ReadonlyArray<Native>, detail: Native): Decimal =>
  amountOf(rates.find((rate) => String(rate.Id) === rateId(detail))?.RateValue) ?? new Decimal(0)

/** Tax that one detail of a code charges on an amount of 100. */
export const chargedBy = (rates: ReadonlyArray<Native>, all: ReadonlyArray<Native>, detail: Native): Decimal => {
  const under = isCompound(detail)
    ? all.find((one) => one !== detail && one.TaxOrder === detail.TaxOnTaxOrder && !isCompound(one))
    : undefined
  const tax = under === undefined ? new Decimal(0) : chargedBy(rates, all, under)
  const base = detail.TaxTypeApplicable === "TaxOnTax" ? tax : tax.plus(100)
  return base.times(percentOf(rates, detail)).div(100)
}

/** Tax that a code charges on an amount of 100. */
export const taxCharged = (code: Native, rates: ReadonlyArray<Native>, list: string): Decimal => {
  const all = detailsOf(code, list)
  return all.reduce((sum, detail) => sum.plus(chargedBy(rates, all, detail)), new Decimal(0))
}
