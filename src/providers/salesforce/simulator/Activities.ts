import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import type { Settled } from "../../simulation/table/Complaint.ts"
import type { Rule } from "../../simulation/table/Kind.ts"
import {
  area,
  combobox,
  computed,
  date,
  datetime,
  deletion,
  fixed,
  flag,
  lacks,
  number,
  onCreate,
  owner,
  picklist,
  reference,
  required,
  sObject,
  stamps,
  statusList,
  text,
  unfit
} from "./Fields.ts"
import { stampOf } from "./Ids.ts"

// Tasks and events.

const who = reference("WhoId", ["Contact", "Lead"], { children: "Tasks" })
const what = reference("WhatId", ["Account", "Opportunity"], { children: "Tasks" })

const idIn = (doc: Doc | undefined, name: string) => {
  const value = doc?.[name]
  return typeof value === "string" ? value : ""
}

/** The account of the record or of the person that an activity is about. */
const accountOf = (doc: Doc, org: Org): string | null => {
  const about = idIn(doc, "WhatId")
  if (org.get("Account", about) !== undefined) return about
  const found = idIn(org.get("Opportunity", about) ?? org.get("Contact", idIn(doc, "WhoId")), "AccountId")
  return found === "" ? null : found
}

export const task = sObject({
  name: "Task",
  fields: [
    who,
    what,
    combobox("Subject", ["Call", "Email", "Send Letter", "Send Quote", "Other"]),
    date("ActivityDate"),
    picklist("Status", ["Not Started", "In Progress", "Completed", "Waiting on someone else", "Deferred"], {
      nillable: false,
      initial: "Not Started"
    }),
    picklist("Priority", ["High", "Normal", "Low"], { nillable: false, initial: "Normal" }),
    computed(flag("IsHighPriority"), ({ Priority }) => Priority === "High"),
    owner,
    area("Description"),
    picklist("Type", ["Call", "Email", "Meeting", "Other"]),
    deletion,
    fixed(reference("AccountId", ["Account"])),
    fixed(flag("IsClosed")),
    ...stamps,
    fixed(flag("IsArchived")),
    number("CallDurationInSeconds", "int"),
    picklist("CallType", ["Internal", "Inbound", "Outbound"]),
    text("CallDisposition"),
    text("CallObject"),
    datetime("ReminderDateTime"),
    flag("IsReminderSet"),
    fixed(flag("IsRecurrence")),
    onCreate(
      picklist("TaskSubtype", ["Task", "Email", "ListEmail", "Cadence", "Call", "LinkedIn"], {
        restricted: true,
        initial: "Task"
      })
    ),
    fixed(datetime("CompletedDateTime"))
  ],
  checks: [
    ({ account: org, after, before }) => {
      const isClosed = org.all("TaskStatus").some((one) => one.ApiName === after.Status && one.IsClosed === true)
      const wasClosed = before?.IsClosed === true
      return Either.right({
        ...after,
        IsClosed: isClosed,
        CompletedDateTime: isClosed ? (wasClosed ? before.CompletedDateTime : stampOf(org.now)) : null,
        AccountId: accountOf(after, org)
      })
    }
  ]
})

export const taskStatus = statusList("TaskStatus", "Task Status Values", "IsClosed")

const minute = 60_000

const isGroup = (doc: Doc, org: Org) =>
  org.all("EventRelation").some(({ EventId, IsDeleted }) => EventId === doc.Id && IsDeleted === false)

const day = 24 * 60 * minute

/**
 * An all-day event has days: times of the day are ignored, the end is the beginning of the last day, and the length has all of
 * them. Without a length and an end it takes one day.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_event.htm
 */
const allDay = (
  doc: Doc,
  org: Org,
  start: number,
  end: number | undefined,
  minutes: number | undefined
): Settled<Doc> => {
  const from = Math.floor(start / day) * day
  const counted = end === undefined ? undefined : Math.floor(end / day) - from / day + 1
  const days = Math.max(1, Math.ceil((minutes ?? (counted ?? 1) * (day / minute)) / (day / minute)))
  if (counted !== undefined && counted < 1) {
    return unfit("Event duration can't be negative", "DurationInMinutes")
  }
  if (counted !== undefined && minutes !== undefined && counted !== days && counted !== days + 1) {
    return unfit("Duration and end date must be the same", "DurationInMinutes", "EndDateTime")
  }
  if (days > 14) return unfit("An event can't last longer than 14 days.", "DurationInMinutes")
  const last = from + (days - 1) * day
  return Either.right({
    ...doc,
    StartDateTime: stampOf(from),
    ActivityDateTime: stampOf(from),
    ActivityDate: stampOf(from).slice(0, 10),
    EndDateTime: stampOf(last),
    EndDate: stampOf(last).slice(0, 10),
    DurationInMinutes: days * (day / minute),
    AccountId: accountOf(doc, org)
  })
}

