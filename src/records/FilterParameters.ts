import { Either, Record, Schema } from "effect"
import type { Filter } from "../canonical/Filter.ts"
import {
  type Field,
  type Fields,
  isRealDate,
  isRealDateTime,
  isServiceId,
  isShape,
  isUuid,
  remoteIdOf,
  type Resource,
  uuidOf
} from "../canonical/Resource.ts"

/** Milliseconds of a moment: a day counts as its midnight in UTC, and a time without an offset is in UTC. */
export const millisecondsOf = (text: string) =>
  Date.parse(text.length === 10 ? `${text}T00:00:00Z` : /(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)

const isMoment = (text: string) => isRealDate(text) || isRealDateTime(text) || isRealDateTime(`${text}Z`)

/** The values of a list's filters, by filter name; moments are ISO 8601 instants in UTC. */
export type Wanted = { readonly [filter: string]: string }

/** The field at the end of a filter's path. */
export const fieldAt = (fields: Fields, path: string): Field | undefined => {
  const [name = "", inside] = path.split("[]")
  const field = fields[name]
  if (inside === undefined) return field
  const item = field?.item
  return isShape(item) ? fieldAt(item.fields, inside.slice(1)) : item
}

/** The values that a filter takes; undefined: any. */
export const valuesOf = ({ fields }: Resource, filter: Filter) => fieldAt(fields, filter.fields[0] ?? "")?.values

export const topOf = (path: string) => path.split(/[.[]/, 1)[0] ?? path

export const listed = (text: string) => text.split(",").map((value) => value.trim())

/** Most values that a filter takes at once. */
const mostValues = 50

/** The error in a filter's value; undefined if there is none. */
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
      if (new Set(listed(value)).size > mostValues) return `takes ${mostValues} values at most`
      if (listed(value).includes("")) return "must have a value between its commas"
      const known = valuesOf(resource, filter)
      const wrong = known === undefined ? undefined : listed(value).find((one) => !known.includes(one))
      return wrong === undefined ? undefined : `"${wrong.slice(0, 64)}" is not one of ${known?.join(", ")}`
    }
    case "refers": {
      const field = fieldAt(resource.fields, filter.fields[0] ?? "")
      if (field?.kind === "reference") return isUuid(value) ? undefined : uuidOf(field.targets ?? [])
      return isServiceId(value) ? remoteIdOf(field?.targets ?? []) : undefined
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
        message: ({ actual }) =>
          typeof actual === "string"
            ? (wrongIn(resource, filter, actual) ?? "")
            : "must be given once; several values have commas between them",
        jsonSchema: jsonSchemaOf(resource, filter)
      })
    )
  )

/** The query parameters of a resource's filters. */
export const filterParameters = (resource: Resource) =>
  Record.map(resource.filters, (filter) => parameter(resource, filter))

/** The filters in a query, or an error for a range that ends before it begins. */
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
  if ("q" in wanted && "include_deleted" in wanted) {
    return Either.left("include_deleted: must not stand beside q, since no search finds what was deleted")
  }
  return Either.right(
    Record.map(wanted, (value, name) =>
      isBound(resource.filters[name]) ? new Date(millisecondsOf(value)).toISOString() : value
    )
  )
}

const isBound = (filter: Filter | undefined) => filter?.compares === "from" || filter?.compares === "before"
