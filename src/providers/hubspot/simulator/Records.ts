import { Either, Predicate } from "effect"
import { isDay } from "../../simulation/Period.ts"
import type { Account, Doc } from "../../simulation/Account.ts"
import { type Answered, failure, invalid, iso, pageAfter, portalId } from "./Answers.ts"
import { linkName, linksOf, primaryOf } from "./Associations.ts"
import type { Property } from "./Properties.ts"
import { owners, pipelinesOf, type Stage } from "./Settings.ts"
import { companies, contacts, deals, type ObjectType } from "./Types.ts"

/** A record as it is kept; what is computed is not. Times are milliseconds since the epoch. */
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

/** Ids of records that were merged, with the id of what they became. */
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

/** A record's id; all digits, in the order of creation. */
export const freshId = (account: Account): string => String(27_410_000_000 + account.nextId() * 37)

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
    case "hs_deal_stage_probability":
      return stageOf(type, record)?.metadata.probability?.replace(/\.0$/, "")
    default:
      return record.properties[name]
  }
}

/** A record as an answer shows it: what is asked for and exists, else the type's own choice. */
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
 * What comes with a record when its links to types are asked for: none where there are none, and where there are many
 * the first page. https://developers.hubspot.com/changelog/announcing-a-change-to-how-v3-crm-apis-return-association-data
 */
export const associationsOf = (account: Account, from: ObjectType, id: string, to: ReadonlyArray<ObjectType>) => {
  const found = to.flatMap((type) => {
    const { next, slice } = pageAfter(linksOf(account, from, id, type), (link) => link.id, -1, inlineLinks)
    const results = slice.flatMap((link) =>
      link.typeIds.map((typeId) => ({ id: link.id, type: linkName(from, type, typeId) }))
    )
    const link = `https://api.hubapi.com/crm/v3/objects/${from.name}/${id}/associations/${type.name}?after=${next}`
    const paging = next === undefined ? {} : { paging: { next: { after: next, link } } }
    return results.length === 0 ? [] : [[type.name, { results, ...paging }] as const]
  })
  return found.length === 0 ? {} : { associations: Object.fromEntries(found) }
}

// Checks of what is written ----------------------------------------------------------------------------------------------

interface Refusal {
  readonly name: string
  readonly value: string
  readonly code: string
  readonly message: string
}

/** The refusal of property values, as recorded from the API: every value that is wrong, in the message and in `errors`. */
const refusal = (refused: ReadonlyArray<Refusal>) => {
  const results = refused.map(({ code, message, name, value }) => ({
    isValid: false,
    message,
    error: code,
    name,
    localizedErrorMessage: message,
    propertyValue: value,
    portalId
  }))
  return invalid(`Property values were not valid: ${JSON.stringify(results)}`, {
    errors: refused.map(({ code, message, name }) => ({ message, code, context: { propertyName: [name] } }))
  })
}

type Checked = Either.Either<string, { readonly code: string; readonly message: string }>

const wrong = (code: string, message: string): Checked => Either.left({ code, message })

/** Milliseconds of a date or date-time: ISO 8601 with an offset, or milliseconds as they are. */
export const millisecondsOf = (text: string): number | undefined => {
  if (/^-?\d{5,}$/.test(text)) return Number(text)
  if (isDay(text)) return Date.parse(`${text}T00:00:00Z`)
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/.test(text)
  const time = isTime && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const checkTime = (property: Property, value: string): Checked => {
  const time = millisecondsOf(value)
  if (property.type === "datetime") {
    return time === undefined
      ? wrong("INVALID_LONG", `${value} was not a valid long.`)
      : Either.right(iso(time).replace(".000Z", "Z"))
  }
  return time === undefined || time % 86_400_000 !== 0
    ? wrong("INVALID_DATE", `${value} was not a valid date.`)
    : Either.right(iso(time).slice(0, 10))
}

const checkOptions = (property: Property, value: string, current: string | undefined): Checked => {
  if (property.name === "hubspot_owner_id") {
    return owners.some((owner) => owner.id === value)
      ? Either.right(value)
      : wrong("INVALID_OWNER_ID", `Owner ${value} does not exist.`)
  }
  if (property.options === undefined) return Either.right(value)
  const isMany = property.fieldType === "checkbox"
  const chosen = isMany ? value.split(";").filter((one) => one !== "") : [value]
  const unknown = chosen.find((one) => property.options?.includes(one) !== true)
  if (unknown !== undefined) {
    return wrong("INVALID_OPTION", `${unknown} was not one of the allowed options: [${property.options.join(", ")}]`)
  }
  // a leading semicolon adds to what is there
  const before = isMany && value.startsWith(";") ? (current ?? "").split(";").filter((one) => one !== "") : []
  return Either.right(isMany ? [...new Set([...before, ...chosen])].join(";") : value)
}

const checkText = (property: Property, value: string): Checked => {
  if (property.name !== "email") return Either.right(value)
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value)
    ? Either.right(value.toLowerCase())
    : wrong("INVALID_EMAIL", `Email address ${value} is invalid`)
}

