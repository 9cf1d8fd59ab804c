import { type Native, readField } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { phones } from "./Contact.ts"
import { inParents, type Slot, slotMapping } from "./Parents.ts"
import type { Suite } from "./Suite.ts"

/** Phone numbers stand in members of customers, vendors and subsidiaries, by what they are. */

const slotsOf = (_: string, parent: Native): ReadonlyArray<Slot> =>
  Object.entries(phones).flatMap(([type, member]) => {
    const value = parent[member]
    return typeof value === "string" && value !== "" ? [{ slot: type.toLowerCase(), type, value }] : []
  })

export const phoneNumber = (own: Suite) =>
  inParents(own, slotMapping("phoneNumber", [readField("number", "value", text)]), slotsOf)
