import { Either, Predicate } from "effect"
import { mismatch, missing, notAllowed, outOfRange, placeOf, fault } from "./Answers.ts"
import {
  anyOf,
  area,
  computed,
  date,
  datetime,
  type Field,
  fixed,
  flag,
  integer,
  lookup,
  type Module,
  participants,
  pick,
  required,
  stampOf,
  system,
  tags,
  text,
  what
} from "./Fields.ts"

/** Modules that activities and notes are kept on. */
const subjects = ["Accounts", "Deals", "Leads"]

const about: ReadonlyArray<Field> = [what(subjects), lookup("Who_Id", "Contacts"), tags("Tag", { initial: [] })]

export const tasks: Module = {
  name: "Tasks",
  singular: "Task",
  named: "Subject",
  fields: [
    required(text("Subject", 300)),
    ...about,
    fixed(datetime("Closed_Time")),
    area("Description"),
    date("Due_Date"),
    pick("Priority", ["High", "Highest", "Low", "Lowest", "Normal"]),
    pick("Status", ["Not Started", "Deferred", "In Progress", "Completed", "Waiting for input"], {
      initial: "Not Started"
    }),
    flag("Send_Notification_Email"),
    fixed(flag("Locked__s")),
    ...system
  ],
  prepare: ({ before, doc, org }) =>
    Either.right({
      ...doc,
      Closed_Time: doc.Status !== "Completed" ? null : (before?.Closed_Time ?? stampOf(org.now))
    })
}

const dateOf = (value: unknown) => Date.parse(String(value))

export const events: Module = {
  name: "Events",
  singular: "Meeting",
  named: "Event_Title",
  fields: [
    required(text("Event_Title", 255, { label: "Title" })),
    ...about,
    flag("All_day"),
    area("Description"),
    required(datetime("End_DateTime", { label: "To" })),
    participants("Participants", { initial: [] }),
    required(datetime("Start_DateTime", { label: "From" })),
    text("Venue", 255, { label: "Location" }),
    ...["Check_In_Address", "Check_In_City", "Check_In_Comment", "Check_In_Country", "Check_In_State"].map((name) =>
      fixed(text(name))
    ),
    fixed(datetime("Check_In_Time")),
    fixed(pick("Check_In_Status", ["PLANNED", "VISITED"], { initial: "PLANNED" })),
    ...system
  ],
  prepare: ({ doc, row }) =>
    dateOf(doc.End_DateTime) < dateOf(doc.Start_DateTime)
      ? Either.left(
          mismatch(
            placeOf(row, "End_DateTime"),
            placeOf(row, "Start_DateTime"),
            "End_DateTime must be greater than Start_DateTime"
          )
        )
      : Either.right(doc)
}

/** Minutes and seconds of a call: `14:10`. */
const duration = /^(\d{1,5}):([0-5]\d)$/

const secondsOf = (text: unknown) => {
  const [, minutes, seconds] = duration.exec(typeof text === "string" ? text : "") ?? []
  return minutes === undefined ? null : Number(minutes) * 60 + Number(seconds)
}

export const calls: Module = {
  name: "Calls",
  singular: "Call",
  named: "Subject",
  fields: [
    required(text("Subject", 255)),
    ...about,
    text("Call_Agenda", 255),
    text("Call_Duration", 8),
    computed(integer("Call_Duration_in_seconds"), ({ Call_Duration: given }) => secondsOf(given)),
    pick("Call_Purpose", ["Prospecting", "Administrative", "Negotiation", "Demo", "Project", "Desk"]),
    pick("Call_Result", [
      "Interested",
      "Not interested",
      "No response/Busy",
      "Requested more info",
      "Requested call back",
      "Invalid number"
    ]),
    required(datetime("Call_Start_Time")),
    required(pick("Call_Type", ["Inbound", "Outbound", "Missed"], { closed: true })),
    fixed(text("Caller_ID", 50)),
    fixed(flag("CTI_Entry")),
    area("Description"),
    fixed(text("Dialled_Number", 50)),
    pick("Outgoing_Call_Status", ["Scheduled", "Completed", "Overdue", "Cancelled"]),
    fixed(flag("Scheduled_In_CRM")),
    ...system
  ],
  prepare: ({ before, doc, org, row }) => {
    if (doc.Call_Duration !== null && secondsOf(doc.Call_Duration) === null) {
      return Either.left(outOfRange(placeOf(row, "Call_Duration"), 0, 99_999))
    }
    const status = doc.Outgoing_Call_Status
    if (before !== undefined || doc.Call_Type !== "Outbound" || status !== null) return Either.right(doc)
    return Either.right({
      ...doc,
      Outgoing_Call_Status: dateOf(doc.Call_Start_Time) > org.now ? "Scheduled" : "Completed"
    })
  }
}

/**
 * https://www.zoho.com/crm/developer/docs/api/v8/notes.html: a note stays with its record, and belongs to who wrote it.
 */
export const notes: Module = {
  name: "Notes",
  singular: "Note",
  named: "Note_Title",
  fields: [
    text("Note_Title", 120),
    area("Note_Content", 65_535),
    required(anyOf("Parent_Id", ["Accounts", "Contacts", "Deals", "Leads", "Tasks", "Events", "Calls"])),
    ...system.map((field) => (field.name === "Owner" ? fixed(field) : field))
  ],
  prepare: ({ before, doc, row }) => {
    if (doc.Note_Title === null && doc.Note_Content === null) {
      return Either.left(
        fault("EXPECTED_FIELD_MISSING", "should contain either content or title", {
          expected_fields: [placeOf(row, "Note_Content"), placeOf(row, "Note_Title")]
        })
      )
    }
    const idOf = (value: unknown) => (Predicate.hasProperty(value, "id") ? value.id : undefined)
    if (before !== undefined && idOf(before.Parent_Id) !== idOf(doc.Parent_Id)) {
      return Either.left(notAllowed(placeOf(row, "Parent_Id"), "the parent of a note cannot be changed"))
    }
    return doc.Parent_Id === null ? Either.left(missing(placeOf(row, "Parent_Id"))) : Either.right(doc)
  }
}
