import { Task } from "../../canonical/crm/Task.ts"
import { midnightToday } from "../../mapping/Entries.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { dateTime, enumeration, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { about, common, inState, is, isNot, moments, stamps } from "./Clauses.ts"
import { body, engagement } from "./Engagement.ts"
import { lasting, objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"

// https://developers.hubspot.com/docs/guides/api/crm/engagements/tasks

const priority = enumeration("taskPriority", { LOW: "LOW", MEDIUM: "NORMAL", HIGH: "HIGH", NONE: null })

const mapping = objectMapping(Task, (of) => [
  of.variant({
    nativeType: "tasks",
    entries: [
      of.field("subject", "properties.hs_task_subject", text),
      ...body(of, "hs_task_body"),
      // in progress, waiting and deferred are open too
      lasting(of, "status", "properties.hs_task_status", { NOT_STARTED: "OPEN", COMPLETED: "CLOSED" }, "OPEN"),
      of.field("priority", "properties.hs_task_priority", priority),
      of.lasting("due_date", "properties.hs_timestamp", dateTime, midnightToday),
      of.computed({
        canonical: "completed_date",
        native: ["properties.hs_task_completion_date", "properties.hs_task_status"],
        // an open task may carry its due date there
        decode: ({ record }, context) => {
          const at = getPath(record, "properties.hs_task_completion_date") ?? ""
          return getPath(record, "properties.hs_task_status") === "COMPLETED" ? dateTime.decode(at, context) : null
        }
      }),
      ...engagement(of, "contact")
    ],
    notHeld: {}
  })
])

const filters = {
  tasks: {
    ...stamps,
    ...common,
    ...about,
    ...moments("due", "hs_timestamp"),
    status: inState({ OPEN: isNot("hs_task_status", "COMPLETED"), CLOSED: is("hs_task_status", "COMPLETED") })
  }
}

export const task = (call: Caller, typeOf: LinkTypes): ResourceAdapter => objects(call, typeOf, mapping, { filters })
