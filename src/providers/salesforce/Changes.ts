import type { Mode } from "../../mapping/Encode.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { isHeld } from "../base/Changes.ts"
import type { Fields } from "./Org.ts"
import { isId, isSame } from "./Soql.ts"

// What an update sends of a record.

/**
 * The fields of an update that the org takes. Null for a field that the org lacks has nothing to clear; in a full body, a
 * field that is never empty goes back to its default, or stays if it has none.
 */
export const accepted = ({ clearable, defaults, readable }: Fields, record: Native, mode: Mode): Native => {
  const takesNull = mode === "replace" ? clearable : readable
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (value !== null || takesNull.has(name)) return [[name, value] as const]
      return mode === "replace" && defaults.has(name) ? [[name, defaults.get(name)] as const] : []
    })
  )
}

/** Whether a field holds the value to write; an id may lack its checksum. */
export const isHeldInOrg = (written: unknown, held: unknown): boolean =>
  isHeld(written, held) ||
  (typeof written === "string" && typeof held === "string" && isId(written) && isId(held) && isSame(written, held))

/** Whether a write has a country or a state, which the organisation may take by their codes. */
export const namesPlaces = (record: Native) => Object.keys(record).some((name) => /(?:Country|State)$/.test(name))
