import type { Reply } from "../../simulation/Simulator.ts"
import type { Problem } from "../../simulation/table/Complaint.ts"
import type { SObject } from "./Fields.ts"

/**
 * An error as Salesforce reports it.
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm
 */
export interface Fault {
  readonly code: string
  readonly message: string
  /** Records that it would duplicate, which answers about one record show. */
  readonly duplicateResult?: unknown
  /** Fields it is about; absent where the answer has no such member. */
  readonly fields?: ReadonlyArray<string>
  /** 400 when absent. */
  readonly status?: number
}

export const fault = (code: string, message: string, fields?: ReadonlyArray<string>, status = 400): Fault => ({
  code,
  message,
  status,
  ...(fields === undefined ? {} : { fields })
})

/** The error body: always a list. */
export const refusal = ({ code, duplicateResult, fields, message, status = 400 }: Fault): Reply => ({
  status,
  body: [
    {
      ...(duplicateResult === undefined ? {} : { duplicateResult }),
      message,
      errorCode: code,
      ...(fields === undefined ? {} : { fields })
    }
  ]
})

// Requests

export const invalidSession = fault("INVALID_SESSION_ID", "Session expired or invalid", undefined, 401)
export const noResource = fault("NOT_FOUND", "The requested resource does not exist", undefined, 404)
export const limitExceeded = fault("REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded.", undefined, 403)
export const badJson = (message: string) => fault("JSON_PARSER_ERROR", message)
export const badLocator = fault("INVALID_QUERY_LOCATOR", "invalid query locator")
export const wrongParameter = (message: string) => fault("INVALID_FIELD", message)

// Records

export const noRecordAt = (id: string) =>
  fault("NOT_FOUND", `Provided external ID field does not exist or is not accessible: ${id}`, undefined, 404)
export const unknownRecord = fault("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id", [], 404)
export const deletedRecord = fault("ENTITY_IS_DELETED", "entity is deleted", [], 404)
export const cannot = (object: string, verb: string) =>
  fault("INVALID_TYPE_FOR_OPERATION", `entity type ${object} does not support ${verb}`, [])
export const noColumn = (field: string, object: string) =>
  fault("INVALID_FIELD", `No such column '${field}' on sobject of type ${object}`)
const idInBody = fault("INVALID_FIELD", "The Id field should not be specified in the sobject data.")
export const rolledBack = fault(
  "ALL_OR_NONE_OPERATION_ROLLED_BACK",
  "Record rolled back because not all records were valid and the request was using AllOrNone header",
  []
)

export const badReference = (field: string, label: string, value: string) =>
  fault("MALFORMED_ID", `${label}: id value of incorrect type: ${value}`, [field])
const wrongValue = (type: string, value: unknown) =>
  badJson(
    `Cannot deserialize instance of ${type} from ${tokenOf(value)} value ${typeof value === "object" ? "" : String(value)} or request may be missing a required field at [line:1, column:1]`
  )

const badPicklist = (field: string, value: string) =>
  fault("INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", `bad value for restricted picklist field: ${value}`, [field])
const inactive = (user: string, object: string) =>
  fault("INACTIVE_OWNER_OR_USER", `operation performed with inactive user [${user}] as owner of ${object}`, ["OwnerId"])
const duplicate = (field: string, id: string) =>
  fault("DUPLICATE_VALUE", `duplicate value found: ${field} duplicates value on record with id: ${id}`, [])

/** The fault of a value. */
const said = (object: SObject, { complaint, given, path }: Problem, label: string): Fault => {
  const value = String(given)
  const labelled = (code: string, words: string) => fault(code, `${label}: ${words}`, [path])
  switch (complaint.is) {
    case "length":
      return labelled("STRING_TOO_LONG", `data value too large: ${value} (max length=${complaint.bound})`)
    case "choice":
      return badPicklist(path, value)
    case "absent":
      return fault("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id", [])
    case "own":
      return fault("ENTITY_IS_DELETED", complaint.words, [])
    case "unknown":
      return inactive(String(complaint.value), object.name)
    case "taken":
      return duplicate(path, String(complaint.by.Id))
    case "refused":
      return fault(complaint.code ?? "", complaint.words, [path, ...(complaint.others ?? [])].filter(Boolean))
    case "form":
    case "type": {
      const form = complaint.is === "form" ? complaint.form : complaint.type
      if (given !== null) {
        if (form === "email") return labelled("INVALID_EMAIL_ADDRESS", `invalid email address: ${value}`)
        return form === "id" ? badReference(path, label, value) : wrongValue(form, given)
      }
      return path === "OwnerId"
        ? labelled("INVALID_CROSS_REFERENCE_KEY", "owner cannot be blank")
        : labelled("INVALID_TYPE_ON_FIELD_IN_RECORD", "value not of required type: ")
    }
    default:
      return badJson(`Unexpected value of ${path}`)
  }
}

