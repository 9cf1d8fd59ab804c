import { Either, Schema } from "effect"
import { isDay } from "../../simulation/Period.ts"
import type { Doc } from "../../simulation/Account.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"

/** What a handler decides: an answer, or Pipedrive's refusal. */
export type Answered<A = Reply> = Either.Either<A, Reply>

/** What is wrong with a parameter or field; `path` as in `custom_fields.<key>`. */
export interface Problem {
  readonly path: string
  readonly complaint: string
}

const info = "Please check developers.pipedrive.com"

/** Pipedrive's error form: https://pipedrive.readme.io/docs/core-api-concepts-responses */
export const failure = (status: number, error: string, error_info: string = info): Reply => ({
  status,
  body: { success: false, error, error_info, data: null, additional_data: null }
})

export const notFound = failure(404, "Entity was not found", "Object was not found.")

/** The gateway's form, before any endpoint is reached. */
export const gatewayFailure = (status: number, error: string): Reply => ({
  status,
  body: { success: false, error, errorCode: status, error_info: info }
})

export const notAllowed = "is not allowed for this request"

const said = ({ complaint, path }: Problem) =>
  `${path}: ${complaint === notAllowed ? `Parameter '${path}' ${complaint}` : `This value ${complaint}.`}`

const v2Failure = (error: string, code: string): Reply => ({ status: 400, body: { success: false, error, code } })

/**
 * How API v2 refuses what does not fit its schemas, as others recorded it:
 * https://github.com/pipedrive/client-nodejs/issues/651, https://github.com/pipedrive/client-nodejs/issues/661
 */
export const invalid = (problems: ReadonlyArray<Problem>): Reply =>
  v2Failure(`Validation failed: ${problems.map(said).join("; ")}`, "ERR_SCHEMA_VALIDATION_FAILED")

/** How API v2 refuses what fits its schemas: https://github.com/n8n-io/n8n/issues/31684 */
export const badRequest = (error: string): Reply => v2Failure(error, "ERR_BAD_REQUEST")

export const refuse = (path: string, complaint: string): Either.Either<never, Reply> =>
  Either.left(invalid([{ path, complaint }]))

export const ok = (data: unknown, additional_data?: unknown, status = 200): Reply => ({
  status,
  body: { success: true, data, ...(additional_data === undefined ? {} : { additional_data }) }
})

/** The number that a path names; an id that is none leads to nothing. */
export const idIn = ({ params }: SimulatedRequest): string =>
  /^[1-9]\d*$/.test(params.id ?? "") ? (params.id ?? "") : ""

// Times ---------------------------------------------------------------------------------------------------------------

/** A time as it is kept and as API v2 shows it: RFC 3339 in whole seconds. */
export const stamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** The same time in API v1: https://pipedrive.readme.io/docs/core-api-concepts-date-format */
export const v1Time = (time: unknown): string | null =>
  typeof time === "string" ? time.replace("T", " ").replace(/(\.\d+)?Z$/, "") : null

/** What an RFC 3339 time without fractions of a second says, as it is kept. */
export const timeOf = (text: string): string | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})$/.test(text) || !isDay(text.slice(0, 10)))
    return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : stamp(time)
}

// Requests ------------------------------------------------------------------------------------------------------------

const readObject = Schema.decodeEither(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

export const bodyOf = (request: SimulatedRequest): Answered<Doc> =>
  Either.mapLeft(readObject(request.text), () => invalid([{ path: "body", complaint: "must be a JSON object" }]))

/** Query parameters by name: those asked for, and no others. */
export type Query = (name: string) => string | undefined

export const queryOf = (request: SimulatedRequest, known: ReadonlyArray<string>): Answered<Query> => {
  const unknown = [...new Set(request.query.keys())].filter((name) => !known.includes(name))
  return unknown.length > 0
    ? Either.left(invalid(unknown.map((path) => ({ path, complaint: notAllowed }))))
    : Either.right((name) => request.query.get(name) ?? undefined)
}

export const integerIn = (
  query: Query,
  name: string,
  least = 1,
  most = Number.MAX_SAFE_INTEGER
): Answered<number | undefined> => {
  const text = query(name)
  if (text === undefined) return Either.right(undefined)
  const number = Number(text)
  if (!/^\d+$/.test(text)) return refuse(name, "must be a number")
  if (number < least) return refuse(name, `must be greater than or equal to ${least}`)
  return number > most ? refuse(name, `must be less than or equal to ${most}`) : Either.right(number)
}

export const flagIn = (query: Query, name: string): Answered<boolean | undefined> => {
  const text = query(name)
  if (text === undefined) return Either.right(undefined)
  return text === "true" || text === "false" ? Either.right(text === "true") : refuse(name, "must be a boolean")
}

/** One of the values a parameter takes. */
export const choiceIn = <A extends string>(
  query: Query,
  name: string,
  choices: ReadonlyArray<A>
): Answered<A | undefined> => {
  const text = query(name)
  if (text === undefined) return Either.right(undefined)
  const choice = choices.find((one) => one === text)
  return choice === undefined ? refuse(name, `must be one of [${choices.join(", ")}]`) : Either.right(choice)
}

/** Several values of a parameter, with commas between them. */
export const listIn = (query: Query, name: string, most: number): Answered<ReadonlyArray<string> | undefined> => {
  const listed = query(name)
    ?.split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
  return listed !== undefined && listed.length > most
    ? refuse(name, `must contain less than or equal to ${most} items`)
    : Either.right(listed)
}

export const timeIn = (query: Query, name: string): Answered<string | undefined> => {
  const text = query(name)
  if (text === undefined) return Either.right(undefined)
  const time = timeOf(text)
  return time === undefined ? refuse(name, "is not a valid datetime") : Either.right(time)
}
