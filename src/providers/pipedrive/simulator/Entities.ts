import type { Account, Doc } from "../../simulation/Account.ts"
import * as Kinds from "./Kinds.ts"
import type { Kind } from "./Kinds.ts"
import { activityTypes, company, industries, keyOf, labels, me, optionsFrom, priorities } from "./Settings.ts"

/** A field of a kind of record: how it shows, and who may write it. */
export interface Field {
  /** Key in requests and answers; 40 characters for a custom field. */
  readonly code: string
  readonly name: string
  readonly kind: Kind
  /** Absent: Pipedrive sets it. */
  readonly writes?: "always" | "create"
  readonly isNullable?: boolean
  readonly isRequired?: boolean
  /** Shown where nothing is kept, and kept where a new record does not say. */
  readonly initial: unknown
  /** Shown only when it is asked for by `include_fields`. */
  readonly isOptional?: boolean
  /** Said to a request that writes it although Pipedrive sets it. */
  readonly refusal?: string
}

export interface Entity {
  /** As it stands in paths, and as records are kept. */
  readonly name: "persons" | "organizations" | "deals" | "activities"
  readonly fields: ReadonlyArray<Field>
  /** Absent: records of this kind have none. */
  readonly customFields?: ReadonlyArray<Field>
  readonly sorts: ReadonlyArray<string>
  /** Query parameters that compare with a field of the same name. */
  readonly filters: ReadonlyArray<string>
  readonly costs: { readonly list: number; readonly get: number; readonly write: number; readonly remove: number }
}

const fixed = (code: string, name: string, kind: Kind, initial: unknown = null): Field => ({
  code,
  name,
  kind,
  initial
})

const open = (code: string, name: string, kind: Kind): Field => ({
  ...fixed(code, name, kind),
  writes: "always",
  isNullable: true
})

/** A field that always has a value. */
const filled = (code: string, name: string, kind: Kind, initial: unknown): Field => ({
  ...fixed(code, name, kind, initial),
  writes: "always"
})

const required = (code: string, name: string): Field => ({
  ...filled(code, name, Kinds.name, null),
  isRequired: true
})

const custom = (entity: string, name: string, kind: Kind): Field => open(keyOf(`${entity} ${name}`), name, kind)

const id = fixed("id", "ID", Kinds.integer())
const ownerField = filled("owner_id", "Owner", Kinds.owner, me.id)
const addTime: Field = { ...fixed("add_time", "Created", Kinds.datetime), writes: "create" }
const updateTime = fixed("update_time", "Update time", Kinds.datetime)
const isDeleted = fixed("is_deleted", "Deleted", Kinds.flag, false)
const visibleTo = filled("visible_to", "Visible to", Kinds.choice([1, 3, 5, 7], "visible_to"), 3)
const labelIds = (of: keyof typeof labels) => filled("label_ids", "Labels", Kinds.optionSet(labels[of], true), [])

const org = Kinds.reference("organizations", "org")
const person = Kinds.reference("persons", "people")

const persons: Entity = {
  name: "persons",
  fields: [
    id,
    required("name", "Name"),
    { ...filled("first_name", "First name", Kinds.text(), null), isNullable: true },
    { ...filled("last_name", "Last name", Kinds.text(), null), isNullable: true },
    ownerField,
    open("org_id", "Organization", org),
    addTime,
    updateTime,
    filled("emails", "Email", Kinds.contactPoints("varchar"), []),
    filled("phones", "Phone", Kinds.contactPoints("phone"), []),
    isDeleted,
    visibleTo,
    labelIds("persons"),
    fixed("picture_id", "Profile picture", { ...Kinds.integer(), type: "picture" }),
    open("postal_address", "Postal address", Kinds.address),
    open("notes", "Notes", Kinds.text(10_000, "text")),
    filled("im", "Instant messenger", Kinds.contactPoints("varchar"), []),
    open("birthday", "Birthday", Kinds.date),
    open("job_title", "Job title", Kinds.text())
  ],
  customFields: [
    custom("persons", "Customer number", Kinds.text()),
    custom("persons", "Loyalty tier", Kinds.option(optionsFrom(101, ["Bronze", "Silver", "Gold"]))),
    custom("persons", "Topics of interest", Kinds.optionSet(optionsFrom(111, ["Events", "Training", "New products"]))),
    custom("persons", "Customer since", Kinds.date),
    custom("persons", "Assistant's phone", Kinds.text(255, "phone")),
    custom("persons", "Reports to", person),
    custom("persons", "Account manager", Kinds.owner)
  ],
  sorts: ["id", "update_time", "add_time"],
  filters: ["owner_id", "org_id"],
  costs: { list: 10, get: 1, write: 5, remove: 3 }
}

