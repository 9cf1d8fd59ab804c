import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, partsAt } from "../../simulation/Docs.ts"
import { invalidValue, refuse, userError } from "./Answers.ts"
import { nextNumber, type Rule, withHead } from "./Books.ts"
import { idAt } from "./Fields.ts"
import { billingLines } from "./Notes.ts"

// Orders: how far they are billed and fulfilled.

type OrderType = "salesOrder" | "purchaseOrder"

const sumOf = (lines: ReadonlyArray<Doc>, member: string): Decimal =>
  lines.reduce((total, line) => total.plus(amountAt(line, member)), new Decimal(0))

/** The letter of a purchase order's status. */
const purchaseStatus = (doc: Doc, ordered: Decimal, billed: Decimal): string => {
  const approval = idAt(doc, "approvalStatus")
  if (approval === "1") return "A"
  if (approval === "3") return "C"
  return billed.isZero() ? "B" : billed.gte(ordered) ? "G" : "E"
}

const saleStatus = (doc: Doc, ordered: Decimal, billed: Decimal, fulfilled: Decimal): string => {
  const chosen = idAt(doc, "orderStatus")
  if (billed.gte(ordered) && !ordered.isZero()) return "G"
  if (fulfilled.isZero() && billed.isZero()) return chosen === "A" || chosen === "C" ? chosen : "B"
  if (fulfilled.gte(ordered)) return "F"
  return billed.isZero() ? "D" : "E"
}

/** An order with the state of its lines and of itself. */
export const withOrderState = (type: OrderType, doc: Doc, current: Doc | undefined): Doc => {
  const stated = (sublist: string) =>
    partsAt(doc, sublist).map((line): Doc => {
      const before = partsAt(current ?? {}, sublist).find((one) => one.line === line.line) ?? {}
      const quantityBilled = line.quantityBilled ?? before.quantityBilled ?? 0
      return {
        ...line,
        isClosed: line.isClosed ?? false,
        isOpen: line.isClosed !== true,
        quantityBilled,
        ...(type === "salesOrder" ? { quantityFulfilled: line.quantityFulfilled ?? before.quantityFulfilled ?? 0 } : {})
      }
    })
  const [item, expense] = [stated("item"), stated("expense")]
  const lines = [...billingLines(item), ...expense]
  const ordered = sumOf(billingLines(item), "quantity").plus(expense.length)
  const billed = sumOf(lines, "quantityBilled")
  const id = lines.every((line) => line.isClosed === true)
    ? "H"
    : type === "salesOrder"
      ? saleStatus(doc, ordered, billed, sumOf(billingLines(item), "quantityFulfilled"))
      : purchaseStatus(doc, ordered, billed)
  return { ...doc, item, ...(type === "purchaseOrder" ? { expense } : {}), status: { id }, orderStatus: { id } }
}

/** Counts what a document bills or fulfils of an order's lines, or takes it back (`sign` -1). */
const count = (
  account: Account,
  type: OrderType,
  order: string,
  sublist: string,
  line: unknown,
  member: string,
  by: Decimal,
  now: string
) => {
  const doc = account.get(type, order)
  if (doc === undefined) return
  const lines = partsAt(doc, sublist).map((one) =>
    one.line === line ? { ...one, [member]: amountAt(one, member).plus(by).toNumber() } : one
  )
  account.put(type, order, { ...withOrderState(type, { ...doc, [sublist]: lines }, doc), lastModifiedDate: now })
}

/** Tells orders what documents of a type have done with their lines. */
const progress = (account: Account, type: string, doc: Doc | undefined, sign: number, now: string): void => {
  if (doc === undefined) return
  if (type === "itemFulfillment") {
    for (const line of partsAt(doc, "item")) {
      const by = amountAt(line, "quantity").times(sign)
      count(account, "salesOrder", idAt(doc, "createdFrom") ?? "", "item", line.orderLine, "quantityFulfilled", by, now)
    }
  }
  if (type !== "invoice" && type !== "vendorBill") return
  const order: OrderType = type === "invoice" ? "salesOrder" : "purchaseOrder"
  for (const sublist of ["item", "expense"]) {
    for (const line of partsAt(doc, sublist)) {
      const source = idAt(line, "orderDoc")
      if (source === undefined || line.orderLine === undefined) continue
      const units = sublist === "item" ? amountAt(line, "quantity") : new Decimal(1)
      count(account, order, source, sublist, line.orderLine, "quantityBilled", units.times(sign), now)
    }
  }
}

export const reorder = (
  account: Account,
  type: string,
  current: Doc | undefined,
  doc: Doc | undefined,
  now: string
): void => {
  progress(account, type, current, -1, now)
  progress(account, type, doc, 1, now)
}

export const itemFulfillment: Rule = (account, draft, current) =>
  Either.gen(function* () {
    const orderId = idAt(draft, "createdFrom") ?? ""
    const order = account.get("salesOrder", orderId) ?? {}
    if (current === undefined && ["A", "C", "H"].includes(idAt(order, "status") ?? "")) {
      return yield* refuse(userError("This order cannot be fulfilled."))
    }
    const headed = yield* withHead(account, draft, { subsidiary: order.subsidiary })
    const { currency: _currency, exchangeRate: _rate, ...rest } = headed
    const item: Array<Doc> = []
    for (const [index, line] of partsAt(draft, "item").entries()) {
      if (line.itemreceive === false) continue
      const source = partsAt(order, "item").find((one) => one.line === line.orderLine)
      if (source === undefined) return yield* refuse(invalidValue(line.orderLine, `item.items[${index}].orderLine`))
      const held = partsAt(current ?? {}, "item").find((one) => one.orderLine === line.orderLine)
      const remaining = amountAt(source, "quantity")
        .minus(amountAt(source, "quantityFulfilled"))
        .plus(amountAt(held ?? {}, "quantity"))
      const quantity = line.quantity === undefined ? remaining : amountAt(line, "quantity")
      if (quantity.gt(remaining)) return yield* refuse(invalidValue(line.quantity, `item.items[${index}].quantity`))
      item.push({
        ...line,
        line: line.orderLine,
        itemreceive: true,
        item: source.item,
        description: source.description,
        quantity: quantity.toNumber(),
        quantityRemaining: remaining.toNumber()
      })
    }
    if (item.length === 0) return yield* refuse(userError("You must fulfill at least one line of the order."))
    const shipStatus = idAt(draft, "shipStatus") ?? "C"
    return compact({
      ...rest,
      entity: order.entity,
      tranId: draft.tranId ?? nextNumber(account, "itemFulfillment", "IF"),
      item: item.map(compact),
      shipStatus: { id: shipStatus },
      status: { id: shipStatus },
      shippedDate: draft.shippedDate ?? (shipStatus === "C" ? rest.tranDate : undefined)
    })
  })
