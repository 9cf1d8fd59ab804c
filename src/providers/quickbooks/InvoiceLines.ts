import { Decimal } from "decimal.js"
import {
  computed,
  type ComputedEntry,
  constant,
  type Encoding,
  field,
  getPath,
  isNative,
  type LineForm,
  lines,
  type Native
} from "../../mapping/Mapping.ts"
import { remoteIdOf, text } from "../../mapping/Transform.ts"
import {
  amountOf,
  nativesOf,
  toAccount,
  toCustomer,
  toItem,
  toProject,
  toTaxRate,
  trackingCategories
} from "./Common.ts"

/**
 * Lines of invoices and bills. Subtotal, discount, tax and bundle lines have no canonical form and stay where they are.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice (Line)
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/bill (Line)
 */

/** Digits Intuit keeps: of an amount, and of a price. */
const digits = { amount: 2, price: 7 }

const rounded = (value: Decimal, places: number) => value.toDecimalPlaces(places, Decimal.ROUND_HALF_UP).toNumber()

/**
 * Amount, quantity and price of a line: Intuit takes an amount only, and refuses one that is not their product. What the
 * caller leaves out follows from the others.
 */
const priced = (detail: string): ReadonlyArray<ComputedEntry> => {
  const [quantity, price] = [`${detail}.Qty`, `${detail}.UnitPrice`]
  const multiply = ({ body, get, set }: Encoding) => {
    const each = amountOf(get(price))
    if (each !== undefined && typeof body.total_amount !== "number") {
      set("Amount", rounded(each.times(amountOf(get(quantity)) ?? 1), digits.amount))
    }
  }
  return [
    computed({
      canonical: "quantity",
      native: [quantity],
      decode: ({ record }) => getPath(record, quantity) ?? 1,
      encode: (value, encoding) => {
        // a line without a quantity reads as 1
        const count = value ?? 1
        if (count !== 1 || encoding.get(quantity) !== undefined) encoding.set(quantity, count)
        multiply(encoding)
      }
    }),
    computed({
      canonical: "unit_price",
      native: [price],
      decode: ({ record }) => getPath(record, price),
      encode: (value, encoding) => {
        encoding.set(price, value)
        if (value !== null) multiply(encoding)
      }
    }),
    computed({
      canonical: "total_amount",
      native: ["Amount"],
      decode: ({ record }) => record.Amount,
      encode: (value, { body, get, set }) => {
        const total = amountOf(value)
        if (total === undefined) return
        const count = amountOf(get(quantity)) ?? new Decimal(1)
        const isOther = amountOf(get("Amount"))?.equals(total) !== true
        set("Amount", value)
        if (isOther && typeof body.unit_price !== "number" && get(price) !== undefined && !count.isZero()) {
          set(price, rounded(total.div(count), digits.price))
        }
      }
    })
  ]
}

/** Items that can stand for an account: selling others would move stock. */
const isSaleable = (item: Native) => item.Type === "Service" || item.Type === "NonInventory"

/**
 * An invoice line is posted through its item. A line with an account only goes through an item that posts to it; beside an
 * item, the account has to be the item's.
 */
const salesAccount = computed({
  canonical: "account",
  native: ["SalesItemLineDetail"],
  encodeLookups: ["items"],
  decode: ({ record }, context) => {
    const id = getPath(record, "SalesItemLineDetail.ItemAccountRef.value")
    return typeof id === "string" ? toAccount.decode(id, context) : null
  },
  encode: (value, encoding) => {
    if (value === null) return
    const path = `${encoding.prefix}account`
    const id = remoteIdOf(value, "account", ["Account"], encoding, path)
    if (id === undefined) return
    const items = nativesOf(encoding.lookups.items)
    const heldItem = getPath(encoding.current?.record, "SalesItemLineDetail.ItemRef.value")
    const heldAccount = getPath(encoding.current?.record, "SalesItemLineDetail.ItemAccountRef.value")
    const item = encoding.get("SalesItemLineDetail.ItemRef.value")
    if (typeof encoding.body.item === "string") {
      const named = items.find((one) => one.Id === item)
      const posts = getPath(named, "IncomeAccountRef.value")
      const isHeld = item === heldItem && id === heldAccount
      if (!isHeld && posts !== undefined && posts !== id) {
        encoding.refuse(path, "is not the account this item posts to; leave it out or choose another item")
      }
      return
    }
    if (heldItem !== undefined && id === heldAccount) {
      encoding.set("SalesItemLineDetail.ItemRef", { value: heldItem })
      return
    }
    const through = items.find((one) => isSaleable(one) && getPath(one, "IncomeAccountRef.value") === id)
    if (through === undefined) {
      encoding.refuse(
        path,
        "is not the income account of any service item; QuickBooks Online posts invoice lines through items"
      )
    } else encoding.set("SalesItemLineDetail.ItemRef", { value: through.Id })
  }
})

const common = [field("project", "ProjectRef.value", toProject), constant("remote_was_deleted", false)]

const description = field("description", "Description", text)

