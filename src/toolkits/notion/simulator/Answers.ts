import { Either, ParseResult, Predicate, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Method, Reply, Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"

/** The outcome of a handler: an answer, or Notion's refusal. */
export type Answered<A = Reply> = Either.Either<A, Reply>

/** https://developers.notion.com/reference/status-codes */
export const failure = (status: number, code: string, message: string): Reply => ({
  status,
  body: { object: "error", status, code, message }
})

export const invalid = (message: string) => Either.left(failure(400, "validation_error", message))

export const missing = (kind: string, id: string) =>
  Either.left(
    failure(
      404,
      "object_not_found",
      `Could not find ${kind} with ID: ${id}. Make sure the relevant pages and databases are shared with your integration.`
    )
  )

export const ok = (body: unknown): Reply => ({ status: 200, body })

export const versions = ["2025-09-03"]

/** Every answer says the id of its request. */
const named = (reply: Reply): Reply =>
  Predicate.isRecord(reply.body) ? { ...reply, body: { ...reply.body, request_id: crypto.randomUUID() } } : reply

/** An operation, which is there in some versions, with its query parameters. */
export const route = (
  method: Method,
  path: string,
  handle: (request: SimulatedRequest, account: Account) => Answered,
  query: ReadonlyArray<string> = []
): Route => ({
  method,
  path: `/v1${path}`,
  handle: (request, account) => {
    const version = request.headers["notion-version"]
    if (version === undefined) {
      return failure(400, "missing_version", "Notion-Version header should be defined, but was undefined.")
    }
    if (!versions.includes(version)) {
      return failure(
        400,
        "validation_error",
        `Notion-Version header failed validation: "${version}" is not known here.`
      )
    }
    const unknown = [...request.query.keys()].find((name) => !query.includes(name))
    if (unknown !== undefined) {
      return failure(400, "validation_error", `query failed validation: query.${unknown} should be not present.`)
    }
    return named(Either.merge(handle(request, account)))
  }
})

/** The body of a request; members that the description lacks are refused. */
export const bodyOf = <A, I>(schema: Schema.Schema<A, I>, { text }: SimulatedRequest): Answered<A> =>
  Schema.decodeEither(Schema.parseJson(schema), { onExcessProperty: "error" })(text === "" ? "{}" : text).pipe(
    Either.mapLeft((error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      const at = ["body", ...(issue?.path.map(String) ?? [])].join(".")
      return failure(
        400,
        "validation_error",
        `body failed validation: ${at} should be ${issue?._tag === "Unexpected" ? "not present" : "defined"}.`
      )
    })
  )

/** Members of a body that pages a list. */
export const paging = {
  start_cursor: Schema.optional(Schema.String),
  page_size: Schema.optional(Schema.Int.pipe(Schema.between(1, 100)))
}

/** The part of a list after a cursor, which is the id of its first entry. */
export const listed = <A extends { readonly id: string }>(
  all: ReadonlyArray<A>,
  {
    page_size = 100,
    start_cursor
  }: { readonly page_size?: number | undefined; readonly start_cursor?: string | undefined },
  type: string,
  view: (one: A) => unknown
): Answered => {
  const start = start_cursor === undefined ? 0 : all.findIndex(({ id }) => id === start_cursor)
  if (start < 0) return invalid(`The start_cursor provided is invalid: ${start_cursor ?? ""}`)
  const next = all[start + page_size]
  return Either.right(
    ok({
      object: "list",
      results: all.slice(start, start + page_size).map(view),
      next_cursor: next?.id ?? null,
      has_more: next !== undefined,
      type,
      [type]: {}
    })
  )
}

/** Paging of a list that is asked for with GET. */
export const pagingIn = ({ query }: SimulatedRequest): Answered<{ page_size?: number; start_cursor?: string }> => {
  const [size, cursor] = [query.get("page_size"), query.get("start_cursor")]
  if (size !== null && !(/^\d{1,3}$/.test(size) && Number(size) >= 1 && Number(size) <= 100)) {
    return invalid("query failed validation: query.page_size should be a number from 1 to 100.")
  }
  return Either.right({
    ...(size === null ? {} : { page_size: Number(size) }),
    ...(cursor === null ? {} : { start_cursor: cursor })
  })
}
