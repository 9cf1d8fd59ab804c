import { Either, ParseResult, Schema } from "effect"
import type { Account } from "../../simulation/Account.ts"
import type { Method, Reply, Route, SimulatedRequest } from "../../simulation/Simulator.ts"

/** The outcome of a handler: an answer, or HubSpot's refusal. */
export type Answered<A = Reply> = Either.Either<A, Reply>

interface ErrorDetail {
  readonly message: string
  readonly code?: string
  readonly in?: string
  readonly context?: { readonly [name: string]: ReadonlyArray<string> }
}

/** HubSpot's error form: https://developers.hubspot.com/docs/api-reference/error-handling */
export const failure = (
  status: number,
  category: string,
  message: string,
  rest: {
    readonly subCategory?: string
    readonly errors?: ReadonlyArray<ErrorDetail>
    readonly context?: { readonly [name: string]: ReadonlyArray<string> }
  } = {}
): Reply => ({
  status,
  body: { status: "error", message, correlationId: crypto.randomUUID(), ...rest, category }
})

export const invalid = (message: string, rest: Parameters<typeof failure>[3] = {}): Reply =>
  failure(400, "VALIDATION_ERROR", message, rest)

/** The portal of every simulated account. */
export const portalId = 20317054

export const ok = (body: unknown, status = 200): Reply => ({ status, body })

/** A success without a body. */
export const noContent: Reply = { status: 204 }

/** A time as HubSpot writes it. */
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** A list that goes on where `next` is given. */
export const page = (
  results: ReadonlyArray<unknown>,
  next: string | undefined,
  request: SimulatedRequest
): { readonly results: ReadonlyArray<unknown>; readonly paging?: unknown } => {
  if (next === undefined) return { results }
  const query = new URLSearchParams(request.query)
  query.set("after", next)
  return {
    results,
    paging: { next: { after: next, link: `https://api.hubapi.com${request.path}?${query.toString()}` } }
  }
}

/** The form of a batch's answer: 207 when some of it failed, else `status`. */
export const batch = (
  now: number,
  results: ReadonlyArray<unknown>,
  errors: ReadonlyArray<unknown> = [],
  status = 200
): Reply => ({
  status: errors.length > 0 ? 207 : status,
  body: {
    status: "COMPLETE",
    results,
    ...(errors.length > 0 ? { numErrors: errors.length, errors } : {}),
    startedAt: iso(now),
    completedAt: iso(now)
  }
})

const pathOf = (path: ReadonlyArray<PropertyKey>) => path.map(String).join(".")

/** The body of a request; members that the description lacks are refused as HubSpot refuses them. */
export const bodyOf = <A, I>(schema: Schema.Schema<A, I>, request: SimulatedRequest): Answered<A> =>
  Schema.decodeEither(Schema.parseJson(schema), { onExcessProperty: "error" })(request.text).pipe(
    Either.mapLeft((error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      const at = issue === undefined || issue.path.length === 0 ? "" : ` (at ${pathOf(issue.path)})`
      return invalid(`Invalid input JSON on line 1, column 1: ${issue?.message ?? "not readable"}${at}`)
    })
  )

/** Query parameters of a request: those asked for, and no others. */
export interface Query {
  /** The last value of a name. */
  readonly one: (name: string) => string | undefined
  /** Values of a repeated or comma-separated name. */
  readonly many: (name: string) => ReadonlyArray<string>
}

const queryOf = (request: SimulatedRequest, known: ReadonlyArray<string>): Answered<Query> => {
  const unknown = [...request.query.keys()].filter((name) => !known.includes(name))
  return unknown.length > 0
    ? Either.left(
        invalid(`Unknown query parameter: ${unknown.join(", ")}`, {
          errors: unknown.map((name) => ({ message: `${name} is not a parameter of this endpoint`, in: name }))
        })
      )
    : Either.right({
        one: (name) => request.query.getAll(name).at(-1),
        many: (name) =>
          request.query
            .getAll(name)
            .flatMap((value) => value.split(","))
            .map((value) => value.trim())
            .filter((value) => value !== "")
      })
}

/** A request whose parameters are known. */
export interface Asked {
  readonly request: SimulatedRequest
  readonly account: Account
  readonly query: Query
  /** A place in the path. */
  readonly at: (name: string) => string
}

/** Characters of an address that HubSpot's servers take. */
const longestAddress = 8_192

/** The refusal of the servers before the API, which is a page. */
const tooLong: Reply = {
  status: 414,
  headers: { "content-type": "text/html" },
  body: "<html><head><title>414 Request-URI Too Large</title></head><body><h1>414 Request-URI Too Large</h1></body></html>"
}

/** A route with the parameters it takes. */
export const route = (
  method: Method,
  path: string,
  parameters: ReadonlyArray<string>,
  handle: (asked: Asked) => Answered
): Route => ({
  method,
  path,
  handle: (request, account) => {
    if (request.path.length + request.query.toString().length > longestAddress) return tooLong
    return Either.merge(
      Either.flatMap(queryOf(request, parameters), (query) =>
        handle({ request, account, query, at: (name) => request.params[name] ?? "" })
      )
    )
  }
})

const wrongParameter = (name: string, message: string) =>
  Either.left(invalid(`Invalid value for ${name}: ${message}`, { errors: [{ message, in: name }] }))

export const limitOf = (value: string | undefined, otherwise: number, most: number): Answered<number> => {
  if (value === undefined) return Either.right(otherwise)
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1) return wrongParameter("limit", "must be an integer from 1")
  return limit > most ? wrongParameter("limit", `must be less than or equal to ${most}`) : Either.right(limit)
}

export const flagOf = (name: string, value: string | undefined): Answered<boolean> =>
  value === undefined || value === "false"
    ? Either.right(false)
    : value === "true"
      ? Either.right(true)
      : wrongParameter(name, "must be true or false")

/** A cursor is the id of the last record of the page before. */
export const cursorOf = (value: string | undefined): Answered<number> =>
  value === undefined || value === ""
    ? Either.right(-1)
    : /^\d+$/.test(value)
      ? Either.right(Number(value))
      : wrongParameter("after", "is not a cursor of this endpoint")

/** A page of a list in the order of ids, after a cursor. */
export const pageAfter = <A>(
  all: ReadonlyArray<A>,
  idOf: (one: A) => string,
  after: number,
  limit: number
): { readonly slice: ReadonlyArray<A>; readonly next: string | undefined } => {
  const rest = all.filter((one) => Number(idOf(one)) > after)
  const slice = rest.slice(0, limit)
  const last = slice.at(-1)
  return { slice, next: rest.length > limit && last !== undefined ? idOf(last) : undefined }
}
