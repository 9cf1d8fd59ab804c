import { Item } from "../../canonical/accounting/Item.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { type Encoding, isNative, merge, type Native } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { amount, codedAccount, company, identity, mappingOf, reasons, toTaxRate } from "./Common.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Products and services. A stock item needs an InventoryAssetAccountCode, which comes with `integration_params`; Xero does not
 * tell services from goods.
 * https://developer.xero.com/documentation/api/accounting/items
 */

const codeLength = 30

const name = computed({
  canonical: "name",
  native: ["Name", "Code"],
  decode: ({ record }) => (typeof record.Name === "string" && record.Name !== "" ? record.Name : record.Code),
  encode: (value, { body, current, set }) => {
    set("Name", value)
    if (current === undefined && typeof body.code !== "string") set("Code", String(value).slice(0, codeLength).trim())
  }
})

/** No item is without a code. */
const code = computed({
  canonical: "code",
  native: ["Code"],
  decode: ({ record }) => record.Code,
  encode: (value, { set }) => {
    if (value !== null) set("Code", value)
  }
})

/** Whether the item of a body is stock: it is made so by its asset account, and stays so. */
const isStock = ({ body, current, get }: Encoding): boolean =>
  current === undefined
    ? isNative(body.integration_params) && "InventoryAssetAccountCode" in body.integration_params
    : get("IsTrackedAsInventory") === true

const type = computed({
  canonical: "type",
  native: ["IsTrackedAsInventory"],
  needsCurrent: true,
  decode: ({ record }) => (record.IsTrackedAsInventory === true ? "INVENTORY" : "NON_INVENTORY"),
  encode: (value, encoding) => {
    if (value === null) return
    const is = isStock(encoding) ? "INVENTORY" : "NON_INVENTORY"
    if (value !== is) {
      encoding.warn(
        `${encoding.prefix}type`,
        "CHANGED",
        `is held as ${is}: stock is what has integration_params.InventoryAssetAccountCode`
      )
    }
  }
})

/** Stock is bought into its asset account, and costs what is sold. */
const purchaseAccount = (of: Entries<"purchase_account">) => {
  const [cost, stock] = [
    codedAccount(of, "purchase_account", "PurchaseDetails.AccountCode"),
    codedAccount(of, "purchase_account", "PurchaseDetails.COGSAccountCode")
  ]
  const which = (isTracked: boolean) => (isTracked ? stock : cost)
  return of.computed({
    ...cost,
    canonical: "purchase_account",
    native: [...cost.native, ...stock.native, "IsTrackedAsInventory"],
    needsCurrent: true,
    decode: (bundle, context) => which(bundle.record.IsTrackedAsInventory === true).decode(bundle, context),
    encode: (value, encoding) => which(isStock(encoding)).encode?.(value, encoding)
  })
}

const mapping = mappingOf(Item, (of) => [
  of.variant({
    nativeType: "Item",
    entries: [
      ...identity(of, "ItemID"),
      name(of),
      code(of),
      of.field("description", "Description", text),
      // items are never archived
      of.constant("status", "ACTIVE"),
      type(of),
      amount(of, "unit_price", "SalesDetails.UnitPrice", "price"),
      amount(of, "purchase_price", "PurchaseDetails.UnitPrice", "price"),
      codedAccount(of, "sales_account", "SalesDetails.AccountCode"),
      purchaseAccount(of),
      of.field("sales_tax_rate", "SalesDetails.TaxType", toTaxRate),
      of.field("purchase_tax_rate", "PurchaseDetails.TaxType", toTaxRate),
      company(of)
    ],
    notHeld: { remote_created_at: reasons.created }
  })
])

/** Details are written as a whole. */
const whole = (record: Native, current: Native | undefined): Native =>
  Object.fromEntries(
    Object.entries(record).map(([member, value]) => {
      const held = current?.[member]
      return [member, isNative(value) && isNative(held) ? merge(held, value) : value]
    })
  )

export const items: Kind = {
  nativeType: "Item",
  endpoint: "Items",
  id: "ItemID",
  query: { unitdp: "4" },
  stamp: "UpdatedDateUTC",
  write: whole,
  always: ({ Code }) => ({ Code }),
  ending: "delete"
}

export const item = (call: Caller) => objects(call, mapping, items)