/** Takes a start with a length, or with an end that agrees with it; refuses an event longer than 14 days. */
const timed: Rule = ({ account: org, after: doc, before, given }) => {
  const timeOf = (name: string) => (typeof given[name] === "string" ? Date.parse(given[name]) : undefined)
  const held = (name: string) => (typeof before?.[name] === "string" ? Date.parse(before[name]) : undefined)
  const start = timeOf("StartDateTime") ?? timeOf("ActivityDateTime") ?? timeOf("ActivityDate") ?? held("StartDateTime")
  if (start === undefined) return lacks("ActivityDateTime")
  const length = typeof given.DurationInMinutes === "number" ? given.DurationInMinutes : undefined
  const heldLength = typeof before?.DurationInMinutes === "number" ? before.DurationInMinutes : undefined
  const end = timeOf("EndDateTime")
  if (doc.IsAllDayEvent === true) {
    return allDay(doc, org, start, end, length ?? (end === undefined ? heldLength : undefined))
  }
  const minutes = length ?? (end === undefined ? heldLength : (end - start) / minute)
  if (minutes === undefined) return lacks("DurationInMinutes")
  if (end !== undefined && length !== undefined && end !== start + length * minute) {
    return unfit("Duration and end date must be the same", "DurationInMinutes", "EndDateTime")
  }
  if (minutes < 0) return unfit("Event duration can't be negative", "DurationInMinutes")
  if (minutes > 14 * 24 * 60) {
    return unfit("An event can't last longer than 14 days.", "DurationInMinutes")
  }
  return Either.right({
    ...doc,
    StartDateTime: stampOf(start),
    ActivityDateTime: stampOf(start),
    ActivityDate: stampOf(start).slice(0, 10),
    EndDateTime: stampOf(start + minutes * minute),
    EndDate: stampOf(start + minutes * minute).slice(0, 10),
    DurationInMinutes: minutes,
    AccountId: accountOf(doc, org)
  })
}

export const event = sObject({
  name: "Event",
  fields: [
    { ...who, children: "Events" },
    { ...what, children: "Events" },
    combobox("Subject", ["Call", "Email", "Meeting", "Other"]),
    text("Location"),
    flag("IsAllDayEvent"),
    datetime("ActivityDateTime"),
    date("ActivityDate"),
    number("DurationInMinutes", "int"),
    datetime("StartDateTime"),
    datetime("EndDateTime"),
    fixed(date("EndDate")),
    area("Description"),
    fixed(reference("AccountId", ["Account"])),
    owner,
    picklist("Type", ["Call", "Email", "Meeting", "Other"]),
    flag("IsPrivate"),
    picklist("ShowAs", ["Busy", "OutOfOffice", "Free"], { restricted: true, initial: "Busy" }),
    deletion,
    fixed(flag("IsChild")),
    computed(flag("IsGroupEvent"), isGroup),
    computed(picklist("GroupEventType", ["0", "1", "2"]), (doc, org) => (isGroup(doc, org) ? "1" : "0")),
    ...stamps,
    fixed(flag("IsArchived")),
    fixed(flag("IsRecurrence")),
    datetime("ReminderDateTime"),
    flag("IsReminderSet"),
    onCreate(picklist("EventSubtype", ["Event"], { restricted: true, initial: "Event" }))
  ],
  checks: [timed]
})

/** Invitations to events; the organisation shares no activities, so an event's own contact has no row. */
export const eventRelation = sObject({
  name: "EventRelation",
  fields: [
    onCreate(required(reference("RelationId", ["Contact", "Lead", "User"]))),
    onCreate(required(reference("EventId", ["Event"], { children: "EventRelations", cascade: true }))),
    picklist("Status", ["New", "Declined", "Accepted"], { restricted: true, initial: "New" }),
    datetime("RespondedDate"),
    text("Response"),
    ...stamps,
    deletion
  ]
})
