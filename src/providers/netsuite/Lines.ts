import { Decimal } from "decimal.js"
import type { Fields } from "../../canonical/Resource.ts"
import { computed, heldBy, type Lines, type NamesIn } from "../../mapping/Entries.ts"
import { type DocumentLine, type DocumentLines, type LineEntries, ofDocument } from "../../mapping/LineParts.ts"
import { getPath, type LineForm, natives } from "../../mapping/Mapping.ts"
import { boolean, number, remoteIdOf, text } from "../../mapping/Transform.ts"
import { money, toAccount, toItem, toProject, trackingCategories } from "./Common.ts"
import { partyAt, taxAt } from "./References.ts"

/**
 * Lines of sales name items; lines of purchases stand in two sublists, items and expenses. What a caller leaves out of
 * quantity, rate and amount, NetSuite reckons from the others.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_0209053443.html
 */

const common = (of: LineEntries) => [
  ...ofDocument(of, money),
  taxAt(of, "tax_rate", "taxCode"),
  trackingCategories(of),
  of.constant("remote_was_deleted", false)
]

/** A body without an amount leaves it to NetSuite, which computes it from quantity and rate. */
const lineAmount = (of: LineEntries, total: DocumentLines["total"]) =>
  of.computed({
    canonical: total,
    native: ["amount"],
    decode: ({ record }) => record.amount,
    encode: (value, { set }) => {
      if (value !== null) set("amount", value)
    }
  })

const ofItem = (of: LineEntries, { shape, total }: DocumentLines) => {
  const fields: Fields = shape.fields
  return [
    ...common(of),
    of.field("item", "item.id", toItem),
    of.field("description", "description", text),
    of.field("quantity", "quantity", number),
    of.field("unit_price", "rate", number),
    fields[total]?.access === "ro" ? of.readField(total, "amount", number) : lineAmount(of, total)
  ]
}

/** A sale is booked to the account of its item. */
const itemsAccount = computed({
  canonical: "account",
  native: ["account"],
  decode: ({ record }, context) => {
    const id = getPath(record, "account.id")
    return typeof id === "string" ? toAccount.decode(id, context) : null
  },
  encodeLookups: ["itemAccounts"],
  encode: (value, encoding) => {
    if (value === null) return
    const path = `${encoding.prefix}account`
    const id = remoteIdOf(value, "account", ["account"], encoding, path)
    const item = natives(encoding.lookups.itemAccounts).find((one) => one.id === encoding.get("item.id"))
    if (id !== undefined && id !== encoding.get("account.id") && id !== item?.incomeaccount) {
      encoding.warn(path, "CHANGED", "is held as the account of the line's item")
    }
  }
})

/** Shipping and handling, so that the lines add up; the record has them beside its lines, where they are written in NetSuite. */
const shippingForm = ({ shape, total }: DocumentLines): LineForm => ({
  where: { role: "shipping" },
  entries: heldBy(shape, (of: LineEntries) => [
    ...ofDocument(of, money),
    of.computed({ canonical: "description", native: [], decode: () => "Shipping and handling" }),
    of.readField("unit_price", "amount", number),
    of.computed({ canonical: "quantity", native: [], decode: () => 1 }),
    of.readField(total, "amount", number),
    of.computed({ canonical: "remote_was_deleted", native: [], decode: () => false })
  ])
})

export const soldLines = <S extends DocumentLine>(called: DocumentLines<S>): Lines<NamesIn<S>> => ({
  native: "lines",
  id: "key",
  forms: () => [
    {
      where: { sublist: "item", role: "billed" },
      entries: heldBy(called.shape, (of: LineEntries) => [
        ...ofItem(of, called),
        itemsAccount(of),
        of.field("project", "job.id", toProject),
        of.constant("is_billable", false)
      ])
    },
    shippingForm(called)
  ]
})

const bought = (of: LineEntries) => [
  ...partyAt(of, "customer", "contact", "project"),
  of.field("is_billable", "isBillable", boolean)
]

/** A cost without an item has an amount only: one unit at that price. */
const expenseForm = ({ shape, total }: DocumentLines): LineForm => ({
  where: { sublist: "expense", role: "billed" },
  given: "account",
  entries: heldBy(shape, (of: LineEntries) => [
    ...common(of),
    ...bought(of),
    of.field("account", "account.id", toAccount),
    of.field("description", "memo", text),
    of.constant("quantity", 1),
    of.computed({
      canonical: "unit_price",
      native: ["amount"],
      decode: ({ record }) => record.amount,
      encode: (value, { body, prefix, set, warn }) => {
        if (typeof value !== "number") return
        const units = typeof body.quantity === "number" ? body.quantity : 1
        const amount = body[total] ?? new Decimal(value).times(units).toNumber()
        if (amount !== value) warn(`${prefix}unit_price`, "CHANGED", `is held as the line's ${total}: there is no item`)
        if (body[total] === undefined || body[total] === null) set("amount", amount)
      }
    }),
    lineAmount(of, total)
  ])
})

export const boughtLines = <S extends DocumentLine>(called: DocumentLines<S>): Lines<NamesIn<S>> => ({
  native: "lines",
  id: "key",
  forms: () => [
    {
      where: { sublist: "item", role: "billed" },
      given: "item",
      entries: heldBy(called.shape, (of: LineEntries) => [...ofItem(of, called), ...bought(of)])
    },
    expenseForm(called)
  ]
})

/** Sublists of purchases: both under one canonical list. */
export const boughtSublists: ReadonlyArray<"expense" | "item"> = ["expense", "item"]