/** Faults of a record: first with its fields, then with those that nobody writes, then with one value. */
export const faultOf = (object: SObject, problems: ReadonlyArray<Problem>): Fault => {
  const at = (is: Problem["complaint"]["is"]) => problems.filter(({ complaint }) => complaint.is === is)
  const labels = new Map(object.fields.map(({ code, name }) => [code, name]))
  const strange = at("not allowed").find(({ path }) => path === object.id || !labels.has(path))
  if (strange !== undefined) return strange.path === object.id ? idInBody : noColumn(strange.path, object.name)
  const unwritten = at("not allowed").map(({ path }) => path)
  if (unwritten.length > 0) {
    const words = `Unable to create/update fields: ${unwritten.join(", ")}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`
    return fault("INVALID_FIELD_FOR_INSERT_UPDATE", words, unwritten)
  }
  const missing = at("required").map(({ path }) => path)
  if (missing.length > 0) {
    return fault("REQUIRED_FIELD_MISSING", `Required fields are missing: [${missing.join(", ")}]`, missing)
  }
  const [first] = problems
  return first === undefined ? badJson("") : said(object, first, labels.get(first.path) ?? first.path)
}

const lockWords = "unable to obtain exclusive access to this record or 1 records"

/** Another transaction held the row for ten seconds. https://help.salesforce.com/s/articleView?id=000387767 */
export const lockedRow = fault("UNABLE_TO_LOCK_ROW", lockWords, [])

/** The same, met by a trigger that the write started. */
export const lockedInTrigger = fault(
  "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY",
  `SetTerritory: execution of AfterUpdate\n\ncaused by: System.DmlException: Update failed. First exception on row 0; first error: UNABLE_TO_LOCK_ROW, ${lockWords}: []\n\nTrigger.SetTerritory: line 12, column 1`,
  []
)

// Queries: the message opens with the place in the text

const inQuery = (code: string) => (query: string, message: string) =>
  fault(code, `\n${query.slice(0, 200)}\n^\nERROR at Row:1:Column:1\n${message}`)

/** The rest of a message, after a name that means nothing. */
const appeal = (kind: string, suffix: "__c" | "__r", name = `custom ${kind}`) =>
  `If you are attempting to use a custom ${kind}, be sure to append the '${suffix}' after the ${name} name. Please reference your WSDL or the describe call for the appropriate names.`

export const malformedQuery = inQuery("MALFORMED_QUERY")
export const malformedSearch = (message: string) => fault("MALFORMED_SEARCH", message)
export const restrictedQuery = (message: string) => fault("MALFORMED_QUERY", message)
export const noEntity = (query: string, object: string) =>
  inQuery("INVALID_TYPE")(query, `sObject type '${object}' is not supported. ${appeal("object", "__c", "entity")}`)
export const noField = (query: string, field: string, object: string) =>
  inQuery("INVALID_FIELD")(query, `No such column '${field}' on entity '${object}'. ${appeal("field", "__c")}`)
export const noRelation = (query: string, relation: string, object: string) =>
  inQuery("INVALID_FIELD")(
    query,
    `Didn't understand relationship '${relation}' in field path of entity '${object}'. ${appeal("relationship", "__r")}`
  )
export const noChildren = (query: string, relation: string) =>
  inQuery("INVALID_TYPE")(
    query,
    `Didn't understand relationship '${relation}' in FROM part of query call. ${appeal("relationship", "__r")}`
  )
export const twice = (query: string, field: string) =>
  inQuery("INVALID_FIELD")(query, `duplicate field selected: ${field}`)
export const cannotBe = (query: string, field: string, done: "filtered" | "sorted") =>
  inQuery("INVALID_FIELD")(query, `field '${field}' can not be ${done} in a query call`)
export const wrongCriterion = (query: string, field: string, type: string, quoted: boolean) =>
  inQuery("INVALID_FIELD")(
    query,
    `value of filter criterion for field '${field}' must be of type ${type} and should ${quoted ? "" : "not "}be enclosed in quotes`
  )
export const wrongOperator = (query: string, message: string) =>
  inQuery("INVALID_QUERY_FILTER_OPERATOR")(query, message)
export const offsetTooLarge = (query: string) =>
  inQuery("NUMBER_OUTSIDE_VALID_RANGE")(query, "Maximum SOQL offset allowed is 2000")

const tokenOf = (value: unknown) => {
  if (Array.isArray(value)) return "START_ARRAY"
  if (typeof value === "string") return "VALUE_STRING"
  if (typeof value === "number") return Number.isInteger(value) ? "VALUE_NUMBER_INT" : "VALUE_NUMBER_FLOAT"
  return typeof value === "boolean" ? `VALUE_${String(value).toUpperCase()}` : "START_OBJECT"
}
