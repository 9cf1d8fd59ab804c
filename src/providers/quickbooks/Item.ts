import { Item } from "../../canonical/accounting/Item.ts"
import { computed } from "../../mapping/Entries.ts"
import { type Encoding, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { enumeration, number, text } from "../../mapping/Transform.ts"
import { activity, company, identity, toAccount, toTaxRate } from "./Common.ts"
import { active, beginning, equal } from "./Conditions.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"

/**
 * Products and services. An inventory item begins with nothing in stock today, in the company's inventory account, unless
 * `integration_params` has other QtyOnHand, InvStartDate and AssetAccountRef. Categories, bundles and groups read as UNKNOWN.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/item
 */

const types = enumeration(
  "itemType",
  { Service: "SERVICE", NonInventory: "NON_INVENTORY", Inventory: "INVENTORY" },
  "UNKNOWN"
)

/** Opening values of stock. */
const stock = ({ lookups, today }: Encoding): Native => {
  const asset = natives(lookups.accounts).find(({ AccountSubType }) => AccountSubType === "Inventory")
  return {
    TrackQtyOnHand: true,
    QtyOnHand: 0,
    InvStartDate: today,
    ...(asset === undefined ? {} : { AssetAccountRef: { value: asset.Id } })
  }
}

/** An item is always of some type, so leaving it out, or repeating the UNKNOWN it was read as, changes nothing. */
const type = computed({
  canonical: "type",
  native: ["Type"],
  needsCurrent: true,
  fills: true,
  encodeLookups: ["accounts"],
  decode: ({ record }, context) => (record.Type === undefined ? null : types.decode(record.Type, context)),
  encode: (value, encoding) => {
    const { current, get, prefix, set, warn } = encoding
    const path = `${prefix}type`
    if (value === null) {
      if (current !== undefined) return
      set("Type", "Service")
      return warn(path, "CHANGED", "is held as SERVICE where the body does not say")
    }
    const held = get("Type")
    const isSame = held !== undefined && types.decode(held, { reference: () => "" }) === value
    const native = isSame ? undefined : types.encode(value, encoding, path)
    if (native === undefined) return
    set("Type", native)
    if (native === "Inventory" && current === undefined)
      for (const [name, one] of Object.entries(stock(encoding))) set(name, one)
  }
})

const mapping = plainMapping(Item, (of) => [
  of.variant({
    nativeType: "Item",
    entries: [
      ...identity(of),
      of.field("name", "Name", text),
      of.field("code", "Sku", text),
      of.field("description", "Description", text),
      activity(of, "ARCHIVED"),
      type(of),
      of.field("unit_price", "UnitPrice", number),
      of.field("purchase_price", "PurchaseCost", number),
      of.field("sales_account", "IncomeAccountRef.value", toAccount),
      of.field("purchase_account", "ExpenseAccountRef.value", toAccount),
      of.field("sales_tax_rate", "SalesTaxCodeRef.value", toTaxRate),
      of.field("purchase_tax_rate", "PurchaseTaxCodeRef.value", toTaxRate),
      company(of)
    ],
    notHeld: {}
  })
])

export const item = (books: Books) => ({
  ...entities(books, mapping, [
    {
      name: "Item",
      removal: "deactivate",
      filters: { name: beginning("Name"), code: equal("Sku"), status: active("ARCHIVED") }
    }
  ]),
  needs: ["sales_account"]
})
