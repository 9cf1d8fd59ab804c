import { Effect } from "effect"
import { PurchaseOrder } from "../../canonical/accounting/PurchaseOrder.ts"
import { PurchaseOrderLineItem } from "../../canonical/accounting/Nested.ts"
import { computed } from "../../mapping/Entries.ts"
import { isNative } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { date, number, remoteIdOf, text } from "../../mapping/Transform.ts"
import type { BodyRequest, ResourceAdapter } from "../ProviderAdapter.ts"
import { deliveryId, isAddress, readAddress } from "./Address.ts"
import { toCustomer, toPaymentTerm, toVendor, trackingCategories } from "./Common.ts"
import { days, equal } from "./Conditions.ts"
import {
  document,
  documentNumber,
  exchangeRate,
  inclusiveOfTax,
  noReference,
  note,
  party,
  withParty
} from "./Documents.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import type { Step } from "./Entity.ts"
import { boughtLines } from "./Lines.ts"
import { postsByDate } from "./NotHeld.ts"

/**
 * Orders to vendors. An order is open until it is billed or closed by hand.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/purchaseorder
 */

/** A deletion returns the status Deleted in place of the record, which cannot be read any more. */
const status = computed({
  canonical: "status",
  native: ["POStatus", "status"],
  decode: ({ record }) =>
    record.status === "Deleted" ? "DELETED" : record.POStatus === "Closed" ? "BILLED" : "AUTHORIZED",
  encode: (value, { get, set, step }) => {
    if (value === "DELETED") step("delete", true)
    else if (value !== null) {
      const wanted = value === "BILLED" ? "Closed" : "Open"
      if (get("POStatus") !== wanted) set("POStatus", wanted)
    }
  }
})

const members = [1, 2, 3, 4, 5]
  .map((line) => `Line${line}`)
  .concat("City", "Country", "CountryCode", "CountrySubDivisionCode", "PostalCode", "Id", "Lat", "Long")

/** An order holds the address itself, so the address of another record is copied. */
const deliveryAddress = computed({
  canonical: "delivery_address",
  native: ["ShipAddr"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    isAddress(record.ShipAddr) ? context.reference("address", "PhysicalAddress", deliveryId(record.Id)) : null,
  encode: (value, encoding) => {
    const { current, lookups, prefix, refuse, set, warn } = encoding
    const path = `${prefix}delivery_address`
    const id = value === null ? null : remoteIdOf(value, "address", ["PhysicalAddress"], encoding, path)
    if (id === null) set("ShipAddr", null)
    if (id === null || id === undefined || id === deliveryId(current?.record.Id)) return
    const { address } = lookups
    if (!isNative(address)) return refuse(path, "is an address that is there no more")
    warn(path, "CHANGED", "is held as a copy, which is an address of the order's own")
    set("ShipAddr", Object.fromEntries(members.map((member) => [member, address[member] ?? null])))
  }
})

const mapping = plainMapping(PurchaseOrder, (of) => [
  of.variant({
    nativeType: "PurchaseOrder",
    entries: [
      ...document(of, "issue_date"),
      status(of),
      documentNumber(of, "purchase_order_number"),
      of.field("delivery_date", "ExpectedDate", date),
      of.field("customer", "ShipTo.value", toCustomer),
      deliveryAddress(of),
      party(of, "vendor", "VendorRef", toVendor),
      exchangeRate(of),
      note(of),
      of.field("customer_note", "Memo", text),
      of.field("payment_term", "SalesTermRef.value", toPaymentTerm),
      inclusiveOfTax(of),
      of.lines("line_items", boughtLines({ total: "total_line_amount", shape: PurchaseOrderLineItem })),
      trackingCategories(of, { Class: "ClassRef", Department: "DepartmentRef" }),
      of.readField("total_amount", "TotalAmt", number)
    ],
    notHeld: { reference: noReference, accounting_period: postsByDate }
  })
])

/** Deletes an order; returns its last known state with the status Deleted. */
const remove: Step = ({ operate }, connection, { record }) =>
  Effect.map(operate(connection, "PurchaseOrder", "delete", record), (gone) => ({ record: { ...record, ...gone } }))

/** Reads the address that a body names. */
const withAddress = (books: Books) => {
  const read = readAddress(books)
  return ({ body: { delivery_address }, connection, resolve }: BodyRequest) => {
    const found = typeof delivery_address === "string" ? resolve(delivery_address) : undefined
    if (found?.resource !== "address") return Effect.succeed({})
    return read(connection, found.remoteId).pipe(
      Effect.map(({ record: { Value } }) => ({ address: isNative(Value) ? { ...Value, Id: undefined } : undefined })),
      Effect.catchIf(
        ({ reason }) => reason._tag === "Missing",
        () => Effect.succeed({})
      )
    )
  }
}

export const purchaseOrder = (books: Books): ResourceAdapter => {
  const [party, address] = [withParty(books, "vendor"), withAddress(books)]
  return {
    ...entities(books, mapping, [
      {
        name: "PurchaseOrder",
        removal: "delete",
        // vendor, status and expected date cannot be queried
        filters: { number: equal("DocNumber"), ...days("TxnDate", "issued") },
        steps: { delete: remove }
      }
    ]),
    rules: [{ rule: "oneOf", fields: ["line_items[].item", "line_items[].account"] }],
    related: (request: BodyRequest) =>
      Effect.map(Effect.all([party(request), address(request)], { concurrency: 2 }), ([a, b]) => ({ ...a, ...b }))
  }
}
