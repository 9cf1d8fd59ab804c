import { Either, Predicate } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { alsoNeeded, type Checked, mismatch, notAllowed, placeOf } from "./Answers.ts"
import {
  anyOf,
  area,
  currency,
  datetime,
  fixed,
  flag,
  integer,
  lookup,
  type Module,
  owner,
  owners,
  pick,
  required,
  stampOf,
  system,
  tags,
  text
} from "./Fields.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/appointments.html

export const services: Module = {
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
    tags("Tag", { initial: [] }),
    ...system
  ]
}

const dateOf = (value: unknown) => Date.parse(String(value))

const reference = (value: unknown) => (Predicate.hasProperty(value, "id") ? value.id : undefined)

const cancelling = ["Cancellation_Reason", "Cancellation_Note"] as const

/** What is wrong with a state at a time. */
const complaintOf = (status: unknown, starts: number, ends: number, now: number): string | undefined => {
  if (status === "Scheduled" && starts < now) return "Appointment cannot be scheduled for past dates"
  if (status === "Completed" && ends > now)
    return "Appointment cannot be marked as completed before the appointment ends"
  if (status === "Overdue" && ends > now) return "Appointment cannot be marked as overdue before the appointment ends"
  return undefined
}

/** What fits together in an appointment, as it is to be kept. */
const check = (org: Org, doc: Doc, before: Doc | undefined, row: number): Checked<Doc> => {
  const at = (name: string) => placeOf(row, name)
  const service = org.get(services.name, String(reference(doc.Service_Name)))
  const members = Array.isArray(service?.Members) ? service.Members : []
  const isChanged = (name: string) => before === undefined || before[name] !== doc[name]
  if (before !== undefined && reference(before.Service_Name) !== reference(doc.Service_Name)) {
    return Either.left(notAllowed(at("Service_Name"), "Service cannot be changed"))
  }
  if (isChanged("Owner") && !members.includes(doc.Owner)) {
    return Either.left(
      mismatch(
        placeOf(row, "Owner", "id"),
        at("Services.Members"),
        "Appointment Owner is not a part of Service Members"
      )
    )
  }
  if (doc.Location === "Client Address" && doc.Address === null) {
    return Either.left(alsoNeeded(at("Address"), at("Location"), "Dependent Field missing"))
  }
  const stray = cancelling.find((name) => doc[name] !== null && doc.Status !== "Cancelled")
  if (stray !== undefined) {
    return Either.left(
      mismatch(
        at("Status"),
        at(stray),
        "To Update the fields of Cancellation Information Section, value of Status should be Cancelled"
      )
    )
  }
  const starts = dateOf(doc.Appointment_Start_Time)
  const ends = starts + Number(doc.Duration ?? service?.Duration ?? 0) * 60_000
  const untimely =
    isChanged("Status") || isChanged("Appointment_Start_Time")
      ? complaintOf(doc.Status, starts, ends, org.now)
      : undefined
  if (untimely !== undefined) return Either.left(mismatch(at("Status"), at("Appointment_Start_Time"), untimely))
  return Either.right({ ...doc, Duration: doc.Duration ?? service?.Duration, Appointment_End_Time: stampOf(ends) })
}

/** What a move to another time, or the end of it, leaves behind. */
const record = (org: Org, doc: Doc, before: Doc | undefined): Doc => {
  const isMoved = before !== undefined && before.Appointment_Start_Time !== doc.Appointment_Start_Time
  const isCancelled = doc.Status === "Cancelled" && before?.Status !== "Cancelled"
  const now = stampOf(org.now)
  return {
    ...doc,
    ...(isMoved
      ? {
          Rescheduled_From: before.Appointment_Start_Time,
          Rescheduled_To: doc.Appointment_Start_Time,
          Rescheduled_Time: now,
          Rescheduled_By: doc.Modified_By,
          Reschedule_Count: Number(before.Reschedule_Count ?? 0) + 1
        }
      : {}),
    ...(isCancelled ? { Cancelled_Time: now, Cancelled_By: doc.Modified_By } : {})
  }
}

export const appointments: Module = {
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
    tags("Tag", { initial: [] }),
    ...system
  ],
  prepare: ({ before, doc, org, row }) =>
    Either.map(check(org, doc, before, row), (checked) => {
      const service = org.get(services.name, String(reference(doc.Service_Name)))
      return { ...record(org, checked, before), Appointment_Name: checked.Appointment_Name ?? service?.Service_Name }
    })
}
