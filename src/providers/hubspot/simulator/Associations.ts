import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Answered, failure, invalid } from "./Answers.ts"
import type { ObjectType } from "./Types.ts"

/**
 * How records are linked. A type id says which types and which direction:
 * https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide#association-type-id-values
 */
interface Family {
  readonly from: string
  readonly to: string
  /** Unlabelled link: its id from `from` to `to`, and back. */
  readonly plain: readonly [number, number]
  readonly labels?: ReadonlyArray<{
    readonly ids: readonly [number, number]
    readonly names: readonly [string, string]
    /** A record of `from` has one such link, and its first link is it. */
    readonly isPrimary?: boolean
  }>
}

const primary = (there: number, back: number, name = "Primary") =>
  [{ ids: [there, back], names: [name, name], isPrimary: true }] as const

/** https://developers.hubspot.com/changelog/changes-to-primary-labels-for-hubspot-defined-association-labels */
const withCompany = (type: string) => `${type} with Primary Company`

const pairs = (from: string, ids: { readonly [to: string]: readonly [number, number] }): ReadonlyArray<Family> =>
  Object.entries(ids).map(([to, plain]) => ({ from, to, plain }))

const families: ReadonlyArray<Family> = [
  { from: "contacts", to: "companies", plain: [279, 280], labels: primary(1, 2, withCompany("Contact")) },
  { from: "deals", to: "companies", plain: [341, 342], labels: primary(5, 6, withCompany("Deal")) },
  { from: "leads", to: "contacts", plain: [608, 609], labels: primary(578, 579) },
  { from: "leads", to: "companies", plain: [610, 611], labels: primary(580, 581, withCompany("Lead")) },
  { from: "leads", to: "deals", plain: [1037, 1038], labels: primary(582, 583) },
  {
    from: "companies",
    to: "companies",
    plain: [450, 450],
    labels: [{ ids: [13, 14], names: ["Child Company", "Parent Company"] }]
  },
  { from: "contacts", to: "contacts", plain: [449, 449] },
  { from: "deals", to: "deals", plain: [451, 451] },
  ...pairs("deals", { contacts: [3, 4] }),
  ...pairs("notes", { contacts: [202, 201], companies: [190, 189], deals: [214, 213], leads: [855, 854] }),
  ...pairs("tasks", { contacts: [204, 203], companies: [192, 191], deals: [216, 215], leads: [647, 646] }),
  ...pairs("meetings", { contacts: [200, 199], companies: [188, 187], deals: [212, 211], leads: [601, 600] }),
  ...pairs("calls", {
    contacts: [194, 193],
    companies: [182, 181],
    deals: [206, 205],
    leads: [597, 596],
    meetings: [399, 400]
  }),
  ...pairs("emails", { contacts: [198, 197], companies: [186, 185], deals: [210, 209], leads: [599, 598] }),
  ...pairs("communications", { contacts: [81, 82], companies: [87, 88], deals: [85, 86], leads: [603, 602] }),
  ...pairs("appointments", {
    contacts: [906, 907],
    companies: [908, 909],
    deals: [944, 945],
    calls: [912, 913],
    emails: [916, 917],
    meetings: [918, 919],
    notes: [920, 921],
    tasks: [922, 923],
    communications: [924, 925]
  })
]

/** A kind of link, seen from one side. */
export interface Definition {
  readonly typeId: number
  readonly inverse: number
  readonly from: string
  readonly to: string
  readonly label: string | null
  /** At most one of `from`, and its first. */
  readonly isPrimary: boolean
  /** Its inverse is. */
  readonly isPrimaryBack: boolean
}

const definitions: ReadonlyArray<Definition> = families.flatMap(({ from, labels, plain, to }) =>
  [{ ids: plain, names: [null, null], isPrimary: false }, ...(labels ?? [])].flatMap(
    ({ ids: [there, back], isPrimary = false, names: [name = null, nameBack = null] }) => [
      { typeId: there, inverse: back, from, to, label: name, isPrimary, isPrimaryBack: false },
      ...(there === back
        ? []
        : [
            {
              typeId: back,
              inverse: there,
              from: to,
              to: from,
              label: nameBack,
              isPrimary: false,
              isPrimaryBack: isPrimary
            }
          ])
    ]
  )
)

const byId = new Map(definitions.map((definition) => [definition.typeId, definition]))

export const definitionsBetween = (from: ObjectType, to: ObjectType): ReadonlyArray<Definition> =>
  definitions.filter((one) => one.from === from.name && one.to === to.name)

// Labels of an account's own. Their ids are counted apart from HubSpot's, so that a number alone does not say which kind is
// meant: links keep them above `ownIds`. A label is made with its inverse, which has the next id.
// https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide#create-association-labels

const ownIds = 1_000_000

