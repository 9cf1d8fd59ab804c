import { Either } from "effect"
import { refused } from "../../simulation/table/Complaint.ts"
import {
  anyOf,
  area,
  computed,
  date,
  datetime,
  type Field,
  fixed,
  flag,
  idOf,
  integer,
  lookup,
  mismatch,
  module,
  notAllowed,
  participants,
  pick,
  required,
  system,
  tags,
  text,
  what
} from "./Fields.ts"
import { stampOf } from "./Stamps.ts"

/** Modules that activities and notes are kept on. */
const subjects = ["Accounts", "Deals", "Leads"]

const about: ReadonlyArray<Field> = [what(subjects), lookup("Who_Id", "Contacts"), tags("Tag", { initial: [] })]

export const tasks = module({
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
    fixed(flag("Locked__s"))
  ],
  checks: [
    ({ account, after, before }) =>
      Either.right({
        ...after,
        Closed_Time: after.Status !== "Completed" ? null : (before?.Closed_Time ?? stampOf(account.now))
      })
  ]
})

const dateOf = (value: unknown) => Date.parse(String(value))

export const events = module({
  name: "Events",
  singular: "Meeting",
  named: "Event_Title",
  fields: [
    required(text("Event_Title", 255, { name: "Title" })),
    ...about,
    flag("All_day"),
    area("Description"),
    required(datetime("End_DateTime", { name: "To" })),
    participants("Participants", { initial: [] }),
    required(datetime("Start_DateTime", { name: "From" })),
    text("Venue", 255, { name: "Location" }),
    ...["Check_In_Address", "Check_In_City", "Check_In_Comment", "Check_In_Country", "Check_In_State"].map((name) =>
      fixed(text(name))
    ),
    fixed(datetime("Check_In_Time")),
    fixed(pick("Check_In_Status", ["PLANNED", "VISITED"], { initial: "PLANNED" }))
  ],
  checks: [
    ({ after }) =>
      dateOf(after.End_DateTime) < dateOf(after.Start_DateTime)
        ? mismatch("End_DateTime", "Start_DateTime", "End_DateTime must be greater than Start_DateTime")
        : Either.right(after)
  ]
})

/** Minutes and seconds of a call: `14:10`. */
const duration = /^(\d{1,5}):([0-5]\d)$/

const secondsOf = (text: unknown) => {
  const [, minutes, seconds] = duration.exec(typeof text === "string" ? text : "") ?? []
  return minutes === undefined ? null : Number(minutes) * 60 + Number(seconds)
}

export const calls = module({
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
    fixed(flag("Scheduled_In_CRM"))
  ],
  checks: [
    ({ after }) =>
      after.Call_Duration !== null && secondsOf(after.Call_Duration) === null
        ? Either.left([{ path: "Call_Duration", complaint: { is: "most", bound: 99_999 } }])
        : Either.right(after),
    ({ account, after, before }) =>
      before !== undefined || after.Call_Type !== "Outbound" || after.Outgoing_Call_Status !== null
        ? Either.right(after)
        : Either.right({
            ...after,
            Outgoing_Call_Status: dateOf(after.Call_Start_Time) > account.now ? "Scheduled" : "Completed"
          })
  ]
})

/**
 * https://www.zoho.com/crm/developer/docs/api/v8/notes.html: a note stays with its record, and belongs to who wrote it.
 */
export const notes = module({
  name: "Notes",
  singular: "Note",
  named: "Note_Title",
  fields: [
    text("Note_Title", 120),
    area("Note_Content", 65_535),
    required(anyOf("Parent_Id", ["Accounts", "Contacts", "Deals", "Leads", "Tasks", "Events", "Calls"])),
    ...system.map((field) => (field.code === "Owner" ? fixed(field) : field))
  ],
  checks: [
    ({ after }) =>
      after.Note_Title === null && after.Note_Content === null
        ? refused("should contain either content or title", "Note_Content", {
            code: "EXPECTED_FIELD_MISSING",
            others: ["Note_Title"]
          })
        : Either.right(after),
    ({ after, before = after }) =>
      idOf(before.Parent_Id) === idOf(after.Parent_Id)
        ? Either.right(after)
        : notAllowed("Parent_Id", "the parent of a note cannot be changed")
  ]
})
