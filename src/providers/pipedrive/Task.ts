import { Task } from "../../canonical/crm/Task.ts"
import { enumeration } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { activityEntries, instant, mappingOf } from "./Common.ts"
import { done, dueTimes, link, onActivities } from "./Filters.ts"
import { objects } from "./Objects.ts"
import { primary } from "./Participants.ts"
import { start } from "./Schedule.ts"

// Priorities are numbers of the account's own, which say nothing of high and low.
const mapping = mappingOf(Task, "activities", "", (of) => [
  ...activityEntries(of),
  of.lasting("status", "done", enumeration("done", { false: "OPEN", true: "CLOSED" })),
  start(of, "due_date", { dayAtMidnight: true }),
  of.readField("completed_date", "marked_as_done_time", instant),
  primary(of)
])

export const task = (call: Caller): ResourceAdapter =>
  objects(call, mapping, {
    shows: ({ type }) => type === "task",
    isMade: { type: "task" },
    filters: { ...onActivities, ...dueTimes, contact: link("person_id"), status: done("CLOSED", "OPEN") }
  })
