import { Either, Predicate } from "effect"
import { isDay } from "../../simulation/Period.ts"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import {
  badEmail,
  badJson,
  badPicklist,
  badReference,
  cannot,
  deletedRecord,
  deletedReference,
  duplicateValue,
  type Fault,
  idInBody,
  inactiveOwner,
  missing,
  noColumn,
  noOwner,
  noReference,
  notBlank,
  readOnly,
  tooLong,
  unknownRecord,
  wrongValue
} from "./Faults.ts"
import { type Field, labelOf, type SObject, stampOf } from "./Fields.ts"
import { childRelations, fieldNamed, idOf, nextId, sObjectNamed, sObjectOfId } from "./Schema.ts"

type Checked<A> = Either.Either<A, Fault>

/** The user of the session: the one who made the organisation. */
export const me = (org: Org): string => String(org.all("User")[0]?.Id ?? "")

/** A record that is there and not in the recycle bin. */
export const held = (org: Org, object: SObject, given: string): Checked<Doc> => {
  const recordId = idOf(given)
  const doc = recordId === undefined ? undefined : org.get(object.name, recordId)
  if (doc === undefined) return Either.left(unknownRecord)
  return doc.IsDeleted === true ? Either.left(deletedRecord) : Either.right(doc)
}

// Values

const instantShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/

const millisecondsOf = (text: string) => Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"))

const textValue = (field: Field, value: unknown): Checked<string> => {
  if (typeof value !== "string" && typeof value !== "number") return Either.left(wrongValue("string", value))
  const text = String(value)
  if (field.length !== undefined && text.length > field.length) {
    return Either.left(tooLong(field.name, labelOf(field), text, field.length))
  }
  if (field.type === "email" && !/^[^\s@,;]+@[^\s@,;]+\.[^\s@,;.]+$/.test(text)) {
    return Either.left(badEmail(field.name, labelOf(field), text))
  }
  return field.restricted === true && field.values?.includes(text) !== true
    ? Either.left(badPicklist(field.name, text))
    : Either.right(text)
}

const referenceValue = (org: Org, object: SObject, field: Field, value: unknown): Checked<string> => {
  const recordId = typeof value === "string" ? idOf(value) : undefined
  const target = recordId === undefined ? undefined : sObjectOfId(recordId)
  if (recordId === undefined || target === undefined || field.to?.includes(target.name) !== true) {
    return Either.left(badReference(field.name, labelOf(field), String(value)))
  }
  const doc = org.get(target.name, recordId)
  if (doc === undefined) return Either.left(noReference)
  if (doc.IsDeleted === true) return Either.left(deletedReference)
  return field.name === "OwnerId" && doc.IsActive === false
    ? Either.left(inactiveOwner(recordId, object.name))
    : Either.right(recordId)
}

/** A value of a request as it is kept. Empty text is no value. */
const kept = (org: Org, object: SObject, field: Field, value: unknown): Checked<unknown> => {
  if (value === null || value === "") {
    if (field.type === "boolean") return Either.left(notBlank(field.name, labelOf(field)))
    return field.name === "OwnerId" ? Either.left(noOwner) : Either.right(null)
  }
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? Either.right(value) : Either.left(wrongValue("boolean", value))
    case "int":
    case "double":
    case "currency":
    case "percent": {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
      return typeof number === "number" && Number.isFinite(number) && (field.type !== "int" || Number.isInteger(number))
        ? Either.right(number)
        : Either.left(wrongValue(field.type === "int" ? "int" : "double", value))
    }
    case "date":
      return typeof value === "string" && isDay(value) ? Either.right(value) : Either.left(wrongValue("date", value))
    case "datetime":
      return typeof value === "string" && instantShape.test(value) && !Number.isNaN(millisecondsOf(value))
        ? Either.right(stampOf(millisecondsOf(value)))
        : Either.left(wrongValue("datetime", value))
    case "reference":
      return referenceValue(org, object, field, value)
    case "base64":
      return typeof value === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(value)
        ? Either.right(value)
        : Either.left(wrongValue("base64Binary", value))
    default:
      return textValue(field, value)
  }
}

/** The fields of a request's record, checked; names as the object spells them. */
const values = (org: Org, object: SObject, body: Doc, may: "createable" | "updateable"): Checked<Doc> =>
  Either.gen(function* () {
    const named = yield* Either.all(
      Object.entries(body).flatMap(([name, value]) => {
        if (name === "attributes") return []
        if (name.toLowerCase() === "id") return [Either.left(idInBody)]
        const field = fieldNamed(object, name)
        return [field === undefined ? Either.left(noColumn(name, object.name)) : Either.right({ field, value })]
      })
    )
    const refused = named.filter(({ field }) => !field[may]).map(({ field }) => field.name)
    if (refused.length > 0) return yield* Either.left(readOnly(refused))
    const entries: Array<readonly [string, unknown]> = []
    for (const { field, value } of named) entries.push([field.name, yield* kept(org, object, field, value)])
    return Object.fromEntries(entries)
  })

