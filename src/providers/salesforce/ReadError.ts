import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../base/Errors.ts"
import {
  Clash,
  Down,
  Invalid,
  LimitReached,
  Locked,
  Missing,
  NotPermitted,
  type Reason,
  TimedOut,
  Unauthenticated
} from "../ProviderError.ts"
import { edition } from "./Lacks.ts"
import { isId, withChecksum } from "./Soql.ts"

interface Complaint {
  readonly code: string
  readonly message: string
  readonly fields: ReadonlyArray<string>
  /** What duplicate rules found, where they refuse the write. */
  readonly duplicates: Native
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "")

/** Fields that a message names where the error itself names none. */
const named = [
  // No such column 'Tier__c' on sobject of type Account
  /No such column '([^']+)'/,
  // Required fields are missing: [LastName, Company]
  /Required fields are missing: \[([^\]]+)\]/,
  // Unable to create/update fields: Name, IsWon. Please check the security settings of this field
  /Unable to create\/update fields: ([\w, ]+)/,
  // Account: bad field names on insert/update call: Name
  /bad field names on insert\/update call: ([\w, ]+)/
]

const fieldsIn = (message: string): ReadonlyArray<string> =>
  named.flatMap((pattern) => pattern.exec(message)?.[1]?.split(/,\s*/) ?? [])

/** Fields of an event that go by the names of those the mapping writes: it has a start and an end, or a length. */
const aliases: { readonly [field: string]: string } = {
  ActivityDateTime: "StartDateTime",
  DurationInMinutes: "EndDateTime"
}

const complaintOf = (error: unknown): ReadonlyArray<Complaint> => {
  if (!isNative(error)) return []
  const message = textOf(error.message)
  const fields = Array.isArray(error.fields) ? error.fields.filter((field) => typeof field === "string") : []
  const all = fields.length > 0 ? fields : fieldsIn(message)
  return [
    {
      code: textOf(error.errorCode),
      message,
      fields: all.map((field) => aliases[field] ?? field),
      duplicates: isNative(error.duplicateResult) ? error.duplicateResult : {}
    }
  ]
}

/**
 * Another transaction held a row for longer than the ten seconds that Salesforce waits, and everything was rolled back. The
 * code may stand in the message of another error: one of a trigger or a flow that the write started.
 * https://help.salesforce.com/s/articleView?id=000387767
 */
export const isRowLock = (code: unknown, message: unknown): boolean =>
  code === "UNABLE_TO_LOCK_ROW" ||
  /\bUNABLE_TO_LOCK_ROW\b|\bunable to obtain exclusive access to this record\b/.test(textOf(message))

/** Seconds until a try after a row lock. */
const lockPause = 1

/** Told with an approval lock, which ends when the approval does. */
const approvalRemedy = "An approval process holds the record until it is approved, rejected or recalled"

/**
 * The records that a write would duplicate. A duplicate rule lists them; a unique field names one in its message: `duplicate
 * value found: External_Id__c duplicates value on record with id: 0015g00000AbCdE`.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_calls_concepts_core_data_objects.htm (DuplicateResult)
 */
const duplicateOf = ({ duplicates, message }: Complaint): Clash => {
  const matched = natives(duplicates.matchResults)
    .flatMap(({ matchRecords }) => natives(matchRecords))
    .map((one) => textOf(getPath(one, "record.Id")))
  const named = /record with id: *(\w+)/.exec(message)?.[1] ?? ""
  const [first, ...others] = new Set([...matched, named].filter(isId).map(withChecksum))
  return new Clash({
    ...(first === undefined ? {} : { duplicateOf: [first, ...others] }),
    ...(duplicates.allowSave === true ? { isAllowable: true } : {})
  })
}

/**
 * Seconds until a retry, which Salesforce does not tell: concurrent calls pass within seconds, the day's allowance comes
 * back only as its 24 hours move on.
 * https://developer.salesforce.com/docs/atlas.en-us.salesforce_app_limits_cheatsheet.meta/salesforce_app_limits_cheatsheet/salesforce_app_limits_platform_api.htm
 */
