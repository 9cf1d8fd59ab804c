import { Address } from "../../canonical/accounting/Address.ts"
import type { Caller } from "../base/Upstream.ts"
import { mappingOf } from "./Common.ts"
import { addressAt, addressTypes } from "./Contact.ts"
import type { Kept } from "./Kept.ts"
import { inParents, slotEntries } from "./Parents.ts"

/** https://developer.xero.com/documentation/api/accounting/types#address-types */
const mapping = mappingOf(Address, (of) => [
  { nativeType: "Address", entries: [...slotEntries(of), ...addressAt(of, "Value")] }
])

export const address = (call: Caller, kept: Pick<Kept, "organisation">) =>
  inParents(call, kept, mapping, {
    member: "AddressOf",
    types: addressTypes,
    isFilled: ({ AddressType: _type, ...address }) => Object.values(address).some((text) => (text ?? "") !== "")
  })
