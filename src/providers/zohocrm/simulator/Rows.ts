import { Predicate } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import type { Field, Module } from "./Fields.ts"
import { isHidden } from "./Hidden.ts"
import { fieldNamed, follow, moduleId, moduleNamed, nameOf, valueOf } from "./Modules.ts"
import { userOf } from "./Stamps.ts"

// Records as the API shows them: https://www.zoho.com/crm/developer/docs/api/v8/get-records.html

const people: { readonly [type: string]: string } = { contact: "Contacts", lead: "Leads" }

const participantOf = (org: Org, { invited, participant, status, type }: Doc): Doc => {
  const module = moduleNamed(people[String(type)] ?? "")
  const doc = org.get(module?.name ?? "users", String(participant))
  return {
    type,
    participant,
    name: module === undefined || doc === undefined ? (doc?.full_name ?? null) : nameOf(org, module, doc),
    Email: type === "email" ? participant : (doc?.Email ?? doc?.email ?? null),
    invited: invited === true,
    status: status ?? "not_known"
  }
}

const shownValue = (org: Org, field: Field, value: unknown): unknown => {
  switch (field.type) {
    case "ownerlookup":
      return userOf(org, value)
    case "lookup":
    case "multi_module_lookup": {
      const found = follow(org, value)
      if (found === undefined) return null
      const { doc, module } = found
      return {
        ...(field.type === "lookup" ? {} : { module: { api_name: module.name, id: moduleId(module) } }),
        name: nameOf(org, module, doc),
        id: doc.id
      }
    }
    case "multiuserlookup":
      return Array.isArray(value) ? value.map((one) => userOf(org, one)) : []
    case "participants":
      return Array.isArray(value) ? value.filter(Predicate.isReadonlyRecord).map((one) => participantOf(org, one)) : []
    default:
      return value
  }
}

/** The value of a field, as it is shown. */
export const shownField = (org: Org, doc: Doc, field: Field): unknown =>
  shownValue(org, field, valueOf(org, doc, field))

const nobody = { delegate: false, takeover: false, approve: false, reject: false, resubmit: false }

/** Modules whose records show no lock. */
const unlocked = ["Calls", "Events"]

/** The system members of a record: its state, lock, review and approval. A note has fewer. */
const states = ({ name }: Module, doc: Doc): Doc => {
  const always = { $editable: true, $state: "save", $field_states: null }
  if (name === "Notes") return always
  const state = doc.$approval_state ?? "approved"
  const isApproved = state === "approved"
  return {
    ...always,
    ...(unlocked.includes(name) ? {} : { $locked_for_me: false }),
    $in_merge: false,
    $process_flow: false,
    $orchestration: false,
    $review: null,
    $review_process: { approve: false, reject: false, resubmit: false },
    $approval: isApproved ? nobody : { ...nobody, approve: true, reject: true },
    $approval_state: state,
    $approved: isApproved
  }
}

/** A record with its id and the named fields, or every field. Names that mean nothing are left out. */
export const shown = (org: Org, module: Module, doc: Doc, names?: ReadonlyArray<string>): Doc => {
  const fields = (names === undefined ? module.fields : names.flatMap((name) => fieldNamed(module, name) ?? [])).filter(
    ({ code }) => !isHidden(org, code)
  )
  const besides = fields.flatMap((field) =>
    field.beside === undefined ? [] : [[field.beside, follow(org, doc[field.code])?.module.name ?? null] as const]
  )
  return {
    ...Object.fromEntries(fields.map((field) => [field.code, shownField(org, doc, field)])),
    ...Object.fromEntries(besides),
    ...(names === undefined ? states(module, doc) : {}),
    id: doc.id
  }
}
