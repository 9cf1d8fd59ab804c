import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import type { Reply } from "../../simulation/Simulator.ts"
import type { Complaint, Problem, Refused } from "../../simulation/table/Complaint.ts"
import { byline } from "./Stamps.ts"

/**
 * An error as Zoho CRM reports it.
 * https://www.zoho.com/crm/developer/docs/api/v8/status-codes.html
 */
export interface Fault {
  readonly code: string
  readonly message: string
  readonly details: Doc
  /** 400 when absent. */
  readonly status?: number
}

export type Checked<A> = Either.Either<A, Fault>

export const fault = (code: string, message: string, details: Doc = {}, status?: number): Fault => ({
  code,
  message,
  details,
  ...(status === undefined ? {} : { status })
})

const bodyOf = ({ code, details, message }: Fault) => ({ code, details, message, status: "error" })

export const ok = (body: unknown): Reply => ({ status: 200, body })

/** Nothing found. */
export const nothing: Reply = { status: 204 }

/** Nothing newer than the time of `If-Modified-Since`. */
export const unchanged: Reply = { status: 304 }

/** The answer to a request that fails as a whole. */
export const refusal = (one: Fault): Reply => ({ status: one.status ?? 400, body: bodyOf(one) })

/** The same in a list, as answers to writes have it. */
export const refusedRows = (one: Fault): Reply => ({ status: one.status ?? 400, body: { data: [bodyOf(one)] } })

/**
 * The answer to a write of several records: each has a result of its own.
 * https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html
 */
export const rows = (results: ReadonlyArray<Checked<Doc>>, message: string, status: 200 | 201): Reply => {
  const failed = results.filter(Either.isLeft).map(({ left }) => left)
  return {
    status: failed.length === 0 ? status : failed.length < results.length ? 207 : (failed[0]?.status ?? 400),
    body: {
      data: results.map(
        Either.match({
          onLeft: bodyOf,
          onRight: (details) => ({ code: "SUCCESS", details, message, status: "success" })
        })
      )
    }
  }
}

// Requests

export const invalidToken = fault("INVALID_TOKEN", "invalid oauth token", {}, 401)
export const noPermission = fault("NO_PERMISSION", "Permission denied", { permissions: ["Crm_Implied_View"] }, 403)
export const noSuchUrl = fault(
  "INVALID_URL_PATTERN",
  "Please check if the URL trying to access is a correct one",
  {},
  404
)
export const wrongMethod = fault("INVALID_REQUEST_METHOD", "The http request method type is not a valid one")
export const tooManyRequests = fault(
  "TOO_MANY_REQUESTS",
  "too many requests. please try again after some time",
  {},
  429
)
export const internalError = (status: number) => fault("INTERNAL_ERROR", "Internal Server Error", {}, status)
export const invalidModule = fault("INVALID_MODULE", "the module name given seems to be invalid", {
  resource_path_index: 0
})
export const noRelatedList = fault("INVALID_DATA", "The related name given seems to be invalid", {
  resource_path_index: 2
})
export const idInPath = fault("INVALID_DATA", "the id given seems to be invalid", { resource_path_index: 1 })
export const notDeleted = fault("INVALID_DATA", "record not deleted", { resource_path_index: 1 })

// Parameters

export const missingParam = (name: string) =>
  fault("REQUIRED_PARAM_MISSING", "One of the expected parameter is missing", { param_name: name })
export const wrongParam = (name: string, more: Doc = {}) =>
  fault("INVALID_DATA", "invalid data", { param_name: name, ...more })
export const overLimit = (name: string, limit: number) =>
  fault("LIMIT_EXCEEDED", "limit exceeded", { limit, param_name: name })
