import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Reply } from "../../simulation/Simulator.ts"

/** What a request comes to: a refused one is answered at once. */
export type Outcome<A> = Either.Either<A, Reply>

/** A record, or what is wrong with it in Xero's words. */
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
const stamps = new Set(["UpdatedDateUTC", "CreatedDateUTC", "DateTimeUTC"])

const msDate = (milliseconds: number) => `/Date(${milliseconds}+0000)/`

/** A value as Xero writes it: days (kept as `YYYY-MM-DD`) and times (kept as milliseconds) in .NET's way. */
const dated = (value: unknown, name = ""): unknown => {
  if (Array.isArray(value)) return value.map((one) => dated(one))
  if (Predicate.isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, dated(of, key)]))
  if (typeof value === "string" && days.has(name)) return msDate(Date.parse(`${value}T00:00:00Z`))
  return typeof value === "number" && stamps.has(name) ? msDate(value) : value
}

/** A day as the members `DateString` and `DueDateString` of documents tell it. */
export const dayString = (day: unknown): string | undefined => (typeof day === "string" ? `${day}T00:00:00` : undefined)

/** Milliseconds as `UpdatedDateUTCString` tells them. */
export const stampString = (milliseconds: unknown): string | undefined =>
  typeof milliseconds === "number"
    ? `${new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ")}+00:00`
    : undefined

/** What every answer of the Accounting API has around it. */
export const answer = (account: Account, members: Doc): Reply => ({
  status: 200,
  body: dated({
    Id: crypto.randomUUID(),
    Status: "OK",
    ProviderName: "Tributary",
    DateTimeUTC: account.now,
    ...members
  })
})

const exception = (ErrorNumber: number, Type: string, Message: string, more: Doc = {}): Reply => ({
  status: 400,
  body: { ErrorNumber, Type, Message, ...more }
})

/** `where` or `order` that cannot be read. */
export const unparsable = (message: string): Reply => exception(16, "QueryParseException", message)

/** A method on a member that a record has not. https://github.com/freakboy3742/pyxero/issues/181 */
export const unknownError: Reply = {
  status: 500,
  body: { ErrorNumber: 500, Type: "UnknownErrorException", Message: "An error occurred in Xero." }
}

/** A body or parameter that is not of the published form. */
export const invalidData = (message: string): Reply => exception(14, "PostDataInvalidException", message)

/** A write that names nothing to write. */
export const nothingToDo = exception(17, "NoDataProcessedException", "No data has been processed for this endpoint.")

/** Records that break a rule, each with its messages. */
export const invalid = (elements: ReadonlyArray<Doc>): Reply =>
  exception(10, "ValidationException", "A validation exception occurred", { Elements: dated(elements) })

export const messagesOf = (messages: ReadonlyArray<string>): ReadonlyArray<Doc> =>
  messages.map((Message) => ({ Message }))

export const notFound: Reply = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: "The resource you're looking for cannot be found"
}

/** What stands in front of the APIs speaks for itself. https://developer.xero.com/documentation/guides/oauth2/troubleshooting */
export const gateway = (status: number, Title: string, Detail: string): Reply => ({
  status,
  body: { Type: null, Title, Status: status, Detail, Instance: crypto.randomUUID(), Extensions: {} }
})
