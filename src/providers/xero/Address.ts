import { Address } from "../../canonical/accounting/Address.ts"
import type { Caller } from "../base/Upstream.ts"
import { mappingOf } from "./Common.ts"
import { addressAt, addressTypes } from "./Contact.ts"
import type { Kept } from "./Kept.ts"
import { inParents, noCreationTime, slotEntries } from "./Parents.ts"

/** https://developer.xero.com/documentation/api/accounting/types#address-types */
const mapping = mappingOf(Address, (of) => [
  of.variant({
    nativeType: "Address",
    entries: [...slotEntries(of), ...addressAt(of, "Value")],
    notHeld: { remote_created_at: noCreationTime }
  })
])

export const address = (call: Caller, kept: Pick<Kept, "organisation">) =>
  inParents(call, kept, mapping, {
    member: "AddressOf",
    types: addressTypes,
    isFilled: ({ AddressType: _type, ...address }) => Object.values(address).some((text) => (text ?? "") !== "")
  })
