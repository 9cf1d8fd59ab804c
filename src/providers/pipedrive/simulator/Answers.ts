import { isDay } from "../../simulation/Period.ts"
import type { Reply } from "../../simulation/Simulator.ts"
import type { Complaint, Problem } from "../../simulation/table/Complaint.ts"
import { cursorPages, offsetPages, sortedByWords } from "../../simulation/table/Pages.ts"
import type { Style } from "../../simulation/table/Routes.ts"
import { info } from "./Gateway.ts"
import { type Costs, v1, v2 } from "./Limits.ts"

/** Pipedrive's error form: https://pipedrive.readme.io/docs/core-api-concepts-responses */
export const failure = (status: number, error: string, error_info: string = info): Reply => ({
  status,
  body: { success: false, error, error_info, data: null, additional_data: null }
})

const notFound = failure(404, "Entity was not found", "Object was not found.")

/** Words about a value, after its name. */
export const said = (complaint: Complaint): string => {
  switch (complaint.is) {
    case "type":
      return `must be ${/^[aio]/.test(complaint.type) ? "an" : "a"} ${complaint.type}`
    case "form":
      return complaint.form === "datetime"
        ? "is not a valid datetime"
        : complaint.form === "cursor"
          ? "is not valid"
          : `must be in ${complaint.form === "date" ? "YYYY-MM-DD" : complaint.form} format`
    case "empty":
      return "is not allowed to be empty"
    case "not allowed":
      return "is not allowed"
    case "required":
      return "is required"
    case "absent":
      return "was not found"
    case "primary":
      return "must have at most one primary value"
    case "length":
      return `length must be less than or equal to ${complaint.bound} characters long`
    case "least":
      return `must be greater than or equal to ${complaint.bound}`
    case "most":
      return `must be less than or equal to ${complaint.bound}`
    case "items":
      return `must contain at least ${complaint.bound} items`
    case "too many":
      return `must contain less than or equal to ${complaint.bound} items`
    case "choice":
      return `must be one of [${complaint.choices.join(", ")}]`
    case "unknown":
      return `has no option ${JSON.stringify(complaint.value)}`
    case "taken":
      return "is taken"
    case "member":
      return complaint.complaint.is === "required"
        ? `lacks the member '${complaint.name}'`
        : `has a member '${complaint.name}' that ${said(complaint.complaint)}`
    case "own":
    case "refused":
      return complaint.words
  }
}

const v2Failure = (error: string, code: string): Reply => ({ status: 400, body: { success: false, error, code } })

const sentence = ({ complaint, path }: Problem) =>
  complaint.is === "not allowed"
    ? `${path}: Parameter '${path}' is not allowed for this request`
    : `${path}: This value ${said(complaint)}.`

/**
 * How API v2 refuses values that do not fit its schemas, as others recorded it:
 * https://github.com/pipedrive/client-nodejs/issues/651, https://github.com/pipedrive/client-nodejs/issues/661
 */
const invalid: Style["refuse"] = (problems, place) => {
  const [first] = problems
  // how it refuses values that fit its schemas: https://github.com/n8n-io/n8n/issues/31684
  if (first?.complaint.is === "refused") return v2Failure(first.complaint.words, "ERR_BAD_REQUEST")
  // only a filter that a parameter names can be absent
  if (place === "query" && first?.complaint.is === "absent") {
    return failure(404, "Filter not found", "Object was not found.")
  }
  return v2Failure(`Validation failed: ${problems.map(sentence).join("; ")}`, "ERR_SCHEMA_VALIDATION_FAILED")
}

export const ok = (data: unknown, additional_data?: unknown, status = 200): Reply => ({
  status,
  body: { success: true, data, ...(additional_data === undefined ? {} : { additional_data }) }
})

// Pages: https://pipedrive.readme.io/docs/core-api-concepts-pagination

const size = { size: "limit", usual: 100, most: 500 }

export const v2Style = (costs: Costs): Style => ({
  route: (method, path, verb, handle) => [v2(method, path, costs[verb] ?? 0, handle)],
  update: "PATCH",
  id: /^[1-9]\d*$/,
  pages: cursorPages({
    ...size,
    cursor: "cursor",
    by: "sort_by",
    direction: "sort_direction",
    id: "id",
    place: (next_cursor) => ({ next_cursor })
  }),
  refuse: invalid,
  missing: () => notFound,
  one: (record, verb) => ok(verb === "remove" ? { id: record.id } : record),
  many: (records, place) => ok(records, place)
})

const v1Costs = { list: 20, get: 2, create: 10, update: 10, remove: 6 }

export const v1Style: Style = {
  ...v2Style(v1Costs),
  route: (method, path, verb, handle) => v1(method, path, v1Costs[verb], handle),
  pages: offsetPages({
    ...size,
    start: "start",
    sorting: sortedByWords("sort"),
    place: (start, limit, total) => {
      const hasMore = total > start + limit
      return {
        start,
        limit,
        more_items_in_collection: hasMore,
        ...(hasMore ? { next_start: start + limit } : {})
      }
    }
  }),
  many: (records, pagination) => ok(records, { pagination })
}

// Times ---------------------------------------------------------------------------------------------------------------

/** A time as it is kept and as API v2 shows it: RFC 3339 in whole seconds. */
export const stamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** The same time in API v1: https://pipedrive.readme.io/docs/core-api-concepts-date-format */
export const v1Time = (time: unknown): string | null =>
  typeof time === "string" ? time.replace("T", " ").replace(/(\.\d+)?Z$/, "") : null

/** Reads an RFC 3339 time without fractions of a second, as it is kept. */
export const timeOf = (text: string): string | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})$/.test(text) || !isDay(text.slice(0, 10)))
    return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : stamp(time)
}
