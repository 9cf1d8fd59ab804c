import { Either } from "effect"
import {
  address,
  area,
  computed,
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
  text,
  unfit,
  views
} from "./Fields.ts"

// Objects that Salesforce Scheduler adds.
// https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_serviceappointment.htm

const categories: { readonly [status: string]: string } = {
  None: "None",
  Scheduled: "Scheduled",
  Dispatched: "Dispatched",
  "In Progress": "InProgress",
  "Cannot Complete": "CannotComplete",
  Completed: "Completed",
  Canceled: "Canceled"
}

/** Whether the second of two moments comes before the first; false if one is missing. */
const isReversed = (from: unknown, to: unknown) => typeof from === "string" && typeof to === "string" && to < from

export const serviceAppointment = sObject({
  name: "ServiceAppointment",
  fields: [
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
  checks: [
    ({ after }) => {
      if ((after.ParentRecordId ?? null) === null) return lacks("ParentRecordId")
      if (after.Status === null) return lacks("Status")
      if (isReversed(after.EarliestStartTime, after.DueDate)) {
        return unfit("The due date must be later than the earliest start permitted.", "DueDate")
      }
      return isReversed(after.SchedStartTime, after.SchedEndTime)
        ? unfit("The scheduled end must be later than the scheduled start.", "SchedEndTime")
        : Either.right(after)
    }
  ]
})

export const workType = sObject({
  name: "WorkType",
  fields: [
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
})
