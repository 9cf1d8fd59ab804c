import { Either, Record, Schema } from "effect"
import type { Filter } from "../canonical/Filter.ts"
import {
  type Field,
  type Fields,
  isRealDate,
  isRealDateTime,
  isUuid,
  type Resource,
  type Shape,
  uuidOf
} from "../canonical/Resource.ts"
import { isNative } from "../mapping/Mapping.ts"
import { bare, type Identity } from "../mapping/Transform.ts"
import type { Sought } from "../providers/Filtering.ts"
import type { CanonicalRecord } from "./Presenter.ts"

/** The instant of a moment, in milliseconds: a day is its midnight in UTC, as is a time without an offset. */
const millisecondsOf = (text: string) =>
  Date.parse(text.length === 10 ? `${text}T00:00:00Z` : /(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)

const isMoment = (text: string) => isRealDate(text) || isRealDateTime(text) || isRealDateTime(`${text}Z`)

/** What a list is asked for: the value of each filter, by the filter's name; moments are ISO 8601 instants in UTC. */
export type Wanted = { readonly [filter: string]: string }

// ---------------------------------------------------------------------------------------------------------------------
// parameters

const isShape = (item: Field | Shape | undefined): item is Shape => item !== undefined && "fields" in item

/** The field that a path of a filter ends at. */
const fieldAt = (fields: Fields, path: string): Field | undefined => {
  const [name = "", inside] = path.split("[]")
  const field = fields[name]
  if (inside === undefined) return field
  const item = field?.item
  return isShape(item) ? fieldAt(item.fields, inside.slice(1)) : item
}

/** The values that a filter knows; undefined: any. */
export const valuesOf = ({ fields }: Resource, filter: Filter) => fieldAt(fields, filter.fields[0] ?? "")?.values

const topOf = (path: string) => path.split(/[.[]/, 1)[0] ?? path

const listed = (text: string) => text.split(",").map((value) => value.trim())

/** What is wrong with the value of a filter; undefined: nothing. */
const wrongIn = (resource: Resource, filter: Filter, value: string): string | undefined => {
  if (value.trim() === "") return "must not be empty"
  switch (filter.compares) {
    case "from":
    case "before":
      return isMoment(value)
        ? undefined
        : "must be an ISO 8601 date or date-time, such as 2026-01-31 or 2026-01-31T09:30:00Z"
    case "isTrue":
    case "adds":
      return value === "true" || value === "false" ? undefined : "must be true or false"
    case "digits":
      return /\d/.test(value) ? undefined : "must have digits"
    case "oneOf": {
      const known = valuesOf(resource, filter)
      const wrong = known === undefined ? undefined : listed(value).find((one) => !known.includes(one))
      return wrong === undefined ? undefined : `"${wrong.slice(0, 64)}" is none of ${known?.join(", ")}`
    }
    case "refers": {
      const field = fieldAt(resource.fields, filter.fields[0] ?? "")
      return field?.kind === "reference" && !isUuid(value) ? uuidOf(field.targets ?? []) : undefined
    }
    case "equals":
    case "begins":
    case "host":
    case "searches":
      return undefined
  }
}

const jsonSchemaOf = (resource: Resource, filter: Filter): object => {
  const { compares, description } = filter
  const known = valuesOf(resource, filter)
  const text = { type: "string", description }
  if (compares === "isTrue" || compares === "adds") return { ...text, enum: ["true", "false"] }
  if (compares === "from" || compares === "before") return { ...text, examples: ["2026-01-31"] }
  return known === undefined
    ? text
    : { ...text, description: `${description}: ${known.join(", ")}`, examples: [known.slice(0, 2).join(",")] }
}

const parameter = (resource: Resource, filter: Filter) =>
  Schema.optional(
    Schema.String.pipe(
      Schema.filter((value) => wrongIn(resource, filter, value) === undefined, {
        message: ({ actual }) => wrongIn(resource, filter, String(actual)) ?? "",
        jsonSchema: jsonSchemaOf(resource, filter)
      })
    )
  )

/** The query parameters of a resource's filters. */
export const filterParameters = (resource: Resource) =>
  Record.map(resource.filters, (filter) => parameter(resource, filter))

/** The filters among the values of a query, or the range of them that ends before it begins. */
export const wantedOf = (
  resource: Resource,
  query: { readonly [name: string]: unknown }
): Either.Either<Wanted, string> => {
  const wanted: { [filter: string]: string } = {}
  for (const name of Object.keys(resource.filters)) {
    const value = query[name]
    const isAbsent = value === "false" && resource.filters[name]?.compares === "adds"
    if (typeof value === "string" && !isAbsent) wanted[name] = value
  }
  for (const [name, value] of Object.entries(wanted)) {
    const end = wanted[name.replace(/_after$/, "_before")]
    if (name.endsWith("_after") && end !== undefined && millisecondsOf(value) > millisecondsOf(end)) {
      return Either.left(`${name}: must not be later than ${name.replace(/_after$/, "_before")}`)
    }
  }
  return Either.right(
    Record.map(wanted, (value, name) =>
      isBound(resource.filters[name]) ? new Date(millisecondsOf(value)).toISOString() : value
    )
  )
}

const isBound = (filter: Filter | undefined) => filter?.compares === "from" || filter?.compares === "before"

/** Filters that name a record by its UUID, and the resources that it may be of. */
export const referencesIn = (resource: Resource, wanted: Wanted) =>
  Object.entries(wanted).flatMap(([name, value]) => {
    const { compares, fields } = resource.filters[name] ?? {}
    const field = compares === "refers" ? fieldAt(resource.fields, fields?.[0] ?? "") : undefined
    return field?.kind === "reference" ? [{ name, uuid: bare(value), targets: field.targets ?? [] }] : []
  })

/** The filters as adapters get them, with the records that their UUIDs mean. */
export const soughtIn = (
  resource: Resource,
  wanted: Wanted,
  records: { readonly [filter: string]: Identity }
): { readonly [filter: string]: Sought } =>
  Record.map(wanted, (text, name) => {
    const record = records[name]
    return {
      text,
      values: resource.filters[name]?.compares === "oneOf" ? listed(text) : [text],
      ...(record === undefined ? {} : { record })
    }
  })

// ---------------------------------------------------------------------------------------------------------------------
// sifting

/** The values at a path of a record. */
export const valuesAt = (record: CanonicalRecord, path: string): ReadonlyArray<unknown> => {
  const [name = "", inside] = path.split("[]")
  const value = record[name]
  if (inside === undefined) return [value]
  const entries: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
  return inside === "" ? entries : entries.map((entry) => (isNative(entry) ? entry[inside.slice(1)] : undefined))
}

const fold = (value: unknown) => String(value).normalize("NFC").toLowerCase()

const digitsOf = (value: unknown) => String(value).replace(/\D/g, "").replace(/^0+/, "")

/** Digits that a number has at least without the code of its country. */
const shortest = 6

const areOneNumber = (a: string, b: string) => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return a === b || (short.length >= shortest && long.endsWith(short))
}

const hostOf = (value: unknown) =>
  fold(value)
    .replace(/^[a-z]+:\/\//, "")
    .replace(/^www\./, "")
    .replace(/[/:?#].*$/, "")

/** Whether a value of a record is what is wanted. */
const fits = ({ compares }: Filter, wanted: string): ((value: unknown) => boolean) => {
  switch (compares) {
    case "equals":
      return (value) => fold(value) === fold(wanted)
    case "begins":
      return (value) => fold(value).startsWith(fold(wanted))
    case "digits":
      return (value) => areOneNumber(digitsOf(value), digitsOf(wanted))
    case "host":
      return (value) => hostOf(value) === hostOf(wanted)
    case "refers":
      return (value) => fold(value) === bare(wanted)
    case "oneOf": {
      const all = listed(wanted).map(fold)
      return (value) => all.includes(fold(value))
    }
    case "isTrue":
      return (value) => String(value) === wanted
    case "from": {
      const bound = millisecondsOf(wanted)
      return (value) => millisecondsOf(String(value)) >= bound
    }
    case "before": {
      const bound = millisecondsOf(wanted)
      return (value) => millisecondsOf(String(value)) < bound
    }
    case "adds":
    case "searches":
      return () => true
  }
}

const isThere = (value: unknown) => value !== undefined && value !== null

/** Whether a record is what the filters of these names want. */
export const sieve = ({ filters }: Resource, wanted: Wanted, names: ReadonlyArray<string>) => {
  const tests = names.flatMap((name) => {
    const filter = filters[name]
    return filter === undefined ? [] : [{ filter, isFit: fits(filter, wanted[name] ?? "") }]
  })
  return (record: CanonicalRecord) =>
    tests.every(({ filter, isFit }) =>
      filter.fields.some((path) => {
        const values = path.includes(" ")
          ? [
              path
                .split(" ")
                .flatMap((one) => valuesAt(record, one))
                .filter(isThere)
                .join(" ")
            ]
          : valuesAt(record, path)
        return values.some((value) => isThere(value) && isFit(value))
      })
    )
}

/** Fields that sifting looks at. */
export const lookedAt = ({ filters }: Resource, names: ReadonlyArray<string>) =>
  names.flatMap((name) => filters[name]?.fields.flatMap((path) => path.split(" ").map(topOf)) ?? [])
