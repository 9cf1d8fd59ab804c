import { Either } from "effect"
import { invalidFields, missing } from "./Faults.ts"
import {
  address,
  area,
  computed,
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
  stamps,
  text,
  views
} from "./Fields.ts"

// What Salesforce Scheduler adds.
// https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_serviceappointment.htm

const every = { create: true, update: true, delete: true }

const categories: { readonly [status: string]: string } = {
  None: "None",
  Scheduled: "Scheduled",
  Dispatched: "Dispatched",
  "In Progress": "InProgress",
  "Cannot Complete": "CannotComplete",
  Completed: "Completed",
  Canceled: "Canceled"
}

const owner = reference("OwnerId", ["User"], { nillable: false })

/** Whether the second of two moments comes before the first; neither where one is missing. */
const isReversed = (from: unknown, to: unknown) => typeof from === "string" && typeof to === "string" && to < from

export const serviceAppointment: SObject = {
  name: "ServiceAppointment",
  plural: "Service Appointments",
  prefix: "08p",
  can: every,
  fields: [
    id,
    owner,
    deletion,
    computed(text("AppointmentNumber", 255, { nillable: false }), ({ Id }) => `SA-${String(Id).slice(10, 15)}`),
    ...stamps,
    ...views,
    onCreate(
      reference("ParentRecordId", ["Account", "Lead", "Opportunity"], {
        children: "ServiceAppointments",
        cascade: true
      })
    ),
    computed(text("ParentRecordType", 50), ({ ParentRecordId }) =>
      String(ParentRecordId).startsWith("001")
        ? "Account"
        : String(ParentRecordId).startsWith("006")
          ? "Opportunity"
          : "Lead"
    ),
    // inherited from work orders only
    fixed(reference("AccountId", ["Account"])),
    reference("ContactId", ["Contact"]),
    reference("WorkTypeId", ["WorkType"]),
    ...address(""),
    area("Description"),
    text("Subject"),
    required(datetime("EarliestStartTime")),
    required(datetime("DueDate")),
    number("Duration"),
    picklist("DurationType", ["Minutes", "Hours"], { restricted: true, initial: "Minutes" }),
    datetime("ArrivalWindowStartTime"),
    datetime("ArrivalWindowEndTime"),
    datetime("SchedStartTime"),
    datetime("SchedEndTime"),
    datetime("ActualStartTime"),
    datetime("ActualEndTime"),
    picklist("Status", Object.keys(categories), { initial: "None" }),
    computed(
      picklist("StatusCategory", Object.values(categories)),
      ({ Status }) => categories[String(Status)] ?? "None"
    )
  ],
  prepare: ({ doc }) => {
    if ((doc.ParentRecordId ?? null) === null) return Either.left(missing(["ParentRecordId"]))
    if (doc.Status === null) return Either.left(missing(["Status"]))
    if (isReversed(doc.EarliestStartTime, doc.DueDate)) {
      return Either.left(invalidFields("The due date must be later than the earliest start permitted.", ["DueDate"]))
    }
    return isReversed(doc.SchedStartTime, doc.SchedEndTime)
      ? Either.left(invalidFields("The scheduled end must be later than the scheduled start.", ["SchedEndTime"]))
      : Either.right(doc)
  }
}

export const workType: SObject = {
  name: "WorkType",
  plural: "Work Types",
  prefix: "08q",
  can: every,
  fields: [
    id,
    owner,
    deletion,
    required(text("Name")),
    area("Description"),
    required(number("EstimatedDuration")),
    picklist("DurationType", ["Minutes", "Hours"], { restricted: true, initial: "Hours" }),
    flag("ShouldAutoCreateSvcAppt"),
    ...stamps,
    ...views
  ]
}
