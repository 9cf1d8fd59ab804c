import { Effect } from "effect"
import { PurchaseOrder } from "../../canonical/accounting/PurchaseOrder.ts"
import { PurchaseOrderLineItem } from "../../canonical/accounting/Nested.ts"
import { computed } from "../../mapping/Entries.ts"
import { isNative } from "../../mapping/Mapping.ts"
import { number as numeric, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { BodyRequest, ResourceAdapter } from "../ProviderAdapter.ts"
import { addressReader } from "./Address.ts"
import { mappingOf, optionalDay, reasons, trackingOfLines } from "./Common.ts"
import { deliveryAddressId, deliveryText, isDeliveryText } from "./DeliveryAddress.ts"
import { document, number, status } from "./Documents.ts"
import type { Kept } from "./Kept.ts"
import { documentLines } from "./Lines.ts"
import { objects } from "./Objects.ts"
import { orderStates, purchaseOrders } from "./PurchaseOrders.ts"

/** An order holds its delivery address as a text of its own, so the address of another record is copied. */
const deliveryAddress = computed({
  canonical: "delivery_address",
  native: ["DeliveryAddress"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    isDeliveryText(record.DeliveryAddress)
      ? context.reference("address", "Address", deliveryAddressId(record.PurchaseOrderID))
      : null,
  encode: (value, encoding) => {
    const { current, lookups, prefix, refuse, set, warn } = encoding
    const path = `${prefix}delivery_address`
    const id = value === null ? null : remoteIdOf(value, "address", ["Address"], encoding, path)
    if (id === null) set("DeliveryAddress", "")
    if (id === null || id === undefined || id === deliveryAddressId(current?.record.PurchaseOrderID)) return
    if (!isNative(lookups.address)) return refuse(path, "is an address that no longer exists")
    set("DeliveryAddress", deliveryText(lookups.address))
    warn(path, "CHANGED", "is held as the order's own copy of it")
  }
})

/**
 * Orders to suppliers. Their lists take no conditions.
 * https://developer.xero.com/documentation/api/accounting/purchaseorders
 */
const mapping = mappingOf(PurchaseOrder, (of) => [
  of.variant({
    nativeType: "PurchaseOrder",
    entries: [
      ...document(of, "PurchaseOrderID", "issue_date", "vendor"),
      status(of, "status", orderStates),
      number(of, "purchase_order_number", "PurchaseOrderNumber", () => true),
      optionalDay(of, "delivery_date", "DeliveryDate"),
      deliveryAddress(of),
      of.field("reference", "Reference", text),
      of.lines("line_items", documentLines({ total: "total_line_amount", shape: PurchaseOrderLineItem })),
      trackingOfLines(of, "LineItems"),
      of.readField("total_amount", "Total", numeric)
    ],
    notHeld: {
      remote_created_at: reasons.created,
      memo: reasons.noMemo,
      customer_note: reasons.noNote,
      customer: "Xero purchase orders name no customer to deliver to.",
      payment_term: "Xero has payment terms on contacts and the organisation, not on purchase orders.",
      accounting_period: reasons.period
    }
  })
])

export const purchaseOrder = (call: Caller, kept: Pick<Kept, "organisation">): ResourceAdapter => {
  const read = addressReader(call, kept)
  return {
    ...objects(call, mapping, purchaseOrders),
    /** Reads the address that a body names. */
    related: ({ body: { delivery_address }, connection, resolve }: BodyRequest) => {
      const found = typeof delivery_address === "string" ? resolve(delivery_address) : undefined
      if (found?.resource !== "address") return Effect.succeed({})
      return read(connection, found.remoteId).pipe(
        Effect.map(({ record }) => ({ address: record.Value })),
        Effect.catchIf(
          ({ reason }) => reason._tag === "Missing",
          () => Effect.succeed({})
        )
      )
    }
  }
}
