import { Either, Option, Predicate, Schema } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import type { Checked, Complaint } from "../../simulation/table/Complaint.ts"
import type { Field } from "../../simulation/table/Kind.ts"
import type { Filter, Test } from "../../simulation/table/Query.ts"
import { stageId, stages } from "./Workspace.ts"

// Filters of records: https://docs.attio.com/rest-api/guides/filtering-and-sorting

const bad = (words: string): Either.Either<never, Complaint> => Either.left({ is: "own", words })

type Compare = (held: unknown, given: unknown) => boolean

const fold = (value: unknown) => String(value).toLowerCase()
const isAmong: Compare = (held, given) => Array.isArray(given) && given.includes(held)

const number = (value: unknown) => (typeof value === "number" ? value : Date.parse(String(value)))

/** Only one of these is documented to ignore case. */
const operators: { readonly [operator: string]: Compare } = {
  $eq: (held, given) => held === given,
  $in: isAmong,
  $not_empty: (held, given) => (String(held ?? "") !== "") === given,
  $contains: (held, given) => fold(held).includes(fold(given)),
  $starts_with: (held, given) => String(held).startsWith(String(given)),
  $ends_with: (held, given) => String(held).endsWith(String(given)),
  $lt: (held, given) => number(held) < number(given),
  $lte: (held, given) => number(held) <= number(given),
  $gt: (held, given) => number(held) > number(given),
  $gte: (held, given) => number(held) >= number(given)
}

const strings = ["$eq", "$contains", "$starts_with", "$ends_with"]
const sortable = ["$eq", "$lt", "$lte", "$gt", "$gte"]

/** Filters of a type of attributes: its properties with their operators, the implied one first. */
interface Filterable {
  readonly properties: { readonly [property: string]: ReadonlyArray<string> }
  /** All properties must be named. */
  readonly isWhole?: boolean
  /** The form that a value of a property must have. */
  readonly form?: RegExp
}

/** https://docs.attio.com/docs/attribute-types/attribute-types */
const types: { readonly [type: string]: Filterable } = {
  text: { properties: { value: [...strings, "$in"] } },
  "personal-name": {
    properties: {
      full_name: [...strings, "$not_empty"],
      first_name: [...strings, "$not_empty"],
      last_name: [...strings, "$not_empty"]
    }
  },
  "email-address": {
    properties: {
      email_address: strings,
      email_domain: strings,
      email_root_domain: strings,
      email_local_specifier: strings
    }
  },
  domain: { properties: { domain: [...strings, "$not_empty"], root_domain: [...strings, "$not_empty"] } },
  "phone-number": { properties: { phone_number: strings, country_code: ["$eq", "$not_empty"] } },
  // both date and time must be there
  timestamp: { properties: { value: sortable }, form: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/ },
  currency: { properties: { currency_value: sortable } },
  "record-reference": { properties: { target_object: ["$eq"], target_record_id: ["$eq", "$in"] }, isWhole: true },
  "actor-reference": { properties: { referenced_actor_type: ["$eq"], referenced_actor_id: ["$eq"] }, isWhole: true },
  status: { properties: { status: ["$eq"] } }
}

/** The members of a value that properties look at; a status is asked for by its title or its id. */
const heldIn = (type: string, property: string, value: Doc): ReadonlyArray<unknown> => {
  const held = value[property]
  return type === "status" && Predicate.isRecord(held) ? [held.title, stageId(held)] : [held]
}

const isOperators = (given: unknown): given is Doc =>
  Predicate.isRecord(given) && Object.keys(given).length > 0 && Object.keys(given).every((key) => key.startsWith("$"))

const propertyTest = (type: string, property: string, given: unknown): Checked<(value: Doc) => boolean> => {
  const { form = /^/, properties } = types[type] ?? { properties: {} }
  const allowed = properties[property]
  if (allowed === undefined) return bad(`"${property}" cannot be filtered by`)
  const asked = isOperators(given) ? given : { $eq: given }
  for (const [operator, wanted] of Object.entries(asked)) {
    if (!allowed.includes(operator)) return bad(`${operator} is not supported by "${property}"`)
    if (typeof wanted === "object" && operator !== "$in") return bad(`${operator} must be a value`)
    if (!form.test(String(wanted))) return bad(`${operator} must have a date and a time`)
    if (type === "status" && !stages.some((stage) => stage.title === wanted || stageId(stage) === wanted)) {
      return bad("the status does not exist")
    }
  }
  return Either.right((value) =>
    Object.entries(asked).every(([operator, wanted]) =>
      heldIn(type, property, value).some((held) => operators[operator]?.(held, wanted) === true)
    )
  )
}

const valueTest = (type: string, given: unknown): Checked<(value: Doc) => boolean> => {
  const { isWhole = false, properties } = types[type] ?? { properties: {} }
  const names = Object.keys(properties)
  const [implied] = names
  if (implied === undefined) return bad(`attributes of type ${type} cannot be filtered by`)
  if (!Predicate.isRecord(given) || isOperators(given)) {
    return isWhole ? bad(`must have ${names.join(" and ")}`) : propertyTest(type, implied, given)
  }
  if (isWhole && !names.every((name) => name in given)) return bad(`must have ${names.join(" and ")}`)
  return Either.map(
    Either.all(Object.entries(given).map(([property, asked]) => propertyTest(type, property, asked))),
    (tests) => (value) => tests.every((test) => test(value))
  )
}

const listOf = (values: unknown): ReadonlyArray<unknown> => (Array.isArray(values) ? values : [])

const parse = Schema.decodeUnknownOption(Schema.parseJson(Schema.Unknown))

/** The filter of an object's records, by its attributes. */
export const filterOf = (fields: ReadonlyArray<Field>): Filter => {
  const attributeTest = (slug: string, given: unknown): Checked<Test> => {
    if (slug === "created_at" || slug === "record_id") {
      const type = slug === "created_at" ? "timestamp" : "text"
      return Either.map(valueTest(type, given), (test) => (record) => test({ value: record[slug] }))
    }
    const field = fields.find(({ code }) => code === slug)
    if (field === undefined) return bad(`unknown attribute "${slug}"`)
    return Either.map(
      valueTest(field.value.as, given),
      (test) => (record) => listOf(record[slug]).some((value) => Predicate.isRecord(value) && test(value))
    )
  }

  const testOf = (filter: unknown): Checked<Test> => {
    if (!Predicate.isRecord(filter)) return bad("a condition must be an object")
    const tests = Object.entries(filter).map(([key, given]): Checked<Test> => {
      switch (key) {
        case "$and":
          return Either.map(
            Either.all(listOf(given).map(testOf)),
            (all) => (record) => all.every((test) => test(record))
          )
        case "$or":
          return Either.map(
            Either.all(listOf(given).map(testOf)),
            (all) => (record) => all.some((test) => test(record))
          )
        case "$not":
          return Either.map(testOf(given), (test) => (record) => !test(record))
        default:
          return attributeTest(key, given)
      }
    })
    return Either.map(Either.all(tests), (all) => (record) => all.every((test) => test(record)))
  }

  return {
    names: ["filter"],
    read: (query) => {
      const given = query("filter")
      if (given === undefined) return Either.right(() => true)
      return Either.mapLeft(testOf(Option.getOrNull(parse(given))), (complaint) => [
        { path: "filter", complaint, given }
      ])
    }
  }
}
