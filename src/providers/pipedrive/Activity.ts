import { Activity } from "../../canonical/crm/Activity.ts"
import { computed, staysAsItIs } from "../../mapping/Entries.ts"
import { natives } from "../../mapping/Mapping.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { activityEntries, mappingOf } from "./Common.ts"
import { onActivities, startTimes } from "./Filters.ts"
import { objects } from "./Objects.ts"
import { people } from "./Participants.ts"
import { end, start } from "./Schedule.ts"

const types: { readonly [type: string]: string } = { CALL: "call", EMAIL: "email", MEETING: "meeting" }

const typeOf = (native: unknown) => Object.keys(types).find((name) => types[name] === native) ?? "OTHER"

/**
 * Accounts add types of their own: they, and what Pipedrive brings besides, are all `OTHER`, which writes the first of
 * them. https://developers.pipedrive.com/docs/api/v1/ActivityTypes
 */
const activityType = computed({
  canonical: "activity_type",
  native: ["type"],
  needsCurrent: true,
  encodeLookups: ["activityTypes"],
  decode: ({ record }) => typeOf(record.type),
  encode: (value, encoding) => {
    const { body, current, lookups, prefix, set, warn } = encoding
    const path = `${prefix}activity_type`
    if (value === null) {
      if (body.activity_type === null) warn(path, "CHANGED", staysAsItIs)
      return
    }
    if (current !== undefined && typeOf(current.record.type) === value) return
    const all = natives(lookups.activityTypes)
    const others = all
      .filter(
        ({ active_flag, key_string }) => active_flag === true && key_string !== "task" && typeOf(key_string) === "OTHER"
      )
      .toSorted((a, b) => Number(a.order_nr) - Number(b.order_nr))
    const type = types[String(value)] ?? others[0]?.key_string
    if (type === undefined) warn(path, "NOT_HELD", "the account has no other type of activity in use")
    else set("type", type)
  }
})

const mapping = mappingOf(Activity, "", (of) => [
  of.variant({
    nativeType: "activities",
    entries: [
      ...activityEntries(of),
      activityType(of),
      start(of, "start_time", { dayAtMidnight: false }),
      end(of),
      people(of)
    ],
    notHeld: {
      direction: "Pipedrive activities do not say whether they were inbound or outbound."
    }
  })
])

export const activity = (call: Caller): ResourceAdapter =>
  objects(call, mapping, { shows: ({ type }) => type !== "task", filters: { ...onActivities, ...startTimes } })
