import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route } from "../../../providers/simulation/Simulator.ts"
import { type Answered, bodyOf, failure, ok, queryOf, route } from "./Answers.ts"
import { search } from "./Search.ts"
import type { Issue } from "./Tables.ts"
import { issueView } from "./Views.ts"

// Searches with JQL: https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Query = Schema.Struct({
  jql: optional(Schema.String),
  maxResults: optional(Schema.Int),
  fields: optional(Schema.Array(Schema.String)),
  nextPageToken: optional(Schema.String),
  fieldsByKeys: optional(Schema.Boolean),
  expand: optional(Schema.String)
})

const Token = Schema.parseJson(Schema.Struct({ after: Schema.Int, jql: Schema.String }))
const readToken = Schema.decodeEither(Token)
const writeToken = Schema.encodeSync(Token)

/** How far the pages before a token went; it is good for its own query only. */
const startOf = (token: string | undefined, jql: string): Answered<number> => {
  if (token === undefined) return Either.right(0)
  const read = readToken(Buffer.from(token, "base64url").toString("utf8"))
  return Either.isRight(read) && read.right.jql === jql
    ? Either.right(read.right.after)
    : Either.left(failure(400, ["The provided next page token is invalid or expired."]))
}

/** Issues that fit a query; fails with Jira's words if it is none. */
const found = (account: Account, jql: string): Answered<ReadonlyArray<Issue>> =>
  Either.mapLeft(search(account, jql), (words) => failure(400, [words]))

const page = (account: Account, asked: typeof Query.Type): Answered =>
  Either.gen(function* () {
    const { fields = ["id"], jql = "", maxResults = 50, nextPageToken } = asked
    const all = yield* found(account, jql)
    const start = yield* startOf(nextPageToken, jql)
    const end = start + Math.max(0, Math.min(maxResults, 100))
    const isLast = end >= all.length
    return ok({
      issues: all.slice(start, end).map((issue) => issueView(account, issue, fields)),
      isLast,
      ...(isLast ? {} : { nextPageToken: Buffer.from(writeToken({ after: end, jql })).toString("base64url") })
    })
  })

export const searchRoutes: ReadonlyArray<Route> = [
  route("GET", "/search/jql", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["jql", "maxResults", "fields", "nextPageToken", "fieldsByKeys", "expand"])
      const [fields, jql, maxResults, nextPageToken] = [
        query("fields"),
        query("jql"),
        query("maxResults"),
        query("nextPageToken")
      ]
      if (maxResults !== undefined && !/^\d{1,9}$/.test(maxResults)) {
        return yield* Either.left(failure(400, ["maxResults must be a whole number from 0."]))
      }
      return yield* page(account, {
        ...(jql === undefined ? {} : { jql }),
        ...(fields === undefined ? {} : { fields: fields.split(",") }),
        ...(maxResults === undefined ? {} : { maxResults: Number(maxResults) }),
        ...(nextPageToken === undefined ? {} : { nextPageToken })
      })
    })
  ),
  route("POST", "/search/jql", (request, account) =>
    Either.flatMap(bodyOf(Query, request), (asked) => page(account, asked))
  ),
  route("POST", "/search/approximate-count", (request, account) =>
    Either.gen(function* () {
      const { jql } = yield* bodyOf(Schema.Struct({ jql: Schema.String }), request)
      return ok({ count: (yield* found(account, jql)).length })
    })
  )
]
