import { Record } from "effect"
import { Appointment } from "../../canonical/crm/Appointment.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import { computed, staysAsItIs } from "../../mapping/Entries.ts"
import { type Encoding, getPath } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { wide } from "../Filtering.ts"
import { idOfModule, mappingOf, moment, owner, stamps, state } from "./Common.ts"
import { moments, oneOf, refers } from "./Criteria.ts"
import { records } from "./Records.ts"

/** Whether an appointment was before today. */
const isOver = ({ body, current, today }: Encoding) => {
  const start = Date.parse(String(body.start_time ?? current?.record.Appointment_Start_Time))
  return start < Date.parse(today)
}

const statuses = new Map([
  ["Scheduled", "SCHEDULED"],
  // set by Zoho once the time has passed
  ["Overdue", "SCHEDULED"],
  ["Completed", "COMPLETED"],
  ["Cancelled", "CANCELLED"]
])

/** An appointment is at the business's own address, or at one of the customer's, which is then said. */
const location = computed({
  canonical: "location",
  native: ["Location", "Address"],
  decode: ({ record }) => (record.Location === "Client Address" ? record.Address : null),
  encode: (value, { set }) => {
    set("Location", value === null ? "Business Address" : "Client Address")
    set("Address", value)
  }
})

/** The service is fixed when an appointment is made. */
const service = computed({
  canonical: "service",
  native: ["Service_Name"],
  needsCurrent: true,
  decode: ({ record }) => getPath(record, "Service_Name.id"),
  encode: (value, { body, current, prefix, set, warn }) => {
    if (current === undefined) {
      set("Service_Name", { id: value })
      // every appointment has a place
      if ((body.location ?? null) === null) set("Location", "Business Address")
    } else if (body.service !== undefined && value !== getPath(current.record, "Service_Name.id")) {
      warn(`${prefix}service`, "CHANGED", "is fixed when the appointment is made")
    }
  }
})

/** The customer, who may also be of another module. */
const contact = computed({
  canonical: "contact",
  native: ["Appointment_For"],
  needsCurrent: true,
  decode: ({ record }) => idOfModule(record.Appointment_For, "Contacts"),
  encode: (value, { body, current, prefix, set, warn }) => {
    if (value !== null) set("Appointment_For", { module: { api_name: "Contacts" }, id: value })
    else if (body.contact === null && idOfModule(current?.record.Appointment_For, "Contacts") !== null) {
      warn(`${prefix}contact`, "CHANGED", staysAsItIs)
    }
  }
})

// https://www.zoho.com/crm/developer/docs/api/v8/create-appointments.html
// https://www.zoho.com/crm/developer/docs/api/v8/update-appointments.html
const mapping = mappingOf(Appointment, (of) => [
  of.variant({
    nativeType: "Appointments__s",
    entries: [
      ...stamps(of),
      of.field("subject", "Appointment_Name", text),
      ...textContent(of, "Additional_Information", "a Zoho CRM appointment"),
      of.lasting("start_time", "Appointment_Start_Time", moment),
      // follows from how long the service takes
      of.readField("end_time", "Appointment_End_Time", moment),
      state(of, {
        canonical: "status",
        native: ["Status"],
        stateOf: ({ Status }) => statuses.get(String(Status)) ?? null,
        values: {
          SCHEDULED: "Scheduled",
          RESCHEDULED: "Scheduled",
          COMPLETED: "Completed",
          CANCELLED: "Cancelled",
          NO_SHOW: "Cancelled"
        },
        // an appointment that is over cannot be scheduled
        instead: (value, encoding) => (value === "Scheduled" && isOver(encoding) ? "Overdue" : value),
        always: true
      }),
      location(of),
      service(of),
      owner(of),
      contact(of),
      of.computed({
        canonical: "account",
        native: ["Appointment_For"],
        decode: ({ record }) => idOfModule(record.Appointment_For, "Accounts")
      })
    ],
    notHeld: {}
  })
])

const statusClause = oneOf(
  Record.fromIterableWith(new Set(statuses.values()), (status) => [
    status,
    [...statuses].flatMap(([native, one]) => (one === status ? [`Status = '${native}'`] : []))
  ])
)

const clauses = Record.map(
  { owner: refers("Owner"), status: statusClause, ...moments("start", "Appointment_Start_Time") },
  ({ say }) => wide(say)
)

/** Queries know them in examples only. */
export const appointment = (call: Caller) => ({
  ...records(call, mapping, { listed: true, clauses: { Appointments__s: clauses } }),
  needs: ["service", "contact"]
})