export const beyondPages = fault(
  "DISCRETE_PAGINATION_LIMIT_EXCEEDED",
  "You can only get the first 2000 records without using page_token param",
  { limit: 2000 }
)
export const strangePageToken = fault(
  "TOKEN_BOUND_DATA_MISMATCH",
  "The page_token given seems to be invalid or input param is added or altered or deleted",
  { param_name: "page_token" }
)
export const expiredPageToken = fault("EXPIRED_VALUE", "Page token expired", {
  api_name: "page_token",
  json_path: "$.query.page_token"
})
export const ambiguous = (...names: ReadonlyArray<string>) =>
  fault("AMBIGUITY_DURING_PROCESSING", "Ambiguity while processing the request", {
    ambiguity_due_to: names.map((name) => ({ param_name: name }))
  })

// Bodies

export const notJson = fault("INVALID_DATA", "body", { expected_data_type: "jsonobject" })
export const noData = fault("MANDATORY_NOT_FOUND", "required field not found", { api_name: "data" })
export const noList = fault("INVALID_DATA", "body", { expected_data_type: "jsonarray", api_name: "data" })
export const tooManyRecords = (most: number) =>
  fault("LIMIT_EXCEEDED", "count of records in your request exceeds the limit", {
    maximum_length: most,
    api_name: "data"
  })

// Records

/** Names a value of a body: its field, and the path to it. A name with a `$` is beside the field. */
const memberOf = (row: number, names: ReadonlyArray<string>): Doc => ({
  api_name: names.at(-1) ?? "",
  json_path: [
    "$",
    `data[${row}]`,
    ...names.slice(
      Math.max(
        0,
        names.findIndex((name) => name.startsWith("$"))
      )
    )
  ].join(".")
})

/** Where a refusal of several members stands. */
const withOthers = (row: number, member: Doc, { code, others = [] }: Refused): Doc => {
  const members = others.map((name) => memberOf(row, [name]))
  if (code === "EXPECTED_FIELD_MISSING") return { expected_fields: [member, ...members] }
  return members.length === 0 ? member : { dependee: members[0], ...member }
}

const invalid = "INVALID_DATA"

/** The fault in a row of a request, given the type of values that the field takes, if it has one. */
export const faultOf = (org: Org, row: number, { complaint, given, path }: Problem, type?: string): Fault => {
  const said = (one: Complaint, names: ReadonlyArray<string>): Fault => {
    const member = memberOf(row, names)
    switch (one.is) {
      case "member":
        return said(one.complaint, [...names, one.name])
      case "required":
        return fault("MANDATORY_NOT_FOUND", "required field not found", member)
      case "not allowed":
        return fault(invalid, "the field api name given seems to be invalid", member)
      case "form":
        return fault(invalid, "invalid data", { expected_data_type: one.form, ...member })
      case "length":
        return fault(invalid, "invalid data", { maximum_length: one.bound, ...member })
      case "choice":
        return fault(invalid, "invalid data", { ...member, supported_values: one.choices })
      case "most":
        return fault(invalid, "Please check whether the input values are correct", {
          ...member,
          range: { from: 0, to: one.bound }
        })
      case "absent":
        return fault(invalid, "the id given seems to be invalid", member)
      case "unknown":
        return fault(invalid, "the given module name is not exist in multimodulelookup", member)
      case "taken": {
        const { id, Owner: owner } = one.by
        const duplicate_record = { Owner: byline(org, owner), id }
        return fault("DUPLICATE_DATA", "duplicate data", { ...member, duplicate_record, id, more_records: false })
      }
      case "refused":
        return fault(one.code ?? invalid, one.words, withOthers(row, member, one))
      default:
        return fault(invalid, "invalid data", { expected_data_type: type, ...member })
    }
  }
  // there is no empty flag; other fields that null does not clear are missing
  const isMissing = given === null && type !== "boolean" && complaint.is !== "not allowed"
  return said(isMissing ? { is: "required" } : complaint, path.split("."))
}

export const several = (faults: ReadonlyArray<Fault>) =>
  fault("MULTIPLE_OR_MULTI_ERRORS", "Multiple errors in the request", { errors: faults.map(bodyOf) })
export const deletedFault = (id: string) => fault("INVALID_DATA", "record not deleted", { id })
export const alreadyModified = (details: Doc) =>
  fault("ALREADY_MODIFIED", "record updated time has already passed if-unmodified-since time", details, 412)
