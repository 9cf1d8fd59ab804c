import { Either, Record, Schema } from "effect"
import type { Filter } from "../canonical/Filter.ts"
import {
  type Field,
  type Fields,
  isRealDate,
  isRealDateTime,
  type Resource,
  type Shape
} from "../canonical/Resource.ts"
import { isNative } from "../mapping/Mapping.ts"
import { bare } from "../mapping/Transform.ts"
import type { CanonicalRecord } from "./Presenter.ts"

/** Milliseconds of the instant that a bound of time means: a day is its midnight in UTC. */
const millisecondsOf = (text: string) => Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text)

/** The same as ISO 8601. */
export const instantOf = (text: string) => new Date(millisecondsOf(text)).toISOString()

/** What a list is asked for: the value of each filter as a caller wrote it, by the filter's name. */
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

const valuesOf = ({ fields }: Resource, filter: Filter) => fieldAt(fields, filter.fields[0] ?? "")?.values

const topOf = (path: string) => path.split(/[.[]/, 1)[0] ?? path

const listed = (text: string) => text.split(",").map((value) => value.trim())

/** What is wrong with the value of a filter; undefined: nothing. */
const wrongIn = (resource: Resource, filter: Filter, value: string): string | undefined => {
  if (value.trim() === "") return "must not be empty"
  switch (filter.compares) {
    case "from":
    case "before":
      return isRealDate(value) || isRealDateTime(value)
        ? undefined
        : "must be an ISO 8601 date or date-time, such as 2026-01-31 or 2026-01-31T09:30:00Z"
    case "isTrue":
      return value === "true" || value === "false" ? undefined : "must be true or false"
    case "digits":
      return /\d/.test(value) ? undefined : "must have digits"
    case "oneOf": {
      const known = valuesOf(resource, filter)
      const wrong = known === undefined ? undefined : listed(value).find((one) => !known.includes(one))
      return wrong === undefined ? undefined : `"${wrong.slice(0, 64)}" is none of ${known?.join(", ")}`
    }
    case "refers":
      return fieldAt(resource.fields, filter.fields[0] ?? "")?.kind === "reference" &&
        !/^(urn:uuid:)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(value)
        ? "must be the UUID of a record, with or without urn:uuid: in front"
        : undefined
    case "equals":
    case "begins":
    case "host":
      return undefined
  }
}

const jsonSchemaOf = (resource: Resource, filter: Filter): object => {
  const known = valuesOf(resource, filter)
  if (filter.compares === "isTrue") return { type: "string", enum: ["true", "false"] }
  if (filter.compares === "from" || filter.compares === "before") return { type: "string", examples: ["2026-01-31"] }
  return known === undefined ? { type: "string" } : { type: "string", examples: [known.slice(0, 2).join(",")] }
}

const parameter = (resource: Resource, filter: Filter) => {
  const known = valuesOf(resource, filter)
  return Schema.optional(
    Schema.String.pipe(
      Schema.filter((value) => wrongIn(resource, filter, value) === undefined, {
        message: ({ actual }) => wrongIn(resource, filter, String(actual)) ?? "",
        jsonSchema: jsonSchemaOf(resource, filter)
      })
    ).annotations({
      description: known === undefined ? filter.description : `${filter.description}: ${known.join(", ")}`
    })
  )
}

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
    if (typeof value === "string") wanted[name] = value
  }
  for (const [name, value] of Object.entries(wanted)) {
    const end = wanted[name.replace(/_after$/, "_before")]
    if (name.endsWith("_after") && end !== undefined && millisecondsOf(value) > millisecondsOf(end)) {
      return Either.left(`${name}: must not be later than ${name.replace(/_after$/, "_before")}`)
    }
  }
  return Either.right(wanted)
}

// ---------------------------------------------------------------------------------------------------------------------
// sifting

/** The values at a path of a record. */
const valuesAt = (record: CanonicalRecord, path: string): ReadonlyArray<unknown> => {
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
