import { Decimal } from "decimal.js"
import { computed, heldBy, type Lines, type NamesIn } from "../../mapping/Entries.ts"
import { isDiscountOfLines, lessDiscount } from "../../mapping/LineDiscount.ts"
import { type DocumentLine, type DocumentLines, type LineEntries, ofDocument } from "../../mapping/LineParts.ts"
import { type Encoding, getPath, type LineForm, type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { digitsOf } from "../../platform/Currency.ts"
import { chargeForm } from "./Charges.ts"
import { currencyOf, money, toAccount, toContact, toItem, toTaxRate } from "./Common.ts"

/**
 * Lines of documents: a price and a quantity, from which Zoho computes the total.
 * https://www.zoho.com/books/api/v3/invoices/ (line_items)
 */

/** Decimals of a price. */
const decimals = 6

const isNumber = (value: unknown): value is number => typeof value === "number"

/** The description. A line's name is that of its item, or else the description. */
const description = computed({
  canonical: "description",
  native: ["description"],
  decode: ({ record }, context) => text.decode(record.description ?? "", context),
  encode: (value, { body, current, get, set }) => {
    set("description", value ?? "")
    if (current === undefined && typeof body.item !== "string" && get("name") === undefined && value !== null) {
      set("name", String(value).slice(0, 100))
    }
  }
})

/** A stated quantity is always sent: without it Zoho assumes one, whatever the price and the amount come to. */
const quantity = computed({
  canonical: "quantity",
  native: ["quantity"],
  decode: ({ record }) => (record.quantity === undefined ? 1 : Number(record.quantity)),
  encode: (value, { set }) => set("quantity", value ?? 1)
})

const unitPrice = computed({
  canonical: "unit_price",
  native: ["rate"],
  decode: ({ record }) => record.rate,
  encode: (value, { set }) => {
    if (isNumber(value)) set("rate", value)
  }
})

/** Digits after the point of the document's amounts; undefined while its currency is that of a party not read yet. */
const digitsIn = ({ lookups, parent }: Pick<Encoding, "lookups" | "parent">): number | undefined => {
  const currency = parent?.body.currency ?? (parent === undefined ? undefined : currencyOf(parent.get, lookups))
  return typeof currency === "string" ? digitsOf(currency) : undefined
}

/** Whether an amount is a product as some currency rounds it: this one, where it is known. */
const isRounded = (product: Decimal, amount: number, digits: number | undefined) =>
  (digits === undefined ? [0, 2, 3] : [digits]).some((places) =>
    product.toDecimalPlaces(places, Decimal.ROUND_HALF_UP).equals(amount)
  )

/**
 * The amount of a line as the customer reads it. Where prices contain tax, Zoho states `item_total` without it and the
 * gross amount beside it.
 */
const amountOf = (line: Native, isInclusive: boolean, currency: unknown): unknown => {
  if (!isInclusive) return line.item_total
  if (isNumber(line.item_total_inclusive_of_tax)) return line.item_total_inclusive_of_tax
  if (!isNumber(line.rate)) return line.item_total
  return new Decimal(line.rate)
    .times(Number(line.quantity ?? 1))
    .minus(isNumber(line.discount_amount) ? line.discount_amount : 0)
    .toDecimalPlaces(digitsOf(currency), Decimal.ROUND_HALF_UP)
    .toNumber()
}

/** The line's total, which sets the unit price unless that is given too. */
const amount = (of: LineEntries, canonical: DocumentLines["total"]) =>
  of.computed({
    canonical,
    native: ["item_total", "item_total_inclusive_of_tax", "rate", "quantity", "discount_amount"],
    ofParent: ["is_inclusive_tax", ...money.native],
    lookups: money.lookups,
    encodeLookups: money.lookups,
    decode: ({ lookups, parent, record }) =>
      amountOf(
        record,
        parent?.is_inclusive_tax === true,
        currencyOf((path) => getPath(parent, path), lookups)
      ),
    encode: (value, encoding) => {
      const { body, current, get, lookups, parent, prefix, refuse, set, warn } = encoding
      if (!isNumber(value)) return
      const count = new Decimal(Number(get("quantity") ?? 1))
      const rate = get("rate")
      const currency = parent === undefined ? undefined : currencyOf(parent.get, lookups)
      const held =
        current === undefined ? undefined : amountOf(current.record, parent?.get("is_inclusive_tax") === true, currency)
      const isKept = value === held && rate === current?.record.rate
      if (isKept && count.equals(Number(current?.record.quantity ?? 1))) return
      const digits = digitsIn(encoding)
      if (isNumber(rate) && isRounded(count.times(rate), value, digits)) return
      const isLess = isDiscountOfLines(parent?.body, digits)
      if (isLess) warn(`${prefix}unit_price`, "CHANGED", lessDiscount)
      if (isNumber(body.unit_price) && !isLess)
        refuse(prefix + canonical, "is quantity times unit_price; leave one of them out")
      else if (!count.isZero()) set("rate", new Decimal(value).div(count).toDecimalPlaces(decimals).toNumber())
    }
  })

/** Lines of sales are posted by their items; those of purchases may name an account as well. */
const all = (of: LineEntries, total: DocumentLines["total"], isBought: boolean) => [
  of.field("item", "item_id", toItem),
  ...(isBought
    ? [
        of.field("account", "account_id", toAccount),
        of.field("contact", "customer_id", toContact),
        of.computed({
          canonical: "is_billable",
          native: ["is_billable"],
          decode: ({ record }) => record.is_billable === true,
          encode: (value, { get, set }) => {
            if ((value ?? false) !== (get("is_billable") ?? false)) set("is_billable", value ?? false)
          }
        })
      ]
    : [of.field("account", "account_id", toAccount), of.constant("is_billable", false)]),
  description(of),
  quantity(of),
  unitPrice(of),
  amount(of, total),
  of.field("tax_rate", "tax_id", toTaxRate),
  ...ofDocument(of, money),
  of.constant("remote_was_deleted", false)
]

export const documentLines = <S extends DocumentLine>(
  { shape, total }: DocumentLines<S>,
  isBought: boolean
): Lines<NamesIn<S>> => ({
  native: "line_items",
  id: "line_item_id",
  forms: (): ReadonlyArray<LineForm> => [
    chargeForm(shape, total),
    { where: {}, entries: heldBy(shape, (of: LineEntries) => all(of, total, isBought)) }
  ]
})

/** Members of lines that Zoho takes; it sets the others. */
const members = new Set([
  "line_item_id",
  "item_id",
  "account_id",
  "customer_id",
  "project_id",
  "location_id",
  "name",
  "description",
  "rate",
  "quantity",
  "unit",
  "discount",
  "tags",
  "tax_id",
  "is_billable",
  "item_order",
  "header_name",
  "item_custom_fields",
  "product_type",
  "hsn_or_sac",
  "sat_item_key_code",
  "unitkey_code",
  "serial_numbers",
  "tax_exemption_id",
  "tax_exemption_code",
  "tax_treatment_code",
  "tds_tax_id",
  "acquisition_vat_id",
  "reverse_charge_tax_id",
  "reverse_charge_vat_id",
  "salesorder_item_id",
  "purchaseorder_item_id",
  "invoice_id",
  "invoice_item_id",
  "bill_id",
  "bill_item_id",
  "expense_id",
  "time_entry_ids"
])

/** Members of a line without those that Zoho sets; empty ones are left out rather than cleared. */
export const sentMembers = (line: Native, names: ReadonlySet<string>): Native =>
  Object.fromEntries(
    Object.entries(line).filter(([name, value]) => names.has(name) && (value !== "" || name === "description"))
  )

/** Lines as sent: in full, so absent members are left out rather than cleared. Charges are no lines of Zoho's. */
export const sentLines = (lines: unknown): ReadonlyArray<Native> =>
  natives(lines)
    .filter(({ is_charge }) => is_charge !== true)
    .map((line) => sentMembers(line, members))
