import { type Draft, isNative, type Native } from "../../mapping/Mapping.ts"

/** What Intuit itself adds to an address; an address of nothing else is none. */
export const additions = new Set(["Id", "Lat", "Long"])

/** `over` laid on `present`: null removes; a list, and a reference (`{value, name}`) to something else, replace. */
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

/** A native object from what a mapping encoded, without the nulls that clear. */
export const newObject = (encoded: Native): Native => {
  const laid = lay({}, encoded)
  return isNative(laid) ? laid : {}
}

/**
 * Tax identifiers are answered masked (`XXXXXX6789`); sent back, the mask would be stored. Without them the update has to
 * be a sparse one, or they would be cleared.
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

/** Tax that Intuit reckoned from the old lines would override what it reckons from the new ones. */
const withoutOldTax = (whole: Native, over: Native): Native => {
  if (!("Line" in over || "GlobalTaxCalculation" in over) || "TxnTaxDetail" in over || !isNative(whole.TxnTaxDetail)) {
    return whole
  }
  const { TaxLine: _lines, TotalTax: _total, ...kept } = whole.TxnTaxDetail
  return { ...whole, TxnTaxDetail: kept }
}

/**
 * The whole object of a full update: writable fields that are left out become null. Fields that Intuit reckons (TotalAmt,
 * Balance) or keeps (MetaData, domain) may stand in it and are overwritten.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice#full-update-an-invoice
 */
export const overlay = (current: Native, encoded: Native): Native => {
  const laid = lay(current, encoded)
  return withoutMasks(withoutOldTax(isNative(laid) ? laid : current, encoded), encoded)
}
