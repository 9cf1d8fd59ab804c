import { Either } from "effect"
import type { Account } from "../../simulation/Account.ts"
import { partAt } from "../../simulation/Docs.ts"
import type { Kind } from "../../simulation/table/Kind.ts"
import { type Answered, invalid } from "./Answers.ts"
import * as Properties from "./Properties.ts"
import { addresses, adds, assigns, completes, type Staged, staging, starts } from "./Rules.ts"
import { dealPipelines, leadPipelines } from "./Setup.ts"

/** A type of record: https://developers.hubspot.com/docs/guides/api/crm/understanding-the-crm */
export interface ObjectType extends Kind {
  readonly singular: string
  readonly typeId: string
  readonly properties: ReadonlyMap<string, Properties.Property>
  /** Properties in an answer when a request asks for none. */
  readonly defaults: ReadonlyArray<string>
  readonly created: "createdate" | "hs_createdate"
  readonly modified: "lastmodifieddate" | "hs_lastmodifieddate"
  /** Properties that the `query` of a search looks at. */
  readonly searched: ReadonlyArray<string>
  readonly staged?: Staged
}

/** A record's id; all digits, in the order of creation. */
export const nextId = (account: Account): string => String(27_410_000_000 + account.nextId() * 37)

/** The properties of a type's records that are not archived, as its kind has them. */
const flat = (name: string) => (account: Account) =>
  account
    .all(name)
    .flatMap((one) => (one.archivedAt === undefined ? [{ ...partAt(one, "properties"), hs_object_id: one.id }] : []))

const make = (
  name: string,
  singular: string,
  typeId: string,
  fields: ReadonlyArray<Properties.Property>,
  { rules = [], staged, ...own }: Partial<Pick<ObjectType, "defaults" | "rules" | "searched" | "staged">>
): ObjectType => {
  const properties = new Map(fields.map((property) => [property.code, property]))
  const created = properties.has("createdate") ? "createdate" : "hs_createdate"
  const modified = properties.has("lastmodifieddate") ? "lastmodifieddate" : "hs_lastmodifieddate"
  return {
    name,
    singular,
    typeId,
    properties,
    created,
    modified,
    searched: [],
    ...own,
    defaults: [...(own.defaults ?? []), created, modified, "hs_object_id"],
    ...(staged === undefined ? {} : { staged }),
    id: "hs_object_id",
    fields,
    all: flat(name),
    // values come as text, numbers and flags; empty text clears
    accepts: (body) =>
      Object.fromEntries(Object.entries(body).map(([code, value]) => [code, value === "" ? null : String(value)])),
    rules: [adds(fields), ...(staged === undefined ? [] : [staging(staged)]), assigns, ...rules],
    nextId,
    stamps: () => ({}),
    sorts: []
  }
}

export const contacts = make("contacts", "contact", "0-1", Properties.contactProperties, {
  defaults: ["email", "firstname", "lastname"],
  searched: ["firstname", "lastname", "email", "phone", "mobilephone", "fax", "company", "hs_additional_emails"]
})

export const companies = make("companies", "company", "0-2", Properties.companyProperties, {
  defaults: ["name", "domain"],
  searched: ["name", "domain", "website", "phone"],
  rules: [addresses]
})

export const deals = make("deals", "deal", "0-3", Properties.dealProperties, {
  defaults: ["amount", "closedate", "dealname", "dealstage", "pipeline"],
  searched: ["dealname", "pipeline", "dealstage", "description", "dealtype"],
  staged: { pipelines: dealPipelines, pipeline: "pipeline", stage: "dealstage" }
})

export const leads = make("leads", "lead", "0-136", Properties.leadProperties, {
  searched: [
    "hs_lead_name",
    "hs_associated_contact_email",
    "hs_associated_contact_firstname",
    "hs_associated_contact_lastname",
    "hs_associated_company_name",
    "hs_associated_company_domain"
  ],
  staged: { pipelines: leadPipelines, pipeline: "hs_pipeline", stage: "hs_pipeline_stage" }
})

export const notes = make("notes", "note", "0-46", Properties.noteProperties, {
  searched: ["hs_note_body"]
})

export const tasks = make("tasks", "task", "0-27", Properties.taskProperties, {
  searched: ["hs_task_subject", "hs_task_body"],
  rules: [completes]
})

export const meetings = make("meetings", "meeting", "0-47", Properties.meetingProperties, {
  searched: ["hs_meeting_title", "hs_meeting_body"],
  rules: [starts]
})

export const calls = make("calls", "call", "0-48", Properties.callProperties, {
  searched: ["hs_call_title", "hs_call_body"]
})

export const emails = make("emails", "email", "0-49", Properties.emailProperties, {
  searched: ["hs_email_subject"]
})

export const communications = make("communications", "communication", "0-18", Properties.communicationProperties, {
  searched: ["hs_communication_body"]
})

export const appointments = make("appointments", "appointment", "0-421", Properties.appointmentProperties, {
  searched: ["hs_appointment_name"]
})

export const types: ReadonlyArray<ObjectType> = [
  contacts,
  companies,
  deals,
  leads,
  notes,
  tasks,
  meetings,
  calls,
  emails,
  communications,
  appointments
]

export const pipelinesOf = ({ staged }: ObjectType) => staged?.pipelines ?? []

const byName = new Map(types.flatMap((type) => [type.name, type.singular, type.typeId].map((name) => [name, type])))

/** The type a path or body names: `contacts`, `contact`, `CONTACT` or `0-1`. */
export const typeNamed = (name: string): Answered<ObjectType> => {
  const type = byName.get(name.toLowerCase())
  return type === undefined ? Either.left(invalid(`Unable to infer object type from: ${name}`)) : Either.right(type)
}
