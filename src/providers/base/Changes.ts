import { isNative, type Native } from "../../mapping/Mapping.ts"

const isEmpty = (value: unknown) => value === null || value === "" || (Array.isArray(value) && value.length === 0)

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/

/** Parses a date-time to milliseconds since the epoch. Offsets may lack the colon, which `Date.parse` need not accept. */
const instantOf = (text: string) => Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"))

/**
 * Whether a field already holds the value to write: empty values are alike, moments are compared by their instant, and objects
 * by the members that are written. A field that was not read (undefined) holds nothing that is known, so it is written.
 */
export const isHeld = (written: unknown, held: unknown): boolean => {
  if (held === undefined) return false
  if (written === held || (isEmpty(written) && isEmpty(held))) return true
  if (typeof written === "string" && typeof held === "string") {
    return moment.test(written) && moment.test(held) && instantOf(written) === instantOf(held)
  }
  if (Array.isArray(written)) {
    return Array.isArray(held) && written.length === held.length && written.every((one, i) => isHeld(one, held[i]))
  }
  return isNative(written) && isNative(held) && Object.entries(written).every(([part, one]) => isHeld(one, held[part]))
}

/** Fields that are written together: if one of them changes, the others are sent too. */
export type Together = ReadonlyArray<ReadonlyArray<string>>

/** The fields of a write that differ from the record as it was read, and those that are written together with them. */
export const changesOf = (
  written: Native,
  held: Native,
  together: Together = [],
  isSame: (written: unknown, held: unknown) => boolean = isHeld
): Native => {
  const differs = new Set(Object.keys(written).filter((name) => !isSame(written[name], held[name])))
  const isSent = (name: string) =>
    differs.has(name) || together.some((names) => names.includes(name) && names.some((one) => differs.has(one)))
  return Object.fromEntries(Object.entries(written).filter(([name]) => isSent(name)))
}
