import { Decimal } from "decimal.js"
import { computed, heldBy, type Lines, type NamesIn } from "../../mapping/Entries.ts"
import { isDiscountOfLines, lessDiscount } from "../../mapping/LineDiscount.ts"
import { type DocumentLine, type DocumentLines, type LineEntries, ofDocument } from "../../mapping/LineParts.ts"
import {
  type ComputedEntry,
  type Encoding,
  getPath,
  type LineForm,
  type Native,
  natives
} from "../../mapping/Mapping.ts"
import { remoteIdOf, text } from "../../mapping/Transform.ts"
import { amountOf, toAccount, toCustomer, toItem, toProject, toTaxRate, trackingCategories } from "./Common.ts"
import { isUntaxed, money } from "./Documents.ts"
import { linesView, priceDigits, shippingItem } from "./LinesView.ts"
import { exact, rounded, signed } from "./Money.ts"

/**
 * Lines of sales and of purchases. Members of bundles, shipping and other lines that bill are only read; subtotals and
 * discounts have no canonical form and stay where they are.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/invoice (Line)
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/bill (Line)
 */

const priceOf = (amount: Decimal, count: Decimal) =>
  amount.div(count).toDecimalPlaces(priceDigits, Decimal.ROUND_HALF_UP).toNumber()

/**
 * Amount, quantity and price of a line: Intuit takes an amount only, and refuses one that is not their product. What the
 * caller leaves out follows from the others.
 */
const priced = (of: LineEntries, detail: string, total: DocumentLines["total"]) => {
  const [quantity, price] = [`${detail}.Qty`, `${detail}.UnitPrice`]
  const multiply = (encoding: Encoding) => {
    const { body, get, set } = encoding
    const each = amountOf(get(price))
    if (each === undefined || typeof body[total] === "number") return
    set("Amount", rounded(each.times(amountOf(get(quantity)) ?? 1), encoding).toNumber())
  }
  return [
    of.computed({
      canonical: "quantity",
      native: [quantity],
      encodeLookups: ["preferences"],
      decode: ({ record }) => getPath(record, quantity) ?? 1,
      encode: (value, encoding) => {
        const isHeld = encoding.get(quantity) !== undefined
        // a line that holds an amount alone reads as 1, and is put so without becoming another line
        const isAsRead =
          value === 1 && !isHeld && encoding.current !== undefined && (encoding.body.unit_price ?? null) === null
        if ((value !== null && !isAsRead) || isHeld) encoding.set(quantity, value ?? 1)
        multiply(encoding)
      }
    }),
    of.computed({
      canonical: "unit_price",
      native: [price],
      ofParent: ["Credit"],
      encodeLookups: ["preferences"],
      decode: ({ parent, record }) => signed(getPath(record, price), parent?.Credit),
      encode: (value, encoding) => {
        encoding.set(price, signed(value, encoding.parent?.get("Credit")))
        if (value !== null) multiply(encoding)
      }
    }),
    of.computed({
      canonical: total,
      native: ["Amount"],
      ofParent: ["Credit"],
      encodeLookups: ["preferences"],
      decode: ({ parent, record }) => signed(record.Amount, parent?.Credit),
      encode: (value, encoding) => {
        const { body, get, parent, prefix, set, warn } = encoding
        const amount = amountOf(signed(exact(value, prefix + total, encoding)?.toNumber(), parent?.get("Credit")))
        if (amount === undefined) return
        const count = amountOf(get(quantity)) ?? new Decimal(1)
        const each = amountOf(get(price))
        const agrees = each === undefined || amount.equals(rounded(each.times(count), encoding))
        set("Amount", amount.toNumber())
        const isLess = isDiscountOfLines(parent?.body)
        if (agrees || count.isZero() || (typeof body.unit_price === "number" && !isLess)) return
        if (isLess) warn(`${prefix}unit_price`, "CHANGED", lessDiscount)
        set(price, priceOf(amount, count))
      }
    })
  ]
}

/** Items that can stand for an account: selling others would move stock. */
const isSaleable = (item: Native) => item.Type === "Service" || item.Type === "NonInventory"

