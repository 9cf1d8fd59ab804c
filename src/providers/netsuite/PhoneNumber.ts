import { type Native, readField } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { phones } from "./Contact.ts"
import type { OneWorld } from "./OneWorld.ts"
import { inParents, type Slot, slotMapping } from "./Parents.ts"

/** Phone numbers stand in members of customers, vendors and subsidiaries, by what they are. */

const slotsOf = (_: string, parent: Native): ReadonlyArray<Slot> =>
  Object.entries(phones).flatMap(([type, member]) => {
    const value = parent[member]
    return typeof value === "string" && value !== "" ? [{ slot: type.toLowerCase(), type, value }] : []
  })

export const phoneNumber = (call: Caller, oneWorld: OneWorld) =>
  inParents(call, oneWorld, slotMapping("phoneNumber", [readField("number", "value", text)]), slotsOf)
