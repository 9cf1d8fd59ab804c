import { Task } from "../../canonical/crm/Task.ts"
import { dateTime, enumeration, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact } from "../Filtering.ts"
import type { CreateRequest } from "../ProviderAdapter.ts"
import { stamps } from "./Common.ts"
import { dueTimes, link, stamped } from "./Filters.ts"
import { byCreation, closeMapping, objects } from "./Objects.ts"
import { lead, onLead } from "./OnLead.ts"

const midnight = /T00:00:00(\.000)?Z$/

/** A task of type `lead`; those of other types are notices of the application. https://developer.close.com/api/resources/tasks */
const mapping = closeMapping(Task, (of) => [
  of.variant({
    nativeType: "task",
    entries: [
      ...stamps(of),
      of.lasting("subject", "text", text),
      of.lasting("status", "is_complete", enumeration("complete", { false: "OPEN", true: "CLOSED" })),
      // a day or a moment; a task without either shows the day it was made on
      of.computed({
        canonical: "due_date",
        native: ["date", "is_dateless"],
        decode: ({ record }, context) => (record.is_dateless === true ? null : dateTime.decode(record.date, context)),
        encode: (value, { set }) => {
          if (value === null) set("is_dateless", true)
          else set("date", midnight.test(String(value)) ? String(value).slice(0, 10) : value)
        }
      }),
      of.lasting("owner", "assigned_to", text),
      lead(of),
      of.readField("contact", "contact_id", text)
    ],
    notHeld: {
      content: "A Close task has one text, which is `subject` here.",
      content_type: "A Close task has one text, which is `subject` here.",
      priority: "Close returns a priority of tasks, but documents neither its values nor how to set it.",
      completed_date: "Close holds the time in an activity that it adds on completion, not on the task.",
      opportunity: "A Close task is on a lead, and names no opportunity."
    }
  })
])

/** A new task says its type. https://developer.close.com/api/resources/tasks/create */
const typed = (request: CreateRequest): CreateRequest => ({
  ...request,
  encoded: { ...request.encoded, record: { _type: "lead", ...request.encoded.record } }
})

export const task = (call: Caller) => {
  const tasks = objects(call, mapping, {
    paging: byCreation,
    consistency: "exact",
    filters: {
      ...stamped,
      ...dueTimes,
      account: link("lead", "lead_id"),
      owner: link("user", "assigned_to"),
      status: exact(({ values }) => (new Set(values).size > 1 ? {} : { is_complete: values.includes("CLOSED") }))
    }
  })
  return { ...tasks, create: (request: CreateRequest) => tasks.create(typed(request)), ...onLead(call) }
}
