import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Reply } from "../../simulation/Simulator.ts"
import type { Problem } from "../../simulation/table/Complaint.ts"
import { draft } from "../../simulation/table/Kind.ts"
import { type Answered, failure, invalid, iso, pageAfter, portalId } from "./Answers.ts"
import { linkName, linksOf, primaryOf } from "./Associations.ts"
import type { Stage } from "./Setup.ts"
import { companies, contacts, deals, type ObjectType, pipelinesOf } from "./Types.ts"

/** A record as it is kept, without computed values. Times are milliseconds since the epoch. */
export type Stored = {
  readonly id: string
  readonly properties: { readonly [name: string]: string }
  readonly createdAt: number
  readonly updatedAt: number
  readonly archivedAt?: number
}

/** Properties as a body gives them. */
export type Input = { readonly [name: string]: string | number | boolean }

const isStored = (doc: Doc): doc is Stored =>
  typeof doc.id === "string" && Predicate.isRecord(doc.properties) && typeof doc.createdAt === "number"

export const recordsOf = (account: Account, type: ObjectType): ReadonlyArray<Stored> =>
  account.all(type.name).filter(isStored)

/** Ids of records that were merged, with the id of the record that they became. */
const merged = "merged"

/** The record of an id, or the one that it was merged into. */
export const recordOf = (account: Account, type: ObjectType, id: string): Stored | undefined => {
  const doc = account.get(type.name, id)
  if (doc !== undefined) return isStored(doc) ? doc : undefined
  const successor = account.get(merged, `${type.name}/${id}`)?.id
  return typeof successor === "string" ? recordOf(account, type, successor) : undefined
}

/** Puts a record in the place of others. */
export const replace = (account: Account, type: ObjectType, old: ReadonlyArray<Stored>, record: Stored): void => {
  for (const { id } of old) {
    account.remove(type.name, id)
    account.put(merged, `${type.name}/${id}`, { id: record.id })
  }
  put(account, type, record)
}

export const put = (account: Account, type: ObjectType, record: Stored): void =>
  account.put(type.name, record.id, record)

/** The record of an id, or of the value of a unique property. */
export const find = (
  account: Account,
  type: ObjectType,
  id: string,
  idProperty: string | undefined,
  archived: boolean
): Answered<Stored> => {
  if (idProperty !== undefined && idProperty !== "hs_object_id" && type.properties.get(idProperty)?.isUnique !== true) {
    return Either.left(invalid(`idProperty ${idProperty} is not a unique property of ${type.name}`))
  }
  const found =
    idProperty === undefined || idProperty === "hs_object_id"
      ? recordOf(account, type, id)
      : recordsOf(account, type).find((one) => one.properties[idProperty]?.toLowerCase() === id.toLowerCase())
  if (found !== undefined && (found.archivedAt !== undefined) === archived) return Either.right(found)
  return Either.left(
    failure(404, "OBJECT_NOT_FOUND", "Object not found.  objectId are usually numeric.", { context: { id: [id] } })
  )
}

// Values ----------------------------------------------------------------------------------------------------------------

const stageOf = (type: ObjectType, record: Stored): Stage | undefined =>
  pipelinesOf(type)
    .flatMap((pipeline) => pipeline.stages)
    .find((stage) => stage.id === record.properties[type.staged?.stage ?? ""])

