import { createHash } from "node:crypto"
import { Either, ParseResult, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Method, Reply, Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"

/** The outcome of a handler: an answer, or Jira's refusal. */
export type Answered<A = Reply> = Either.Either<A, Reply>

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#status-codes */
export const failure = (
  status: number,
  messages: ReadonlyArray<string>,
  errors: { readonly [field: string]: string } = {}
): Reply => ({ status, body: { errorMessages: messages, errors } })

/** A refusal of single fields. */
export const invalid = (errors: { readonly [field: string]: string }): Reply => failure(400, [], errors)

/** An error of the gateway in front of Jira. */
export const gateway = (status: number, message: string): Reply => ({ status, body: { code: status, message } })

export const ok = (body: unknown, status = 200): Reply => ({ status, body })

/** A success without a body. */
export const noContent: Reply = { status: 204 }

/** The id of the one site that an account has. */
export const cloudIdOf = (account: string): string =>
  createHash("sha256")
    .update(account)
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")

export const site = "https://larkspur.atlassian.net"

const root = "/ex/jira/:cloudId/rest/api/3"

export const selfOf = (account: Account, path: string) =>
  `https://api.atlassian.com/ex/jira/${cloudIdOf(account.name)}/rest/api/3/${path}`

/** An operation of the account's own site. */
export const route = (
  method: Method,
  path: string,
  handle: (request: SimulatedRequest, account: Account) => Answered
): Route => ({
  method,
  path: root + path,
  handle: (request, account) =>
    request.params.cloudId === cloudIdOf(account.name)
      ? Either.merge(handle(request, account))
      : gateway(404, "No message available")
})

/** A time as Jira writes it. */
export const stamp = (milliseconds: number): string => new Date(milliseconds).toISOString().replace("Z", "+0000")

/** Query parameters; those that the operation does not have are refused. */
export const queryOf = (
  { query }: SimulatedRequest,
  known: ReadonlyArray<string>
): Answered<(name: string) => string | undefined> => {
  const unknown = [...query.keys()].find((name) => !known.includes(name))
  return unknown === undefined
    ? Either.right((name) => query.get(name) ?? undefined)
    : Either.left(failure(400, [`Unknown query parameter '${unknown}'.`]))
}

/** The body of a request; members that the description lacks are refused as Jira refuses them. */
export const bodyOf = <A, I>(schema: Schema.Schema<A, I>, request: SimulatedRequest): Answered<A> =>
  Schema.decodeEither(Schema.parseJson(schema), { onExcessProperty: "error" })(request.text).pipe(
    Either.mapLeft((error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      const at = issue === undefined ? "" : issue.path.map(String).join(".")
      return failure(400, [
        issue?._tag === "Unexpected"
          ? `Unrecognized field "${at}"`
          : `Invalid request payload. Refer to the REST API documentation and try again. (${at})`
      ])
    })
  )

export const paging = ["startAt", "maxResults"]

const whole = (value: string | undefined, otherwise: number): number | undefined =>
  value === undefined ? otherwise : /^\d{1,9}$/.test(value) ? Number(value) : undefined

/** The part of a list that a request asks for. */
export const pageOf = <A>(
  query: (name: string) => string | undefined,
  all: ReadonlyArray<A>,
  otherwise: number,
  most = 100
): Answered<{ readonly entries: ReadonlyArray<A>; readonly startAt: number; readonly maxResults: number }> => {
  const startAt = whole(query("startAt"), 0)
  const asked = whole(query("maxResults"), otherwise)
  if (startAt === undefined || asked === undefined) {
    return Either.left(failure(400, ["startAt and maxResults must be whole numbers from 0."]))
  }
  const maxResults = Math.min(asked, most)
  return Either.right({ entries: all.slice(startAt, startAt + maxResults), startAt, maxResults })
}
