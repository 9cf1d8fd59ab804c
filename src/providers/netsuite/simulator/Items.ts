import { type Fields, flag, list, number, one, part, readOnly, ref, refs, required, text } from "./Fields.ts"
import { recordType, type RecordType } from "./RecordType.ts"

// https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_159531460854.html

const base: Fields = {
  itemId: required(text(60)),
  displayName: text(60),
  upcCode: text(100),
  itemType: readOnly(text()),
  subsidiary: refs("subsidiary"),
  includeChildren: flag,
  class: ref("classification"),
  department: ref("department"),
  location: ref("location"),
  isInactive: flag,
  custitem_shelf: text(40)
}

const sold: Fields = {
  salesDescription: text(4000),
  incomeAccount: ref("account"),
  isTaxable: flag,
  salesTaxCode: ref("salesTaxItem", "taxGroup"),
  isFulfillable: flag,
  price: list("currencyPage+priceLevel", {
    currencyPage: required(ref("currency")),
    priceLevel: required(ref("priceLevel")),
    priceLevelName: readOnly(text()),
    quantity: part({ value: number }),
    price: number
  })
}

const bought: Fields = {
  purchaseDescription: text(4000),
  cost: number,
  vendor: ref("vendor"),
  vendorName: text(60),
  purchaseTaxCode: ref("salesTaxItem", "taxGroup")
}

const expensed: Fields = { ...bought, expenseAccount: ref("account") }

const stocked: Fields = {
  ...bought,
  assetAccount: ref("account"),
  cogsAccount: ref("account"),
  costingMethod: one({ AVG: "Average", FIFO: "FIFO", LIFO: "LIFO", STANDARD: "Standard" }),
  averageCost: readOnly(number),
  quantityOnHand: readOnly(number),
  reorderPoint: number,
  weight: number
}

const item = (name: string, code: string, ...parts: ReadonlyArray<Fields>): RecordType =>
  recordType("item", name, {
    code,
    fields: parts.reduce((fields, more) => ({ ...fields, ...more }), base),
    defaults: { itemType: code },
    unique: ["itemId"]
  })

/** Types of items that a group may consist of. */
const members = ["inventoryItem", "nonInventorySaleItem", "nonInventoryResaleItem", "serviceSaleItem"]

export const items: ReadonlyArray<RecordType> = [
  item("inventoryItem", "InvtPart", sold, stocked),
  item("nonInventorySaleItem", "NonInvtPart", sold),
  item("nonInventoryPurchaseItem", "NonInvtPart", expensed),
  item("nonInventoryResaleItem", "NonInvtPart", sold, expensed),
  item("serviceSaleItem", "Service", sold),
  item("servicePurchaseItem", "Service", expensed),
  item("serviceResaleItem", "Service", sold, expensed),
  item("otherChargeSaleItem", "OthCharge", sold),
  item("subtotalItem", "Subtotal", { description: text(4000) }),
  item("descriptionItem", "Description", { description: text(4000) }),
  item("itemGroup", "Group", {
    description: text(4000),
    includeStartEndLines: flag,
    member: list("item", { item: required(ref(...members)), quantity: number })
  }),
  item("discountItem", "Discount", { description: text(4000), account: required(ref("account")), rate: number })
]

/** The names of the types of items. */
export const itemTypes = items.map(({ name }) => name)

/** How an item may be used, for types that say so: `Sale`, `Purchase` or `Resale`. */
export const subtypeOf = (type: string): string | undefined => /(Sale|Purchase|Resale)Item$/.exec(type)?.[1]
