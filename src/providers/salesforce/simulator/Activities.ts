import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { invalidFields, missing } from "./Faults.ts"
import {
  area,
  base64,
  combobox,
  computed,
  date,
  datetime,
  deletion,
  fixed,
  flag,
  id,
  number,
  onCreate,
  picklist,
  reference,
  required,
  type SObject,
  stampOf,
  stamps,
  text,
  views
} from "./Fields.ts"

// Activities and notes.

const every = { create: true, update: true, delete: true }

const who = reference("WhoId", ["Contact", "Lead"], { children: "Tasks" })
const what = reference("WhatId", ["Account", "Opportunity"], { children: "Tasks" })
const owner = reference("OwnerId", ["User"], { nillable: false })

const idIn = (doc: Doc | undefined, name: string) => {
  const value = doc?.[name]
  return typeof value === "string" ? value : ""
}

/** The account of what an activity is about, or of whom. */
const accountOf = (doc: Doc, org: Org): string | null => {
  const about = idIn(doc, "WhatId")
  if (org.get("Account", about) !== undefined) return about
  const found = idIn(org.get("Opportunity", about) ?? org.get("Contact", idIn(doc, "WhoId")), "AccountId")
  return found === "" ? null : found
}

export const task: SObject = {
  name: "Task",
  plural: "Tasks",
  prefix: "00T",
  can: every,
  fields: [
    id,
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
      picklist("TaskSubtype", ["Task", "Email", "ListEmail", "Cadence", "Call"], { restricted: true, initial: "Task" })
    ),
    fixed(datetime("CompletedDateTime"))
  ],
  prepare: ({ before, doc, org }) => {
    const isClosed = doc.Status === "Completed"
    const wasClosed = before?.IsClosed === true
    return Either.right({
      ...doc,
      IsClosed: isClosed,
      CompletedDateTime: isClosed ? (wasClosed ? before.CompletedDateTime : stampOf(org.now)) : null,
      AccountId: accountOf(doc, org)
    })
  }
}

const minute = 60_000

export const event: SObject = {
  name: "Event",
  plural: "Events",
  prefix: "00U",
  can: every,
  fields: [
    id,
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
    fixed(flag("IsGroupEvent")),
    fixed(picklist("GroupEventType", ["0", "1", "2"])),
    ...stamps,
    fixed(flag("IsArchived")),
    fixed(flag("IsRecurrence")),
    datetime("ReminderDateTime"),
    flag("IsReminderSet"),
    onCreate(picklist("EventSubtype", ["Event"], { restricted: true, initial: "Event" }))
  ],
  // start with a length, or start with an end that agrees with it; a longer event than 14 days is refused
  prepare: ({ before, doc, given, org }) => {
    const timeOf = (name: string) => (given.has(name) && doc[name] !== null ? Date.parse(String(doc[name])) : undefined)
    const held = (name: string) => (typeof before?.[name] === "string" ? Date.parse(before[name]) : undefined)
    const start =
      timeOf("StartDateTime") ?? timeOf("ActivityDateTime") ?? timeOf("ActivityDate") ?? held("StartDateTime")
    if (start === undefined) return Either.left(missing(["ActivityDateTime"]))
    const length =
      given.has("DurationInMinutes") && typeof doc.DurationInMinutes === "number" ? doc.DurationInMinutes : undefined
    const heldLength = typeof before?.DurationInMinutes === "number" ? before.DurationInMinutes : undefined
    const end = timeOf("EndDateTime")
    const minutes = length ?? (end === undefined ? heldLength : (end - start) / minute)
    if (minutes === undefined) return Either.left(missing(["DurationInMinutes"]))
    if (end !== undefined && length !== undefined && end !== start + length * minute) {
      return Either.left(invalidFields("Duration and end date must be the same", ["DurationInMinutes", "EndDateTime"]))
    }
    if (minutes < 0) return Either.left(invalidFields("Event duration can't be negative", ["DurationInMinutes"]))
    if (minutes > 14 * 24 * 60) {
      return Either.left(invalidFields("An event can't last longer than 14 days.", ["DurationInMinutes"]))
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
}

export const eventRelation: SObject = {
  name: "EventRelation",
  plural: "Event Relations",
  prefix: "0RE",
  can: every,
  fields: [
    id,
    onCreate(required(reference("RelationId", ["Contact", "Lead", "User"]))),
    onCreate(required(reference("EventId", ["Event"], { children: "EventRelations", cascade: true }))),
    onCreate(flag("IsWhat")),
    flag("IsParent", true),
    flag("IsInvitee"),
    picklist("Status", ["New", "Declined", "Accepted", "Uninvited", "Maybe"], { restricted: true }),
    datetime("RespondedDate"),
    text("Response"),
    ...stamps,
    deletion
  ]
}

/** The classic note. */
export const note: SObject = {
  name: "Note",
  plural: "Notes",
  prefix: "002",
  can: every,
  fields: [
    id,
    deletion,
    onCreate(
      required(
        reference("ParentId", ["Account", "Contact", "Lead", "Opportunity"], { children: "Notes", cascade: true })
      )
    ),
    required(text("Title", 80)),
    flag("IsPrivate"),
    area("Body"),
    owner,
    ...stamps
  ]
}

/** The note of Lightning; its content is HTML in base64, read under its own address. */
export const contentNote: SObject = {
  name: "ContentNote",
  plural: "Notes",
  prefix: "069",
  can: every,
  fields: [
    id,
    required(text("Title")),
    fixed(text("FileType", 20, { initial: "SNOTE" })),
    fixed(text("FileExtension", 40, { initial: "snote" })),
    base64("Content"),
    computed(text("TextPreview"), ({ Content: content }) =>
      typeof content === "string"
        ? Buffer.from(content, "base64")
            .toString("utf8")
            .replace(/<[^>]*>/g, "")
            .slice(0, 255)
        : null
    ),
    computed(number("ContentSize", "int"), ({ Content: content }) =>
      typeof content === "string" ? Buffer.from(content, "base64").length : 0
    ),
    picklist("SharingPrivacy", ["N", "P"], { restricted: true, initial: "N" }),
    owner,
    flag("IsReadOnly"),
    ...stamps,
    ...views,
    deletion
  ],
  follows: ({ before, doc }, make) => {
    if (before !== undefined) return
    make("ContentDocumentLink", {
      ContentDocumentId: doc.Id,
      LinkedEntityId: doc.OwnerId,
      ShareType: "I",
      Visibility: "AllUsers"
    })
  }
}

export const contentDocumentLink: SObject = {
  name: "ContentDocumentLink",
  plural: "Content Document Links",
  prefix: "06A",
  can: every,
  fields: [
    id,
    onCreate(
      required(
        reference("LinkedEntityId", ["Account", "Contact", "Lead", "Opportunity", "User"], {
          children: "ContentDocumentLinks",
          cascade: true
        })
      )
    ),
    onCreate(
      required(reference("ContentDocumentId", ["ContentNote"], { children: "ContentDocumentLinks", cascade: true }))
    ),
    deletion,
    fixed(required(datetime("SystemModstamp"))),
    picklist("ShareType", ["V", "C", "I"], { restricted: true, initial: "V" }),
    picklist("Visibility", ["AllUsers", "InternalUsers", "SharedUsers"], { restricted: true, initial: "AllUsers" })
  ],
  filteredBy: ["ContentDocumentId", "LinkedEntityId"]
}
