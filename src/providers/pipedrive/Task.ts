import { Task } from "../../canonical/crm/Task.ts"
import { computed } from "../../mapping/Entries.ts"
import { enumeration } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { activityEntries, instant, mappingOf } from "./Common.ts"
import { done, dueTimes, link, onActivities } from "./Filters.ts"
import { objects } from "./Objects.ts"
import { optionOf, optionsOf } from "./Options.ts"
import { primary } from "./Participants.ts"
import { start } from "./Schedule.ts"

const meanings: { readonly [label: string]: string } = { low: "LOW", medium: "NORMAL", normal: "NORMAL", high: "HIGH" }

const meaningOf = (label: unknown) => meanings[String(label).trim().toLowerCase()] ?? null

/**
 * A number of the account's own, which its list of fields names: options of other names say nothing of high and low, and stay
 * where nothing else is written. https://developers.pipedrive.com/docs/api/v1/Activities
 */
const priority = computed({
  canonical: "priority",
  native: ["priority"],
  lookups: ["activityFields"],
  encodeLookups: ["activityFields"],
  needsCurrent: true,
  decode: ({ lookups, record }) =>
    meaningOf(optionOf(optionsOf(lookups?.activityFields, "priority"), record.priority)?.label),
  encode: (value, { current, lookups, prefix, set, warn }) => {
    const options = optionsOf(lookups.activityFields, "priority")
    if (current !== undefined && value === meaningOf(optionOf(options, current.record.priority)?.label)) return
    if (value === null) return set("priority", null)
    const option = options.find(({ label }) => meaningOf(label) === value)
    if (option !== undefined) set("priority", Number(option.id))
    else warn(`${prefix}priority`, "NOT_HELD", "the account has no priority of that name")
  }
})

const mapping = mappingOf(Task, "", (of) => [
  of.variant({
    nativeType: "activities",
    entries: [
      ...activityEntries(of),
      of.lasting("status", "done", enumeration("done", { false: "OPEN", true: "CLOSED" })),
      start(of, "due_date", { dayAtMidnight: true }),
      priority(of),
      of.readField("completed_date", "marked_as_done_time", instant),
      primary(of)
    ],
    notHeld: {}
  })
])

export const task = (call: Caller): ResourceAdapter =>
  objects(call, mapping, {
    shows: ({ type }) => type === "task",
    isMade: { type: "task" },
    filters: { ...onActivities, ...dueTimes, contact: link("person_id"), status: done("CLOSED", "OPEN") }
  })
