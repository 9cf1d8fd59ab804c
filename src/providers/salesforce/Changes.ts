import { Array, Record } from "effect"
import type { Mode } from "../../mapping/Encode.ts"
import type { Native } from "../../mapping/Mapping.ts"
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

const isMoment = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)

/** Whether a field holds a value that is written: ids may lack their checksum, moments be spelt in several ways. */
const isHeld = (value: unknown, held: unknown): boolean =>
  value === held ||
  (typeof value === "string" && typeof held === "string" && isId(value) && isId(held) && isSame(value, held)) ||
  (isMoment(value) && isMoment(held) && Date.parse(value) === Date.parse(held.replace(/\+0000$/, "Z"))) ||
  // an empty text is held as none
  (value === "" && held === null)

/** The part of a write that differs from the record as it was read, with the fields that go together with that. */
export const changes = (written: Native, held: Native, together: ReadonlyArray<ReadonlyArray<string>>): Native => {
  const different = Object.keys(written).filter((name) => !isHeld(written[name], held[name]))
  const moved = new Set([
    ...different,
    ...together.filter((names) => Array.intersection(names, different).length > 0).flat()
  ])
  return Record.filter(written, (_, name) => moved.has(name))
}

/** Whether a write has a country or a state, which the organisation may take by their codes. */
export const namesPlaces = (record: Native) => Object.keys(record).some((name) => /(?:Country|State)$/.test(name))
