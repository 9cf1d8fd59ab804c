import { PhoneNumber } from "../../canonical/accounting/PhoneNumber.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import { phones } from "./Contact.ts"
import { inParents, type Slot, slotEntries } from "./Parents.ts"
import type { Suite } from "./Suite.ts"

/** Phone numbers stand in members of customers, vendors and subsidiaries, by what they are. */

const slotsOf = (_: string, parent: Native): ReadonlyArray<Slot> =>
  Object.entries(phones).flatMap(([type, member]) => {
    const value = parent[member]
    return typeof value === "string" && value !== "" ? [{ slot: type.toLowerCase(), type, value }] : []
  })

const mapping = plainMapping(PhoneNumber, (of) => [
  of.variant({
    nativeType: "phoneNumber",
    entries: [...slotEntries(of), of.readField("number", "value", text)],
    notHeld: {}
  })
])

export const phoneNumber = (own: Suite) => inParents(own, mapping, slotsOf)