const ownLabels = "association-labels"

/** A label of the account's own, seen from one side. */
export interface OwnLabel {
  readonly from: string
  readonly to: string
  readonly label: string
  readonly name: string
}

const ownLabelOf = (account: Account, typeId: number): OwnLabel | undefined => {
  const doc = account.get(ownLabels, String(typeId))
  return typeof doc?.from === "string" &&
    typeof doc.to === "string" &&
    typeof doc.label === "string" &&
    typeof doc.name === "string"
    ? { from: doc.from, to: doc.to, label: doc.label, name: doc.name }
    : undefined
}

/** Labels of the account's own between two types, with the ids that links keep. */
const ownBetween = (
  account: Account,
  from: string,
  to: string
): ReadonlyArray<OwnLabel & { readonly typeId: number }> =>
  account.all(ownLabels).flatMap((_, index) => {
    const typeId = ownIds + index + 1
    const own = ownLabelOf(account, typeId)
    return own?.from === from && own.to === to ? [{ ...own, typeId }] : []
  })

/** Makes a label and its inverse; their ids as links keep them. */
export const makeLabel = (account: Account, own: OwnLabel, inverse: Pick<OwnLabel, "label" | "name">) => {
  const typeId = ownIds + account.all(ownLabels).length + 1
  account.put(ownLabels, String(typeId), { ...own })
  account.put(ownLabels, String(typeId + 1), { from: own.to, to: own.from, ...inverse })
  return [typeId, typeId + 1]
}

const inverseOf = (typeId: number) =>
  typeId > ownIds ? (typeId % 2 === 1 ? typeId + 1 : typeId - 1) : (byId.get(typeId)?.inverse ?? typeId)

/** A kind of link as answers show it. */
export const kindView = (account: Account, typeId: number) =>
  typeId > ownIds
    ? { category: "USER_DEFINED", typeId: typeId - ownIds, label: labelOf(account, typeId) }
    : { category: "HUBSPOT_DEFINED", typeId, label: labelOf(account, typeId) }

/** All kinds of link from one type to another. */
export const kindsBetween = (account: Account, from: ObjectType, to: ObjectType) =>
  [...definitionsBetween(from, to), ...ownBetween(account, from.name, to.name)].map(({ typeId }) =>
    kindView(account, typeId)
  )

/** A category and type id as a body gives them. */
export interface Spec {
  readonly associationCategory: string
  readonly associationTypeId: number
}

/** The kind of link that a body names, from a type, with the type that it leads to. */
export const definitionOf = (
  account: Account,
  from: ObjectType,
  spec: Spec
): Answered<Pick<Definition, "typeId" | "from" | "to">> => {
  const own = spec.associationCategory === "USER_DEFINED" ? ownIds + spec.associationTypeId : undefined
  const ownLabel = own === undefined ? undefined : ownLabelOf(account, own)
  const found =
    own !== undefined && ownLabel !== undefined
      ? { ...ownLabel, typeId: own }
      : spec.associationCategory === "HUBSPOT_DEFINED"
        ? byId.get(spec.associationTypeId)
        : undefined
  if (found === undefined) {
    return Either.left(
      invalid(`${spec.associationCategory} association type ${spec.associationTypeId} does not exist`, {
        subCategory: "crm.associations.INVALID_ASSOCIATION_TYPE"
      })
    )
  }
  return found.from === from.name
    ? Either.right(found)
    : Either.left(
        invalid(
          `invalid from object type ${from.typeId} for associations to be created. Type ${spec.associationTypeId} is from ${found.from} to ${found.to}`,
          { subCategory: "crm.associations.INVALID_ASSOCIATION_TYPE" }
        )
      )
}

// Links of a record to a type: one document, `{to: {<id>: [<type id>, …]}}`, and one for the other side.

type Links = { readonly to: { readonly [id: string]: ReadonlyArray<number> } }

const isLinks = (doc: Doc): doc is Links => typeof doc.to === "object" && doc.to !== null

const keyOf = (from: string, id: string, to: string) => `${from}/${id}/${to}`

const read = (account: Account, from: string, id: string, to: string): Links["to"] => {
  const doc = account.get("associations", keyOf(from, id, to))
  return doc !== undefined && isLinks(doc) ? doc.to : {}
}

const write = (account: Account, from: string, id: string, to: string, toId: string, ids: ReadonlyArray<number>) => {
  const { [toId]: _, ...others } = read(account, from, id, to)
  const links = ids.length === 0 ? others : { ...others, [toId]: [...new Set(ids)].sort((a, b) => a - b) }
  const key = keyOf(from, id, to)
  if (Object.keys(links).length === 0) account.remove("associations", key)
  else account.put("associations", key, { to: links })
}

