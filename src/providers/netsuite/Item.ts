import { Effect } from "effect"
import { Item } from "../../canonical/accounting/Item.ts"
import { computed } from "../../mapping/Entries.ts"
import { type Encoding, getPath, natives, type Native } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { number, remoteIdOf, text } from "../../mapping/Transform.ts"
import { activity, companies, identity, toAccount } from "./Common.ts"
import { active, beginning, nearly, stamps } from "./Conditions.ts"
import { records } from "./Records.ts"
import type { Part } from "./RecordType.ts"
import { taxAt } from "./References.ts"
import type { Suite } from "./Suite.ts"
import * as Query from "./Select.ts"

/**
 * Products and services: many types in paths, one sequence of ids. Lines name items without their type, so the native type
 * is the sequence's, and a query tells the type of one.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_159531460854.html
 */

/** Types that say how they are used (`serviceSaleItem`), and those that do not, by what queries call them. */
const used = new Map([
  ["NonInvtPart", "nonInventory"],
  ["Service", "service"],
  ["OthCharge", "otherCharge"]
])
const unused = new Map([
  ["InvtPart", "inventoryItem"],
  ["Assembly", "assemblyItem"],
  ["Kit", "kitItem"],
  ["Discount", "discountItem"],
  ["Markup", "markupItem"],
  ["Payment", "paymentItem"],
  ["Subtotal", "subtotalItem"],
  ["Description", "descriptionItem"],
  ["DwnLdItem", "downloadItem"],
  ["GiftCert", "giftCertificateItem"]
])

const typeOf = ({ itemType, subtype }: Native) => {
  const stem = used.get(String(itemType))
  return stem === undefined ? unused.get(String(itemType)) : `${stem}${String(subtype)}Item`
}

const inList = (values: Iterable<string>) => [...values].map((value) => `'${value}'`).join(", ")

const kindOf = (recordType: unknown): string => {
  const type = String(recordType)
  if (type === "inventoryItem") return "INVENTORY"
  return type.startsWith("nonInventory") ? "NON_INVENTORY" : type.startsWith("service") ? "SERVICE" : "UNKNOWN"
}

const stems = new Map([
  ["NON_INVENTORY", "nonInventory"],
  ["SERVICE", "service"]
])

const isGiven = (body: Native, ...names: ReadonlyArray<string>) =>
  names.some((name) => body[name] !== undefined && body[name] !== null)

/** The type in paths of the item that is written: a new one is for sale, for purchase or both by what the body says. */
const recordTypeOf = ({ body, current }: Encoding): string => {
  if (current !== undefined) return String(current.record.recordType)
  if (body.type === "INVENTORY") return "inventoryItem"
  const stem = stems.get(String(body.type)) ?? "nonInventory"
  const isBought = isGiven(body, "purchase_account", "purchase_price", "purchase_tax_rate")
  const isSold = isGiven(body, "sales_account", "unit_price", "sales_tax_rate")
  return `${stem}${isBought ? (isSold ? "Resale" : "Purchase") : "Sale"}Item`
}

const type = computed({
  canonical: "type",
  native: ["recordType"],
  needsCurrent: true,
  decode: ({ record }) => kindOf(record.recordType),
  encode: (value, encoding) => {
    const recordType = recordTypeOf(encoding)
    if (value !== null && value !== kindOf(recordType)) {
      encoding.warn(`${encoding.prefix}type`, "CHANGED", `is held as ${kindOf(recordType)}`)
    }
    if (encoding.current === undefined) encoding.step("kind", recordType)
  }
})

/** Items that are only bought have a description for purchases alone. */
const description = computed({
  canonical: "description",
  native: ["salesDescription", "purchaseDescription", "description"],
  needsCurrent: true,
  decode: ({ record }) => record.salesDescription ?? record.purchaseDescription ?? record.description,
  encode: (value, encoding) =>
    encoding.set(recordTypeOf(encoding).endsWith("PurchaseItem") ? "purchaseDescription" : "salesDescription", value)
})

/** Stock is charged when it is sold, other purchases when they are made; what is bought has one of both accounts. */
const purchaseAccount = computed({
  canonical: "purchase_account",
  native: ["cogsAccount", "expenseAccount"],
  needsCurrent: true,
  decode: ({ record }, context) => {
    const id = getPath(record, "cogsAccount.id") ?? getPath(record, "expenseAccount.id")
    return typeof id === "string" ? toAccount.decode(id, context) : null
  },
  encode: (value, encoding) => {
    if (value === null) return
    const id = remoteIdOf(value, "account", ["account"], encoding, `${encoding.prefix}purchase_account`)
    if (id === undefined) return
    encoding.set(recordTypeOf(encoding) === "inventoryItem" ? "cogsAccount" : "expenseAccount", { id })
  }
})

