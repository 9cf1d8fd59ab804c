import { Item } from "../../canonical/accounting/Item.ts"
import { computed } from "../../mapping/Entries.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { activity, company, identity, mappingOf, toAccount, toTaxRate } from "./Common.ts"
import { beginning, oneOf, search } from "./Filters.ts"
import { type Kind, records } from "./Records.ts"

/**
 * Products and services; what is bought has a price and an account of its own. Stock is kept of what `item_type` calls
 * `inventory`, in the organisation's stock account unless `integration_params` has another `inventory_account_id`.
 * https://www.zoho.com/books/api/v3/items/
 */

const typeOf = (itemType: unknown, productType: unknown) =>
  itemType === "inventory" ? "INVENTORY" : productType === "service" ? "SERVICE" : "NON_INVENTORY"

/** Neither member changes once the item is made. */
const type = computed({
  canonical: "type",
  native: ["item_type", "product_type"],
  needsCurrent: true,
  decode: ({ record }) => typeOf(record.item_type, record.product_type),
  encodeLookups: ["stockAccounts"],
  encode: (value, encoding) => {
    const { current, lookups, prefix, set, warn } = encoding
    if (value === null) return
    if (current !== undefined) {
      if (value !== typeOf(current.record.item_type, current.record.product_type)) {
        warn(`${prefix}type`, "CHANGED", "stays what it was made with")
      }
    } else if (value === "UNKNOWN") warn(`${prefix}type`, "CHANGED", "is held as NON_INVENTORY")
    else {
      set("product_type", value === "SERVICE" ? "service" : "goods")
      if (value !== "INVENTORY") return
      const [stock] = natives(lookups.stockAccounts)
      set("item_type", "inventory")
      if (stock !== undefined) set("inventory_account_id", stock.account_id)
    }
  }
})

const mapping = mappingOf(Item, (of) => [
  of.variant({
    nativeType: "item",
    entries: [
      ...identity(of, "item_id"),
      of.field("name", "name", text),
      of.field("code", "sku", text),
      of.field("description", "description", text),
      activity(of, "ARCHIVED", ({ status }) => status !== "inactive"),
      type(of),
      of.lasting("unit_price", "rate", number),
      of.field("purchase_price", "purchase_rate", number),
      of.field("sales_account", "account_id", toAccount),
      of.field("purchase_account", "purchase_account_id", toAccount),
      of.field("sales_tax_rate", "tax_id", toTaxRate),
      company(of)
    ],
    notHeld: {
      purchase_tax_rate: "A Zoho Books item has one tax, which `sales_tax_rate` shows."
    }
  })
])

const bought = ["purchase_rate", "purchase_account_id"]

/** An item is bought where something is said of that. */
const write = (record: Native, held: Native | undefined): Native => {
  const isBought = bought.some((name) => (record[name] ?? "") !== "")
  const isBoughtNow = held?.item_type === "sales_and_purchases" || held?.item_type === "purchases"
  return {
    ...record,
    ...(isBought && !isBoughtNow && (record.item_type ?? held?.item_type) !== "inventory"
      ? { item_type: "sales_and_purchases" }
      : {})
  }
}

export const items: Kind = {
  nativeType: "item",
  path: "items",
  id: "item_id",
  filters: {
    name: beginning("name"),
    status: oneOf("filter_by", { ACTIVE: "Status.Active", ARCHIVED: "Status.Inactive" }),
    q: search
  },
  write,
  dependent: bought,
  isMade: { rate: 0 }
}

export const item = (call: Caller) => records(call, mapping, [items])
