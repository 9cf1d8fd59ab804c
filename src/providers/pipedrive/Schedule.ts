import { computed, type Entries } from "../../mapping/Entries.ts"
import type { ComputedEntry, Native } from "../../mapping/Mapping.ts"
import { dateTimeOf, endsTooLate, latestMoment } from "../base/Moments.ts"

/**
 * When an activity is: a day and a time of day, both in UTC, and how long.
 * https://developers.pipedrive.com/docs/api/v1/Activities
 */

/** Milliseconds since the epoch; a day without a time begins at midnight. */
export const startOf = ({ due_date, due_time }: Native): number | undefined => {
  if (typeof due_date !== "string" || due_date === "") return undefined
  const time = typeof due_time === "string" && due_time !== "" ? due_time : "00:00"
  const start = Date.parse(`${due_date}T${time}Z`)
  return Number.isNaN(start) ? undefined : start
}

const endOf = (record: Native): number | undefined => {
  const start = startOf(record)
  const [, hours, minutes, seconds = "0"] = /^(\d+):(\d+)(?::(\d+))?$/.exec(String(record.duration)) ?? []
  if (start === undefined || hours === undefined) return undefined
  return start + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}

const two = (count: number) => String(Math.trunc(count)).padStart(2, "0")

const durationOf = (milliseconds: number) => {
  const seconds = milliseconds / 1000
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(two).join(":")
}

/** When it begins or is due. `dayAtMidnight`: midnight stands for the whole day. */
export const start = <N extends string>(
  of: Entries<N>,
  canonical: N,
  { dayAtMidnight }: { readonly dayAtMidnight: boolean }
): ComputedEntry<N> =>
  of.computed({
    canonical,
    native: ["due_date", "due_time"],
    needsCurrent: true,
    decode: ({ record }) => dateTimeOf(startOf(record)),
    encode: (value, { body, current, prefix, refuse, set }) => {
      const held = current === undefined ? undefined : startOf(current.record)
      if (value === null) {
        // what was not read is not cleared
        if (current !== undefined && held === undefined) return
        set("due_date", null)
        return set("due_time", null)
      }
      const moment = Date.parse(String(value))
      if (moment === held) return
      const [day = "", time = ""] = new Date(moment).toISOString().split(/[T.]/)
      set("due_date", day)
      if (!dayAtMidnight || time !== "00:00:00") set("due_time", time)
      else if (current !== undefined) set("due_time", null)
      // the end stays where it is, unless it is written too; a start after it moves the activity as a whole
      const end = current === undefined || dayAtMidnight ? undefined : endOf(current.record)
      if (end === undefined || held === undefined || body.end_time !== undefined) return
      if (end >= moment) set("duration", durationOf(end - moment))
      else if (moment + end - held > latestMoment) refuse(prefix + canonical, endsTooLate)
    }
  })

export const end = computed({
  canonical: "end_time",
  native: ["due_date", "due_time", "duration"],
  needsCurrent: true,
  decode: ({ record }) => dateTimeOf(endOf(record)),
  encode: (value, { body, current, prefix, refuse, set, warn }) => {
    if (value === null) {
      const isUnread = current !== undefined && dateTimeOf(endOf(current.record)) === null
      return isUnread ? undefined : set("duration", null)
    }
    const path = `${prefix}end_time`
    const moment = Date.parse(String(value))
    const given = body.start_time
    const begins =
      typeof given === "string" ? Date.parse(given) : current === undefined ? undefined : startOf(current.record)
    if (begins === undefined) return warn(path, "NOT_HELD", "is held as the time after start_time, which is not given")
    if (moment < begins) return refuse(path, "must not be before the start")
    set("duration", durationOf(moment - begins))
  }
})
