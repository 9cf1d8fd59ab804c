import { Address } from "../../canonical/accounting/Address.ts"
import { isNative } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { addressAt } from "./Common.ts"
import { additions } from "./Overlay.ts"
import { inParents, readSlot, slotEntries } from "./Parents.ts"
import type { Books } from "./Books.ts"

/** https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer (PhysicalAddress) */
const places = {
  Customer: { billing: ["BillAddr", "BILLING"], shipping: ["ShipAddr", "SHIPPING"] },
  Vendor: { billing: ["BillAddr", "BILLING"] },
  CompanyInfo: {
    company: ["CompanyAddr", "BILLING"],
    communication: ["CustomerCommunicationAddr", "BILLING"],
    legal: ["LegalAddr", null]
  },
  PurchaseOrder: { delivery: ["ShipAddr", "SHIPPING"] }
} as const

const nativeType = "PhysicalAddress"

export const isAddress = (value: unknown): boolean =>
  isNative(value) && Object.keys(value).some((member) => !additions.has(member))

const kind = { nativeType, places, isFilled: isAddress }

/** The id of where an order is delivered to. */
export const deliveryId = (order: unknown) => `purchaseorder:${String(order)}:delivery`

export const readAddress = (books: Books) => readSlot(books, kind)

const mapping = plainMapping(Address, (of) => [
  of.variant({ nativeType, entries: [...slotEntries(of), ...addressAt(of, "Value")], notHeld: {} })
])

export const address = (books: Books) => inParents(books, mapping, kind)
