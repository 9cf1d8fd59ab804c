import { Either } from "effect"
import { type Answered, invalid } from "./Answers.ts"
import * as Properties from "./Properties.ts"

/** A type of record: https://developers.hubspot.com/docs/guides/api/crm/understanding-the-crm */
export interface ObjectType {
  /** As it stands in paths, and as records are kept. */
  readonly name: string
  readonly singular: string
  readonly typeId: string
  readonly properties: ReadonlyMap<string, Properties.Property>
  /** What an answer holds when no properties are asked for. */
  readonly defaults: ReadonlyArray<string>
  readonly created: "createdate" | "hs_createdate"
  readonly modified: "lastmodifieddate" | "hs_lastmodifieddate"
  /** What a new record must have. */
  readonly required: ReadonlyArray<string>
  /** What the `query` of a search looks at. */
  readonly searched: ReadonlyArray<string>
  /** Properties that hold the pipeline and the stage. */
  readonly staged?: { readonly pipeline: string; readonly stage: string }
}

const make = (
  name: string,
  singular: string,
  typeId: string,
  properties: ReadonlyArray<Properties.Property>,
  own: {
    readonly defaults?: ReadonlyArray<string>
    readonly required?: ReadonlyArray<string>
    readonly searched?: ReadonlyArray<string>
    readonly staged?: { readonly pipeline: string; readonly stage: string }
  }
): ObjectType => {
  const named = new Map(properties.map((property) => [property.name, property]))
  const created = named.has("createdate") ? "createdate" : "hs_createdate"
  const modified = named.has("lastmodifieddate") ? "lastmodifieddate" : "hs_lastmodifieddate"
  return {
    name,
    singular,
    typeId,
    properties: named,
    created,
    modified,
    required: [],
    searched: [],
    ...own,
    defaults: [...(own.defaults ?? []), created, modified, "hs_object_id"]
  }
}

export const contacts = make("contacts", "contact", "0-1", Properties.contactProperties, {
  defaults: ["email", "firstname", "lastname"],
  searched: ["firstname", "lastname", "email", "phone", "mobilephone", "company", "hs_additional_emails"]
})

export const companies = make("companies", "company", "0-2", Properties.companyProperties, {
  defaults: ["name", "domain"],
  searched: ["name", "domain", "website", "phone"]
})

export const deals = make("deals", "deal", "0-3", Properties.dealProperties, {
  defaults: ["amount", "closedate", "dealname", "dealstage", "pipeline"],
  searched: ["dealname", "description"],
  staged: { pipeline: "pipeline", stage: "dealstage" }
})

export const leads = make("leads", "lead", "0-136", Properties.leadProperties, {
  required: ["hs_lead_name"],
  searched: ["hs_lead_name"],
  staged: { pipeline: "hs_pipeline", stage: "hs_pipeline_stage" }
})

export const notes = make("notes", "note", "0-46", Properties.noteProperties, {
  required: ["hs_timestamp"],
  searched: ["hs_note_body"]
})

export const tasks = make("tasks", "task", "0-27", Properties.taskProperties, {
  required: ["hs_timestamp"],
  searched: ["hs_task_subject", "hs_task_body"]
})

export const meetings = make("meetings", "meeting", "0-47", Properties.meetingProperties, {
  required: ["hs_timestamp"],
  searched: ["hs_meeting_title", "hs_meeting_body"]
})

export const calls = make("calls", "call", "0-48", Properties.callProperties, {
  required: ["hs_timestamp"],
  searched: ["hs_call_title", "hs_call_body"]
})

export const emails = make("emails", "email", "0-49", Properties.emailProperties, {
  required: ["hs_timestamp", "hs_email_direction"],
  searched: ["hs_email_subject"]
})

export const communications = make("communications", "communication", "0-18", Properties.communicationProperties, {
  required: ["hs_timestamp", "hs_communication_channel_type", "hs_communication_logged_from"],
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

const byName = new Map(types.flatMap((type) => [type.name, type.singular, type.typeId].map((name) => [name, type])))

/** The type a path or body names: `contacts`, `contact`, `CONTACT` or `0-1`. */
export const typeNamed = (name: string): Answered<ObjectType> => {
  const type = byName.get(name.toLowerCase())
  return type === undefined ? Either.left(invalid(`Unable to infer object type from: ${name}`)) : Either.right(type)
}
