import { Task } from "../../canonical/crm/Task.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import { computed } from "../../mapping/Entries.ts"
import { dateTime, day, enumeration, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { about, contact, links } from "./Activities.ts"
import { deleted, mappingOf, stamps } from "./Common.ts"
import { compare, days, oneOf } from "./Conditions.ts"
import type { Org } from "./Org.ts"
import { searched } from "./Search.ts"
import { sobject } from "./SObjects.ts"
import { taskStatus } from "./Statuses.ts"

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_task.htm */
const type = "Task"

/** Calls and e-mails are tasks too: those are activities. */
const where = () => "(TaskSubtype = 'Task' OR TaskSubtype = null)"

const priorities = enumeration("priority", { Low: "LOW", Normal: "NORMAL", High: "HIGH" })

const statusOf = (isClosed: unknown) => (isClosed === true ? "CLOSED" : isClosed === false ? "OPEN" : null)

/**
 * Follows from the native status; several of those are open ones. A task keeps its status while it fits, or while the org
 * has none that does.
 */
const status = computed({
  canonical: "status",
  native: ["IsClosed", "Status"],
  decode: ({ record }) => statusOf(record.IsClosed),
  needsCurrent: true,
  encodeLookups: ["taskStatuses"],
  encode: (value, { body, current, lookups, prefix, set, warn }) => {
    if (body.status === null) warn(`${prefix}status`, "CHANGED", "cannot be cleared: a task is open or closed")
    if (value === null || value === statusOf(current?.record.IsClosed)) return
    const found = taskStatus(lookups.taskStatuses, value === "CLOSED")
    if (found !== undefined) set("Status", found)
    else warn(`${prefix}status`, "STATUS_NOT_REACHED", "the org has no such status of tasks")
  }
})

const mapping = mappingOf(Task, (of) => [
  of.variant({
    nativeType: type,
    entries: [
      ...stamps(of),
      deleted(of),
      of.field("subject", "Subject", text),
      ...textContent(of, "Description", "a Salesforce task"),
      status(of),
      of.field("priority", "Priority", priorities),
      of.field("due_date", "ActivityDate", day),
      of.readField("completed_date", "CompletedDateTime", dateTime),
      of.field("owner", "OwnerId", text),
      ...about(of),
      contact(of)
    ],
    notHeld: {}
  })
])

export const task = (org: Org): ResourceAdapter => ({
  mapping,
  consistency: "exact",
  ...sobject(org, {
    type,
    where,
    keeping: "archives",
    clauses: {
      ...links,
      status: oneOf({
        OPEN: [compare("IsClosed", "=", "false")],
        CLOSED: [compare("IsClosed", "=", "true")]
      }),
      ...days("due", "ActivityDate"),
      q: searched(org, type)
    }
  })
})
