import { PhoneNumber } from "../../canonical/accounting/PhoneNumber.ts"
import type { Caller } from "../base/Upstream.ts"
import { mappingOf } from "./Common.ts"
import { phone, phoneTypes } from "./Contact.ts"
import type { Kept } from "./Kept.ts"
import { inParents, noCreationTime, slotEntries } from "./Parents.ts"

/** https://developer.xero.com/documentation/api/accounting/types#phone-types */
const mapping = mappingOf(PhoneNumber, (of) => [
  of.variant({
    nativeType: "Phone",
    entries: [...slotEntries(of), of.readField("number", "Value", phone)],
    notHeld: { remote_created_at: noCreationTime }
  })
])

export const phoneNumber = (call: Caller, kept: Pick<Kept, "organisation">) =>
  inParents(call, kept, mapping, {
    member: "PhoneOf",
    types: phoneTypes,
    isFilled: ({ PhoneNumber }) => typeof PhoneNumber === "string" && PhoneNumber !== ""
  })
