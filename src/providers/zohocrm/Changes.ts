import { isNative, type Native } from "../../mapping/Mapping.ts"

/**
 * Fields that are written together: a lookup and its module, a stage and its pipeline, a place and
 * its address, the status of an appointment and its time.
 */
const together: ReadonlyArray<ReadonlyArray<string>> = [
  ["What_Id", "$se_module"],
  ["Stage", "Pipeline"],
  ["Location", "Address"],
  ["Status", "Appointment_Start_Time"]
]

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** Whether a written value is what the record holds: lookups go by what is written of them, times by their instant. */
const isHeld = (written: unknown, held: unknown): boolean => {
  if (written === held || (isEmpty(written) && isEmpty(held))) return true
  if (typeof written === "string" && typeof held === "string") {
    return moment.test(written) && moment.test(held) && Date.parse(written) === Date.parse(held)
  }
  if (Array.isArray(written)) {
    return Array.isArray(held) && written.length === held.length && written.every((one, i) => isHeld(one, held[i]))
  }
  return isNative(written) && isNative(held) && Object.entries(written).every(([part, one]) => isHeld(one, held[part]))
}

/** The part of a write that differs from the record. */
export const changesOf = (written: Native, held: Native): Native => {
  const differs = new Set(Object.keys(written).filter((name) => !isHeld(written[name], held[name])))
  const isSent = (name: string) =>
    differs.has(name) || together.some((names) => names.includes(name) && names.some((one) => differs.has(one)))
  return Object.fromEntries(Object.entries(written).filter(([name]) => isSent(name)))
}
