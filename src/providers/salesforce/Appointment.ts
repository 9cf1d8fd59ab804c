import { Effect, Record } from "effect"
import { Appointment } from "../../canonical/crm/Appointment.ts"
import { textContent } from "../../mapping/ContentEntries.ts"
import { computed, type Entries } from "../../mapping/Entries.ts"
import type { Native } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { deleted, mappingOf, stamps } from "./Common.ts"
import { compare, moments, oneOf, refers } from "./Conditions.ts"
import { fits, ofKind } from "./Kinds.ts"
import { module } from "./Lacks.ts"
import type { Org } from "./Org.ts"
import { sobject } from "./SObjects.ts"
import { isId, isSame, quote, soql } from "./Soql.ts"

/**
 * Orgs with Salesforce Scheduler or Field Service have it.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_serviceappointment.htm
 */
const type = "ServiceAppointment"

/** Value that encoding is given: the account of the contact that an appointment is for. */
const accountOfContact = "accountOfContact"

/** By category, as the statuses are the org's own; a write sets the status that the category is named after. */
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
  encode: (value, { current, prefix, set, warn }) => {
    if (current !== undefined && statusOf(current.record) === value) return
    set("Status", statuses[String(value)] ?? "None")
    if (value === "RESCHEDULED") warn(`${prefix}status`, "STATUS_NOT_REACHED", "is held as SCHEDULED")
  }
})

/**
 * A scheduled time, within the required time in which the appointment may take place; that is widened where it does not
 * hold the scheduled time.
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

const addressOf = (record: Native) => {
  const held = lines.map((name) => record[name]).filter((line) => typeof line === "string" && line !== "")
  return held.length === 0 ? null : held.join(", ")
}

/** The address in one line; one that is written is all street. */
const location = computed({
  canonical: "location",
  native: lines,
  decode: ({ record }) => addressOf(record),
  needsCurrent: true,
  encode: (value, { current, set }) => {
    if (current === undefined) set("Street", value)
    else if (addressOf(current.record) !== value) {
      for (const name of lines) set(name, name === "Street" ? value : null)
    }
  }
})

const parentOf = ({ AccountId, ParentRecordId }: Native) => ofKind("Account", ParentRecordId) ?? AccountId ?? null

/**
 * The record that an appointment is for: always set, and never changed. A create without one takes the account of the
 * contact; for a work order, Salesforce gives its account.
 */
const account = computed({
  canonical: "account",
  native: ["ParentRecordId", "AccountId"],
  decode: ({ record }) => parentOf(record),
  fills: true,
  needsCurrent: true,
  encode: (value, encoding) => {
    const { body, current, lookups, prefix, refuse, set, warn } = encoding
    const path = `${prefix}account`
    if (!fits("Account", value, path, encoding)) return
    if (current === undefined) {
      const parent = value ?? lookups[accountOfContact]
      if (typeof parent !== "string") return refuse(path, "is required: the contact has no account to take instead")
      if (value === null) warn(path, "CHANGED", `is required; it is held as ${parent}, the account of the contact`)
      set("ParentRecordId", parent)
    } else if (body.account !== undefined && !isSame(value, parentOf(current.record))) {
      warn(path, "CHANGED", "cannot be changed: an appointment stays with the record it was made for")
    }
  }
})

const inCategories = (status: string) => {
  const found = Object.keys(categories).filter((category) => categories[category] === status)
  return [compare("StatusCategory", "IN", `(${found.map(quote).join(", ")})`)]
}

const mapping = mappingOf(Appointment, (of) => [
  of.variant({
    nativeType: type,
    entries: [
      ...stamps(of),
      deleted(of),
      of.field("subject", "Subject", text),
      ...textContent(of, "Description", "a Salesforce appointment"),
      time(of, "start_time", "SchedStartTime", "EarliestStartTime"),
      time(of, "end_time", "SchedEndTime", "DueDate"),
      status(of),
      location(of),
      of.field("service", "WorkTypeId", text),
      of.field("owner", "OwnerId", text),
      of.field("contact", "ContactId", text),
      account(of)
    ],
    notHeld: {}
  })
])

export const appointment = (org: Org): ResourceAdapter => ({
  mapping,
  rules: [{ rule: "oneOf", fields: ["account", "contact"] }],
  related: ({ body, connection, mode }) =>
    mode !== "create" || typeof body.account === "string" || !isId(String(body.contact))
      ? Effect.succeed({})
      : Effect.map(
          org.query(
            connection,
            "Contact.get",
            soql(["AccountId"], "Contact", [`Id = ${quote(String(body.contact))}`], "LIMIT 1")
          ),
          ([contact]) => ({ [accountOfContact]: contact?.AccountId })
        ),
  consistency: "exact",
  requires: [module(type)],
  ...sobject(org, {
    type,
    clauses: {
      // of its own only where the parent is none
      account: refers(["ParentRecordId", "AccountId"], "Account"),
      contact: refers("ContactId"),
      owner: refers("OwnerId"),
      status: oneOf(Record.fromIterableWith(Object.values(categories), (status) => [status, inCategories(status)])),
      ...moments("start", "SchedStartTime")
    }
  })
})
