import type { Activity } from "../../canonical/crm/Activity.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import { type EntriesOf, staysAsItIs } from "../../mapping/Entries.ts"
import type { Encoding, Native } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { dateTimeOf, endsTooLate, latestMoment } from "../base/Moments.ts"
import { about, person } from "./Activities.ts"
import { moment, owner, stamps, state } from "./Common.ts"

/**
 * Calls have a start and a duration in minutes and seconds, `14:10`, which the end follows from.
 * https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html
 */
const startOf = ({ Call_Start_Time }: Native) => Date.parse(String(Call_Start_Time))

const endOf = (record: Native): number | null => {
  const { Call_Duration_in_seconds: seconds } = record
  return typeof seconds === "number" && seconds > 0 ? startOf(record) + seconds * 1000 : null
}

const instantOf = (value: unknown) => (typeof value === "string" ? Date.parse(value) : null)

/** Writes what start and end of a body come to; both entries call it, the outcome is the same. */
const time = (_: unknown, encoding: Encoding): void => {
  const { body, current, prefix, refuse, set, warn } = encoding
  const held = current === undefined ? null : endOf(current.record)
  if (body.end_time === null && held !== null) warn(`${prefix}end_time`, "CHANGED", staysAsItIs)
  if (typeof body.start_time === "string") set("Call_Start_Time", moment.encode(body.start_time, encoding, prefix))
  const start = instantOf(body.start_time) ?? (current === undefined ? NaN : startOf(current.record))
  const end = instantOf(body.end_time)
  // a call that is moved ends when it did; past that, it takes as long as it did
  const seconds = Math.round(((end ?? held ?? NaN) - start) / 1000)
  if (seconds > 0 && seconds === current?.record.Call_Duration_in_seconds) return
  if (seconds > 0) set("Call_Duration", `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`)
  else if (
    held !== null &&
    current !== undefined &&
    end === null &&
    start + held - startOf(current.record) > latestMoment
  ) {
    refuse(`${prefix}start_time`, endsTooLate)
  } else if (seconds < 0 && end !== null) refuse(`${prefix}end_time`, "must not be before start_time")
  else if (end !== null) warn(`${prefix}end_time`, "NOT_HELD", "a call without length has no end")
}

const directions = new Map([
  ["Inbound", "INBOUND"],
  ["Missed", "INBOUND"],
  ["Outbound", "OUTBOUND"]
])

export const callEntries = (of: EntriesOf<typeof Activity>) => [
  ...stamps(of),
  of.field("subject", "Subject", text),
  ...textContent(of, "Description", "a Zoho CRM call"),
  state(of, {
    canonical: "direction",
    native: ["Call_Type"],
    stateOf: ({ Call_Type }) => directions.get(String(Call_Type)) ?? null,
    values: { INBOUND: "Inbound", OUTBOUND: "Outbound" },
    always: true
  }),
  of.computed({
    canonical: "start_time",
    native: ["Call_Start_Time"],
    needsCurrent: true,
    decode: ({ record }, context) =>
      typeof record.Call_Start_Time === "string" ? moment.decode(record.Call_Start_Time, context) : null,
    encode: (value, encoding) => {
      const { body, current, prefix, set, warn } = encoding
      if (body.start_time === null) warn(`${prefix}start_time`, "CHANGED", staysAsItIs)
      time(value, encoding)
      if (current === undefined && (body.direction ?? null) === null) {
        warn(`${prefix}direction`, "CHANGED", "is held as OUTBOUND: every call has a direction")
        set("Call_Type", "Outbound")
      }
    }
  }),
  of.computed({
    canonical: "end_time",
    native: ["Call_Start_Time", "Call_Duration", "Call_Duration_in_seconds"],
    needsCurrent: true,
    decode: ({ record }) => dateTimeOf(endOf(record)),
    encode: time
  }),
  owner(of),
  ...about(of),
  person(of)
]
