import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import {
  type Answered,
  bodyOf,
  failure,
  invalid,
  noContent,
  ok,
  pageOf,
  paging,
  queryOf,
  route,
  stamp
} from "./Answers.ts"
import { isDocument } from "./Documents.ts"
import { type Comment, comments, freshId, issueOf, me, of, Stored, worklogs, writableOf } from "./Tables.ts"
import { commentView, worklogView } from "./Views.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const commentOf = (request: SimulatedRequest, account: Account): Answered<Comment> =>
  Either.flatMap(issueOf(request, account), (issue) => {
    const found = comments.get(account, request.params.id ?? "")
    return found?.issue === issue.id
      ? Either.right(found)
      : Either.left(failure(404, [`Can not find a comment for the id: ${request.params.id}.`]))
  })

/** A comment that the connected user may change. */
const ownComment = (request: SimulatedRequest, account: Account, what: string): Answered<Comment> =>
  Either.filterOrLeft(
    commentOf(request, account),
    ({ author }) => author === me,
    () => failure(400, [`You do not have the permission to ${what} this comment.`])
  )

const Body = Schema.Struct({ body: Schema.Unknown })

const documentIn = (request: SimulatedRequest): Answered<typeof Stored.Type> =>
  Either.flatMap(bodyOf(Body, request), ({ body }) =>
    isDocument(body) && Array.isArray(body["content"]) && body["content"].length > 0
      ? Either.right(body)
      : Either.left(invalid({ comment: "Comment body is not valid!" }))
  )

const units: { readonly [unit: string]: number } = { w: 5 * 8 * 3600, d: 8 * 3600, h: 3600, m: 60 }

/** Seconds of `1h 30m`; a day has eight hours, a week five days. */
const secondsIn = (spent: string): number | undefined => {
  const parts = spent.split(" ").map((part) => /^(\d+)([wdhm])$/.exec(part))
  const seconds = parts.reduce((total, part) => total + Number(part?.[1]) * (units[part?.[2] ?? ""] ?? Number.NaN), 0)
  return Number.isNaN(seconds) || seconds === 0 ? undefined : seconds
}

const Work = Schema.Struct({
  timeSpent: optional(Schema.String),
  timeSpentSeconds: optional(Schema.Int),
  started: optional(Schema.String),
  comment: optional(Stored)
})

/** Comments and time. */
export const talkRoutes: ReadonlyArray<Route> = [
  route("GET", "/issue/:issue/comment", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["orderBy", "expand", ...paging])
      const issue = yield* issueOf(request, account)
      const order = query("orderBy") ?? "created"
      if (!["created", "+created", "-created"].includes(order)) {
        return yield* Either.left(failure(400, [`'${order}' is not a valid order.`]))
      }
      const all = of(issue, comments.all(account))
      const { entries, maxResults, startAt } = yield* pageOf(query, order === "-created" ? all.toReversed() : all, 100)
      return ok({ startAt, maxResults, total: all.length, comments: entries.map((one) => commentView(account, one)) })
    })
  ),
  route("GET", "/issue/:issue/comment/:id", (request, account) =>
    Either.map(commentOf(request, account), (comment) => ok(commentView(account, comment)))
  ),
  route("POST", "/issue/:issue/comment", (request, account) =>
    Either.gen(function* () {
      const issue = yield* issueOf(request, account)
      const body = yield* documentIn(request)
      const id = freshId(account)
      const made = { id, issue: issue.id, author: me, body, created: account.now, updated: account.now }
      comments.put(account, id, made)
      return ok(commentView(account, made), 201)
    })
  ),
  route("PUT", "/issue/:issue/comment/:id", (request, account) =>
    Either.gen(function* () {
      const comment = yield* ownComment(request, account, "edit")
      const body = yield* documentIn(request)
      const changed = { ...comment, body, updated: account.now }
      comments.put(account, comment.id, changed)
      return ok(commentView(account, changed))
    })
  ),
  route("DELETE", "/issue/:issue/comment/:id", (request, account) =>
    Either.gen(function* () {
      const comment = yield* ownComment(request, account, "delete")
      comments.remove(account, comment.id)
      return noContent
    })
  ),
  route("GET", "/issue/:issue/worklog", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, paging)
      const all = of(yield* issueOf(request, account), worklogs.all(account))
      const { entries, maxResults, startAt } = yield* pageOf(query, all, 5000, 5000)
      return ok({ startAt, maxResults, total: all.length, worklogs: entries.map((one) => worklogView(account, one)) })
    })
  ),
  route("POST", "/issue/:issue/worklog", (request, account) =>
    Either.gen(function* () {
      const issue = yield* writableOf(request, account)
      const { comment, started, timeSpent, timeSpentSeconds } = yield* bodyOf(Work, request)
      const seconds = timeSpentSeconds ?? secondsIn(timeSpent ?? "")
      if (seconds === undefined) return yield* Either.left(invalid({ timeLogged: "Invalid time duration entered" }))
      if (comment !== undefined && !isDocument(comment)) {
        return yield* Either.left(invalid({ comment: "Comment body is not valid!" }))
      }
      const id = freshId(account)
      const made = {
        id,
        issue: issue.id,
        author: me,
        seconds,
        spent: timeSpent ?? `${Math.round(seconds / 60)}m`,
        started: started ?? stamp(account.now),
        comment: comment ?? null,
        created: account.now
      }
      worklogs.put(account, id, made)
      return ok(worklogView(account, made), 201)
    })
  )
]
