import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, money, partAt, partsAt, textAt } from "../../simulation/Docs.ts"
import { byCode } from "./Accounts.ts"
import type { Side } from "./Ledger.ts"

// Tracked items are kept at their average cost: https://developer.xero.com/documentation/api/accounting/items

/** A document that brings stock (1) or takes it (-1), to or from customers where it is a sale or its credit. */
export interface Carrier {
  readonly id: string
  readonly doc: Doc
  readonly direction: 1 | -1
  readonly isSale: boolean
}

const movesOf = (account: Account, id: string): ReadonlyArray<Doc> => partsAt(account.get("stock", id) ?? {}, "moves")

const change = (account: Account, move: Doc, sign: 1 | -1): void => {
  const item = account.get("Item", String(move.ItemID))
  if (item === undefined) return
  account.put("Item", String(move.ItemID), {
    ...item,
    QuantityOnHand: amountAt(item, "QuantityOnHand").plus(amountAt(move, "quantity").times(sign)).toNumber(),
    TotalCostPool: money(amountAt(item, "TotalCostPool").plus(amountAt(move, "cost").times(sign)))
  })
}

/** Takes back what a document did to stock. */
export const restock = (account: Account, id: string): void => {
  for (const move of movesOf(account, id)) change(account, move, -1)
  account.remove("stock", id)
}

const trackedLines = (account: Account, doc: Doc) =>
  partsAt(doc, "LineItems").flatMap((line) => {
    const item = account.get("Item", String(line.ItemID))
    return item?.IsTrackedAsInventory === true ? [{ item, line }] : []
  })

/** The tracked items that a document would take more of than there is. */
export const shortages = (account: Account, { direction, doc, id }: Carrier): ReadonlyArray<string> => {
  const left = new Map<string, Decimal>()
  for (const { item, line } of trackedLines(account, doc)) {
    const key = String(item.ItemID)
    const own = movesOf(account, id)
      .filter(({ ItemID }) => ItemID === key)
      .reduce((sum, move) => sum.plus(amountAt(move, "quantity")), new Decimal(0))
    const held = left.get(key) ?? amountAt(item, "QuantityOnHand").minus(own)
    left.set(key, held.plus(amountAt(line, "Quantity").times(direction)))
  }
  return [...left].flatMap(([key, quantity]) =>
    direction === -1 && quantity.isNegative()
      ? [`There is not enough of item '${String(account.get("Item", key)?.Code)}' on hand.`]
      : []
  )
}

const costOf = (item: Doc, line: Doc, { direction, doc, isSale }: Carrier): Decimal => {
  const held = amountAt(item, "QuantityOnHand")
  const amount = amountAt(line, "LineAmount").minus(
    doc.LineAmountTypes === "Inclusive" ? amountAt(line, "TaxAmount") : 0
  )
  const cost = isSale
    ? amountAt(item, "TotalCostPool")
        .div(held.isZero() ? 1 : held)
        .times(amountAt(line, "Quantity"))
    : amount.div(amountAt(doc, "CurrencyRate"))
  return cost.times(direction)
}

/** Moves the stock of a document, in place of what it moved before; gives what sales post for its cost. */
export const moveStock = (account: Account, carrier: Carrier): ReadonlyArray<Side> => {
  restock(account, carrier.id)
  const moves = trackedLines(account, carrier.doc).map(({ item, line }) => {
    const move = {
      ItemID: item.ItemID,
      quantity: amountAt(line, "Quantity").times(carrier.direction).toNumber(),
      cost: money(costOf(item, line, carrier))
    }
    change(account, move, 1)
    return { item, move }
  })
  if (moves.length > 0) account.put("stock", carrier.id, { moves: moves.map(({ move }) => move) })
  if (!carrier.isSale) return []
  return moves.flatMap(({ item, move }) => {
    const [asset, cost] = [
      byCode(account, textAt(item, "InventoryAssetAccountCode") ?? ""),
      byCode(account, textAt(partAt(item, "PurchaseDetails"), "COGSAccountCode") ?? "")
    ]
    const rate = new Decimal(1)
    return [
      { account: String(asset?.AccountID), amount: new Decimal(move.cost), rate },
      { account: String(cost?.AccountID), amount: new Decimal(-move.cost), rate }
    ]
  })
}
