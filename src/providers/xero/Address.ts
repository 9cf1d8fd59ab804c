import { Address } from "../../canonical/accounting/Address.ts"
import { embeddedReader } from "../base/EmbeddedRecords.ts"
import type { Caller } from "../base/Upstream.ts"
import { mappingOf } from "./Common.ts"
import { addressAt, addressTypes } from "./Contact.ts"
import { deliverySlot, deliveryValue } from "./DeliveryAddress.ts"
import type { Kept } from "./Kept.ts"
import { inParents, noCreationTime, slotEntries, type Slots, slotsIn } from "./Parents.ts"
import { purchaseOrders } from "./PurchaseOrders.ts"

/** https://developer.xero.com/documentation/api/accounting/types#address-types */
const mapping = mappingOf(Address, (of) => [
  of.variant({
    nativeType: "Address",
    entries: [...slotEntries(of), ...addressAt(of, "Value")],
    notHeld: { remote_created_at: noCreationTime }
  })
])

const slots: Slots = {
  member: "AddressOf",
  types: addressTypes,
  isFilled: ({ AddressType: _type, ...address }) => Object.values(address).some((text) => (text ?? "") !== ""),
  others: {
    // read by their ids only: lists would repeat the company's own address for each of its orders
    purchase_order: {
      kind: purchaseOrders,
      slots: ({ DeliveryAddress }) => ({
        [deliverySlot]: { type: addressTypes.STREET, value: deliveryValue(DeliveryAddress) }
      })
    }
  }
}

export const address = (call: Caller, kept: Pick<Kept, "organisation">) => inParents(call, kept, mapping, slots)

/** Reads an address by its id. */
export const addressReader = (call: Caller, kept: Pick<Kept, "organisation">) =>
  embeddedReader(slotsIn(call, kept, mapping, slots))
