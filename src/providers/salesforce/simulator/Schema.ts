import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { event, eventRelation, task, taskStatus } from "./Activities.ts"
import { serviceAppointment, workType } from "./Appointments.ts"
import { type Field, nothing, type SObject, sObject, text } from "./Fields.ts"
import { contentDocument, contentDocumentLink, contentNote, contentVersion, note } from "./Notes.ts"
import { organization, user } from "./Organization.ts"
import { account, contact, lead, leadStatus, opportunity, opportunityContactRole, opportunityStage } from "./Sales.ts"

/** Every kind of record the organisation has. */
export const sObjects: ReadonlyArray<SObject> = [
  account,
  contact,
  contentDocument,
  contentDocumentLink,
  contentNote,
  contentVersion,
  event,
  eventRelation,
  lead,
  leadStatus,
  note,
  opportunity,
  opportunityContactRole,
  opportunityStage,
  organization,
  serviceAppointment,
  task,
  taskStatus,
  user,
  workType
]

/** The target of a reference to several kinds of records: the fields that they share. */
const nameObject = sObject({
  name: "Name",
  can: nothing,
  fields: [
    text("Name"),
    text("Type"),
    ...["FirstName", "LastName", "Email", "Phone", "Title", "Username", "Alias"].map((name) => text(name))
  ]
})

const byName = new Map(sObjects.map((one) => [one.name.toLowerCase(), one]))
// a note is known by its id as the document that it is
const byPrefix = new Map(sObjects.toReversed().map((one) => [one.prefix, one]))
const fieldsByName = new Map(
  [...sObjects, nameObject].map((one) => [one, new Map(one.fields.map((field) => [field.code.toLowerCase(), field]))])
)

/** Names of objects and fields are taken in any case. */
export const sObjectNamed = (name: string): SObject | undefined => byName.get(name.toLowerCase())

export const fieldNamed = (object: SObject, name: string): Field | undefined =>
  fieldsByName.get(object)?.get(name.toLowerCase())

export const sObjectOfId = (recordId: string): SObject | undefined => byPrefix.get(recordId.slice(0, 3))

export interface Children {
  readonly object: SObject
  /** The field of the children that leads to the parent. */
  readonly field: Field
}

const childrenOf = (object: SObject): ReadonlyArray<Children & { readonly relation: string }> =>
  sObjects.flatMap((child) =>
    child.fields.flatMap((field) =>
      field.children !== undefined && field.to?.includes(object.name) === true
        ? [{ object: child, field, relation: field.children }]
        : []
    )
  )

const relations = new Map(sObjects.map((one) => [one, childrenOf(one)]))

export const childRelations = (object: SObject) => relations.get(object) ?? []

// Paths: `Name`, `Account.Owner.Name`

export interface Path {
  /** References to follow; none for a field of the record itself. */
  readonly through: ReadonlyArray<Field>
  readonly field: Field
}

export type Unresolved =
  { readonly noField: string; readonly of: SObject } | { readonly noRelation: string; readonly of: SObject }

/** Resolves a path from an object, or returns the part that means nothing. */
export const pathOf = (object: SObject, path: string): Path | Unresolved => {
  const parts = path.split(".")
  const last = parts.pop() ?? ""
  const through: Array<Field> = []
  let at = object
  for (const part of parts) {
    const link = at.fields.find(({ relation }) => relation?.toLowerCase() === part.toLowerCase())
    if (link === undefined) return { noRelation: part, of: at }
    through.push(link)
    const [target, ...others] = link.to ?? []
    at = (others.length > 0 ? undefined : sObjectNamed(target ?? "")) ?? nameObject
  }
  const field = fieldNamed(at, last)
  return field === undefined ? { noField: last, of: at } : { through, field }
}

export const isResolved = (path: Path | Unresolved): path is Path => "field" in path

export interface Found {
  readonly object: SObject
  readonly doc: Doc
}

/** The record a reference leads to. */
export const follow = (org: Org, doc: Doc, link: Field): Found | undefined => {
  const recordId = link.compute === undefined ? doc[link.code] : link.compute(org, doc)
  if (typeof recordId !== "string") return undefined
  const object = sObjectOfId(recordId)
  const found = object === undefined ? undefined : org.get(object.name, recordId)
  return object === undefined || found === undefined ? undefined : { object, doc: found }
}

/** The value of a field; null when the record has none. */
export const valueOf = (org: Org, { doc, object }: Found, field: Field): unknown => {
  // `What.Type` names the kind of record; the kinds' own fields of that name are another thing
  const own = fieldNamed(object, field.code)
  if (field === typeOfName) return object.name
  return (own?.compute === undefined ? doc[own?.code ?? field.code] : own.compute(org, doc)) ?? null
}

const typeOfName = fieldNamed(nameObject, "Type")

/** The value a path leads to; null where a reference on the way is empty. */
export const valueAt = (org: Org, from: Found, { field, through }: Path): unknown => {
  let at: Found | undefined = from
  for (const link of through) at = at === undefined ? undefined : follow(org, at.doc, link)
  return at === undefined ? null : valueOf(org, at, field)
}
