import { Either, Schema } from "effect"
import type { Route } from "../../../providers/simulation/Simulator.ts"
import { bodyOf, failure, invalid, listed, notFound, ok, paging, queryOf, route } from "./Answers.ts"
import { putIssue } from "./IssueRoutes.ts"
import { contentsOf, reviewCommentView, reviewView } from "./PullViews.ts"
import { freshId, me, pullOf, type PullRequest, repositoryOf, reviewComments, reviews } from "./Tables.ts"

const pull = "/repos/:owner/:repo/pulls/:number"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const NewComment = Schema.Struct({
  path: Schema.String,
  body: Schema.String,
  line: optional(Schema.Int),
  side: optional(Schema.Literal("LEFT", "RIGHT")),
  start_line: optional(Schema.Int),
  start_side: optional(Schema.Literal("LEFT", "RIGHT"))
})

const New = Schema.Struct({
  commit_id: optional(Schema.String),
  body: optional(Schema.String),
  event: optional(Schema.Literal("APPROVE", "REQUEST_CHANGES", "COMMENT")),
  comments: optional(Schema.Array(NewComment))
})

const states = { APPROVE: "APPROVED", REQUEST_CHANGES: "CHANGES_REQUESTED", COMMENT: "COMMENTED" } as const

/** Whether a diff shows a line of a side. */
const shows = (patch: string | undefined, line: number, side: "LEFT" | "RIGHT"): boolean =>
  [...(patch ?? "").matchAll(/^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/gm)].some(([, from, count, to, fresh]) => {
    const [start, length] = side === "LEFT" ? [Number(from), Number(count)] : [Number(to), Number(fresh)]
    return line >= start && line < start + length
  })

const of = <A extends { readonly repository: number; readonly number: number }>(
  all: ReadonlyArray<A>,
  issue: PullRequest
): ReadonlyArray<A> => all.filter((one) => one.repository === issue.repository && one.number === issue.number)

const create = route("POST", `${pull}/reviews`, (request, account) =>
  Either.gen(function* () {
    const [repository, issue] = yield* pullOf(request, account)
    const { body = "", comments = [], commit_id, event } = yield* bodyOf(New, request)
    if (issue.user === me && (event === "APPROVE" || event === "REQUEST_CHANGES")) {
      const deed = event === "APPROVE" ? "approve" : "request changes on"
      return yield* Either.left(failure(422, "Unprocessable Entity", [`Can not ${deed} your own pull request`]))
    }
    if (event !== undefined && event !== "APPROVE" && body.trim() === "" && comments.length === 0) {
      return yield* Either.left(failure(422, "Unprocessable Entity", ["Body can't be blank"]))
    }
    const { files, head } = contentsOf(account, repository, issue)
    for (const { line, path, side = "RIGHT" } of comments) {
      const file = files.find((one) => one.path === path)
      if (file === undefined) {
        return yield* Either.left(failure(422, "Unprocessable Entity", ["Path could not be resolved"]))
      }
      if (line === undefined || !shows(file.patch, line, side)) {
        return yield* Either.left(failure(422, "Unprocessable Entity", ["Line could not be resolved"]))
      }
    }
    const sha = commit_id ?? head?.sha ?? issue.pull.headSha
    const review = {
      id: freshId(account),
      repository: repository.id,
      number: issue.number,
      user: me,
      body,
      state: event === undefined ? ("PENDING" as const) : states[event],
      sha,
      submittedAt: event === undefined ? null : account.now
    }
    reviews.put(account, String(review.id), review)
    for (const { body, line, path, side = "RIGHT", start_line } of comments) {
      const id = freshId(account)
      reviewComments.put(account, String(id), {
        id,
        repository: repository.id,
        number: issue.number,
        review: review.id,
        inReplyTo: null,
        user: me,
        body,
        path,
        line: line ?? null,
        startLine: start_line ?? null,
        side,
        hunk: files.find((one) => one.path === path)?.patch ?? "",
        sha,
        createdAt: account.now
      })
    }
    // a reviewer is no longer asked for a review
    const reviewers = issue.pull.reviewers.filter((login) => login !== me)
    putIssue(account, { ...issue, updatedAt: account.now, pull: { ...issue.pull, reviewers } })
    return ok(reviewView(account, repository, review))
  })
)

const reply = route("POST", `${pull}/comments/:id/replies`, (request, account) =>
  Either.gen(function* () {
    const [repository, issue] = yield* pullOf(request, account)
    const { body } = yield* bodyOf(Schema.Struct({ body: Schema.String }), request)
    const first = reviewComments.get(account, request.params.id ?? "")
    if (first === undefined || first.repository !== repository.id || first.number !== issue.number) {
      return yield* Either.left(notFound)
    }
    if (body.trim() === "") {
      return yield* Either.left(invalid({ resource: "PullRequestReviewComment", field: "body", code: "missing_field" }))
    }
    const id = freshId(account)
    const made = { ...first, id, inReplyTo: first.inReplyTo ?? first.id, user: me, body, createdAt: account.now }
    reviewComments.put(account, String(id), made)
    return ok(reviewCommentView(account, repository, made), 201)
  })
)

/** Reviews of pull requests and comments on lines. */
export const reviewRoutes: ReadonlyArray<Route> = [
  create,
  reply,
  route("GET", `${pull}/reviews/:id`, (request, account) =>
    Either.gen(function* () {
      const [repository, issue] = yield* pullOf(request, account)
      const found = of(reviews.all(account), issue).find(({ id }) => String(id) === request.params.id)
      return found === undefined ? yield* Either.left(notFound) : ok(reviewView(account, repository, found))
    })
  ),
  route("GET", "/repos/:owner/:repo/pulls/comments/:id", (request, account) =>
    Either.gen(function* () {
      const repository = yield* repositoryOf(request, account)
      const found = reviewComments.get(account, request.params.id ?? "")
      return found?.repository === repository.id
        ? ok(reviewCommentView(account, repository, found))
        : yield* Either.left(notFound)
    })
  ),
  route("GET", `${pull}/reviews`, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, paging)
      const [repository, issue] = yield* pullOf(request, account)
      return yield* listed(request, of(reviews.all(account), issue), (one) => reviewView(account, repository, one))
    })
  ),
  route("GET", `${pull}/comments`, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, paging)
      const [repository, issue] = yield* pullOf(request, account)
      return yield* listed(request, of(reviewComments.all(account), issue), (one) =>
        reviewCommentView(account, repository, one)
      )
    })
  )
]