/**
 * A line of a sale is posted through its item. A line with an account only goes through an item that posts to it; beside an
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
    const items = natives(encoding.lookups.items)
    const heldItem = getPath(encoding.current?.record, "SalesItemLineDetail.ItemRef.value")
    const heldAccount = getPath(encoding.current?.record, "SalesItemLineDetail.ItemAccountRef.value")
    const item = encoding.get("SalesItemLineDetail.ItemRef.value")
    if (typeof encoding.body.item === "string") {
      const named = items.find((one) => one.Id === item)
      const posts = getPath(named, "IncomeAccountRef.value")
      const isHeld = item === heldItem && id === heldAccount
      if (!isHeld && posts !== undefined && posts !== id) {
        encoding.warn(path, "CHANGED", "is that of the item, through which QuickBooks Online posts lines of sales")
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
        "is not the income account of any service item; QuickBooks Online posts lines of sales through items"
      )
    } else encoding.set("SalesItemLineDetail.ItemRef", { value: through.Id })
  }
})

/** A line without a project of its own is of the document's. */
const project = computed({
  canonical: "project",
  native: ["ProjectRef.value"],
  ofParent: ["ProjectRef.value"],
  decode: ({ parent, record }, context) => {
    const id = getPath(record, "ProjectRef.value") ?? getPath(parent, "ProjectRef.value")
    return typeof id === "string" ? toProject.decode(id, context) : null
  },
  encode: (value, encoding) => {
    const id = value === null ? null : toProject.encode(value, encoding, `${encoding.prefix}project`)
    const held = encoding.get("ProjectRef.value") ?? encoding.parent?.get("ProjectRef.value")
    if (id !== undefined && id !== (held ?? null)) encoding.set("ProjectRef", id === null ? null : { value: id })
  }
})

const common = (of: LineEntries) => [project(of), ...ofDocument(of, money), of.constant("remote_was_deleted", false)]

/**
 * The tax code of a line. Companies of the United States have none on what they buy; on what they sell a line says whether
 * it is taxed, and the document by which code. Automated sales tax may choose another code than the one that was sent.
 * https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-sales-tax-for-us-locales
 */
const taxRate = (of: LineEntries, detail: string, isSold: boolean) => {
  const native = `${detail}.TaxCodeRef.value`
  return of.computed({
    canonical: "tax_rate",
    native: [native],
    ofParent: ["TxnTaxDetail"],
    encodeLookups: ["company"],
    decode: ({ parent, record }, context) => {
      const code = getPath(record, native)
      const charged = code === "TAX" ? (getPath(parent, "TxnTaxDetail.TxnTaxCodeRef.value") ?? code) : code
      return typeof charged === "string" ? toTaxRate.decode(charged, context) : null
    },
    encode: (value, encoding) => {
      const { lookups, parent, prefix, set, warn } = encoding
      const path = `${prefix}tax_rate`
      const code = value === null ? null : remoteIdOf(value, "tax_rate", ["TaxCode"], encoding, path)
      if (code === undefined) return
      if (code === null || code === "TAX" || code === "NON" || !isUntaxed(lookups)) return set(native, code)
      if (!isSold) return warn(path, "NOT_HELD", "is not held: companies of the United States keep no tax on purchases")
      if (parent?.body.inclusive_of_tax === true) {
        set(native, "NON")
        return warn(path, "CHANGED", "is held as NON: the amount has its tax in it")
      }
      set(native, "TAX")
    }
  })
}

const description = (of: LineEntries) => of.field("description", "Description", text)

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

const soldItem = computed({
  canonical: "item",
  native: ["SalesItemLineDetail.ItemRef.value"],
  decode: ({ record }, context) => {
    const id = getPath(record, "SalesItemLineDetail.ItemRef.value")
    return typeof id === "string" && id !== shippingItem ? toItem.decode(id, context) : null
  },
  encode: (value, encoding) => {
    const path = `${encoding.prefix}item`
    // without one the line would become words, and its amount would be gone
    if (value === null && typeof encoding.body.account !== "string") {
      encoding.warn(path, "CHANGED", "cannot be cleared: a line that is sold has an item or an account")
    } else if (value !== null) encoding.set("SalesItemLineDetail.ItemRef.value", toItem.encode(value, encoding, path))
  }
})

const ofBundle = "is that of a line of a bundle, which is changed in QuickBooks Online"
const ofOthers = "is that of a line which is only read here; leave the line out to remove it"

const soldEntries = ({ shape, total }: DocumentLines) =>
  heldBy(shape, (of: LineEntries) => [
    ...common(of),
    description(of),
    soldItem(of),
    salesAccount(of),
    ...priced(of, "SalesItemLineDetail", total),
    taxRate(of, "SalesItemLineDetail", true),
    trackingCategories(of, { Class: "SalesItemLineDetail.ClassRef" }),
    of.constant("is_billable", false)
  ])

const sold = (lines: DocumentLines, given: string): LineForm => ({
  where: { DetailType: "SalesItemLineDetail" },
  given,
  entries: soldEntries(lines)
})

