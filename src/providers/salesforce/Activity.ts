import { dateTimeOf } from "../base/Moments.ts"
import { Array } from "effect"
import { Activity } from "../../canonical/crm/Activity.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import { computed, type EntriesOf } from "../../mapping/Entries.ts"
import { day, enumeration, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { about, links, person } from "./Activities.ts"
import { deleted, mappingOf, stamps } from "./Common.ts"
import { days } from "./Conditions.ts"
import { eventEntries, events } from "./Events.ts"
import type { Org } from "./Org.ts"
import { searched } from "./Search.ts"
import { sobjects } from "./Several.ts"
import type { SObject } from "./SObjects.ts"
import { isSame, quote } from "./Soql.ts"
import { taskStatus } from "./Statuses.ts"

// A task has a day only: calls, e-mails and others start at its midnight in UTC, whatever time they were written with,
// and end as much later as they take.

/** Type of a task that is an activity of no kind of its own. */
const other = "Other"

/**
 * Calls and e-mails are tasks of their own subtypes; the subtypes of Sales Engagement cannot be made by hand. Other
 * activities are tasks of the type Other, and are in the list of tasks as well, just as events are meetings too. Where the
 * type is hidden from the user, there are none of these.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_task.htm
 */
const tasks = (org: Org): SObject => ({
  type: "Task",
  prefix: "00T",
  where: ({ readable }) => {
    const ofSubtype = "(TaskSubtype != null AND TaskSubtype != 'Task')"
    return readable.has("Type") ? `(${ofSubtype} OR Type = ${quote(other)})` : ofSubtype
  },
  keeping: "archives",
  clauses: { ...links, ...days("start", "ActivityDate"), q: searched(org, "Task") }
})

const kinds: { readonly [subtype: string]: string } = { Call: "CALL", Email: "EMAIL", ListEmail: "EMAIL" }

const kindOf = (subtype: unknown) => kinds[String(subtype)] ?? "OTHER"

const kind = computed({
  canonical: "activity_type",
  // Type too: it is what OTHER writes, and what Salesforce names when it refuses that
  native: ["TaskSubtype", "Type"],
  decode: ({ record }) => kindOf(record.TaskSubtype),
  needsCurrent: true,
  encodeLookups: ["taskStatuses"],
  encode: (value, { current, lookups, prefix, refuse, set }) => {
    if (current !== undefined) {
      if (value !== kindOf(current.record.TaskSubtype)) refuse(`${prefix}activity_type`, "cannot be changed")
      return
    }
    const subtype = Object.keys(kinds).find((one) => kinds[one] === value)
    if (subtype === undefined) set("Type", other)
    else set("TaskSubtype", subtype)
    // it took place: left open it would be something to do
    set("Status", taskStatus(lookups.taskStatuses, true))
  }
})

const dayOf = (value: unknown) => `${String(value).slice(0, 10)}T00:00:00.000Z`

/** A task has a day and, for calls, a length. */
const end = computed({
  canonical: "end_time",
  native: ["ActivityDate", "CallDurationInSeconds"],
  decode: ({ record: { ActivityDate, CallDurationInSeconds: seconds } }) =>
    typeof ActivityDate === "string" && typeof seconds === "number"
      ? dateTimeOf(Date.parse(dayOf(ActivityDate)) + seconds * 1000)
      : null,
  needsCurrent: true,
  encode: (value, { body, current, prefix, refuse, set }) => {
    if (value === null) return set("CallDurationInSeconds", null)
    const start = body.start_time ?? dayOf(current?.record.ActivityDate)
    const seconds = Math.round((Date.parse(String(value)) - Date.parse(String(start))) / 1000)
    if (seconds >= 0) set("CallDurationInSeconds", seconds)
    else refuse(`${prefix}end_time`, "is before start_time")
  }
})

/** A task has one contact. */
const contacts = computed({
  ...person,
  canonical: "contacts",
  decode: (bundle) => [person.decode(bundle)].filter((id) => id !== undefined),
  encode: (value, encoding) => {
    const wanted: ReadonlyArray<unknown> = Array.isArray(value) ? Array.dedupeWith(value, isSame) : []
    for (const i of wanted.keys()) {
      if (i > 0) encoding.warn(`${encoding.prefix}contacts.${i}`, "NOT_HELD", "a call, an e-mail or the like has one")
    }
    person.encode(wanted[0] ?? null, encoding)
  }
})

const taskEntries = (of: EntriesOf<typeof Activity>) => [
  ...stamps(of),
  deleted(of),
  kind(of),
  of.field("subject", "Subject", text),
  ...textContent(of, "Description", "a Salesforce task"),
  of.field("direction", "CallType", enumeration("direction", { Inbound: "INBOUND", Outbound: "OUTBOUND" })),
  of.field("start_time", "ActivityDate", day),
  end(of),
  of.field("owner", "OwnerId", text),
  ...about(of),
  contacts(of)
]

const mapping = mappingOf(Activity, (of) => [
  of.variant({
    nativeType: "Event",
    when: { activity_type: "MEETING" },
    entries: [...eventEntries(of), of.constant("activity_type", "MEETING")],
    notHeld: { direction: "A Salesforce event has no direction; calls, which are tasks, have one." }
  }),
  of.variant({ nativeType: "Task", entries: taskEntries(of), notHeld: {} })
])

export const activity = (org: Org): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  ...sobjects(org, [tasks(org), events(org)])
})
