import { type Draft, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { plainLine } from "./LinesView.ts"

/** Members that Intuit adds to an address; an address with no others is empty. */
export const additions = new Set(["Id", "Lat", "Long"])

/** Merges `over` into `present`: null removes; a list, or a reference (`{value, name}`) to another record, replaces. */
const lay = (present: unknown, over: unknown): unknown => {
  if (over === null) return undefined
  if (Array.isArray(over)) return over.map((item) => lay(undefined, item))
  if (!isNative(over)) return over
  if (over.value === null) return undefined
  const isSame = over.value === undefined || (isNative(present) && over.value === present.value)
  const laid: Draft = isNative(present) && isSame ? { ...present } : {}
  let isShorter = false
  for (const [key, value] of Object.entries(over)) {
    const next = lay(laid[key], value)
    if (next !== undefined) laid[key] = next
    else {
      delete laid[key]
      isShorter = true
    }
  }
  return isShorter && Object.keys(laid).every((key) => additions.has(key)) ? undefined : laid
}

/** Builds a new native object from an encoded one, without the nulls that clear. */
export const newObject = (encoded: Native): Native => {
  const laid = lay({}, encoded)
  return isNative(laid) ? laid : {}
}

/**
 * Intuit returns tax identifiers masked (`XXXXXX6789`) and would store the mask if sent back. An update without them must be
 * sparse, or it would clear them.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer (PrimaryTaxIdentifier)
 */
const withoutMasks = (whole: Native, over: Native): Native => {
  const masked = Object.keys(whole).filter((key) => key.endsWith("TaxIdentifier") && /^X{3}/.test(String(whole[key])))
  if (masked.length === 0) return whole
  const cleared = Object.keys(over).filter((key) => !(key in whole))
  return {
    ...Object.fromEntries(Object.entries(whole).filter(([key]) => !masked.includes(key))),
    ...Object.fromEntries(cleared.map((key) => [key, null])),
    sparse: true
  }
}

/** Members for Intuit's own use. Reads show them; an update that repeats them is refused. */
const internals = new Set(["CustomExtensions", "domain", "LastModifiedByRef", "sparse", "V4IDPseudonym"])

const isInternal = (name: string) => internals.has(name) || /[a-z]Ex$/.test(name)

export const withoutInternals = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutInternals)
  if (!isNative(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (isInternal(name) ? [] : [[name, withoutInternals(one)]]))
  )
}

/** Drops what lines say of their amounts with tax once these no longer include it. */
const withoutOldGross = (whole: Native, over: Native): Native => {
  if (!("GlobalTaxCalculation" in over) || over.GlobalTaxCalculation === "TaxInclusive" || "Line" in over) return whole
  return { ...whole, Line: natives(whole.Line).map(plainLine) }
}

/** Drops the tax that Intuit calculated from the old lines: it would override the tax on the new ones. */
const withoutOldTax = (whole: Native, over: Native): Native => {
  if (!("Line" in over || "GlobalTaxCalculation" in over) || "TxnTaxDetail" in over || !isNative(whole.TxnTaxDetail)) {
    return whole
  }
  const { TaxLine: _lines, TotalTax: _total, ...kept } = whole.TxnTaxDetail
  return { ...whole, TxnTaxDetail: kept }
}

/**
 * Builds the whole object for a full update, which sets omitted writable fields to null. It may contain fields that Intuit
 * calculates (TotalAmt, Balance) or maintains (MetaData); Intuit overwrites them.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice#full-update-an-invoice
 */
export const overlay = (current: Native, encoded: Native): Native => {
  // encoded lines are made from those that were read
  const over = "Line" in encoded ? { ...encoded, Line: withoutInternals(encoded.Line) } : encoded
  const laid = lay(withoutInternals(current), over)
  return withoutMasks(withoutOldGross(withoutOldTax(isNative(laid) ? laid : current, encoded), encoded), encoded)
}
