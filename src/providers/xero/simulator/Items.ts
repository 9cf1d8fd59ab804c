import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { partAt, textAt } from "../../simulation/Docs.ts"
import { byCode } from "./Accounts.ts"
import { type Checked, complain } from "./Answers.ts"
import { common, type Fields, flag, id, number, own, part, text } from "./Fields.ts"
import { cleared, idOf, keep, type Kind, names } from "./Kind.ts"

// https://developer.xero.com/documentation/api/accounting/items

const details = part({ UnitPrice: number, AccountCode: text(), COGSAccountCode: text(), TaxType: text() })

const fields: Fields = {
  ...common,
  ItemID: id,
  Code: text(30),
  InventoryAssetAccountCode: text(),
  Name: text(50),
  IsSold: flag,
  IsPurchased: flag,
  Description: text(4000),
  PurchaseDescription: text(4000),
  PurchaseDetails: details,
  SalesDetails: details,
  IsTrackedAsInventory: own(flag),
  TotalCostPool: own(number),
  QuantityOnHand: own(number)
}

const codes = names("item code")

export const itemByCode = (account: Account, code: string): Doc | undefined =>
  account.get("Item", codes.ownerOf(account, code) ?? "")

const accountComplaints = (account: Account, code: string | undefined, types?: ReadonlyArray<string>) => {
  if (code === undefined) return []
  const found = byCode(account, code)
  return found?.Status === "ACTIVE" && (types === undefined || types.includes(String(found.Type)))
    ? []
    : [`The account code '${code}' is not valid for this item.`]
}

const taxComplaints = (account: Account, type: string | undefined) =>
  type === undefined || account.get("TaxRate", type)?.Status === "ACTIVE"
    ? []
    : [`The tax type '${type}' is not valid.`]

const complaints = (account: Account, draft: Doc, current: Doc | undefined): ReadonlyArray<string> => {
  const [sales, purchase] = [partAt(draft, "SalesDetails"), partAt(draft, "PurchaseDetails")]
  const [asset, cost] = [textAt(draft, "InventoryAssetAccountCode"), textAt(purchase, "COGSAccountCode")]
  const owner = codes.ownerOf(account, String(draft.Code))
  return [
    ...(draft.Code === undefined ? ["The item code must be specified."] : []),
    ...(owner !== undefined && owner !== draft.ItemID
      ? ["Price List Item with Code '" + String(draft.Code) + "' already exists"]
      : []),
    ...((asset === undefined) !== (cost === undefined)
      ? ["InventoryAssetAccountCode and COGSAccountCode must both be specified for a tracked item."]
      : []),
    ...(current !== undefined && (current.InventoryAssetAccountCode === undefined) !== (asset === undefined)
      ? ["An item cannot be changed between tracked and untracked."]
      : []),
    ...accountComplaints(account, asset, ["INVENTORY"]),
    ...accountComplaints(account, cost, ["DIRECTCOSTS"]),
    ...accountComplaints(account, textAt(sales, "AccountCode")),
    ...accountComplaints(account, textAt(purchase, "AccountCode")),
    ...(asset !== undefined && purchase.AccountCode !== undefined
      ? ["AccountCode cannot be specified in the PurchaseDetails of a tracked item."]
      : []),
    ...taxComplaints(account, textAt(sales, "TaxType")),
    ...taxComplaints(account, textAt(purchase, "TaxType"))
  ]
}

/** A body replaces the details that it gives, whole. */
const detailsOf = (current: Doc | undefined, given: Doc, member: string): Doc =>
  cleared(partAt(given[member] === undefined ? (current ?? {}) : given, member))

const save = (account: Account, given: Doc, current: Doc | undefined): Checked<() => Doc> => {
  const draft: Doc = cleared({
    IsSold: true,
    IsPurchased: true,
    ...current,
    ...given,
    SalesDetails: detailsOf(current, given, "SalesDetails"),
    PurchaseDetails: detailsOf(current, given, "PurchaseDetails"),
    ItemID: idOf(items, current)
  })
  const messages = complaints(account, draft, current)
  if (messages.length > 0) return complain(...messages)
  const isTracked = draft.InventoryAssetAccountCode !== undefined
  return Either.right(() => {
    codes.move(account, String(draft.ItemID), textAt(current ?? {}, "Code"), textAt(draft, "Code"))
    return keep(account, items, {
      ...(isTracked ? { QuantityOnHand: 0, TotalCostPool: 0 } : {}),
      ...draft,
      IsTrackedAsInventory: isTracked
    })
  })
}

const remove = (account: Account, current: Doc): Checked<() => Doc> =>
  Number(current.QuantityOnHand ?? 0) === 0
    ? Either.right(() => {
        codes.move(account, String(current.ItemID), textAt(current, "Code"), undefined)
        account.remove("Item", String(current.ItemID))
        return current
      })
    : complain("A tracked item with stock on hand cannot be deleted.")

export const items: Kind = {
  name: "Items",
  entity: "Item",
  id: "ItemID",
  fields,
  modifiedSince: true,
  view: (_, doc) => doc,
  named: itemByCode,
  creates: true,
  updates: "both",
  matching: (account, given) => itemByCode(account, textAt(given, "Code") ?? ""),
  save,
  remove,
  removedSilently: true
}
