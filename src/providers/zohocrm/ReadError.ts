import { isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../base/Errors.ts"
import {
  Clash,
  Invalid,
  LimitReached,
  Missing,
  NotPermitted,
  type Reason,
  Stale,
  Unauthenticated
} from "../ProviderError.ts"

/**
 * Errors of Zoho CRM: `{code, message, status, details}`, for a write inside `data`, one for each record.
 * https://www.zoho.com/crm/developer/docs/api/v8/status-codes.html
 */

const detailsOf = ({ details }: Native): Native => (isNative(details) ? details : {})

const textOf = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : undefined)

/** The field of the record: a lookup is named by what is wrong inside it, `$.data[0].Account_Name.id`. */
const fieldOf = ({ api_name, column_name, json_path, parent_api_name }: Native): string | undefined =>
  /^\$\.data\[\d+\]\.([^.[]+)/.exec(textOf(json_path) ?? "")?.[1] ??
  textOf(parent_api_name) ??
  textOf(api_name) ??
  textOf(column_name)

const wordsOf = ({ details, message }: Native): string => {
  const { expected_data_type, maximum_length } = isNative(details) ? details : {}
  return [
    textOf(message) ?? "was rejected by Zoho CRM",
    ...(maximum_length === undefined ? [] : [`at most ${String(maximum_length)} characters`]),
    ...(expected_data_type === undefined ? [] : [`expected ${String(expected_data_type)}`])
  ].join(": ")
}

/** Every field that a complaint is about; one may hold several others. */
const fieldsOf = (complaint: Native): ReadonlyArray<readonly [field: string, words: string]> => {
  const details = detailsOf(complaint)
  const words = wordsOf(complaint)
  const named = [details, ...natives(details.expected_fields)].flatMap((one) => fieldOf(one) ?? [])
  return [
    ...named.map((field) => [field, words] as const),
    ...[...natives(details.errors), ...natives(complaint.errors)].flatMap(fieldsOf)
  ]
}

/** The reason for a refused record or call; undefined where the status tells it. */
const reasonOf = (complaint: Native): Reason | undefined => {
  const details = detailsOf(complaint)
  switch (complaint.code) {
    case "INVALID_TOKEN":
    case "AUTHENTICATION_FAILURE":
      return new Unauthenticated()
    // comes with 401 too, and no other token of this connection would help
    case "OAUTH_SCOPE_MISMATCH":
    case "NO_PERMISSION":
    case "AUTHORIZATION_FAILED":
    case "FEATURE_NOT_ENABLED":
    case "FEATURE_NOT_SUPPORTED":
    case "FEATURE_PERMISSION":
    // a module that the edition lacks, or that is hidden from the user
    case "INVALID_MODULE":
      return new NotPermitted()
    case "DUPLICATE_DATA":
      return duplicateOf(details)
    case "RECORD_LOCKED":
    case "RECORD_IN_BLUEPRINT":
    case "NOT_APPROVED":
      return new Clash()
    case "ALREADY_MODIFIED":
      return new Stale()
    case "INVALID_DATA": {
      // the id in the path: no field of the record is named
      const isPath = details.resource_path_index !== undefined || details.id !== undefined
      return isPath && fieldOf(details) === undefined ? new Missing() : invalid(complaint)
    }
    // a column that the module lacks is named
    case "INVALID_QUERY":
    case "MANDATORY_NOT_FOUND":
    case "DEPENDENT_FIELD_MISSING":
    case "DEPENDENT_MISMATCH":
    case "EXPECTED_FIELD_MISSING":
    case "AMBIGUITY_DURING_PROCESSING":
    case "MULTIPLE_OR_MULTI_ERRORS":
    case "LIMIT_EXCEEDED":
      return invalid(complaint)
    default:
      return undefined
  }
}

/**
 * The record that holds the value of a unique field is named twice.
 * https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html
 */
const duplicateOf = ({ duplicate_record, id }: Native): Clash => {
  const held = textOf(isNative(duplicate_record) ? duplicate_record.id : undefined) ?? textOf(id)
  return new Clash(held === undefined ? {} : { duplicateOf: [held] })
}

/**
 * Fields that an administrator made mandatory, and validation rules.
 * https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html
 */
const ownRules = new Set(["MANDATORY_NOT_FOUND", "VALIDATION_RULE_FAILED", "EXPECTED_FIELD_MISSING"])

const invalid = (complaint: Native) =>
  // the first word on a field is the most precise
  new Invalid({
    fields: Object.fromEntries(fieldsOf(complaint).toReversed()),
    ...(ownRules.has(String(complaint.code)) ? { isOwnRule: true } : {})
  })

/** The refusal of one record of a write, though the answer as a whole is a success. */
export const refusalOf = (row: Native) => ({
  reason: reasonOf(row) ?? invalid(row),
  detail: wordsOf(row)
})

/**
 * Concurrent calls are over in a moment; credits come back gradually, as their 24 hours move on.
 * https://www.zoho.com/crm/developer/docs/api/v8/api-limits.html
 */
const pauseOf = (answer: FailedAnswer) => retryAfter(answer, answer.headers["x-api-credits-remaining"] === "0" ? 60 : 1)

export const readError: ReadError = (answer) => {
  const { body, status } = answer
  // nothing is newer than what was asked for
  if (status === 304) return { reason: new Missing() }
  const complaint = isNative(body) ? (natives(body.data)[0] ?? body) : {}
  const detail = textOf(complaint.message)
  if (status === 429) return { reason: new LimitReached({ retryAfter: pauseOf(answer) }), detail }
  return { reason: status < 500 ? reasonOf(complaint) : undefined, detail }
}
