import { Either } from "effect"
import type { Account } from "../../simulation/Account.ts"
import type { Reply } from "../../simulation/Simulator.ts"

/** One entry of a fault, as Intuit writes it. */
export interface Complaint {
  readonly Message: string
  readonly Detail: string
  readonly code: string
  readonly element?: string
}

/** Complaints in the response to a refused request. */
export type Refusal = readonly [Complaint, ...ReadonlyArray<Complaint>]

export type Outcome<A> = Either.Either<A, Refusal>

export const refuse = (...complaints: Refusal): Outcome<never> => Either.left(complaints)

// Codes and texts: https://developer.intuit.com/app/developer/qbo/docs/develop/troubleshooting/error-codes, and responses
// quoted in the issues of Intuit's own libraries.

const invalidProperty = (detail: string): Complaint => ({
  Message: "Request has invalid or unsupported property",
  Detail: `Property Name:${detail} specified is unsupported or invalid`,
  code: "2010"
})

export const unknownProperty = (name: string, type: string, known: ReadonlyArray<string>): Complaint =>
  invalidProperty(
    `Unrecognized field "${name}" (class com.intuit.schema.finance.v3.${type}), not marked as ignorable ` +
      `(${known.length} known properties: ${known.map((one) => `"${one}"`).join(", ")})`
  )

export const wrongValue = (path: string, expected: string): Complaint =>
  invalidProperty(`${path}: Can not deserialize value as ${expected}`)

export const unknownParameter = (name: string): Complaint => invalidProperty(name)

export const unreadable: Complaint = invalidProperty("failed to parse json object; a property")

export const missing = (name: string): Complaint => ({
  Message: "Required param missing, need to supply the required value for the API",
  Detail: `Required parameter ${name} is missing in the request`,
  code: "2020",
  element: name
})

export const tooLong = (path: string, max: number, length: number): Complaint => ({
  Message: "String length is either shorter or longer than supported by specification",
  Detail: `String length specified does not match the supported length. Min:0 Max:${max} supported. Supplied length:${length}`,
  code: "2050",
  element: path
})

export const invalidEnumeration = (value: string): Complaint => ({
  Message: "Invalid Enumeration",
  Detail: `Invalid Enumeration : ${value}`,
  code: "2170",
  element: ""
})

export const invalidReference = (path: string): Complaint => ({
  Message: "Invalid Reference Id",
  Detail: `Invalid Reference Id : ${path}`,
  code: "2500",
  element: path
})

const inactive =
  "Something you're trying to use has been made inactive. Check the fields with accounts, customers, items, vendors or employees."

export const inactiveReference: Complaint = {
  Message: "Invalid Reference Id",
  Detail: `Invalid Reference Id : ${inactive}`,
  code: "2500",
  element: ""
}

export const listRecordNotFound: Complaint = {
  Message: "Object Not Found",
  Detail: `Object Not Found : ${inactive}`,
  code: "610",
  element: ""
}

export const transactionNotFound: Complaint = {
  Message: "Object Not Found",
  Detail: "Object Not Found : Another user has deleted this transaction.",
  code: "610",
  element: ""
}

export const stale: Complaint = {
  Message: "Stale Object Error",
  Detail:
    "Stale Object Error : You and another user were working on this at the same time. " +
    "The other user finished before you did, so your work was not saved.",
  code: "5010",
  element: ""
}

export const duplicateName = (id: string): Complaint => ({
  Message: "Duplicate Name Exists Error",
  Detail: `The name supplied already exists. : Another customer, vendor or employee is already using this name. Please use a different name. Id=${id}`,
  code: "6240",
  element: ""
})

export const duplicateListName = (id: string): Complaint => ({
  Message: "Duplicate Name Exists Error",
  Detail: `The name supplied already exists. : Id=${id}`,
  code: "6240",
  element: ""
})

export const noName: Complaint = {
  Message: "No Name Provided",
  Detail: "Title, GivenName, MiddleName, FamilyName, DisplayName, Suffix - one of these must be non-empty",
  code: "6080",
  element: ""
}

export const noAccountType: Complaint = {
  Message: "Invalid Account.AccountType && Account.SubType",
  Detail: "Either an Account.AccountType or an Account.AccountSubType must be specified",
  code: "6010",
  element: ""
}

export const wrongAmount = (amount: string): Complaint => ({
  Message: "Amount calculation incorrect in the request",
  Detail: `Amount calculation incorrect in the request: Amount is not equal to UnitPrice * Qty. Supplied value:${amount}`,
  code: "6070",
  element: ""
})

