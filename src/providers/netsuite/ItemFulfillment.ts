import { Effect } from "effect"
import { ItemFulfillment } from "../../canonical/accounting/ItemFulfillment.ts"
import { computed } from "../../mapping/Entries.ts"
import { type Encoding, getPath, type Native, natives, onlyRead } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { bare, date, text } from "../../mapping/Transform.ts"
import type { BodyRequest, ResourceAdapter } from "../ProviderAdapter.ts"
import { company, identity, toItem, toSalesOrder, trackingCategories } from "./Common.ts"
import { laid } from "./Bodies.ts"
import { records } from "./Records.ts"
import type { Part } from "./RecordType.ts"
import { contactAt } from "./References.ts"
import { orNone, type Suite } from "./Suite.ts"
import { allLines, inLineUnits } from "./BulkLines.ts"
import { oneOf, refersTo, stamps } from "./Conditions.ts"
import { partyOf, sourceColumns, transactions } from "./Heads.ts"
import { linksOf } from "./Links.ts"
import * as Query from "./Select.ts"

/**
 * Shipments of sales orders. One is made out of its order; lines name lines of the order by their number.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157901123882.html
 */

const sublist = "item"

/** Where lines of an order have their service ids. */
const orderAt = (id: string) => `accounting/sales_order/salesOrder/${id}`

/** Lines of the order that a body is about: their service ids, numbers and items. */
const orderLines =
  (own: Suite): NonNullable<ResourceAdapter["related"]> =>
  ({ body, connection, current, line, resolve }: BodyRequest) => {
    const given = typeof body.sales_order === "string" ? resolve(body.sales_order) : undefined
    const id = given?.resource === "sales_order" ? given.remoteId : getPath(current?.record, "createdFrom.id")
    if (typeof id !== "string" || !Array.isArray(body.lines)) return Effect.succeed({})
    return Effect.map(orNone(own.read(connection, "salesOrder", id)), (order) => ({
      orderLines: natives(order === undefined ? [] : laid([sublist], order).lines).map(
        ({ item, key, line: number }) => ({
          uuid: bare(line(orderAt(id), String(key))),
          number,
          item: getPath(item, "id")
        })
      )
    }))
  }

const linesOfOrder = ({ lookups }: Encoding) => natives(lookups.orderLines)

const salesOrderLine = computed({
  canonical: "sales_order_line",
  native: ["orderLine"],
  ofParent: ["createdFrom"],
  decode: ({ parent, record }, context) => {
    const id = getPath(parent, "createdFrom.id")
    return typeof id === "string" ? bare(context.line(orderAt(id), String(record.orderLine))) : null
  },
  encode: (value, encoding) => {
    if (value === null) return
    const found = linesOfOrder(encoding).find(({ uuid }) => uuid === bare(String(value)))
    if (found === undefined) encoding.refuse(`${encoding.prefix}sales_order_line`, "is not a line of the sales order")
    else encoding.set("orderLine", found.number)
  }
})

/** Without a line of the order, the first one of the item. */
const item = computed({
  canonical: "item",
  native: ["item"],
  decode: ({ record }, context) => {
    const id = getPath(record, "item.id")
    return typeof id === "string" ? toItem.decode(id, context) : null
  },
  encode: (value, encoding) => {
    if (value === null) return
    const path = `${encoding.prefix}item`
    const id = toItem.encode(value, encoding, path)
    if (id === undefined) return
    const number = encoding.get("orderLine")
    const found = linesOfOrder(encoding).find((one) => one.item === id && (number ?? one.number) === one.number)
    if (found === undefined) encoding.refuse(path, "is not the item of that line of the sales order")
    else encoding.set("orderLine", found.number)
  }
})

/** Units, on a line that by now names one of the order. */
const quantity = computed({
  canonical: "quantity",
  native: ["quantity"],
  decode: ({ record }) => record.quantity,
  encode: (value, { get, prefix, refuse, set }) => {
    if (get("orderLine") === undefined) refuse(`${prefix}sales_order_line`, "is needed, or item")
    else if (value !== null) set("quantity", value)
  }
})

