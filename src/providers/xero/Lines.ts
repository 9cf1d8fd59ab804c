import { Decimal } from "decimal.js"
import { computed, heldBy, type Lines, type NamesIn } from "../../mapping/Entries.ts"
import { type DocumentLine, type DocumentLines, type LineEntries, ofDocument } from "../../mapping/LineParts.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { holds } from "./Changes.ts"
import { amount, codedAccount, codedItem, digits, isKept, money, toTaxRate, tracking } from "./Common.ts"

/**
 * Lines of documents. Xero works out what a line leaves out: its amount from quantity and price, or the reverse.
 * https://developer.xero.com/documentation/api/accounting/invoices (LineItems)
 */

/**
 * A line without a quantity reads as 1. A new line always sends the quantity that the caller states, 1 too: without it Xero
 * divides the amount by the price, and 33.33 at 33.3333 becomes 0.9999 units.
 */
const quantity = computed({
  canonical: "quantity",
  native: ["Quantity"],
  decode: ({ record }) => record.Quantity ?? 1,
  encode: (value, encoding) => {
    const { current, get, prefix, set } = encoding
    if (value === null && current === undefined) return
    const count = value ?? 1
    const held = get("Quantity") ?? (current === undefined ? undefined : 1)
    if (isKept(count, "quantity", `${prefix}quantity`, encoding) && count !== held) set("Quantity", count)
  }
})

/** Xero works out a missing price from the amount. */
const unitPrice = (of: LineEntries, totalName: DocumentLines["total"]) =>
  of.computed({
    canonical: "unit_price",
    native: ["UnitAmount"],
    decode: ({ record }) => record.UnitAmount,
    encode: (value, encoding) => {
      const { body, get, prefix, set } = encoding
      if (!isKept(value, "price", `${prefix}unit_price`, encoding)) return
      if (value !== null) set("UnitAmount", value)
      else if (typeof body[totalName] === "number") set("UnitAmount", undefined)
      else if (get("UnitAmount") !== undefined) set("UnitAmount", 0)
    }
  })

/** The unit price of a line with this total. */
const priceOf = (total: unknown, quantity: unknown): number | undefined =>
  typeof total === "number" && typeof quantity === "number" && quantity !== 0
    ? new Decimal(total).div(quantity).toDecimalPlaces(digits.price).toNumber()
    : undefined

const isPositive = (value: unknown): value is number => typeof value === "number" && value > 0

const isDiscounted = (get: (native: string) => unknown) =>
  isPositive(get("DiscountRate")) || isPositive(get("DiscountAmount"))

/** The amount of a line before its discount. Xero states only the amount after it. */
export const grossOf = (line: Native): unknown => {
  const { LineAmount, Quantity = 1, UnitAmount } = line
  return isDiscounted((native) => line[native]) && typeof Quantity === "number" && typeof UnitAmount === "number"
    ? new Decimal(Quantity).times(UnitAmount).toDecimalPlaces(digits.amount).toNumber()
    : LineAmount
}

/**
 * An amount before discount, of documents that state their discount by itself. Xero works out the amount of a line that has a
 * discount, so that only its price is written.
 */
const grossAmountOf = (of: LineEntries, canonical: DocumentLines["total"]) => {
  const plain = amountOf(of, canonical)
  return of.computed({
    ...plain,
    native: ["LineAmount", "Quantity", "UnitAmount", "DiscountRate", "DiscountAmount"],
    decode: ({ record }) => grossOf(record),
    encode: (value, encoding) => {
      const { body, current, get, prefix, set } = encoding
      if (current === undefined || !isDiscounted(get)) return plain.encode?.(value, encoding)
      if (value === null || value === grossOf(current.record)) return
      const isStated = typeof body.unit_price === "number"
      if (!isStated && isKept(value, "amount", prefix + canonical, encoding)) {
        set("UnitAmount", priceOf(value, get("Quantity") ?? 1))
      }
    }
  })
}

/**
 * The amount after discount, with or without tax as the document says. A new amount sets the matching price too, unless the
 * line gives a price or has a discount.
 */
