import { Either, Predicate } from "effect"
import { isDay } from "../../simulation/Period.ts"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import {
  alsoNeeded,
  type Checked,
  missing,
  notAValue,
  otherModule,
  placeOf,
  tooLong,
  unknownId,
  wrongType
} from "./Answers.ts"
import { type Field, stampOf } from "./Fields.ts"
import { isId, moduleNamed } from "./Modules.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html (sample inputs by data type)

/** A value of a request: its field, where it stands and the record around it. */
export interface Given {
  readonly org: Org
  readonly field: Field
  readonly value: unknown
  readonly row: number
  readonly body: Doc
}

const instantShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/
const emailShape =
  /^[+\-\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}!#$%&'*+\-/=?^_`{|}~.]*@(?=.{4,256}$)(?:[\p{L}\p{N}\p{M}]+(?:[-_]*[\p{L}\p{M}\p{N}])*[.])+[\p{L}\p{M}]{2,22}$/u
const phoneShape = /^[+\p{L}\d (][\p{L}\d ()+.,;#/-]*$/u
const websiteShape = /^(?:[a-z]+:\/\/)?[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+(?::\d+)?(?:[/?#]\S*)?$/iu

const shapes: { readonly [type: string]: RegExp } = { email: emailShape, phone: phoneShape, website: websiteShape }

const textOf = ({ field, row, value }: Given): Checked<string> => {
  const place = placeOf(row, field.name)
  if (typeof value !== "string") return Either.left(wrongType(place, field.type === "textarea" ? "text" : field.type))
  if (value.length > field.length) return Either.left(tooLong(place, field.length))
  if (shapes[field.type]?.test(value) === false) return Either.left(wrongType(place, field.type))
  return field.closed === true && field.values?.includes(value) !== true
    ? Either.left(notAValue(place, field.values ?? []))
    : Either.right(value)
}

const numberOf = ({ field, row, value }: Given): Checked<number> => {
  const place = placeOf(row, field.name)
  if (typeof value !== "number" || (field.type === "integer" && !Number.isInteger(value))) {
    return Either.left(wrongType(place, field.type === "integer" ? "integer" : "double"))
  }
  return Math.abs(value) < 10 ** field.length ? Either.right(value) : Either.left(tooLong(place, field.length))
}

/** A long whole number, which JSON clients send as text. */
const bigintOf = ({ field, row, value }: Given): Checked<string> => {
  const place = placeOf(row, field.name)
  const digits = Number.isSafeInteger(value) ? String(value) : value
  if (typeof digits !== "string" || !/^-?\d+$/.test(digits)) return Either.left(wrongType(place, "bigint"))
  return digits.length > field.length ? Either.left(tooLong(place, field.length)) : Either.right(digits)
}

/** The id in `{"id": "…"}`, or alone. */
const idIn = ({ field, row, value }: Given): Checked<string> => {
  if (typeof value === "string" && isId(value)) return Either.right(value)
  if (!Predicate.isReadonlyRecord(value)) return Either.left(wrongType(placeOf(row, field.name), "jsonobject"))
  if (value.id === undefined) return Either.left(missing(placeOf(row, field.name, "id")))
  return typeof value.id === "string" && isId(value.id)
    ? Either.right(value.id)
    : Either.left(wrongType(placeOf(row, field.name, "id"), "bigint"))
}

const userIn = (given: Given): Checked<string> =>
  Either.flatMap(idIn(given), (id) =>
    given.org.get("users", id)?.status === "active"
      ? Either.right(id)
      : Either.left(unknownId(placeOf(given.row, given.field.name, "id")))
  )

/** The module of `{"module": {"api_name": "…"}}`. */
const moduleIn = ({ field, row, value }: Given): Checked<string> => {
  const module = Predicate.hasProperty(value, "module") ? value.module : undefined
  const name = Predicate.hasProperty(module, "api_name") ? module.api_name : undefined
  if (typeof name !== "string") return Either.left(wrongType(placeOf(row, field.name, "module"), "jsonobject"))
  return field.to?.includes(name) === true
    ? Either.right(name)
    : Either.left(otherModule(placeOf(row, field.name, "module", "api_name")))
}

/** The module that stands beside a lookup. */
const moduleBeside = ({ body, field, row }: Given, key: string): Checked<string> => {
  const name = body[key]
  if (name === undefined) {
    return Either.left(alsoNeeded(placeOf(row, key), placeOf(row, field.name), `${key} is required with ${field.name}`))
  }
  return typeof name === "string" && field.to?.includes(name) === true
    ? Either.right(name)
    : Either.left(notAValue(placeOf(row, key), field.to ?? []))
}

/** A reference to a record, kept with its module. */
const referenceOf = (given: Given): Checked<Doc> =>
  Either.gen(function* () {
    const { field, org, row } = given
    const id = yield* idIn(given)
    const module =
      field.type === "multi_module_lookup"
        ? yield* moduleIn(given)
        : field.beside === undefined
          ? (field.to?.[0] ?? "")
          : yield* moduleBeside(given, field.beside)
    return org.get(module, id) === undefined
      ? yield* Either.left(unknownId(placeOf(row, field.name, "id")))
      : { module, id }
  })

const listOf = ({ field, row, value }: Given): Checked<ReadonlyArray<unknown>> =>
  Array.isArray(value) ? Either.right(value) : Either.left(wrongType(placeOf(row, field.name), "jsonarray"))

/** Users, each `{"id": "…"}`. */
const usersOf = (given: Given): Checked<unknown> =>
  Either.flatMap(listOf(given), (list) => Either.all(list.map((value) => userIn({ ...given, value }))))

const choicesOf = (given: Given): Checked<unknown> =>
  Either.flatMap(listOf(given), (list) => {
    const { field, row } = given
    const isText = list.every((one) => typeof one === "string")
    if (!isText) return Either.left(wrongType(placeOf(row, field.name), "jsonarray"))
    return list.join(";").length > field.length
      ? Either.left(tooLong(placeOf(row, field.name), field.length))
      : Either.right(list.length === 0 ? null : list)
  })

const tagsOf = (given: Given): Checked<unknown> =>
  Either.flatMap(listOf(given), (list) =>
    Either.all(
      list.map((one) =>
        Predicate.hasProperty(one, "name") && typeof one.name === "string"
          ? Either.right({ name: one.name })
          : Either.left(missing(placeOf(given.row, given.field.name, "name")))
      )
    )
  )

const people: { readonly [type: string]: string } = { contact: "Contacts", lead: "Leads", user: "users" }

/** https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html (Meetings): who takes part, by id or by address. */
const participantsOf = (given: Given): Checked<unknown> =>
  Either.flatMap(listOf(given), (list) =>
    Either.all(
      list.map((one) => {
        const place = (name: string) => placeOf(given.row, given.field.name, name)
        const [type, participant] = Predicate.isReadonlyRecord(one) ? [one.type, one.participant] : []
        if (typeof participant !== "string") return Either.left(missing(place("participant")))
        if (type === "email") {
          return emailShape.test(participant)
            ? Either.right({ type, participant })
            : Either.left(wrongType(place("participant"), "email"))
        }
        const table = typeof type === "string" ? people[type] : undefined
        if (table === undefined) return Either.left(notAValue(place("type"), [...Object.keys(people), "email"]))
        return given.org.get(table, participant) === undefined
          ? Either.left(unknownId(place("participant")))
          : Either.right({ type, participant })
      })
    )
  )

/** A value of a request as it is kept. Empty text is no value. */
export const kept = (given: Given): Checked<unknown> => {
  const { field, row, value } = given
  if (value === null || value === "") {
    if (field.type === "boolean") return Either.left(wrongType(placeOf(row, field.name), "boolean"))
    if (field.mandatory === true || field.type === "ownerlookup") return Either.left(missing(placeOf(row, field.name)))
    return Either.right(field.type === "tags" || field.type === "participants" ? [] : null)
  }
  const place = placeOf(row, field.name)
  switch (field.type) {
    case "integer":
    case "double":
    case "currency":
      return numberOf(given)
    case "bigint":
      return bigintOf(given)
    case "boolean":
      return typeof value === "boolean" ? Either.right(value) : Either.left(wrongType(place, "boolean"))
    case "date":
      return typeof value === "string" && isDay(value) ? Either.right(value) : Either.left(wrongType(place, "date"))
    case "datetime":
      return typeof value === "string" && instantShape.test(value) && isDay(value.slice(0, 10))
        ? Either.right(stampOf(Date.parse(value)))
        : Either.left(wrongType(place, "datetime"))
    case "lookup":
    case "multi_module_lookup":
      return referenceOf(given)
    case "ownerlookup":
      return userIn(given)
    case "multiuserlookup":
      return usersOf(given)
    case "multiselectpicklist":
      return choicesOf(given)
    case "tags":
      return tagsOf(given)
    case "participants":
      return participantsOf(given)
    default:
      return textOf(given)
  }
}

/** The module a reference leads to, and the record there. */
export const follow = (org: Org, value: unknown) => {
  if (!Predicate.isReadonlyRecord(value)) return undefined
  const module = moduleNamed(String(value.module))
  const doc = module === undefined ? undefined : org.get(module.name, String(value.id))
  return module === undefined || doc === undefined ? undefined : { module, doc }
}
