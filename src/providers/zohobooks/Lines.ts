import { Decimal } from "decimal.js"
import { computed, heldBy, type Lines, type NamesIn } from "../../mapping/Entries.ts"
import { isDiscountOfLines, lessDiscount } from "../../mapping/LineDiscount.ts"
import { type DocumentLine, type DocumentLines, type LineEntries, ofDocument } from "../../mapping/LineParts.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { money, toAccount, toContact, toItem, toTaxRate } from "./Common.ts"

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

const quantity = computed({
  canonical: "quantity",
  native: ["quantity"],
  decode: ({ record }) => (record.quantity === undefined ? 1 : Number(record.quantity)),
  encode: (value, { get, set }) => {
    const count = value ?? 1
    if (count !== (get("quantity") ?? 1)) set("quantity", count)
  }
})

const unitPrice = computed({
  canonical: "unit_price",
  native: ["rate"],
  decode: ({ record }) => record.rate,
  encode: (value, { get, set }) => {
    if (isNumber(value) && value !== get("rate")) set("rate", value)
  }
})

/** The line's total, which sets the unit price unless that is given too. */
const amount = (of: LineEntries, canonical: DocumentLines["total"]) =>
  of.computed({
    canonical,
    native: ["item_total"],
    decode: ({ record }) => record.item_total,
    encode: (value, { body, current, get, parent, prefix, refuse, set, warn }) => {
      if (!isNumber(value)) return
      const count = new Decimal(Number(get("quantity") ?? 1))
      const rate = get("rate")
      const isKept = value === current?.record.item_total && rate === current.record.rate
      const comesTo = isNumber(rate) ? count.times(rate).toDecimalPlaces(2, Decimal.ROUND_HALF_UP) : undefined
      if (comesTo?.equals(value) === true || (isKept && count.equals(Number(current.record.quantity ?? 1)))) return
      const isLess = isDiscountOfLines(parent?.body)
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
  forms: () => [{ where: {}, entries: heldBy(shape, (of: LineEntries) => all(of, total, isBought)) }]
})

/** Members of lines that are sent; Zoho sets the others. */
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
  "item_order"
])

/** Lines as sent: in full, so absent members are left out rather than cleared. */
export const withLines = (record: Native): Native =>
  Array.isArray(record.line_items)
    ? {
        ...record,
        line_items: natives(record.line_items).map((line) =>
          Object.fromEntries(
            Object.entries(line).filter(
              ([name, value]) => members.has(name) && (value !== "" || name === "description")
            )
          )
        )
      }
    : record
