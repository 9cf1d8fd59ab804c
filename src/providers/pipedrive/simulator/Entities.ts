import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Field, type Kind, kept, may, must, set } from "../../simulation/table/Kind.ts"
import { equal, flag, where } from "../../simulation/table/Query.ts"
import { choice, known, type Value } from "../../simulation/table/Value.ts"
import { stamp } from "./Answers.ts"
import { counts } from "./Counts.ts"
import { filterId, ids, links, ofDeal, status, updatedSince, updatedUntil } from "./Filters.ts"
import { activityRules, archiveRules, nameRules, stageRules, statusRules } from "./Rules.ts"
import { activityTypes, company, industries, keyOf, labels, me, optionsFrom, priorities } from "./Settings.ts"
import * as V from "./Values.ts"
import { view } from "./View.ts"

/** Days after which what was deleted is gone. */
const keptDeleted = 30

const isOver = ({ now }: Account, { is_deleted, update_time }: Doc) =>
  is_deleted === true && now - Date.parse(String(update_time)) >= keptDeleted * 86_400_000

/** Records of API v2: https://developers.pipedrive.com/docs/api/v1/Persons */
const kind = (
  name: "persons" | "organizations" | "deals" | "activities",
  own: Pick<Kind, "fields"> & Partial<Kind>
): Kind => {
  const fields = [...own.fields, ...counts[name]]
  return {
    name,
    sorts: ["id", "update_time", "add_time"],
    find: (account, id) => {
      const record = account.get(name, id)
      return record === undefined || isOver(account, record) ? undefined : record
    },
    isGone: ({ is_deleted }) => is_deleted === true,
    removed: (account, record) => ({ ...record, is_deleted: true, update_time: stamp(account.now) }),
    made: (account) => ({ add_time: stamp(account.now) }),
    stamps: (account) => ({ update_time: stamp(account.now) }),
    ...own,
    fields,
    filters: [filterId, ids, updatedSince, updatedUntil, ...(own.filters ?? [])],
    view: view(fields, own.bags?.custom_fields)
  }
}

const custom = (entity: string, name: string, value: Value): Field => may(keyOf(`${entity} ${name}`), name, value)

const id = set("id", "ID", V.integer())
const ownerField = kept("owner_id", "Owner", V.owner, me.id)
const addTime: Field = { ...set("add_time", "Created", V.datetime), writes: "create" }
const updateTime = set("update_time", "Update time", V.datetime)
const isDeleted = set("is_deleted", "Deleted", V.flag, false)
const visibleTo = kept("visible_to", "Visible to", choice("visible_to", [1, 3, 5, 7]), 3)
const labelIds = (of: keyof typeof labels) => kept("label_ids", "Labels", V.optionSet(labels[of], true), [])

const org = V.reference("organizations", "org")
const person = V.reference("persons", "people")

const persons = kind("persons", {
  fields: [
    id,
    must("name", "Name", V.name),
    may("first_name", "First name", V.text()),
    may("last_name", "Last name", V.text()),
    ownerField,
    may("org_id", "Organization", org),
    addTime,
    updateTime,
    kept("emails", "Email", V.contactPoints("varchar"), []),
    kept("phones", "Phone", V.contactPoints("phone"), []),
    isDeleted,
    visibleTo,
    labelIds("persons"),
    set("picture_id", "Profile picture", V.integer(-Infinity, "picture")),
    may("postal_address", "Postal address", V.address),
    may("notes", "Notes", V.text(10_000, "text")),
    kept("im", "Instant messenger", V.contactPoints("varchar"), []),
    may("birthday", "Birthday", V.date),
    may("job_title", "Job title", V.text())
  ],
  bags: {
    custom_fields: [
      custom("persons", "Customer number", V.text()),
      custom("persons", "Loyalty tier", V.option(optionsFrom(101, ["Bronze", "Silver", "Gold"]))),
      custom("persons", "Topics of interest", V.optionSet(optionsFrom(111, ["Events", "Training", "New products"]))),
      custom("persons", "Customer since", V.date),
      custom("persons", "Assistant's phone", V.text(255, "phone")),
      custom("persons", "Reports to", person),
      custom("persons", "Account manager", V.owner)
    ]
  },
  filters: [...links("owner_id", "org_id"), ofDeal],
  rules: [nameRules]
})

const organizations = kind("organizations", {
  fields: [
    id,
    must("name", "Name", V.name),
    ownerField,
    addTime,
    updateTime,
    may("address", "Address", V.address),
    isDeleted,
    visibleTo,
    labelIds("organizations"),
    may("website", "Website", V.text()),
    may("linkedin", "LinkedIn profile", V.text()),
    may("industry", "Industry", V.option(industries)),
    may("annual_revenue", "Annual revenue", V.integer(0)),
    may("employee_count", "Number of employees", V.integer(0))
  ],
  bags: {
    custom_fields: [
      custom("organizations", "VAT number", V.text(255, "varchar_auto")),
      custom("organizations", "Delivery address", V.address),
      custom("organizations", "Credit limit", V.monetary),
      custom("organizations", "Opening hours", V.timeRange),
      custom("organizations", "Delivery days", V.optionSet(optionsFrom(121, ["Mon", "Tue", "Wed", "Thu", "Fri"]))),
      custom("organizations", "Parent organization", org)
    ]
  },
  filters: links("owner_id")
})