/** Codes of countries, the longer ones first. */
const countries = /^\+(351|353|358|7|1|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** A number as a search compares it: area code and local number, without anything else. */
const searchable = (number: string | undefined): string | undefined => {
  const digits = number?.trim().replace(countries, "").replace(/\D/g, "").replace(/^0+/, "")
  return digits === "" ? undefined : digits
}

/** A property that a lead takes from the record that it is primarily linked to. */
const ofPrimary = (account: Account, type: ObjectType, { id }: Stored, to: ObjectType, name: string) => {
  const other = primaryOf(account, type, id, to)
  return other === undefined ? undefined : recordOf(account, to, other)?.properties[name]
}

/** The value of a property, computed or kept. */
export const valueOf = (account: Account, type: ObjectType, record: Stored, name: string): string | undefined => {
  switch (name) {
    case "hs_object_id":
      return record.id
    case type.created:
      return iso(record.createdAt)
    case "lastmodifieddate":
    case "hs_lastmodifieddate":
      return iso(record.updatedAt)
    case "hs_email_domain":
      return record.properties.email?.split("@")[1]
    case "associatedcompanyid":
      return primaryOf(account, type, record.id, companies)
    case "num_associated_contacts":
      return String(linksOf(account, type, record.id, contacts).length)
    case "num_associated_deals":
      return String(linksOf(account, type, record.id, deals).length)
    case "hs_is_closed":
      return String(stageOf(type, record)?.metadata.isClosed === "true")
    case "hs_is_closed_won": {
      const metadata = stageOf(type, record)?.metadata
      return String(metadata?.isClosed === "true" && Number(metadata.probability) === 1)
    }
    case "hs_is_closed_lost": {
      const metadata = stageOf(type, record)?.metadata
      return String(metadata?.isClosed === "true" && Number(metadata.probability) !== 1)
    }
    case "hs_searchable_calculated_phone_number":
      return searchable(record.properties.phone)
    case "hs_searchable_calculated_mobile_number":
      return searchable(record.properties.mobilephone)
    case "hs_associated_contact_email":
      return ofPrimary(account, type, record, contacts, "email")
    case "hs_associated_contact_firstname":
      return ofPrimary(account, type, record, contacts, "firstname")
    case "hs_associated_contact_lastname":
      return ofPrimary(account, type, record, contacts, "lastname")
    case "hs_associated_company_name":
      return ofPrimary(account, type, record, companies, "name")
    case "hs_associated_company_domain":
      return ofPrimary(account, type, record, companies, "domain")
    case "hs_deal_stage_probability":
      return stageOf(type, record)?.metadata.probability?.replace(/\.0$/, "")
    default:
      return record.properties[name]
  }
}

/** A record as an answer shows it: the properties asked for that exist, else the type's own choice. */
export const view = (account: Account, type: ObjectType, record: Stored, asked: ReadonlyArray<string>) => {
  const names = asked.length === 0 ? type.defaults : [...asked, type.created, type.modified, "hs_object_id"]
  return {
    id: record.id,
    properties: Object.fromEntries(
      [...new Set(names)]
        .filter((name) => type.properties.has(name))
        .sort()
        .map((name) => [name, valueOf(account, type, record, name) ?? null])
    ),
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
    archived: record.archivedAt !== undefined,
    ...(record.archivedAt === undefined ? {} : { archivedAt: iso(record.archivedAt) })
  }
}

/** Most links of a type that come with a record. */
const inlineLinks = 100

/**
 * Links that come with a record when a request asks for types: none where there are none, and the first page where there
 * are many. https://developers.hubspot.com/changelog/announcing-a-change-to-how-v3-crm-apis-return-association-data
 */
export const associationsOf = (account: Account, from: ObjectType, id: string, to: ReadonlyArray<ObjectType>) => {
  const found = to.flatMap((type) => {
    const { next, slice } = pageAfter(linksOf(account, from, id, type), (link) => link.id, -1, inlineLinks)
    const results = slice.flatMap((link) =>
      link.typeIds.map((typeId) => ({ id: link.id, type: linkName(account, from, type, typeId) }))
    )
    const link = `https://api.hubapi.com/crm/v3/objects/${from.name}/${id}/associations/${type.name}?after=${next}`
    const paging = next === undefined ? {} : { paging: { next: { after: next, link } } }
    return results.length === 0 ? [] : [[type.name, { results, ...paging }] as const]
  })
  return found.length === 0 ? {} : { associations: Object.fromEntries(found) }
}

// Writes ----------------------------------------------------------------------------------------------------------------

/** Words for a value in a form that it does not have. */
const forms: { readonly [form: string]: readonly [code: string, before: string, after: string] } = {
  number: ["INVALID_INTEGER", "", " was not a valid number."],
  bool: ["INVALID_BOOLEAN", "", " was not a valid boolean."],
  date: ["INVALID_DATE", "", " was not a valid date."],
  datetime: ["INVALID_LONG", "", " was not a valid long."],
  email: ["INVALID_EMAIL", "Email address ", " is invalid"]
}

const noOption = (one: unknown, options: ReadonlyArray<unknown> = []) =>
  ["INVALID_OPTION", `${String(one)} was not one of the allowed options: [${options.join(", ")}]`] as const

/** Words for a value that a property does not take: a code and a sentence. */
const said = ({ properties }: ObjectType, { complaint, given, path }: Problem): readonly [string, string] => {
  const property = properties.get(path)
  const value = String(given)
  if (property === undefined) return ["PROPERTY_DOESNT_EXIST", `Property "${path}" does not exist`]
  if (complaint.is === "not allowed") {
    return ["READ_ONLY_VALUE", `"${path}" is a read only property; its value cannot be set.`]
  }
  if (complaint.is === "refused") return [complaint.code ?? "", complaint.words]
  if (complaint.is === "absent") return ["INVALID_OWNER_ID", `Owner ${value} does not exist.`]
  if (complaint.is === "choice") return noOption(value, complaint.choices)
  if (complaint.is === "unknown") return noOption(complaint.value, property.options)
  const [code = "", before = "", after = ""] = forms[complaint.is === "form" ? complaint.form : ""] ?? []
  return [code, `${before}${value}${after}`]
}

/** The refusal of property values, as recorded from the API: every value that is wrong, in the message and in `errors`. */
const unfit = (type: ObjectType, problems: ReadonlyArray<Problem>) => {
  const errors = problems.map((problem) => {
    const [code, message] = said(type, problem)
    return { message, code, context: { propertyName: [problem.path] } }
  })
  const results = errors.map(({ code: error, message }, index) => ({
    isValid: false,
    message,
    error,
    name: problems[index]?.path,
    localizedErrorMessage: message,
    propertyValue: problems[index]?.given ?? "",
    portalId
  }))
  return invalid(`Property values were not valid: ${JSON.stringify(results)}`, { errors })
}

const refusalOf = (type: ObjectType, problems: ReadonlyArray<Problem>, current: Stored | undefined): Reply => {
  const [first] = problems
  if (first?.complaint.is === "required") {
    const action = current === undefined ? "creating" : "updating"
    return invalid(`Error ${action} ${type.singular.toUpperCase()}. Some required properties were not set.`, {
      context: { properties: problems.map(({ path }) => path) }
    })
  }
  if (first?.complaint.is !== "taken") return unfit(type, problems)
  const [name, other] = [first.path, String(first.complaint.by.hs_object_id)]
  if (type.name === "contacts" && name === "email") {
    return failure(409, "CONFLICT", `Contact already exists. Existing ID: ${other}`)
  }
  const [own, message] = [current?.id ?? "a new record", "already has that value"]
  return invalid(`Cannot set ${name} of ${own} to ${String(first.given)}. ${other} ${message}.`, {
    errors: [{ message, code: "CONFLICTING_UNIQUE_VALUE", context: { propertyName: [name] } }]
  })
}

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === "string"

/** The record a write makes, or HubSpot's refusal of it. Properties that are cleared are not kept. */
export const written = (account: Account, type: ObjectType, given: Input, current?: Stored): Answered<Stored> =>
  Either.mapBoth(draft(account, type, given, current && { ...current.properties, hs_object_id: current.id }), {
    onLeft: (problems) => refusalOf(type, problems, current),
    onRight: ({ hs_object_id: id, ...values }) => ({
      id: String(id),
      properties: Object.fromEntries(Object.entries(values).filter(isText)),
      createdAt: current?.createdAt ?? account.now,
      // a clock that went back does not take the record's with it
      updatedAt: Math.max(account.now, (current?.updatedAt ?? -1) + 1)
    })
  })
