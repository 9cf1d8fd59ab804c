import { Decimal } from "decimal.js"
import { heldBy, type NamesIn } from "../../mapping/Entries.ts"
import { type DocumentLine, type LineEntries, ofDocument } from "../../mapping/LineParts.ts"
import { type LineForm, type Native, natives } from "../../mapping/Mapping.ts"
import { bare, number, text, type Transform } from "../../mapping/Transform.ts"
import { money, toTaxRate } from "./Common.ts"

/**
 * Amounts that a document charges beside its lines: shipping, an adjustment, and what rounding adds. They are read as lines,
 * so that the lines come to the total. A written list that lacks such a line takes the charge off the document.
 * https://www.zoho.com/books/api/v3/invoices/ (shipping_charge, adjustment)
 */

/** A charge: the member that holds it, its amount in a record, and its name where the record gives none. */
interface Charge {
  readonly member: string
  readonly amount: (record: Native) => unknown
  readonly label: string
  readonly tax?: string
  /** False for an amount that Zoho computes. */
  readonly isRemovable: boolean
}

const isNumber = (value: unknown): value is number => typeof value === "number"

/** Zoho states a shipping charge with and without its tax where it has any. */
const shipping = (record: Native) =>
  (record.is_inclusive_tax === true
    ? record.shipping_charge_inclusive_of_tax
    : record.shipping_charge_exclusive_of_tax) ?? record.shipping_charge

const shippingCharge: Charge = {
  member: "shipping_charge",
  amount: (record) => shipping(record),
  label: "Shipping charge",
  tax: "shipping_charge_tax_id",
  isRemovable: true
}

const adjustment: Charge = {
  member: "adjustment",
  amount: ({ adjustment }) => adjustment,
  label: "Adjustment",
  isRemovable: true
}

const rounding: Charge = {
  member: "roundoff_value",
  amount: ({ roundoff_value }) => roundoff_value,
  label: "Rounding",
  isRemovable: false
}

/** The discount off the whole of a document: an amount, or a percentage of its lines. */
export const discountOf = (record: Native): number | null => {
  const { discount, discount_total, discount_type, sub_total } = record
  if (discount === undefined && discount_total === undefined) return null
  if (discount_type !== "entity_level") return 0
  if (isNumber(discount_total)) return discount_total
  const [, percent] = /^([\d.]+)%$/.exec(String(discount)) ?? []
  return percent === undefined ? Number(discount) : new Decimal(Number(sub_total)).times(percent).div(100).toNumber()
}

/** Documents without a field for a discount of the whole have it as a line. */
const wholeDiscount: Charge = {
  member: "discount",
  amount: (record) => -(discountOf(record) ?? 0),
  label: "Discount",
  isRemovable: true
}

const everywhere = [shippingCharge, adjustment, rounding]

/** Adds a line for each charge of a record that was read with its lines. */
export const withCharges =
  ({ hasDiscount }: { readonly hasDiscount: boolean }) =>
  (record: Native): Native => {
    if (!Array.isArray(record.line_items)) return record
    const charges = hasDiscount ? everywhere : [...everywhere, wholeDiscount]
    const lines = charges.flatMap(({ amount, label, member, tax }) => {
      const value = amount(record)
      if (!isNumber(value) || value === 0) return []
      const named = record[`${member}_description`]
      return [
        {
          is_charge: true,
          line_item_id: member,
          description: typeof named === "string" && named !== "" ? named : label,
          rate: value,
          tax_id: tax === undefined ? "" : record[tax]
        }
      ]
    })
    return lines.length === 0 ? record : { ...record, line_items: [...natives(record.line_items), ...lines] }
  }

/** Takes off a document the charges whose lines a write leaves out. */
export const removedCharges = (lines: ReadonlyArray<Native>, held: Native | undefined): Native => {
  const has = (list: ReadonlyArray<Native>, member: string) => list.some(({ line_item_id }) => line_item_id === member)
  const before = natives(held?.line_items)
  return Object.fromEntries(
    [...everywhere, wholeDiscount]
      .filter(({ isRemovable, member }) => isRemovable && has(before, member) && !has(lines, member))
      .map(({ member }) => [member, 0])
  )
}

/** A value of a charge, which stays as it is. */
const fixed = (of: LineEntries, canonical: NamesIn<DocumentLine>, native: string, transform: Transform) =>
  of.computed({
    canonical,
    native: [native],
    decode: ({ record }, context) => {
      const value = record[native]
      return value === undefined || value === null ? null : transform.decode(value, context)
    },
    encode: (value, { current, prefix, resolve, warn }) => {
      const held = current?.record[native] ?? ""
      const sent = transform.name.startsWith("reference") ? resolve(bare(String(value)))?.remoteId : value
      if (value !== null && sent !== held)
        warn(prefix + canonical, "CHANGED", "stays as it is: the line is a charge of the whole document")
    }
  })

/** How a charge is read as a line. No body can add one: `given` names no field of a line. */
export const chargeForm = <S extends DocumentLine>(shape: S, total: NamesIn<S>): LineForm => ({
  where: { is_charge: true },
  given: "is_charge",
  entries: heldBy(shape, (of: LineEntries) => [
    fixed(of, "description", "description", text),
    of.constant("quantity", 1),
    fixed(of, "unit_price", "rate", number),
    fixed(of, total, "rate", number),
    fixed(of, "tax_rate", "tax_id", toTaxRate),
    of.constant("is_billable", false),
    ...ofDocument(of, money),
    of.constant("remote_was_deleted", false)
  ])
})