const organizations: Entity = {
  name: "organizations",
  fields: [
    id,
    required("name", "Name"),
    ownerField,
    addTime,
    updateTime,
    open("address", "Address", Kinds.address),
    isDeleted,
    visibleTo,
    labelIds("organizations"),
    open("website", "Website", Kinds.text()),
    open("linkedin", "LinkedIn profile", Kinds.text()),
    open("industry", "Industry", Kinds.option(industries)),
    open("annual_revenue", "Annual revenue", Kinds.integer(0)),
    open("employee_count", "Number of employees", Kinds.integer(0))
  ],
  customFields: [
    custom("organizations", "VAT number", Kinds.text(255, "varchar_auto")),
    custom("organizations", "Delivery address", Kinds.address),
    custom("organizations", "Credit limit", Kinds.monetary),
    custom("organizations", "Opening hours", Kinds.timeRange),
    custom("organizations", "Delivery days", Kinds.optionSet(optionsFrom(121, ["Mon", "Tue", "Wed", "Thu", "Fri"]))),
    custom("organizations", "Parent organization", org)
  ],
  sorts: ["id", "update_time", "add_time"],
  filters: ["owner_id"],
  costs: { list: 10, get: 1, write: 5, remove: 3 }
}

const deals: Entity = {
  name: "deals",
  fields: [
    id,
    required("title", "Title"),
    fixed("creator_user_id", "Creator", Kinds.owner, me.id),
    ownerField,
    { ...filled("value", "Value", Kinds.number(0, Infinity, "monetary"), 0), isNullable: true },
    open("person_id", "Contact person", person),
    open("org_id", "Organization", org),
    filled("stage_id", "Stage", { ...Kinds.integer(), type: "stage" }, null),
    filled("pipeline_id", "Pipeline", Kinds.integer(), null),
    filled("currency", "Currency", Kinds.currency, company.currency),
    open("archive_time", "Archive time", Kinds.datetime),
    fixed("add_time", "Deal created", Kinds.datetime),
    updateTime,
    fixed("stage_change_time", "Last stage change", Kinds.datetime),
    filled("status", "Status", Kinds.choice(["open", "won", "lost"], "status"), "open"),
    filled("is_archived", "Archived", Kinds.flag, false),
    filled("is_deleted", "Deleted", Kinds.flag, false),
    open("probability", "Probability", Kinds.number(0, 100, "int")),
    open("lost_reason", "Lost reason", Kinds.text(255, "varchar_options")),
    visibleTo,
    open("close_time", "Deal closed on", Kinds.datetime),
    open("won_time", "Won time", Kinds.datetime),
    open("lost_time", "Lost time", Kinds.datetime),
    fixed("local_won_date", "Won date", Kinds.date),
    fixed("local_lost_date", "Lost date", Kinds.date),
    fixed("local_close_date", "Close date", Kinds.date),
    open("expected_close_date", "Expected close date", Kinds.date),
    labelIds("deals"),
    fixed("origin", "Source origin", Kinds.text(), "API"),
    fixed("origin_id", "Source origin ID", Kinds.text()),
    fixed("channel", "Source channel", Kinds.integer()),
    fixed("channel_id", "Source channel ID", Kinds.text()),
    fixed("acv", "Annual contract value", Kinds.number()),
    fixed("arr", "Annual recurring revenue", Kinds.number()),
    fixed("mrr", "Monthly recurring revenue", Kinds.number())
  ],
  customFields: [
    custom("deals", "Purchase order", Kinds.text()),
    custom("deals", "Requirements", Kinds.text(65_535, "text")),
    custom("deals", "Lead time in days", Kinds.number()),
    custom("deals", "Freight budget", Kinds.monetary),
    custom("deals", "Delivery window", Kinds.dateRange),
    custom("deals", "Delivery time", Kinds.time),
    custom("deals", "Competitor", Kinds.option(optionsFrom(131, ["Brightwater & Sons", "Holzmann AG", "None"]))),
    custom("deals", "Product lines", Kinds.optionSet(optionsFrom(141, ["Desks", "Seating", "Storage", "Lighting"])))
  ],
  sorts: ["id", "update_time", "add_time"],
  filters: ["owner_id", "person_id", "org_id", "pipeline_id", "stage_id"],
  costs: { list: 10, get: 1, write: 5, remove: 3 }
}

