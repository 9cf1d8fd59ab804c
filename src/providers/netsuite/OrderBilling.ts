import { Decimal } from "decimal.js"
import { Effect } from "effect"
import { computed } from "../../mapping/Entries.ts"
import { type Encoding, getPath, type Native, natives } from "../../mapping/Mapping.ts"
import { remoteIdOf } from "../../mapping/Transform.ts"
import type { BodyRequest, ResourceAdapter } from "../ProviderAdapter.ts"
import { isNote, laid } from "./Bodies.ts"
import { typeIn } from "./References.ts"
import { orNone, type Suite } from "./Suite.ts"

/**
 * Invoices for sales orders. An invoice that is made by transforming its order has lines that name those of the order, which
 * are billed by them.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_159795520083.html
 */

const sublist = "item"

/** A line of an order, and how much of it is left to bill. */
interface OrderLine {
  readonly number: unknown
  readonly item: unknown
  readonly left: Decimal
}

const decimal = (value: unknown) => new Decimal(typeof value === "number" ? value : 0)

/** The lines of the order that a new invoice bills. */
export const ordersToBill =
  (own: Suite): NonNullable<ResourceAdapter["related"]> =>
  ({ body, connection, current, resolve }: BodyRequest) => {
    const orders: ReadonlyArray<unknown> = Array.isArray(body.sales_orders) ? body.sales_orders : []
    const [first] = orders
    const order = current === undefined && typeof first === "string" ? resolve(first) : undefined
    if (order?.resource !== "sales_order") return Effect.succeed({})
    return Effect.map(orNone(own.read(connection, order.nativeType, order.remoteId)), (found) => ({
      orderToBill: natives(found === undefined ? [] : laid([sublist], found).lines)
        .filter((line) => line.sublist === sublist && !isNote(line) && line.isClosed !== true)
        .map(({ item, line, quantity, quantityBilled }) => ({
          number: line,
          item: getPath(item, "id"),
          left: decimal(quantity).minus(decimal(quantityBilled)).toNumber()
        }))
    }))
  }

const linesToBill = ({ lookups }: Encoding): ReadonlyArray<OrderLine> =>
  natives(lookups.orderToBill).map(({ item, left, number }) => ({ number, item, left: decimal(left) }))

/** Links the lines of a new invoice with lines of its order that have the same item; others of the order stay unbilled. */
const linkLines = (encoding: Encoding): void => {
  const order = linesToBill(encoding)
  const taken = new Set<OrderLine>()
  const linked = natives(encoding.get("lines")).map((line, i): Native => {
    const item = getPath(line, "item.id")
    const ofItem = order.filter((one) => one.item === item && !taken.has(one))
    if (ofItem.length === 0) return line
    const open = ofItem.filter(({ left }) => left.gt(0))
    const quantity = typeof line.quantity === "number" ? new Decimal(line.quantity) : undefined
    const found = open.find(({ left }) => quantity === undefined || quantity.lte(left))
    if (found === undefined) {
      const left = Decimal.max(0, ...open.map((one) => one.left)).toString()
      encoding.refuse(
        `${encoding.prefix}line_items.${i}.quantity`,
        `is more than the sales order has left to bill of this item, which is ${left}; send at most that, or bill the rest in an invoice without sales_orders`
      )
      return line
    }
    taken.add(found)
    return { ...line, orderLine: found.number }
  })
  const others = order.filter((one) => !taken.has(one) && one.left.gt(0))
  encoding.set("lines", [...linked, ...others.map(({ number }) => ({ sublist, orderLine: number, quantity: 0 }))])
}

/** The order an invoice was made from. It comes after the lines in a mapping, as it links them. */
export const billedSalesOrders = computed({
  canonical: "sales_orders",
  native: ["createdFrom"],
  needsCurrent: true,
  decode: ({ record }, context) => {
    const id = getPath(record, "createdFrom.id")
    return typeof id === "string" && typeIn(record.createdFrom, ["salesOrder"]) !== undefined
      ? [context.reference("sales_order", "salesOrder", id)]
      : []
  },
  encode: (value, encoding) => {
    const { current, get, prefix, step, warn } = encoding
    for (const [i, uuid] of (Array.isArray(value) ? value : []).entries()) {
      const path = `${prefix}sales_orders.${i}`
      const id = remoteIdOf(uuid, "sales_order", ["salesOrder"], encoding, path)
      if (id === undefined || id === get("createdFrom.id")) continue
      if (current === undefined && i === 0) {
        step("source", { from: "salesOrder", id })
        linkLines(encoding)
      } else warn(path, "NOT_HELD", "is not held: a NetSuite invoice is made of one sales order, when it is created")
    }
  }
})