/** A value as it is kept, for a definition. */
const check = (property: Property, value: string, current: string | undefined): Checked => {
  if (property.isReadOnly === true) {
    return wrong("READ_ONLY_VALUE", `"${property.name}" is a read only property; its value cannot be set.`)
  }
  if (value === "") return Either.right("")
  switch (property.type) {
    case "number":
      return /^-?\d+(\.\d+)?$/.test(value)
        ? Either.right(value)
        : wrong("INVALID_INTEGER", `${value} was not a valid number.`)
    case "date":
    case "datetime":
      return checkTime(property, value)
    case "bool":
      return value === "true" || value === "false"
        ? Either.right(value)
        : wrong("INVALID_BOOLEAN", `${value} was not a valid boolean.`)
    case "enumeration":
      return checkOptions(property, value, current)
    default:
      return checkText(property, value)
  }
}

/** A stage is one of its pipeline; the first pipeline and its first stage where none is given. */
const checkStage = (type: ObjectType, merged: Map<string, string>): ReadonlyArray<Refusal> => {
  const staged = type.staged
  if (staged === undefined) return []
  const pipelines = pipelinesOf(type)
  const pipelineId = merged.get(staged.pipeline) ?? pipelines[0]?.id ?? ""
  const pipeline = pipelines.find((one) => one.id === pipelineId)
  const refuse = (name: string, value: string, allowed: ReadonlyArray<{ readonly id: string }>) => [
    {
      name,
      value,
      code: "INVALID_OPTION",
      message: `${value} was not one of the allowed options: [${allowed.map(({ id }) => id).join(", ")}]`
    }
  ]
  if (pipeline === undefined) return refuse(staged.pipeline, pipelineId, pipelines)
  const stageId = merged.get(staged.stage) ?? pipeline.stages[0]?.id ?? ""
  if (!pipeline.stages.some((stage) => stage.id === stageId)) return refuse(staged.stage, stageId, pipeline.stages)
  merged.set(staged.pipeline, pipelineId).set(staged.stage, stageId)
  return []
}

/** What HubSpot sets by itself when values change. */
const follow = (type: ObjectType, before: Stored["properties"], merged: Map<string, string>, now: number): void => {
  const stamp = iso(now)
  if (merged.get("hubspot_owner_id") !== before.hubspot_owner_id) merged.set("hubspot_owner_assigneddate", stamp)
  if (type.name === "companies") {
    const domain = merged.get("domain")
    const website = merged.get("website")
    if (domain === undefined && website !== undefined && website !== before.website) {
      merged.set(
        "domain",
        website
          .replace(/^https?:\/\//, "")
          .replace(/^www\./, "")
          .replace(/[/?#].*$/, "")
      )
    }
    if (website === undefined && domain !== undefined && domain !== before.domain) merged.set("website", domain)
  }
  if (type.name === "tasks" && merged.get("hs_task_status") !== before.hs_task_status) {
    if (merged.get("hs_task_status") === "COMPLETED") merged.set("hs_task_completion_date", stamp)
    else merged.delete("hs_task_completion_date")
  }
  const start = merged.get("hs_meeting_start_time")
  if (start !== undefined && !merged.has("hs_timestamp")) merged.set("hs_timestamp", start)
}

/** Another record's claim to a value that only one may have. */
const clash = (account: Account, type: ObjectType, merged: Map<string, string>, own: string | undefined) => {
  const unique = [...type.properties.values()].filter(({ isUnique, name }) => isUnique === true && merged.has(name))
  for (const { name } of unique) {
    const value = merged.get(name)
    const other = recordsOf(account, type).find(
      (one) => one.id !== own && one.archivedAt === undefined && one.properties[name] === value
    )
    if (other === undefined) continue
    return type.name === "contacts" && name === "email"
      ? failure(409, "CONFLICT", `Contact already exists. Existing ID: ${other.id}`)
      : invalid(`Cannot set ${name} of ${own ?? "a new record"} to ${value}. ${other.id} already has that value.`, {
          errors: [
            { message: "already has that value", code: "CONFLICTING_UNIQUE_VALUE", context: { propertyName: [name] } }
          ]
        })
  }
  return undefined
}

/** The properties a record has after a write, or HubSpot's refusal of it. */
export const written = (
  account: Account,
  type: ObjectType,
  input: Input,
  current: Stored | undefined
): Answered<Stored["properties"]> => {
  const before = current?.properties ?? {}
  const merged = new Map(Object.entries(before))
  const refused: Array<Refusal> = []
  for (const [name, given] of Object.entries(input)) {
    const value = String(given)
    const property = type.properties.get(name)
    const checked =
      property === undefined
        ? wrong("PROPERTY_DOESNT_EXIST", `Property "${name}" does not exist`)
        : check(property, value, before[name])
    if (Either.isLeft(checked)) refused.push({ name, value, ...checked.left })
    else if (checked.right === "") merged.delete(name)
    else merged.set(name, checked.right)
  }
  refused.push(...(refused.length === 0 ? checkStage(type, merged) : []))
  if (refused.length > 0) return Either.left(refusal(refused))
  follow(type, before, merged, account.now)
  const missing = type.required.filter((name) => !merged.has(name))
  if (missing.length > 0) {
    const action = current === undefined ? "creating" : "updating"
    return Either.left(
      invalid(`Error ${action} ${type.singular.toUpperCase()}. Some required properties were not set.`, {
        context: { properties: missing }
      })
    )
  }
  const taken = clash(account, type, merged, current?.id)
  return taken === undefined ? Either.right(Object.fromEntries(merged)) : Either.left(taken)
}
