import { Item } from "../../canonical/accounting/Item.ts"
import { computed } from "../../mapping/Entries.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { enumeration, number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { activity, company, identity, toAccount, toTaxRate } from "./Common.ts"
import { entities } from "./Entities.ts"

/**
 * Products and services. An inventory item also needs QtyOnHand, InvStartDate and AssetAccountRef, which come with
 * `integration_params`. Categories, bundles and groups read as UNKNOWN.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/item
 */

const types = enumeration(
  "itemType",
  { Service: "SERVICE", NonInventory: "NON_INVENTORY", Inventory: "INVENTORY" },
  "UNKNOWN"
)

/** An item is always of some type, so leaving it out, or repeating the UNKNOWN it was read as, changes nothing. */
const type = computed({
  canonical: "type",
  native: ["Type"],
  needsCurrent: true,
  decode: ({ record }, context) => (record.Type === undefined ? null : types.decode(record.Type, context)),
  encode: (value, encoding) => {
    const held = encoding.get("Type")
    const isSame = held !== undefined && types.decode(held, { reference: () => "" }) === value
    if (value !== null && !isSame) encoding.set("Type", types.encode(value, encoding, `${encoding.prefix}type`))
  }
})

const mapping = plainMapping(Item, (of) => [
  {
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
    ]
  }
])

export const item = (call: Caller) => ({
  ...entities(call, mapping, [{ name: "Item", removal: "deactivate" }]),
  needs: ["type", "sales_account"]
})