const amountOf = (of: LineEntries, canonical: DocumentLines["total"]) =>
  of.computed({
    canonical,
    native: ["LineAmount"],
    decode: ({ record }) => record.LineAmount,
    encode: (value, encoding) => {
      const { body, get, prefix, set } = encoding
      const held = get("LineAmount")
      if (value === null || value === held || !isKept(value, "amount", prefix + canonical, encoding)) return
      set("LineAmount", value)
      if (held !== undefined) {
        if (typeof body.unit_price !== "number" && !isDiscounted(get))
          set("UnitAmount", priceOf(value, get("Quantity")))
      } else if (get("Quantity") === undefined && get("UnitAmount") === undefined) {
        // such a line reads as quantity 1
        set("Quantity", 1)
        set("UnitAmount", value)
      }
    }
  })

/** A kind of lines; `isGross`: their amounts are before discount. */
interface XeroLines<S extends DocumentLine> extends DocumentLines<S> {
  readonly isGross?: true
}

/** Builds line entries; resources differ in the fields of their lines and in the name of the amount. */
export const documentLines = <S extends DocumentLine>({ isGross, shape, total }: XeroLines<S>): Lines<NamesIn<S>> => ({
  native: "LineItems",
  id: "LineItemID",
  forms: () => [
    {
      where: {},
      entries: heldBy(shape, (of: LineEntries) => [
        of.field("description", "Description", text),
        codedItem(of, "item", "ItemCode", "Item.ItemID"),
        codedAccount(of, "account", "AccountCode", "AccountID"),
        quantity(of),
        unitPrice(of, total),
        isGross === true ? grossAmountOf(of, total) : amountOf(of, total),
        of.field("tax_rate", "TaxType", toTaxRate),
        amount(of, "tax_amount", "TaxAmount"),
        tracking(of),
        ...ofDocument(of, money),
        of.constant("is_billable", false),
        of.constant("remote_was_deleted", false)
      ])
    }
  ]
})

/** Members sent along with a new amount, so that Xero refuses an amount that is not their product. */
const factors = ["Quantity", "UnitAmount"]

/**
 * A line to send. An existing line sends only its changes: Xero keeps the rest, and would refuse some values that it
 * returned itself, such as the amount of a line whose discount it rounded.
 * https://github.com/XeroAPI/xero-mcp-server/issues/158
 */
const lineFor = (line: Native, held: Native): Native => {
  const isNew = (member: string) => !holds(held[member], line[member])
  const isSent = (member: string) =>
    member === "LineItemID" || isNew(member) || (isNew("LineAmount") && factors.includes(member))
  return Object.fromEntries(Object.entries(line).filter(([member]) => isSent(member)))
}

/** Tax types of lines without tax: in Australia, and elsewhere. */
const untaxed = ["BASEXCLUDED", "NONE"]

/**
 * Makes the amounts of a document without tax exclusive of tax once a line gets a tax: Xero would drop the tax without a word.
 */
const taxedAs = (record: Native, current: Native | undefined): Native => {
  const isFree = (current?.LineAmountTypes ?? record.LineAmountTypes) === "NoTax"
  const taxes = natives(record.LineItems).flatMap(({ TaxType }) => (typeof TaxType === "string" ? [TaxType] : []))
  return isFree && record.LineAmountTypes === undefined && taxes.some((tax) => tax !== "" && !untaxed.includes(tax))
    ? { LineAmountTypes: "Exclusive" }
    : {}
}

/** Adds the lines of a document to a write when any of them has changed. */
export const withLines = (record: Native, current: Native | undefined): Native => {
  if (!Array.isArray(record.LineItems)) return record
  const held = natives(current?.LineItems)
  if (current !== undefined && holds(held, record.LineItems)) return record
  const heldOf = ({ LineItemID }: Native) =>
    LineItemID === undefined ? undefined : held.find((one) => one.LineItemID === LineItemID)
  return {
    ...record,
    ...taxedAs(record, current),
    LineItems: natives(record.LineItems).map((line) => {
      const before = heldOf(line)
      return before === undefined ? line : lineFor(line, before)
    })
  }
}
