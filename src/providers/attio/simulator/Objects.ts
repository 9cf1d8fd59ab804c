import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Problem } from "../../simulation/table/Complaint.ts"
import type { Field, Kind, Rule } from "../../simulation/table/Kind.ts"
import { isOwnRequired } from "../../simulation/table/OwnRules.ts"
import { refused } from "../../simulation/table/Complaint.ts"
import * as A from "./Attributes.ts"
import { filterOf } from "./Filter.ts"
import { attributeId, objectId, stamp, uuidOf, workspace } from "./Workspace.ts"

/** Objects and their attributes: https://docs.attio.com/docs/standard-objects/standard-objects */

const listOf = (values: unknown): ReadonlyArray<Doc> => (Array.isArray(values) ? values.filter(Predicate.isRecord) : [])

const isUnique = ({ value }: Field) => "isUnique" in value && value.isUnique === true
const isMulti = ({ value }: Field) => "isMulti" in value && value.isMulti === true

/** The key of a value of a unique attribute. */
const keyOf = ({ domain, email_address }: Doc) => domain ?? email_address

const required =
  (fields: ReadonlyArray<Field>): Rule =>
  ({ after }) => {
    const missing = fields.filter(({ code, isRequired }) => isRequired === true && listOf(after[code]).length === 0)
    return missing.length === 0
      ? Either.right(after)
      : Either.left(missing.map(({ code }): Problem => ({ path: code, complaint: { is: "required" } })))
  }

const unique =
  (object: string, fields: ReadonlyArray<Field>): Rule =>
  ({ account, after, given }) => {
    for (const { code } of fields.filter((field) => isUnique(field) && given[field.code] !== undefined)) {
      const taken = listOf(after[code]).map(keyOf)
      const other = account
        .all(object)
        .find(
          (one) => one.record_id !== after.record_id && listOf(one[code]).some((held) => taken.includes(keyOf(held)))
        )
      if (other !== undefined) return refused("uniqueness_conflict", code)
    }
    return Either.right(after)
  }

/** Links that lead nowhere any more are not shown. */
const living = (account: Account, values: ReadonlyArray<Doc>) =>
  values.filter(
    ({ target_object, target_record_id }) =>
      target_object === undefined || account.get(String(target_object), String(target_record_id)) !== undefined
  )

const single = (type: string, time: unknown, value: unknown) => ({
  ...A.valueOf(type, 0, { value }),
  active_from: time
})

const object = (name: string, path: string, fields: ReadonlyArray<Field>): Kind => ({
  name,
  id: "record_id",
  fields: [A.enriched("record_id", "Record ID", A.text), ...fields],
  rules: [required(fields), unique(name, fields)],
  nextId: (account) => uuidOf(`${name} ${account.nextId()}`),
  made: ({ now }) => ({ created_at: stamp(now) }),
  stamps: () => ({}),
  sorts: ["created_at"],
  filters: [filterOf(fields)],
  view: {
    names: [],
    read: () =>
      Either.right((account, record) => ({
        id: { workspace_id: workspace.id, object_id: objectId(name), record_id: record.record_id },
        created_at: record.created_at,
        web_url: `https://app.attio.com/${workspace.slug}/${path}/${String(record.record_id)}`,
        values: {
          ...Object.fromEntries(fields.map(({ code }) => [code, living(account, listOf(record[code]))])),
          record_id: [single("text", record.created_at, record.record_id)],
          created_at: [single("timestamp", record.created_at, record.created_at)]
        }
      }))
  }
})

export const people = object("people", "person", [
  A.may("name", "Name", A.personalName),
  A.may("email_addresses", "Email addresses", A.emailAddress),
  A.may("company", "Company", A.reference("companies")),
  A.may("job_title", "Job title", A.text),
  A.may("description", "Description", A.text),
  A.may("phone_numbers", "Phone numbers", A.phoneNumber),
  A.may("primary_location", "Primary location", A.location),
  A.enriched("last_interaction", "Last interaction", A.interaction),
  A.may("customer_number", "Customer number", A.text)
])

export const companies = object("companies", "company", [
  A.may("name", "Name", A.text),
  A.may("domains", "Domains", A.domain),
  A.may("description", "Description", A.text),
  A.may("primary_location", "Primary location", A.location),
  A.enriched("categories", "Categories", A.select),
  A.enriched("last_interaction", "Last interaction", A.interaction),
  A.may("vat_number", "VAT number", A.text)
])

export const deals = object("deals", "deal", [
  A.must("name", "Deal name", A.text),
  A.must("stage", "Deal stage", A.stage),
  A.must("owner", "Deal owner", A.actorReference),
  A.may("value", "Deal value", A.currency),
  A.may("associated_people", "Associated people", A.reference("people", true)),
  A.may("associated_company", "Associated company", A.reference("companies")),
  A.may("purchase_order", "Purchase order", A.text)
])

export const records: ReadonlyArray<Kind> = [people, companies, deals]

/** A kind whose PATCH puts new values of an attribute with several before the present ones. */
export const adding = (kind: Kind): Kind => ({
  ...kind,
  rules: [
    ({ after, before = {}, given }) =>
      Either.right({
        ...after,
        ...Object.fromEntries(
          kind.fields
            .filter((field) => isMulti(field) && given[field.code] !== undefined)
            .map(({ code }) => [code, [...listOf(given[code]), ...listOf(before[code])]])
        )
      }),
    ...(kind.rules ?? [])
  ]
})

/** Metadata of an object's attributes: https://docs.attio.com/rest-api/endpoint-reference/attributes/list-attributes */
export const attributesOf = (account: Account, { fields, name }: Kind): ReadonlyArray<Doc> =>
  fields.map((field) => ({
    id: attributeId(name, field.code),
    title: field.name,
    description: null,
    api_slug: field.code,
    type: field.value.as,
    is_system_attribute: !["customer_number", "vat_number", "purchase_order"].includes(field.code),
    is_writable: field.writes !== undefined,
    is_required: field.isRequired === true || isOwnRequired(account, name, field.code),
    is_unique: isUnique(field),
    is_multiselect: isMulti(field),
    is_default_value_enabled: false,
    is_archived: false,
    default_value: null,
    relationship: null,
    created_at: stamp(0),
    config: {
      currency: { default_currency_code: "USD", display_type: "symbol" },
      record_reference: { allowed_object_ids: field.value.links?.map(objectId) ?? null }
    }
  }))
