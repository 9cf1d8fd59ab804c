import { type Called, type LinePart, ofShape } from "../../mapping/LineParts.ts"
import { computed, constant, field, getPath, type LineForm, lines, type LinesEntry } from "../../mapping/Mapping.ts"
import { boolean, number, remoteIdOf, text } from "../../mapping/Transform.ts"
import { toAccount, toItem, toProject, trackingCategories } from "./Common.ts"
import { partyAt, taxAt } from "./References.ts"

/**
 * Lines of sales name items; lines of purchases stand in two sublists, items and expenses. What a caller leaves out of
 * quantity, rate and amount, NetSuite reckons from the others.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_0209053443.html
 */

const common: ReadonlyArray<LinePart> = [
  taxAt("tax_rate", "taxCode"),
  trackingCategories,
  constant("remote_was_deleted", false)
]

const ofItem = (called: Called): ReadonlyArray<LinePart> => [
  ...common,
  field("item", "item.id", toItem),
  field("description", "description", text),
  field("quantity", "quantity", number),
  field("unit_price", "rate", number),
  field(called.total, "amount", number, called.shape.fields[called.total]?.access === "ro" ? "read" : "both")
]

/** A sale is booked to the account of its item. */
const itemsAccount = computed({
  canonical: "account",
  native: ["account"],
  decode: ({ record }, context) => {
    const id = getPath(record, "account.id")
    return typeof id === "string" ? toAccount.decode(id, context) : null
  },
  encode: (value, encoding) => {
    if (value === null) return
    const path = `${encoding.prefix}account`
    const id = remoteIdOf(value, "account", ["account"], encoding, path)
    if (id !== undefined && id !== encoding.get("account.id")) {
      encoding.refuse(path, "is the account of the line's item; choose another item")
    }
  }
})

export const soldLines = (called: Called): LinesEntry =>
  lines({
    canonical: called.list,
    native: "lines",
    id: "key",
    forms: [
      {
        where: { sublist: "item" },
        entries: ofShape(called, [
          ...ofItem(called),
          itemsAccount,
          field("project", "job.id", toProject),
          constant("is_billable", false)
        ])
      }
    ]
  })

const bought: ReadonlyArray<LinePart> = [
  ...partyAt("customer", "contact", "project"),
  field("is_billable", "isBillable", boolean)
]

/** A cost without an item has an amount only: one unit at that price. */
const ofExpense = (called: Called): ReadonlyArray<LinePart> => [
  ...common,
  ...bought,
  field("account", "account.id", toAccount),
  field("description", "memo", text),
  constant("quantity", 1),
  computed({
    canonical: "unit_price",
    native: ["amount"],
    decode: ({ record }) => record.amount,
    encode: (value, { body, prefix, refuse, set }) => {
      const total = body[called.total]
      if (value !== null && typeof total !== "number") set("amount", value)
      else if (value !== null && value !== total)
        refuse(`${prefix}unit_price`, `is the line's ${called.total} where there is no item`)
    }
  }),
  computed({
    canonical: called.total,
    native: ["amount"],
    decode: ({ record }) => record.amount,
    encode: (value, { set }) => {
      if (value !== null) set("amount", value)
    }
  })
]

const expenseForm = (called: Called): LineForm => ({
  where: { sublist: "expense" },
  given: "account",
  entries: ofShape(called, ofExpense(called))
})

export const boughtLines = (called: Called): LinesEntry =>
  lines({
    canonical: called.list,
    native: "lines",
    id: "key",
    forms: [
      {
        where: { sublist: "item" },
        given: "item",
        entries: ofShape(called, [...ofItem(called), ...bought])
      },
      expenseForm(called)
    ]
  })

/** Sublists of purchases: both under one canonical list. */
export const boughtSublists: ReadonlyArray<"expense" | "item"> = ["expense", "item"]