export const soldLines = <S extends DocumentLine>(
  lines: DocumentLines<S>,
  options: { readonly showsDiscount?: boolean } = {}
): Lines<NamesIn<S>> => ({
  native: "Line",
  id: "Id",
  view: linesView({ side: "SalesTaxRateList", types: ["SalesItemLineDetail", "DescriptionOnly"], ...options }),
  forms: () => [
    { where: { Fixed: "bundle" }, isFixed: ofBundle, entries: soldEntries(lines) },
    { where: { Fixed: "line" }, isFixed: ofOthers, entries: soldEntries(lines) },
    sold(lines, "item"),
    sold(lines, "account"),
    {
      where: { DetailType: "DescriptionOnly" },
      entries: heldBy(lines.shape, (of: LineEntries) => [
        ...common(of),
        words(of),
        of.constant(lines.total, 0),
        of.constant("is_billable", false)
      ])
    }
  ]
})

/** Whether the customer is to pay for it; `HasBeenBilled` where that is done. */
const billable = (of: LineEntries, detail: string) =>
  of.computed({
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

const bought = (of: LineEntries, detail: string) => [
  ...common(of),
  description(of),
  taxRate(of, detail, false),
  of.field("contact", `${detail}.CustomerRef.value`, toCustomer),
  trackingCategories(of, { Class: `${detail}.ClassRef` }),
  billable(of, detail)
]

/** A cost without an item has an amount only: one unit at that price. */
const onePiece = (of: LineEntries, total: DocumentLines["total"]) => {
  const decode: ComputedEntry["decode"] = ({ parent, record }) => signed(record.Amount, parent?.Credit)
  const write = (canonical: string, value: unknown, encoding: Encoding) => {
    const amount = exact(value, encoding.prefix + canonical, encoding)
    if (amount !== undefined) encoding.set("Amount", signed(amount.toNumber(), encoding.parent?.get("Credit")))
  }
  return [
    of.constant("quantity", 1),
    of.computed({
      canonical: "unit_price",
      native: ["Amount"],
      ofParent: ["Credit"],
      encodeLookups: ["preferences"],
      decode,
      encode: (value, encoding) => {
        const { body, prefix, refuse } = encoding
        const [each, count, all] = [amountOf(value), amountOf(body.quantity), amountOf(body[total])]
        const comesTo = each === undefined || count === undefined ? each : rounded(each.times(count), encoding)
        if (all === undefined) write("unit_price", comesTo?.toNumber(), encoding)
        else if (comesTo !== undefined && !comesTo.equals(all))
          refuse(`${prefix}unit_price`, `times quantity is not the line's ${total}; leave one of them out`)
      }
    }),
    of.computed({
      canonical: total,
      native: ["Amount"],
      ofParent: ["Credit"],
      encodeLookups: ["preferences"],
      decode,
      encode: (value, encoding) => write(total, value, encoding)
    })
  ]
}

export const boughtLines = <S extends DocumentLine>({ shape, total }: DocumentLines<S>): Lines<NamesIn<S>> => ({
  native: "Line",
  id: "Id",
  view: linesView({
    side: "PurchaseTaxRateList",
    types: ["ItemBasedExpenseLineDetail", "AccountBasedExpenseLineDetail"]
  }),
  forms: () => [
    {
      where: { Fixed: "bundle" },
      isFixed: ofBundle,
      entries: heldBy(shape, (of: LineEntries) => [
        ...bought(of, "ItemBasedExpenseLineDetail"),
        of.field("item", "ItemBasedExpenseLineDetail.ItemRef.value", toItem),
        ...priced(of, "ItemBasedExpenseLineDetail", total)
      ])
    },
    {
      where: { Fixed: "line" },
      isFixed: ofOthers,
      entries: heldBy(shape, (of: LineEntries) => [...common(of), description(of), ...onePiece(of, total)])
    },
    {
      where: { DetailType: "ItemBasedExpenseLineDetail" },
      given: "item",
      entries: heldBy(shape, (of: LineEntries) => [
        ...bought(of, "ItemBasedExpenseLineDetail"),
        of.field("item", "ItemBasedExpenseLineDetail.ItemRef.value", toItem),
        ...priced(of, "ItemBasedExpenseLineDetail", total)
      ])
    },
    {
      where: { DetailType: "AccountBasedExpenseLineDetail" },
      given: "account",
      entries: heldBy(shape, (of: LineEntries) => [
        ...bought(of, "AccountBasedExpenseLineDetail"),
        of.field("account", "AccountBasedExpenseLineDetail.AccountRef.value", toAccount),
        ...onePiece(of, total)
      ])
    }
  ]
})