const activities: Entity = {
  name: "activities",
  fields: [
    id,
    filled("subject", "Subject", Kinds.name, null),
    filled("type", "Type", Kinds.choice(activityTypes.map(({ key_string }) => key_string)), "call"),
    ownerField,
    fixed("creator_user_id", "Creator", Kinds.owner, me.id),
    isDeleted,
    fixed("add_time", "Add time", Kinds.datetime),
    updateTime,
    open("deal_id", "Deal", Kinds.reference("deals", "deal")),
    open("lead_id", "Lead", Kinds.reference("leads", "lead", "string")),
    // https://pipedrive.readme.io/docs/pipedrive-api-v2-migration-guide
    {
      ...fixed("person_id", "Contact person", person),
      refusal:
        "'person_id' is a read-only field. Add a primary participant to set 'person_id' instead. " +
        'For example: "participants": [{ "person_id": 1, "primary": true }]'
    },
    open("org_id", "Organization", org),
    open("project_id", "Project", Kinds.reference("projects", "project")),
    open("due_date", "Due date", Kinds.date),
    open("due_time", "Due time", Kinds.clock()),
    open("duration", "Duration", Kinds.clock(999)),
    filled("busy", "Free/busy", Kinds.flag, false),
    filled("done", "Done", Kinds.flag, false),
    fixed("marked_as_done_time", "Marked as done time", Kinds.datetime),
    open("location", "Location", Kinds.address),
    filled("participants", "Participants", Kinds.participants, []),
    { ...filled("attendees", "Attendees", Kinds.attendees, []), isOptional: true },
    fixed("conference_meeting_client", "Video call", Kinds.text()),
    fixed("conference_meeting_url", "Video call link", Kinds.text()),
    fixed("conference_meeting_id", "Video call ID", Kinds.text()),
    open("public_description", "Public description", Kinds.text(65_535, "text")),
    open("priority", "Priority", Kinds.option(priorities)),
    open("note", "Note", Kinds.text(65_535, "text"))
  ],
  sorts: ["id", "update_time", "add_time", "due_date"],
  filters: ["owner_id", "deal_id", "lead_id", "person_id", "org_id"],
  costs: { list: 10, get: 1, write: 5, remove: 3 }
}

export const entities = { persons, organizations, deals, activities }

/** Days after which what was deleted is gone. */
const keptDeleted = 30

/** A record that is there, deleted or not. */
export const recordOf = (account: Account, type: string, id: string): Doc | undefined => {
  const record = account.get(type, id)
  if (record?.is_deleted !== true) return record
  return account.now - Date.parse(String(record.update_time)) < keptDeleted * 86_400_000 ? record : undefined
}

/** Records that are not deleted. */
export const liveOf = (account: Account, type: string): ReadonlyArray<Doc> =>
  account.all(type).filter(({ is_deleted }) => is_deleted !== true)
