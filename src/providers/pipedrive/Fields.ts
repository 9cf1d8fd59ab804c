import { Effect } from "effect"
import { type Native, natives } from "../../mapping/Mapping.ts"
import type { NativeType } from "../../mapping/Transform.ts"
import { everything } from "../base/Paginator.ts"
import { byOffset } from "../base/Paging.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeField, ProviderAdapter } from "../ProviderAdapter.ts"
import { isCustomKey, offsets } from "./Common.ts"
import { all, ask } from "./Objects.ts"

/**
 * JSON types of values, by the kind of field. Numbers name options and other records; money, addresses and times of custom
 * fields are objects. https://pipedrive.readme.io/docs/core-api-concepts-custom-fields#types-of-custom-fields
 */
const types: { readonly [type: string]: NativeType } = {
  int: "integer",
  double: "number",
  boolean: "boolean",
  date: "date",
  enum: "integer",
  set: "list",
  user: "integer",
  org: "integer",
  people: "integer",
  deal: "integer",
  project: "integer",
  stage: "integer",
  pipeline: "integer",
  visible_to: "integer",
  picture: "integer",
  address: "object",
  monetary: "object",
  daterange: "object",
  time: "object",
  timerange: "object"
}

/**
 * Standard fields whose values differ from their type. The field metadata of API v2 do not say which fields can be written:
 * these are the fields that an update takes.
 * https://developers.pipedrive.com/docs/api/v1/Persons#updatePerson and its like
 */
const standard: { readonly [code: string]: NativeType } = {
  emails: "list",
  phones: "list",
  im: "list",
  label_ids: "list",
  participants: "list",
  attendees: "list",
  value: "number",
  due_time: "text",
  duration: "text",
  lead_id: "text"
}

const written: { readonly [nativeType: string]: ReadonlyArray<string> } = {
  persons: [
    // first and last name are written as one
    ...["name", "owner_id", "org_id", "emails", "phones", "visible_to", "label_ids"],
    ...["postal_address", "notes", "im", "birthday", "job_title", "marketing_status"]
  ],
  organizations: [
    ...["name", "owner_id", "visible_to", "label_ids", "address", "website", "linkedin", "industry"],
    ...["annual_revenue", "employee_count"]
  ],
  deals: [
    ...["title", "owner_id", "person_id", "org_id", "pipeline_id", "stage_id", "value", "currency", "is_deleted"],
    ...["is_archived", "archive_time", "status", "probability", "lost_reason", "visible_to", "close_time", "won_time"],
    ...["lost_time", "expected_close_date", "label_ids"]
  ],
  activities: [
    ...["subject", "type", "owner_id", "deal_id", "lead_id", "org_id", "project_id", "due_date", "due_time"],
    ...["duration", "busy", "done", "location", "participants", "attendees", "public_description", "priority", "note"]
  ]
}

const typeOf = (code: string, type: unknown): NativeType =>
  standard[code] ?? (code.endsWith("_time") ? "dateTime" : (types[String(type)] ?? "text"))

interface Definition {
  readonly code: string
  readonly label: string
  readonly type: unknown
  readonly options: unknown
  readonly parts: ReadonlyArray<Native>
}

/** A field at a place of the native record, with the parts of its value. */
const nativeFields = (
  { code, label, options, parts, type }: Definition,
  place: string,
  readOnly: boolean
): ReadonlyArray<NativeField> => {
  const own = isCustomKey(code) ? (types[String(type)] ?? "text") : typeOf(code, type)
  const choices = natives(options).map((one) => ({ value: String(one.id), label: String(one.label) }))
  return [
    {
      name: place + code,
      label,
      type: own,
      readOnly,
      ...(choices.length > 0 && own !== "list" ? { options: choices } : {})
    },
    // a part alone is no value
    ...parts.map(({ field_code, field_name, field_type }) => ({
      name: `${place}${code}.${String(field_code)}`,
      label: String(field_name),
      type: types[String(field_type)] ?? ("text" as const),
      readOnly: true
    }))
  ]
}

/** https://developers.pipedrive.com/docs/api/v1/PersonFields and its like */
const lists: { readonly [nativeType: string]: string } = {
  persons: "personFields",
  organizations: "organizationFields",
  deals: "dealFields",
  activities: "activityFields"
}

/** Fields of records of API v2, where custom ones stand under a name of their own. */
const described = (call: Caller, connection: ConnectionRef, nativeType: string, list: string, place = "") =>
  Effect.map(all(call, connection, list), (rows) =>
    rows.flatMap((row) => {
      const code = String(row.field_code)
      const isCustom = row.is_custom_field === true
      const definition = {
        code,
        label: String(row.field_name),
        type: row.field_type,
        options: row.options,
        parts: natives(row.subfields)
      }
      return nativeFields(
        definition,
        isCustom ? `${place}custom_fields.` : place,
        !isCustom && written[nativeType]?.includes(code) !== true
      )
    })
  )

/** Leads have the custom fields of deals, at the top as in all of API v1: https://developers.pipedrive.com/docs/api/v1/LeadFields */
const customOfLeads = (call: Caller, connection: ConnectionRef) => {
  const fetch = byOffset(offsets)(
    ask(call, connection, { nativeType: "leadFields", path: "/api/v1/leadFields" }),
    ({ record }) => String(record.key)
  )
  return everything("pipedrive", "leadFields.list", (position) => fetch(position, offsets.most)).pipe(
    Effect.map((rows) =>
      rows.flatMap(({ record: row }) => {
        const code = String(row.key)
        const definition = { code, label: String(row.name), type: row.field_type, options: row.options, parts: [] }
        return isCustomKey(code) ? nativeFields(definition, "", false) : []
      })
    )
  )
}

/** Describes only the custom fields of leads, with those of the person beside them; nothing of notes and users. */
export const fieldsOf =
  (call: Caller): NonNullable<ProviderAdapter["fieldsOf"]> =>
  (connection, nativeType) => {
    const list = lists[nativeType]
    if (list !== undefined) {
      return Effect.map(described(call, connection, nativeType, list), (fields) => ({ fields }))
    }
    return nativeType === "leads"
      ? Effect.map(
          Effect.all(
            [customOfLeads(call, connection), described(call, connection, "persons", "personFields", "person.")],
            { concurrency: 2 }
          ),
          (found) => ({
            fields: found.flat(),
            covers: (path: string) => isCustomKey(path) || path.startsWith("person.")
          })
        )
      : Effect.succeed(undefined)
  }