const writeBoth = (
  account: Account,
  from: string,
  id: string,
  to: string,
  toId: string,
  ids: ReadonlyArray<number>
): void => {
  write(account, from, id, to, toId, ids)
  write(account, to, toId, from, id, ids.map(inverseOf))
}

export interface Link {
  readonly id: string
  readonly typeIds: ReadonlyArray<number>
}

/** Links of a record to records of a type that are not archived, in order of their ids. */
export const linksOf = (account: Account, from: ObjectType, id: string, to: ObjectType): ReadonlyArray<Link> =>
  Object.entries(read(account, from.name, id, to.name))
    .map(([toId, typeIds]) => ({ id: toId, typeIds }))
    .filter((link) => account.get(to.name, link.id)?.archivedAt === undefined)
    .sort((a, b) => Number(a.id) - Number(b.id))

/** The record's one primary link to a type. */
export const primaryOf = (account: Account, from: ObjectType, id: string, to: ObjectType): string | undefined =>
  linksOf(account, from, id, to).find((link) => link.typeIds.some((typeId) => byId.get(typeId)?.isPrimary === true))?.id

/** Takes the primary label from a record's other links, or gives it to the first. */
const settlePrimary = (account: Account, definition: Definition, id: string, toId: string): void => {
  const { from, to, typeId } = definition
  const links = Object.entries(read(account, from, id, to))
  const holders = links.filter(([, ids]) => ids.includes(typeId)).map(([holder]) => holder)
  if (holders.length === 0) {
    writeBoth(account, from, id, to, toId, [...(read(account, from, id, to)[toId] ?? []), typeId])
  }
  if (!holders.includes(toId)) return
  for (const [other, ids] of links) {
    if (other !== toId && ids.includes(typeId)) {
      writeBoth(
        account,
        from,
        id,
        to,
        other,
        ids.filter((one) => one !== typeId)
      )
    }
  }
}

/**
 * Links two records, both ways; every labelled link is a plain one too. `labels` replace those there are, or are added.
 */
export const link = (
  account: Account,
  from: ObjectType,
  id: string,
  to: ObjectType,
  toId: string,
  labels: ReadonlyArray<number>,
  how: "add" | "replace" = "add"
): ReadonlyArray<number> => {
  const known = definitionsBetween(from, to)
  const plain = known.filter((one) => one.label === null).map((one) => one.typeId)
  const before = how === "add" ? (read(account, from.name, id, to.name)[toId] ?? []) : []
  writeBoth(account, from.name, id, to.name, toId, [...before, ...plain, ...labels])
  for (const definition of known) {
    if (definition.isPrimary) settlePrimary(account, definition, id, toId)
    const back = definition.isPrimaryBack ? byId.get(definition.inverse) : undefined
    if (back !== undefined) settlePrimary(account, back, toId, id)
  }
  return read(account, from.name, id, to.name)[toId] ?? []
}

export const unlink = (
  account: Account,
  from: ObjectType,
  id: string,
  to: ObjectType,
  toId: string,
  labels?: ReadonlyArray<number>
): void => {
  const left = labels === undefined ? [] : (read(account, from.name, id, to.name)[toId] ?? [])
  writeBoth(
    account,
    from.name,
    id,
    to.name,
    toId,
    left.filter((typeId) => labels?.includes(typeId) !== true)
  )
}

export const labelOf = (account: Account, typeId: number): string | null =>
  ownLabelOf(account, typeId)?.label ?? byId.get(typeId)?.label ?? null

/** The name of a link in a record's `associations`: `contact_to_company`, `contact_to_company_unlabeled`, `billing_contact`. */
export const linkName = (account: Account, from: ObjectType, to: ObjectType, typeId: number): string => {
  const own = ownLabelOf(account, typeId)
  if (own !== undefined) return own.name
  const definition = byId.get(typeId)
  const isPrimary = definition?.isPrimary === true || definition?.isPrimaryBack === true
  if (from.name === "leads") return `lead_to_${isPrimary ? "primary_" : ""}${to.singular}`
  const name = `${from.singular}_to_${to.singular}`
  const hasPrimary = definitionsBetween(from, to).some((one) => one.isPrimary || one.isPrimaryBack)
  return labelOf(account, typeId) === null && hasPrimary ? `${name}_unlabeled` : name
}

/** That a record exists and is not archived, in the words of the associations API. */
export const endOf = (account: Account, type: ObjectType, id: string, end: "FROM" | "TO"): Answered<string> => {
  const record = account.get(type.name, id)
  return record === undefined || record.archivedAt !== undefined
    ? Either.left(
        failure(404, "OBJECT_NOT_FOUND", `No ${type.singular} with ID ${id} exists`, {
          subCategory: `crm.associations.${end}_OBJECT_NOT_FOUND`,
          context: { objectType: [type.singular], id: [id] }
        })
      )
    : Either.right(id)
}
