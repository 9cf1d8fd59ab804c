import { Either } from "effect"
import { refused } from "../../simulation/table/Complaint.ts"
import type { Rule } from "../../simulation/table/Kind.ts"
import {
  anyOf,
  area,
  currency,
  datetime,
  fixed,
  flag,
  idOf,
  integer,
  lookup,
  mismatch,
  module,
  notAllowed,
  owner,
  owners,
  pick,
  required,
  tags,
  text
} from "./Fields.ts"
import { me, stampOf } from "./Stamps.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/appointments.html

export const services = module({
  name: "Services__s",
  singular: "Service",
  named: "Service_Name",
  fields: [
    required(text("Service_Name", 225)),
    required(integer("Duration")),
    required(owners("Members")),
    pick("Availability_Type", ["Every day", "Particular days", "Specific dates", "Custom timings"]),
    area("Description"),
    flag("Job_Sheet_Required"),
    pick("Location", ["Business Address", "Client Address"], { initial: "Business Address" }),
    currency("Price"),
    pick("Status", ["Active", "Inactive"], { closed: true, initial: "Active" }),
    tags("Tag", { initial: [] })
  ]
})

const dateOf = (value: unknown) => Date.parse(String(value))

const cancelling = ["Cancellation_Reason", "Cancellation_Note"] as const

/** The complaint about a state that does not fit the times; undefined if it does. */
const complaintOf = (status: unknown, starts: number, ends: number, now: number): string | undefined => {
  if (status === "Scheduled" && starts < now) return "Appointment cannot be scheduled for past dates"
  if (status === "Completed" && ends > now)
    return "Appointment cannot be marked as completed before the appointment ends"
  if (status === "Overdue" && ends > now) return "Appointment cannot be marked as overdue before the appointment ends"
  return undefined
}

/** Checks that the values of an appointment fit together, and fills in those that follow from others. */
const fits: Rule = ({ account, after: doc, before }) => {
  const service = account.get(services.name, String(idOf(doc.Service_Name)))
  const members = Array.isArray(service?.Members) ? service.Members : []
  const isChanged = (name: string) => before === undefined || before[name] !== doc[name]
  if (before !== undefined && idOf(before.Service_Name) !== idOf(doc.Service_Name)) {
    return notAllowed("Service_Name", "Service cannot be changed")
  }
  if (isChanged("Owner") && !members.includes(doc.Owner)) {
    return mismatch("Owner.id", "Services.Members", "Appointment Owner is not a part of Service Members")
  }
  if (doc.Location === "Client Address" && doc.Address === null) {
    return refused("Dependent Field missing", "Address", { code: "DEPENDENT_FIELD_MISSING", others: ["Location"] })
  }
  const stray = cancelling.find((name) => doc[name] !== null && doc.Status !== "Cancelled")
  if (stray !== undefined) {
    return mismatch(
      "Status",
      stray,
      "To Update the fields of Cancellation Information Section, value of Status should be Cancelled"
    )
  }
  const starts = dateOf(doc.Appointment_Start_Time)
  const ends = starts + Number(doc.Duration ?? service?.Duration ?? 0) * 60_000
  const untimely =
    isChanged("Status") || isChanged("Appointment_Start_Time")
      ? complaintOf(doc.Status, starts, ends, account.now)
      : undefined
  if (untimely !== undefined) return mismatch("Status", "Appointment_Start_Time", untimely)
  return Either.right({
    ...doc,
    Appointment_Name: doc.Appointment_Name ?? service?.Service_Name,
    Duration: doc.Duration ?? service?.Duration,
    Appointment_End_Time: stampOf(ends)
  })
}

/** Notes the former time of an appointment that is moved, and the time of a cancellation. */
const records: Rule = ({ account, after: doc, before }) => {
  const isMoved = before !== undefined && before.Appointment_Start_Time !== doc.Appointment_Start_Time
  const isCancelled = doc.Status === "Cancelled" && before?.Status !== "Cancelled"
  const now = stampOf(account.now)
  return Either.right({
    ...doc,
    ...(isMoved
      ? {
          Rescheduled_From: before.Appointment_Start_Time,
          Rescheduled_To: doc.Appointment_Start_Time,
          Rescheduled_Time: now,
          Rescheduled_By: me(account),
          Reschedule_Count: Number(before.Reschedule_Count ?? 0) + 1
        }
      : {}),
    ...(isCancelled ? { Cancelled_Time: now, Cancelled_By: me(account) } : {})
  })
}

export const appointments = module({
  name: "Appointments__s",
  singular: "Appointment",
  named: "Appointment_Name",
  batch: 4,
  fields: [
    text("Appointment_Name", 225),
    required(anyOf("Appointment_For", ["Leads", "Contacts", "Accounts", "Deals"])),
    required(lookup("Service_Name", services.name)),
    required(datetime("Appointment_Start_Time")),
    fixed(datetime("Appointment_End_Time")),
    integer("Duration"),
    pick("Status", ["Scheduled", "Completed", "Overdue", "Cancelled"], { closed: true, initial: "Scheduled" }),
    pick("Location", ["Business Address", "Client Address"], { closed: true, initial: "Business Address" }),
    text("Address"),
    area("Additional_Information"),
    pick("Cancellation_Reason", ["By Customer", "By Business"]),
    area("Cancellation_Note", 2000),
    fixed(owner("Cancelled_By")),
    fixed(datetime("Cancelled_Time")),
    pick("Reschedule_Reason", ["By Customer", "By Business"]),
    area("Reschedule_Note", 2000),
    fixed(integer("Reschedule_Count", { initial: 0 })),
    fixed(owner("Rescheduled_By")),
    fixed(datetime("Rescheduled_From")),
    fixed(datetime("Rescheduled_To")),
    fixed(datetime("Rescheduled_Time")),
    fixed(flag("Job_Sheet_Created__s")),
    tags("Tag", { initial: [] })
  ],
  checks: [fits, records]
})