export const noDiscount: Complaint = {
  Message: "Discount Line missing required info.",
  Detail: "Discount amount or percent should be provided.",
  code: "6090",
  element: ""
}

export const wrongLineTaxCode = (value: string): Complaint => ({
  Message: "Invalid Line TaxCode in the request",
  Detail: `Invalid Line TaxCode in the request : Valid Line TaxCodes for US should be TAX or NON. Supplied value:${value}`,
  code: "6100",
  element: ""
})

export const periodClosed: Complaint = {
  Message: "Account Period Closed, Cannot Update Through Services API",
  Detail:
    "The account period has closed and the account books cannot be updated through the QBO Services API. Please use the QBO website to make these changes.",
  code: "6210",
  element: ""
}

export const business = (detail: string): Complaint => ({
  Message: "A business validation error has occurred while processing your request",
  Detail: `Business Validation Error: ${detail}`,
  code: "6000",
  element: ""
})

export const noTaxRate = (word: string) =>
  business(`Make sure all your transactions have a ${word} rate before you save.`)

export const otherCurrency = business("The currency of the transaction is invalid for customer / vendor / account.")

export const deposited: Complaint = {
  Message: "Deposited Transaction cannot be changed",
  Detail:
    "Deposited Transaction cannot be changed : This transaction is deposited. If you want to change or delete it, " +
    "you must edit the deposit it appears on and remove it first.",
  code: "6540",
  element: ""
}

export const otherTypeThanParent = business("For subaccounts, you must select the same account type as their parent.")

/** The next three texts are our own: Intuit does not publish its wording. */
export const wrongDetailType = (type: string, subType: string): Complaint =>
  business(`The detail type ${subType} does not belong to the account type ${type}.`)

export const systemAccountInactive = business("You can't make this account inactive: QuickBooks uses it.")

export const systemAccountChanged = business("You can't change the type of this account: QuickBooks uses it.")

export const unsupported = (what: string): Complaint => ({
  Message: "Unsupported Operation",
  Detail: `Operation ${what} is not supported.`,
  code: "500",
  element: ""
})

export const notEntitled: Complaint = {
  Message: "You do not have permission to access this feature.",
  Detail: "Feature Not Supported : The subscription of this company does not include this feature.",
  code: "5020",
  element: ""
}

export const queryUnreadable = (detail: string): Complaint => ({
  Message: "Error parsing query",
  Detail: `QueryParserError: ${detail}`,
  code: "4000"
})

export const queryInvalid = (detail: string): Complaint => ({
  Message: "Invalid query",
  Detail: `QueryValidationError: ${detail}`,
  code: "4001"
})

/** Intuit's servers write Pacific time, whatever the company's time zone. */
const pacific = new Intl.DateTimeFormat("en-US", { timeZone: "America/Los_Angeles", timeZoneName: "longOffset" })

/** `2024-01-31T09:00:00-08:00`. */
export const timestamp = (milliseconds: number): string => {
  const zone = pacific.formatToParts(milliseconds).find((part) => part.type === "timeZoneName")?.value ?? ""
  const offset = zone.replace("GMT", "") || "+00:00"
  const minutes = (offset.startsWith("-") ? -1 : 1) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6)))
  return `${new Date(milliseconds + minutes * 60_000).toISOString().slice(0, 19)}${offset}`
}

/** The envelope of a refused request. */
export const faultOf = (errors: Refusal) => ({ Error: errors, type: "ValidationFault" })

export const answer = (account: Account, body: { readonly [key: string]: unknown }): Reply => ({
  status: 200,
  body: { ...body, time: timestamp(account.now) }
})

export const refusal = (account: Account, errors: Refusal): Reply => ({
  status: 400,
  body: { Fault: faultOf(errors), time: timestamp(account.now) }
})

/** Intuit's id of a request, for its support. */
export const tid = () => ({ intuit_tid: crypto.randomUUID() })

/**
 * Error of the gateway in front of the service: lower-case members, and a time in milliseconds
 * (https://github.com/routablehq/python-quickbooks/issues/250).
 */
export const gatewayFault = (
  status: number,
  name: string,
  code: string,
  type: string,
  detail: string | null
): Reply => ({
  status,
  headers: tid(),
  body: {
    warnings: null,
    intuitObject: null,
    fault: {
      error: [{ message: `message=${name}; errorCode=00${code}; statusCode=${status}`, detail, code, element: null }],
      type
    },
    report: null,
    queryResponse: null,
    batchItemResponse: [],
    attachableResponse: [],
    syncErrorResponse: null,
    requestId: null,
    time: Date.now(),
    status: null,
    cdcresponse: []
  }
})
