import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Reply } from "../../simulation/Simulator.ts"

/** Outcome of a request; a refused one is a ready reply. */
export type Outcome<A> = Either.Either<A, Reply>

/** A record, or the complaints about it in Xero's words. */
export type Checked<A> = Either.Either<A, ReadonlyArray<string>>

export const complain = (...messages: ReadonlyArray<string>): Checked<never> => Either.left(messages)

// Dates: https://developer.xero.com/documentation/api/accounting/requests-and-responses

const days = new Set([
  "Date",
  "DueDate",
  "ExpectedPaymentDate",
  "PlannedPaymentDate",
  "FullyPaidOnDate",
  "DeliveryDate",
  "ExpectedArrivalDate",
  "JournalDate",
  "PeriodLockDate",
  "EndOfYearLockDate"
])
const stamps = new Set(["UpdatedDateUTC", "CreatedDateUTC"])

const msDate = (milliseconds: number) => `/Date(${milliseconds}+0000)/`

/** The moment of an answer, and of the organisation's creation, has no offset. */
export const bareDate = (milliseconds: number) => `/Date(${milliseconds})/`

/** Writes days (kept as `YYYY-MM-DD`) and times (kept as milliseconds) in .NET's format, as Xero does. */
const dated = (value: unknown, name = ""): unknown => {
  if (Array.isArray(value)) return value.map((one) => dated(one))
  if (Predicate.isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, dated(of, key)]))
  if (typeof value === "string" && days.has(name)) return msDate(Date.parse(`${value}T00:00:00Z`))
  return typeof value === "number" && stamps.has(name) ? msDate(value) : value
}

/** A day in the format of the members `DateString` and `DueDateString` of documents. */
export const dayString = (day: unknown): string | undefined => (typeof day === "string" ? `${day}T00:00:00` : undefined)

/** The envelope of every response of the Accounting API. */
export const answer = (account: Account, members: Doc): Reply => ({
  status: 200,
  body: dated({
    Id: crypto.randomUUID(),
    Status: "OK",
    ProviderName: "Tributary",
    DateTimeUTC: bareDate(account.now),
    ...members
  })
})

const exception = (ErrorNumber: number, Type: string, Message: string, more: Doc = {}): Reply => ({
  status: 400,
  body: { ErrorNumber, Type, Message, ...more }
})

/** Refuses a `where` or `order` that cannot be parsed. */
export const unparsable = (message: string): Reply => exception(16, "QueryParseException", message)

/** The response to a method on a member that a record lacks. https://github.com/freakboy3742/pyxero/issues/181 */
export const unknownError: Reply = {
  status: 500,
  body: { ErrorNumber: 500, Type: "UnknownErrorException", Message: "An error occurred in Xero." }
}

/** Refuses a body or parameter that does not match the published schema. */
export const invalidData = (message: string): Reply => exception(14, "PostDataInvalidException", message)

/** Refuses a write without records. */
export const nothingToDo = exception(17, "NoDataProcessedException", "No data has been processed for this endpoint.")

/** Refuses records that break a rule, each with its messages. */
export const invalid = (elements: ReadonlyArray<Doc>): Reply =>
  exception(10, "ValidationException", "A validation exception occurred", { Elements: dated(elements) })

export const messagesOf = (messages: ReadonlyArray<string>): ReadonlyArray<Doc> =>
  messages.map((Message) => ({ Message }))

export const notFound: Reply = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: "The resource you're looking for cannot be found"
}

/** An error of the gateway in front of the APIs. https://developer.xero.com/documentation/guides/oauth2/troubleshooting */
export const gateway = (status: number, Title: string, Detail: string): Reply => ({
  status,
  body: { Type: null, Title, Status: status, Detail, Instance: crypto.randomUUID(), Extensions: {} }
})
