import { isNative, type Native } from "../../mapping/Mapping.ts"
import { xeroDay } from "./Common.ts"

const isNothing = (value: unknown) => value === undefined || value === null || value === ""

const dayOf = (value: unknown) => (isNothing(value) ? null : xeroDay.decode(value, { reference: () => "" }))

/** Whether a record already holds what would be written; members that are not named do not matter. */
export const holds = (held: unknown, value: unknown): boolean => {
  if (value === undefined) return true
  if (isNothing(value)) return isNothing(held)
  if (Array.isArray(value)) {
    return Array.isArray(held) && held.length === value.length && value.every((one, i) => holds(held[i], one))
  }
  if (isNative(value)) {
    return isNative(held) && Object.entries(value).every(([name, member]) => holds(held[name], member))
  }
  if (typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value)) return dayOf(held) === value
  return held === value
}

/**
 * The members of a write plan that change a record: Xero keeps those that a body leaves out, and refuses some on records that
 * are approved, paid or archived even where nothing would change.
 */
export const changesOf = (held: Native, encoded: Native): Native =>
  Object.fromEntries(Object.entries(encoded).filter(([name, value]) => !holds(held[name], value)))