const isAbsent = (value: unknown) => value === null || value === undefined

/** Completes and checks a record as a whole. */
const whole = (org: Org, object: SObject, doc: Doc, before: Doc | undefined, given: Doc): Checked<Doc> => {
  const empty = object.fields.filter(
    ({ compute, name, nillable, type }) =>
      !nillable && compute === undefined && type !== "boolean" && isAbsent(doc[name])
  )
  if (empty.length > 0) return Either.left(missing(empty.map(({ name }) => name)))
  for (const { externalId, name } of object.fields) {
    if (externalId !== true || isAbsent(given[name])) continue
    const other = byExternalId(org, object, name, String(given[name]))
    if (other !== undefined && other.Id !== doc.Id) return Either.left(duplicateValue(name, String(other.Id)))
  }
  return object.prepare?.({ doc, before, org, given: new Set(Object.keys(given)) }) ?? Either.right(doc)
}

/** The record an external id leads to. */
export const byExternalId = (org: Org, object: SObject, field: string, value: string): Doc | undefined =>
  org
    .all(object.name)
    .find((doc) => doc.IsDeleted !== true && String(doc[field] ?? "").toLowerCase() === value.toLowerCase())

// Writes

/** A new record with its initial values, as the session's user makes it. */
export const fresh = (org: Org, object: SObject, given: Doc): Doc => {
  const at = stampOf(org.now)
  const initial = object.fields.flatMap(({ compute, initial, name }) =>
    compute === undefined ? [[name, initial ?? null] as const] : []
  )
  return {
    ...Object.fromEntries(initial),
    ...(fieldNamed(object, "OwnerId") === undefined ? {} : { OwnerId: me(org) }),
    CreatedDate: at,
    CreatedById: me(org),
    LastModifiedDate: at,
    LastModifiedById: me(org),
    SystemModstamp: at,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => !isAbsent(value))),
    IsDeleted: false,
    Id: nextId(org, object)
  }
}

/** Puts a record where its object, and the object's twin, have it. */
export const put = (org: Org, { name, twin = name }: SObject, doc: Doc): void => {
  for (const place of new Set([name, twin])) org.put(place, String(doc.Id), doc)
}

/** Keeps a record and what follows from it. */
const keep = (org: Org, object: SObject, doc: Doc, before: Doc | undefined): void => {
  put(org, object, doc)
  object.follows?.({ doc, before, org }, (name, given) => {
    const other = sObjectNamed(name)
    if (other !== undefined) keep(org, other, fresh(org, other, given), undefined)
  })
}

/** A write that is checked and has not happened yet. */
export interface Planned {
  readonly id: string
  readonly commit: () => void
}

export const create = (org: Org, object: SObject, body: Doc): Checked<Planned> =>
  Either.gen(function* () {
    if (!object.can.create) return yield* Either.left(cannot(object.name, "create"))
    const given = yield* values(org, object, body, "createable")
    const doc = yield* whole(org, object, fresh(org, object, given), undefined, given)
    return { id: String(doc.Id), commit: () => keep(org, object, doc, undefined) }
  })

export const update = (org: Org, object: SObject, recordId: string, body: Doc): Checked<Planned> =>
  Either.gen(function* () {
    if (!object.can.update) return yield* Either.left(cannot(object.name, "update"))
    const before = yield* held(org, object, recordId)
    const given = yield* values(org, object, body, "updateable")
    const at = stampOf(org.now)
    const changed = { ...before, ...given, LastModifiedDate: at, LastModifiedById: me(org), SystemModstamp: at }
    const doc = yield* whole(org, object, changed, before, given)
    return { id: String(doc.Id), commit: () => keep(org, object, doc, before) }
  })

export const remove = (org: Org, object: SObject, recordId: string): Checked<Planned> =>
  Either.gen(function* () {
    if (!object.can.delete) return yield* Either.left(cannot(object.name, "delete"))
    const doc = yield* held(org, object, recordId)
    return { id: String(doc.Id), commit: () => bin(org, object, doc) }
  })

/** Puts a record into the recycle bin with what cannot be without it; other references to it become empty. */
const bin = (org: Org, object: SObject, doc: Doc): void => {
  const at = stampOf(org.now)
  put(org, object, { ...doc, IsDeleted: true, LastModifiedDate: at, LastModifiedById: me(org), SystemModstamp: at })
  const twin = sObjectNamed(object.twin ?? "")
  for (const { field, object: child } of [object, ...(twin === undefined ? [] : [twin])].flatMap(childRelations)) {
    for (const one of org.all(child.name)) {
      if (one.IsDeleted === true || one[field.name] !== doc.Id) continue
      if (field.cascade === true) bin(org, child, one)
      else org.put(child.name, String(one.Id), { ...one, [field.name]: null, SystemModstamp: at })
    }
  }
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