const pauseOf = ({ message }: Complaint) => (message.startsWith("Concurrent") ? 5 : 60)

const reasonOf = (complaint: Complaint, answer: FailedAnswer): Reason | undefined => {
  if (isRowLock(complaint.code, complaint.message)) return new Locked({ retryAfter: lockPause })
  switch (complaint.code) {
    case "INVALID_SESSION_ID":
      return new Unauthenticated()
    case "REQUEST_LIMIT_EXCEEDED":
      return new LimitReached({ retryAfter: retryAfter(answer, pauseOf(complaint)) })
    case "DUPLICATES_DETECTED":
    case "DUPLICATE_VALUE":
      return duplicateOf(complaint)
    case "ENTITY_IS_LOCKED":
    case "DELETE_FAILED":
    case "CANNOT_UPDATE_CONVERTED_LEAD":
      return new Clash()
    case "ENTITY_IS_DELETED":
      // else it is a record that the body names
      return answer.status === 404 ? new Missing() : undefined
    case "NOT_FOUND":
    // of a part of a composite request that refers to what was not found
    case "PROCESSING_HALTED":
    // filters hold nothing but ids: one that no record can have
    case "INVALID_QUERY_FILTER_OPERATOR":
      return new Missing()
    case "MALFORMED_ID":
      // bodies carry no Id, so it is the one in the path
      return complaint.fields.every((field) => field === "Id") ? new Missing() : undefined
    case "INVALID_TYPE":
    case "FUNCTIONALITY_NOT_ENABLED":
      return new NotPermitted()
    case "API_DISABLED_FOR_ORG":
    case "API_CURRENTLY_DISABLED":
      return new NotPermitted({ lacks: [edition] })
    case "QUERY_TIMEOUT":
    case "REQUEST_RUNNING_TOO_LONG":
      return new TimedOut()
    // the rest of an answer is gone; asking again from its start may succeed
    case "INVALID_QUERY_LOCATOR":
      return new Down()
    default:
      return complaint.code.startsWith("INSUFFICIENT_ACCESS") ? new NotPermitted() : undefined
  }
}

/** Codes of rules that an administrator can add: required fields, validation rules and filters of lookups. */
const ownRules = new Set([
  "REQUIRED_FIELD_MISSING",
  "FIELD_CUSTOM_VALIDATION_EXCEPTION",
  "FIELD_FILTER_VALIDATION_EXCEPTION"
])

const invalid = (complaints: ReadonlyArray<Complaint>) =>
  new Invalid({
    fields: Object.fromEntries(complaints.flatMap(({ fields, message }) => fields.map((field) => [field, message]))),
    ...(complaints.some(({ code }) => ownRules.has(code)) ? { isOwnRule: true } : {})
  })

/**
 * Errors come as a list of `{message, errorCode, fields}`, those of the OAuth endpoints as `{error, error_description}`.
 * https://developer.salesforce.com/docs/platform/api-rest/guide/errorcodes
 */
export const readError: ReadError = (answer) => {
  const { body, status } = answer
  if (isNative(body) && typeof body.error === "string" && (status === 400 || status === 401)) {
    return { reason: new Unauthenticated(), detail: textOf(body.error_description) || body.error }
  }
  const complaints = Array.isArray(body) ? body.flatMap(complaintOf) : []
  if (complaints.length === 0) return {}
  const reasons = complaints.flatMap((complaint) => reasonOf(complaint, answer) ?? [])
  return {
    reason: reasons[0] ?? (status === 400 ? invalid(complaints) : undefined),
    detail: complaints
      .flatMap(({ code, message }) => [message, ...(code === "ENTITY_IS_LOCKED" ? [approvalRemedy] : [])])
      .join("; ")
  }
}
