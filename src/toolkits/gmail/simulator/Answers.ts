import { Either, ParseResult, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Method, Reply, Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { me } from "./Tables.ts"

/** The outcome of a handler: an answer, or Gmail's refusal. */
export type Answered<A = Reply> = Either.Either<A, Reply>

const statuses: { readonly [code: number]: readonly [status: string, reason: string] } = {
  400: ["INVALID_ARGUMENT", "invalidArgument"],
  401: ["UNAUTHENTICATED", "authError"],
  403: ["PERMISSION_DENIED", "forbidden"],
  404: ["NOT_FOUND", "notFound"],
  409: ["ABORTED", "aborted"]
}

/** Google's body of an error. */
const refusal = (code: number, status: string, message: string, domain: string, reason: string): Reply => ({
  status: code,
  body: { error: { code, message, errors: [{ message, domain, reason }], status } }
})

/** https://developers.google.com/workspace/gmail/api/guides/handle-errors */
export const failure = (code: number, message: string): Reply => {
  const [status, reason] = statuses[code] ?? ["INTERNAL", "backendError"]
  return refusal(code, status, message, "global", reason)
}

/** A used-up limit is mostly 403, told from a missing permission by its reason alone. */
export const exhausted =
  (reason: string, message: string) =>
  (retryAfter: number): Reply => ({
    ...refusal(403, "PERMISSION_DENIED", message, "usageLimits", reason),
    headers: { "retry-after": String(retryAfter) }
  })

/** The limit of a user, also for a test that says it is reached. */
export const limited = exhausted("userRateLimitExceeded", "User Rate Limit Exceeded")

export const refuse = (code: number, message: string) => Either.left(failure(code, message))

export const ok = (body: unknown): Reply => ({ status: 200, body })

export const missing = refuse(404, "Requested entity was not found.")

/** An operation on the mailbox of the connected user, who is `me` or their own address. */
export const route = (
  method: Method,
  path: string,
  handle: (request: SimulatedRequest, account: Account) => Answered,
  query: ReadonlyArray<string> = []
): Route => ({
  method,
  path: `/gmail/v1/users/:userId${path}`,
  handle: (request, account) => {
    const { userId = "" } = request.params
    if (userId !== "me" && userId !== me.email) return failure(403, `Delegation denied for ${me.email}`)
    const unknown = [...request.query.keys()].find((name) => !query.includes(name))
    return unknown === undefined
      ? Either.merge(handle(request, account))
      : failure(400, `Invalid JSON payload received. Unknown name "${unknown}": Cannot bind query parameter.`)
  }
})

/** The body of a request; members that the description lacks are refused. */
export const bodyOf = <A, I>(schema: Schema.Schema<A, I>, { text }: SimulatedRequest): Answered<A> =>
  Schema.decodeEither(Schema.parseJson(schema), { onExcessProperty: "error" })(text).pipe(
    Either.mapLeft((error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      return failure(
        400,
        issue?._tag === "Unexpected"
          ? `Invalid JSON payload received. Unknown name "${issue.path.map(String).join(".")}": Cannot find field.`
          : `Invalid value at '${issue?.path.map(String).join(".") ?? ""}'`
      )
    })
  )

/** The part of a list that a request asks for; a page token is where the page begins. */
export const pageOf = <A>(
  { query }: SimulatedRequest,
  all: ReadonlyArray<A>
): Answered<{ readonly entries: ReadonlyArray<A>; readonly nextPageToken?: string }> => {
  const most = query.get("maxResults") ?? "100"
  const token = query.get("pageToken") ?? "0"
  if (!/^\d{1,9}$/.test(most)) return refuse(400, "Invalid value at 'max_results'")
  if (!/^\d{1,9}$/.test(token)) return refuse(400, "Invalid pageToken")
  const start = Number(token)
  const end = start + Math.min(Math.max(Number(most), 1), 500)
  return Either.right({ entries: all.slice(start, end), ...(end < all.length ? { nextPageToken: String(end) } : {}) })
}
