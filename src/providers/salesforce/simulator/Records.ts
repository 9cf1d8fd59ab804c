import { Either, Predicate } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { draft, sampled } from "../../simulation/table/Kind.ts"
import { withoutDuplicates } from "./Duplicates.ts"
import {
  badJson,
  cannot,
  deletedRecord,
  type Fault,
  faultOf,
  lockedInTrigger,
  lockedRow,
  noColumn,
  unknownRecord
} from "./Faults.ts"
import { isHeldBy, type SObject } from "./Fields.ts"
import { idOf } from "./Ids.ts"
import { childRelations, fieldNamed, sObjectNamed } from "./Schema.ts"
import { takeLock } from "./Settings.ts"

type Checked<A> = Either.Either<A, Fault>

/** A record that is there and not in the recycle bin. */
export const held = (org: Org, object: SObject, given: string): Checked<Doc> => {
  const recordId = idOf(given)
  const doc = recordId === undefined ? undefined : org.get(object.name, recordId)
  if (doc === undefined) return Either.left(unknownRecord)
  return doc.IsDeleted === true ? Either.left(deletedRecord) : Either.right(doc)
}

// Writes

/** The values that there are: others leave a new record as it begins. */
export const given = (values: Doc): Doc =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

/** Puts a record where its object, and the object's twin, have it. */
export const put = (org: Org, { name, twin = name }: SObject, doc: Doc): void => {
  for (const place of new Set([name, twin])) org.put(place, String(doc.Id), doc)
}

/** Keeps a record and what follows from it. */
const keep = (org: Org, object: SObject, doc: Doc, before: Doc | undefined): void => {
  put(org, object, doc)
  object.follows?.({ doc, before, org }, (name, values) => {
    const other = sObjectNamed(name)
    if (other !== undefined) keep(org, other, sampled(org, other, given(values)), undefined)
  })
}

/** A write that is checked and has not happened yet. */
export interface Planned {
  readonly id: string
  readonly commit: () => void
}

/** How a write is to be done. */
export interface Options {
  /** Duplicates are saved where their rule permits it. */
  readonly allowSave?: boolean
}

const unlocked = (org: Org): Checked<void> => {
  const lock = takeLock(org)
  return lock === undefined ? Either.void : Either.left(lock === "row" ? lockedRow : lockedInTrigger)
}

const planned = (
  org: Org,
  object: SObject,
  body: Doc,
  { allowSave = false }: Options,
  before?: Doc
): Checked<Planned> =>
  Either.gen(function* () {
    const strange = Object.keys(body).find((name) => {
      const field = fieldNamed(object, name)
      return field !== undefined && !isHeldBy(org, field)
    })
    if (strange !== undefined) return yield* Either.left(noColumn(strange, object.name))
    const doc = yield* Either.mapLeft(draft(org, object, body, before), (problems) => faultOf(object, problems))
    yield* withoutDuplicates(org, object.name, doc, allowSave)
    yield* unlocked(org)
    return { id: String(doc.Id), commit: () => keep(org, object, doc, before) }
  })

export const create = (org: Org, object: SObject, body: Doc, options: Options = {}): Checked<Planned> =>
  object.can.create ? planned(org, object, body, options) : Either.left(cannot(object.name, "create"))

export const update = (
  org: Org,
  object: SObject,
  recordId: string,
  body: Doc,
  options: Options = {}
): Checked<Planned> =>
  object.can.update
    ? Either.flatMap(held(org, object, recordId), (before) => planned(org, object, body, options, before))
    : Either.left(cannot(object.name, "update"))

export const remove = (org: Org, object: SObject, recordId: string): Checked<Planned> =>
  Either.gen(function* () {
    if (!object.can.delete) return yield* Either.left(cannot(object.name, "delete"))
    const doc = yield* held(org, object, recordId)
    yield* unlocked(org)
    return { id: String(doc.Id), commit: () => bin(org, object, doc) }
  })

/** Puts a record into the recycle bin with what cannot be without it; other references to it become empty. */
const bin = (org: Org, object: SObject, doc: Doc): void => {
  const stamps = object.stamps(org, doc)
  put(org, object, { ...doc, IsDeleted: true, ...stamps })
  const twin = sObjectNamed(object.twin ?? "")
  for (const { field, object: child } of [object, ...(twin === undefined ? [] : [twin])].flatMap(childRelations)) {
    for (const one of org.all(child.name)) {
      if (one.IsDeleted === true || one[field.code] !== doc.Id) continue
      if (field.cascade === true) bin(org, child, one)
      else org.put(child.name, String(one.Id), { ...one, [field.code]: null, SystemModstamp: stamps.SystemModstamp })
    }
  }
}

/**
 * Merges records into one, as the SOAP API and the application do and the REST API does not. The others go to the recycle bin
 * with the id of the one that stays, and what refers to them refers to it.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_calls_merge.htm
 */
export const merge = (org: Org, object: SObject, masterId: string, others: ReadonlyArray<string>): void => {
  for (const id of others) {
    const doc = org.get(object.name, id)
    if (doc === undefined) continue
    for (const { field, object: child } of childRelations(object)) {
      for (const one of org.all(child.name)) {
        if (one[field.code] === id && one.IsDeleted !== true) put(org, child, { ...one, [field.code]: masterId })
      }
    }
    put(org, object, { ...doc, IsDeleted: true, MasterRecordId: masterId, ...object.stamps(org, doc) })
  }
  const kept = org.get(object.name, masterId)
  if (kept !== undefined) put(org, object, { ...kept, ...object.stamps(org, kept) })
}

/** A JSON object from a body. */
export const objectIn = (text: string): Checked<Doc> =>
  Either.flatMap(
    Either.try({
      try: (): unknown => JSON.parse(text),
      catch: () => badJson("Unexpected character at [line:1, column:1]")
    }),
    (body) =>
      Predicate.isReadonlyRecord(body) && !Array.isArray(body)
        ? Either.right(body)
        : Either.left(badJson("The HTTP entity body is required to be an object at [line:1, column:1]"))
  )
