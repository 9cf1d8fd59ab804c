import { Appointment } from "../../canonical/crm/Appointment.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { deleted, mappingOf, stamps } from "./Common.ts"
import { fits, ofKind } from "./Kinds.ts"
import { module } from "./Lacks.ts"
import type { Org } from "./Org.ts"
import { sobject } from "./SObjects.ts"
import { isSame } from "./Soql.ts"

/**
 * Orgs with Salesforce Scheduler or Field Service have it.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_serviceappointment.htm
 */
const type = "ServiceAppointment"

/** By category, as the statuses are the org's own; what is written is the status that the category is named after. */
const categories: { readonly [category: string]: string } = {
  Scheduled: "SCHEDULED",
  Dispatched: "SCHEDULED",
  InProgress: "SCHEDULED",
  Completed: "COMPLETED",
  CannotComplete: "NO_SHOW",
  Canceled: "CANCELLED"
}
/** Without a status it is `None`: null is an error. */
const statuses: { readonly [status: string]: string } = {
  SCHEDULED: "Scheduled",
  RESCHEDULED: "Scheduled",
  COMPLETED: "Completed",
  NO_SHOW: "Cannot Complete",
  CANCELLED: "Canceled"
}

const statusOf = (record: Native) => categories[String(record.StatusCategory)] ?? null

const status = computed({
  canonical: "status",
  native: ["StatusCategory", "Status"],
  decode: ({ record }) => statusOf(record),
  needsCurrent: true,
  encode: (value, { current, set }) => {
    if (current === undefined || statusOf(current.record) !== value) set("Status", statuses[String(value)] ?? "None")
  }
})

/**
 * A scheduled time, with the time in which the appointment may take place around it: that is required, and is widened
 * where it does not hold what is scheduled.
 */
const time = <N extends string>(of: Entries<N>, canonical: N, native: string, limit: string) =>
  of.computed({
    canonical,
    native: [native, limit],
    decode: ({ record }, context) => (record[native] === null ? null : dateTime.decode(record[native], context)),
    needsCurrent: true,
    encode: (value, { get, set }) => {
      set(native, value)
      if (value === null) return
      const at = Date.parse(String(value))
      if (!(Date.parse(String(get("EarliestStartTime"))) <= at)) set("EarliestStartTime", value)
      if (!(Date.parse(String(get("DueDate"))) >= at)) set("DueDate", value)
    }
  })

const lines = ["Street", "City", "State", "PostalCode", "Country"]

const placeOf = (record: Native) => {
  const held = lines.map((name) => record[name]).filter((line) => typeof line === "string" && line !== "")
  return held.length === 0 ? null : held.join(", ")
}

/** The address in one line; one that is written is all street. */
const location = computed({
  canonical: "location",
  native: lines,
  decode: ({ record }) => placeOf(record),
  needsCurrent: true,
  encode: (value, { current, set }) => {
    if (current === undefined) set("Street", value)
    else if (placeOf(current.record) !== value) {
      for (const name of lines) set(name, name === "Street" ? value : null)
    }
  }
})

const parentOf = ({ AccountId, ParentRecordId }: Native) => ofKind("Account", ParentRecordId) ?? AccountId ?? null

/** The record it is for, which never changes; of a work order, Salesforce gives the account. */
const account = computed({
  canonical: "account",
  native: ["ParentRecordId", "AccountId"],
  decode: ({ record }) => parentOf(record),
  needsCurrent: true,
  encode: (value, encoding) => {
    const { body, current, prefix, refuse, set } = encoding
    if (!fits("Account", value, `${prefix}account`, encoding)) return
    if (current === undefined) set("ParentRecordId", value)
    else if (body.account !== undefined && !isSame(value, parentOf(current.record))) {
      refuse(`${prefix}account`, "cannot be changed: an appointment stays with the record it was made for")
    }
  }
})

const mapping = mappingOf(Appointment, type, (of) => [
  ...stamps(of),
  deleted(of),
  of.field("subject", "Subject", text),
  of.field("content", "Description", text),
  time(of, "start_time", "SchedStartTime", "EarliestStartTime"),
  time(of, "end_time", "SchedEndTime", "DueDate"),
  status(of),
  location(of),
  of.field("service", "WorkTypeId", text),
  of.field("owner", "OwnerId", text),
  of.field("contact", "ContactId", text),
  account(of)
])

export const appointment = (org: Org): ResourceAdapter => ({
  mapping,
  needs: ["account"],
  consistency: "exact",
  requires: [module(type)],
  ...sobject(org, { type })
})