/** Said when a fulfilment is made; lines of the order that the body leaves out are not shipped then. */
const salesOrder = computed({
  canonical: "sales_order",
  native: ["createdFrom"],
  needsCurrent: true,
  decode: ({ record }, context) => {
    const id = getPath(record, "createdFrom.id")
    return typeof id === "string" ? toSalesOrder.decode(id, context) : null
  },
  encode: (value, encoding) => {
    if (value === null) return
    const id = toSalesOrder.encode(value, encoding, "sales_order")
    if (id === undefined || id === encoding.get("createdFrom.id")) return
    if (encoding.current !== undefined) {
      encoding.refuse("sales_order", "can only be said when the fulfilment is made")
      return
    }
    encoding.step("source", { from: "salesOrder", id })
    const given = encoding.get("lines")
    if (!Array.isArray(given)) return
    const named = new Set(natives(given).map(({ orderLine }) => orderLine))
    const others = linesOfOrder(encoding).filter(({ number }) => !named.has(number))
    encoding.set("lines", [
      ...natives(given),
      ...others.map(({ number }) => ({ sublist, orderLine: number, itemreceive: false }))
    ])
  }
})

const stages = { DRAFT: "A", IN_PROGRESS: "B", SHIPPED: "C" }

/** Goods are picked, packed and shipped. */
const status = computed({
  canonical: "status",
  native: ["shipStatus"],
  decode: ({ record }) => Object.entries(stages).find(([, id]) => id === getPath(record, "shipStatus.id"))?.[0],
  encode: (value, { prefix, refuse, set }) => {
    if (value === "CANCELLED") {
      refuse(`${prefix}status`, "cannot be reached: a fulfilment cannot be cancelled in NetSuite; delete it")
    }
    const id = Object.entries(stages).find(([name]) => name === value)?.[1]
    if (id !== undefined) set("shipStatus", { id })
  }
})

const mapping = plainMapping(ItemFulfillment, (of) => [
  of.variant({
    nativeType: "itemFulfillment",
    entries: [
      ...identity(of, "createdDate"),
      of.lasting("fulfillment_date", "tranDate", date),
      onlyRead(contactAt(of, "customer", "entity", "customer")),
      onlyRead(company(of)),
      status(of),
      of.field("memo", "memo", text),
      of.lines("lines", {
        native: "lines",
        id: "key",
        forms: (of) => [
          {
            where: { sublist },
            entries: [
              salesOrderLine(of),
              item(of),
              quantity(of),
              trackingCategories(of),
              of.constant("remote_was_deleted", false)
            ]
          }
        ]
      }),
      salesOrder(of)
    ],
    notHeld: {}
  })
])

/** Several rows are about the goods of a line, what they cost among them; the one that is linked to the order is the line. */
const beside: Part<Native> = (own, connection, records) =>
  Effect.map(
    Effect.all([allLines(own, connection, records), linksOf(own, connection, "ShipRcpt", "next", records)], {
      concurrency: "unbounded"
    }),
    ([linesOf, links]) =>
      ({ id }) => {
        const ordered = new Map(
          links.flatMap(({ next, nextLine, previousLine }) => (next === id ? [[nextLine, previousLine] as const] : []))
        )
        const lines = (linesOf.get(id) ?? []).flatMap((line) => {
          const orderLine = ordered.get(line.line)
          if (orderLine === undefined || line.isCost === true) return []
          const { quantity } = inLineUnits(line, 1)
          return [{ ...line, orderLine, quantity: quantity === undefined ? undefined : Math.abs(quantity) }]
        })
        return { [sublist]: { items: lines } }
      }
  )

export const itemFulfillment = (own: Suite): ResourceAdapter => ({
  ...records(own, mapping, [
    {
      name: "itemFulfillment",
      list: transactions(
        ["ItemShip"],
        { ...partyOf("entity", "customer"), ...sourceColumns, "shipStatus.id": Query.text("t.status") },
        {
          ...stamps("t.createddate", "t.lastmodifieddate"),
          contact: refersTo("t.entity", "customer"),
          status: oneOf("t.status", (value) =>
            Object.entries(stages).flatMap(([name, id]) => (name === value ? [id] : []))
          )
        },
        beside
      ),
      sublists: [sublist],
      lineKey: "orderLine"
    }
  ]),
  related: orderLines(own)
})