/** The level that every account has; its price is the one others are reckoned from. */
const basePrice = "1"

const baseOf = (record: unknown) =>
  natives(getPath(record, "price.items")).find((line) => getPath(line, "priceLevel.id") === basePrice)

/** Prices stand by level, currency and quantity: this is the base price in the first currency, from the first piece on. */
const unitPrice = computed({
  canonical: "unit_price",
  native: ["price"],
  needsCurrent: true,
  encodeLookups: ["currencies"],
  decode: ({ record }) => baseOf(record)?.price,
  encode: (value, { current, lookups, set }) => {
    const held = baseOf(current?.record)
    if ((held?.price ?? null) === value) return
    const currencies = natives(lookups.currencies)
    const base = currencies.find((one) => one.isbasecurrency === "T") ?? currencies[0]
    const line = held ?? { currencyPage: { id: base?.id }, priceLevel: { id: basePrice } }
    const { currencyPage, priceLevel, quantity } = line
    set("price", {
      items: [{ currencyPage, priceLevel, ...(quantity === undefined ? {} : { quantity }), price: value }]
    })
  }
})

const mapping = plainMapping(Item, (of) => [
  of.variant({
    nativeType: "item",
    entries: [
      ...identity(of, "createdDate"),
      of.field("name", "itemId", text),
      of.field("code", "upcCode", text),
      description(of),
      activity(of, "ARCHIVED"),
      type(of),
      unitPrice(of),
      of.field("purchase_price", "cost", number),
      of.lasting("sales_account", "incomeAccount.id", toAccount),
      purchaseAccount(of),
      taxAt(of, "sales_tax_rate", "salesTaxCode"),
      taxAt(of, "purchase_tax_rate", "purchaseTaxCode"),
      companies(of)
    ],
    notHeld: {}
  })
])

const kind: Query.Columns = { itemType: Query.text("i.itemtype"), subtype: Query.text("i.subtype") }

const select: Query.Select = {
  from: "item i",
  columns: {
    id: Query.text("i.id"),
    ...kind,
    itemId: Query.text("i.itemid"),
    upcCode: Query.text("i.upccode"),
    salesDescription: Query.text("i.description"),
    purchaseDescription: Query.text("i.purchasedescription"),
    isInactive: Query.flag("i.isinactive"),
    cost: Query.number("i.cost"),
    incomeAccount: Query.ref("i.incomeaccount"),
    // of stock it is the account of what is sold
    expenseAccount: Query.ref("i.expenseaccount"),
    subsidiary: Query.refs("i.subsidiary"),
    createdDate: Query.instant("i.createddate"),
    lastModifiedDate: Query.instant("i.lastmodifieddate")
  },
  order: "i.id"
}

const prices: Query.Select = {
  from: "pricing p",
  columns: {
    item: Query.text("p.item"),
    priceLevel: Query.ref("p.pricelevel"),
    currencyPage: Query.ref("p.currency"),
    price: Query.number("p.unitprice")
  },
  order: "p.item, p.currency, p.quantity"
}

/** Types and base prices of items. */
const beside: Part<Native> = (own, connection, records) =>
  Effect.gen(function* () {
    const rows = (yield* own.has(connection, "pricing", "item"))
      ? yield* own.allOf(
          connection,
          prices,
          "p.item",
          records.map(({ id }) => id),
          [`p.pricelevel = ${basePrice}`]
        )
      : []
    const first = new Map(rows.toReversed().map((row) => [row.item, row]))
    return (record) => {
      const price = first.get(record.id)
      return { recordType: typeOf(record), price: { items: price === undefined ? [] : [price] } }
    }
  })

export const item = (own: Suite) => ({
  ...records(
    own,
    mapping,
    [
      {
        name: "item",
        list: {
          select,
          where: [`i.itemtype IN (${inList([...used.keys(), ...unused.keys()])})`],
          filters: {
            ...stamps("i.createddate", "i.lastmodifieddate"),
            name: beginning("i.itemid"),
            code: nearly.equal("i.upccode"),
            status: active("i.isinactive", "ARCHIVED")
          },
          beside
        },
        kinds: { select: { ...select, columns: kind }, typeOf, types: ["inventoryItem", "serviceSaleItem"] },
        retires: true
      }
    ],
    ["sales_tax_rate", "purchase_tax_rate"]
  ),
  needs: ["type"]
})
