import { Either, ParseResult, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Method, Reply, Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"

/** The outcome of a handler: an answer, or GitHub's refusal. */
export type Answered<A = Reply> = Either.Either<A, Reply>

/** https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed */
interface Fault {
  readonly resource: string
  readonly field?: string
  readonly code: "missing" | "missing_field" | "invalid" | "already_exists" | "unprocessable" | "custom"
  readonly message?: string
}

export const failure = (
  status: number,
  message: string,
  errors?: ReadonlyArray<Fault> | ReadonlyArray<string>
): Reply => ({
  status,
  body: {
    message,
    ...(errors === undefined ? {} : { errors }),
    documentation_url: "https://docs.github.com/rest",
    status: String(status)
  }
})

export const notFound = failure(404, "Not Found")

export const invalid = (...errors: ReadonlyArray<Fault>): Reply => failure(422, "Validation Failed", errors)

export const ok = (body: unknown, status = 200): Reply => ({ status, body })

/** A success without a body. */
export const noContent: Reply = { status: 204 }

/** The address of the API, as answers name it. */
export const api = "https://api.github.com"

/** A time as GitHub writes it. */
export const iso = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, "Z")

export const route = (
  method: Method,
  path: string,
  handle: (request: SimulatedRequest, account: Account) => Answered
): Route => ({ method, path, handle: (request, account) => Either.merge(handle(request, account)) })

const unpermitted = (name: string) => `"${name}" is not a permitted key.`

/** Query parameters; those that the operation does not have are refused. */
export const queryOf = (
  { query }: SimulatedRequest,
  known: ReadonlyArray<string>
): Answered<(name: string) => string | undefined> => {
  const unknown = [...query.keys()].filter((name) => !known.includes(name))
  return unknown.length > 0
    ? Either.left(failure(422, `Invalid request.\n\n${unknown.map(unpermitted).join("\n")}`))
    : Either.right((name) => query.get(name) ?? undefined)
}

/** One of the values a parameter can have. */
export const oneOf = <A extends string>(
  name: string,
  value: string | undefined,
  values: readonly [A, ...ReadonlyArray<A>]
): Answered<A> => {
  const found = value === undefined ? values[0] : values.find((one) => one === value)
  return found === undefined
    ? Either.left(invalid({ resource: "Search", field: name, code: "invalid" }))
    : Either.right(found)
}

/** The body of a request; members that the description lacks are refused as GitHub refuses them. */
export const bodyOf = <A, I>(schema: Schema.Schema<A, I>, request: SimulatedRequest): Answered<A> =>
  Either.try({
    try: (): unknown => JSON.parse(request.text === "" ? "{}" : request.text),
    catch: () => failure(400, "Problems parsing JSON")
  }).pipe(
    Either.flatMap((input) =>
      Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(input).pipe(
        Either.mapLeft((error) => {
          const lines = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ _tag, message, path }) => {
            const name = path.map(String).join("/")
            if (_tag === "Missing") return `"${name}" wasn't supplied.`
            return _tag === "Unexpected" ? unpermitted(name) : `For 'properties/${name}', ${message}.`
          })
          return failure(422, `Invalid request.\n\n${lines.join("\n")}`)
        })
      )
    )
  )

const pageNumber = (value: string | null, otherwise: number) =>
  value !== null && /^[1-9]\d*$/.test(value) ? Number(value) : otherwise

/**
 * The page of a list that a request asks for, and its `Link` header. More than 100 is 100, nonsense the default.
 * https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
 */
export const pageOf = <A>(
  request: SimulatedRequest,
  all: ReadonlyArray<A>
): { readonly entries: ReadonlyArray<A>; readonly headers: { readonly [name: string]: string } } => {
  const size = Math.min(100, pageNumber(request.query.get("per_page"), 30))
  const page = pageNumber(request.query.get("page"), 1)
  const last = Math.max(1, Math.ceil(all.length / size))
  const linkTo = (relation: string, number: number) => {
    const query = new URLSearchParams(request.query)
    query.set("page", String(number))
    return `<${api}${request.path}?${query.toString()}>; rel="${relation}"`
  }
  const links = [
    ...(page > 1 ? [linkTo("prev", Math.min(page - 1, last))] : []),
    ...(page < last ? [linkTo("next", page + 1), linkTo("last", last)] : []),
    ...(page > 1 ? [linkTo("first", 1)] : [])
  ]
  return {
    entries: all.slice((page - 1) * size, page * size),
    headers: links.length === 0 ? {} : { link: links.join(", ") }
  }
}

export const paging = ["per_page", "page"]

/** A page of a list as an answer. */
export const listed = <A>(request: SimulatedRequest, all: ReadonlyArray<A>, view: (one: A) => unknown): Answered => {
  const { entries, headers } = pageOf(request, all)
  return Either.right({ status: 200, headers, body: entries.map(view) })
}