const deals = kind("deals", {
  fields: [
    id,
    must("title", "Title", V.name),
    set("creator_user_id", "Creator", V.owner, me.id),
    ownerField,
    { ...kept("value", "Value", V.number(0, Infinity, "monetary"), 0), isNullable: true },
    may("person_id", "Contact person", person),
    may("org_id", "Organization", org),
    kept("stage_id", "Stage", V.integer(-Infinity, "stage"), null),
    kept("pipeline_id", "Pipeline", V.integer(), null),
    kept("currency", "Currency", V.currency, company.currency),
    may("archive_time", "Archive time", V.datetime),
    set("add_time", "Deal created", V.datetime),
    updateTime,
    set("stage_change_time", "Last stage change", V.datetime),
    kept("status", "Status", choice("status", ["open", "won", "lost"]), "open"),
    kept("is_archived", "Archived", V.flag, false),
    kept("is_deleted", "Deleted", V.flag, false),
    may("probability", "Probability", V.number(0, 100, "int")),
    may("lost_reason", "Lost reason", V.text(255, "varchar_options")),
    visibleTo,
    may("close_time", "Deal closed on", V.datetime),
    may("won_time", "Won time", V.datetime),
    may("lost_time", "Lost time", V.datetime),
    set("local_won_date", "Won date", V.date),
    set("local_lost_date", "Lost date", V.date),
    set("local_close_date", "Close date", V.date),
    may("expected_close_date", "Expected close date", V.date),
    labelIds("deals"),
    set("origin", "Source origin", V.text(), "API"),
    set("origin_id", "Source origin ID", V.text()),
    set("channel", "Source channel", V.integer()),
    set("channel_id", "Source channel ID", V.text()),
    set("acv", "Annual contract value", V.number()),
    set("arr", "Annual recurring revenue", V.number()),
    set("mrr", "Monthly recurring revenue", V.number())
  ],
  bags: {
    custom_fields: [
      custom("deals", "Purchase order", V.text()),
      custom("deals", "Requirements", V.text(65_535, "text")),
      custom("deals", "Lead time in days", V.number()),
      custom("deals", "Freight budget", V.monetary),
      custom("deals", "Delivery window", V.dateRange),
      custom("deals", "Delivery time", V.time),
      custom("deals", "Competitor", V.option(optionsFrom(131, ["Brightwater & Sons", "Holzmann AG", "None"]))),
      custom("deals", "Product lines", V.optionSet(optionsFrom(141, ["Desks", "Seating", "Storage", "Lighting"])))
    ]
  },
  all: (account) => account.all("deals").filter((deal) => !isOver(account, deal)),
  isListed: ({ is_archived }) => is_archived !== true,
  filters: [...links("owner_id", "person_id", "org_id", "pipeline_id", "stage_id"), status],
  rules: [stageRules, statusRules, archiveRules],
  restores: ({ is_deleted }) => is_deleted === false
})

const activities = kind("activities", {
  fields: [
    id,
    kept("subject", "Subject", V.name, null),
    kept(
      "type",
      "Type",
      choice(
        "enum",
        activityTypes.map(({ key_string }) => key_string)
      ),
      "call"
    ),
    ownerField,
    set("creator_user_id", "Creator", V.owner, me.id),
    isDeleted,
    set("add_time", "Add time", V.datetime),
    updateTime,
    may("deal_id", "Deal", V.reference("deals", "deal")),
    may("lead_id", "Lead", V.reference("leads", "lead", "string")),
    // https://pipedrive.readme.io/docs/pipedrive-api-v2-migration-guide
    {
      ...set("person_id", "Contact person", person),
      refusal:
        "'person_id' is a read-only field. Add a primary participant to set 'person_id' instead. " +
        'For example: "participants": [{ "person_id": 1, "primary": true }]'
    },
    may("org_id", "Organization", org),
    // the account has no projects
    may(
      "project_id",
      "Project",
      known("project", "number", () => false)
    ),
    may("due_date", "Due date", V.date),
    may("due_time", "Due time", V.clock()),
    may("duration", "Duration", V.clock(999)),
    kept("busy", "Free/busy", V.flag, false),
    kept("done", "Done", V.flag, false),
    set("marked_as_done_time", "Marked as done time", V.datetime),
    may("location", "Location", V.address),
    kept("participants", "Participants", V.participants, []),
    { ...kept("attendees", "Attendees", V.attendees, []), isOptional: true },
    set("conference_meeting_client", "Video call", V.text()),
    set("conference_meeting_url", "Video call link", V.text()),
    set("conference_meeting_id", "Video call ID", V.text()),
    may("public_description", "Public description", V.text(65_535, "text")),
    may("priority", "Priority", V.option(priorities)),
    may("note", "Note", V.text(65_535, "text"))
  ],
  sorts: ["id", "update_time", "add_time", "due_date"],
  filters: [
    ...links("owner_id", "deal_id", "person_id", "org_id"),
    equal("lead_id", Either.right),
    where("done", flag, (record, done) => record.done === done)
  ],
  rules: [activityRules]
})

export const entities = { persons, organizations, deals, activities }