/** A line of text alone; its detail has to be there, and is empty. */
const words = computed({
  canonical: "description",
  native: ["Description"],
  decode: ({ record }, context) => (record.Description === undefined ? null : text.decode(record.Description, context)),
  encode: (value, { get, set }) => {
    set("Description", value)
    if (get("DescriptionLineDetail") === undefined) set("DescriptionLineDetail", {})
  }
})

const sold = (given: string): LineForm => ({
  where: { DetailType: "SalesItemLineDetail" },
  given,
  entries: [
    ...common,
    description,
    field("item", "SalesItemLineDetail.ItemRef.value", toItem),
    salesAccount,
    ...priced("SalesItemLineDetail"),
    field("tax_rate", "SalesItemLineDetail.TaxCodeRef.value", toTaxRate),
    trackingCategories({ Class: "SalesItemLineDetail.ClassRef" }),
    constant("is_billable", false)
  ]
})

export const invoiceLines = lines({
  canonical: "line_items",
  native: "Line",
  id: "Id",
  forms: [
    sold("item"),
    sold("account"),
    {
      where: { DetailType: "DescriptionOnly" },
      entries: [...common, words, constant("total_amount", 0), constant("is_billable", false)]
    }
  ]
})

/** Whether the customer is to pay for it; `HasBeenBilled` where that is done. */
const billable = (detail: string) =>
  computed({
    canonical: "is_billable",
    native: [detail],
    decode: ({ record }) => {
      const status = getPath(record, `${detail}.BillableStatus`)
      return status === "Billable" || status === "HasBeenBilled"
    },
    encode: (value, { get, set }) => {
      // what has been billed stays so
      const held = get(`${detail}.BillableStatus`)
      if (value !== true) {
        if (held !== undefined || value === false) set(`${detail}.BillableStatus`, "NotBillable")
      } else if (held !== "HasBeenBilled") set(`${detail}.BillableStatus`, "Billable")
    }
  })

const bought = (detail: string) => [
  ...common,
  description,
  field("tax_rate", `${detail}.TaxCodeRef.value`, toTaxRate),
  field("contact", `${detail}.CustomerRef.value`, toCustomer),
  trackingCategories({ Class: `${detail}.ClassRef` }),
  billable(detail)
]

/** A cost without an item has an amount only: one unit at that price. */
const onePiece = [
  constant("quantity", 1),
  computed({
    canonical: "unit_price",
    native: ["Amount"],
    decode: ({ record }) => record.Amount,
    encode: (value, { body, prefix, refuse, set }) => {
      const [each, total] = [amountOf(value), amountOf(body.total_amount)]
      if (each === undefined) return
      if (total === undefined) set("Amount", value)
      else if (!each.equals(total)) refuse(`${prefix}unit_price`, "is the line's total_amount where there is no item")
    }
  }),
  computed({
    canonical: "total_amount",
    native: ["Amount"],
    decode: ({ record }) => record.Amount,
    encode: (value, { set }) => {
      if (value !== null) set("Amount", value)
    }
  })
]

export const billLines = lines({
  canonical: "line_items",
  native: "Line",
  id: "Id",
  forms: [
    {
      where: { DetailType: "ItemBasedExpenseLineDetail" },
      given: "item",
      entries: [
        ...bought("ItemBasedExpenseLineDetail"),
        field("item", "ItemBasedExpenseLineDetail.ItemRef.value", toItem),
        ...priced("ItemBasedExpenseLineDetail")
      ]
    },
    {
      where: { DetailType: "AccountBasedExpenseLineDetail" },
      given: "account",
      entries: [
        ...bought("AccountBasedExpenseLineDetail"),
        field("account", "AccountBasedExpenseLineDetail.AccountRef.value", toAccount),
        ...onePiece
      ]
    }
  ]
})

const isDiscount = (line: Native) => line.DetailType === "DiscountLineDetail"

const sumOf = (found: ReadonlyArray<Native>) =>
  found.reduce((sum, line) => sum.plus(amountOf(line.Amount) ?? 0), new Decimal(0))

/** Discount of a document: its discount lines together. */
export const discountOf = (record: Native): Decimal => sumOf(nativesOf(record.Line).filter(isDiscount))

/** Written as one discount line of that amount; the lines that already make up the amount stay. */
export const totalDiscount = computed({
  canonical: "total_discount",
  native: ["Line"],
  needsCurrent: true,
  decode: ({ record }) => discountOf(record).toNumber(),
  encode: (value, { get, set }) => {
    const present = nativesOf(get("Line"))
    const [first, ...others] = present.filter(isDiscount)
    const wanted = amountOf(value) ?? new Decimal(0)
    if (wanted.equals(sumOf(present.filter(isDiscount)))) return
    const detail = isNative(first?.DiscountLineDetail) ? first.DiscountLineDetail : {}
    const { DiscountPercent: _percent, ...kept } = detail
    const line = {
      ...first,
      DetailType: "DiscountLineDetail",
      Amount: wanted.toNumber(),
      DiscountLineDetail: { ...kept, PercentBased: false }
    }
    const rest = present.filter((one) => !others.includes(one))
    if (wanted.isZero())
      set(
        "Line",
        rest.filter((one) => one !== first)
      )
    else set("Line", first === undefined ? [...rest, line] : rest.map((one) => (one === first ? line : one)))
  }
})
