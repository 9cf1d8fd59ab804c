import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { beginning, part } from "../Answers.ts"
import { choice, from, list, optional, text, texts, whole } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, paging, repository } from "./Calls.ts"
import { number } from "./IssueTools.ts"
import { at, pull } from "./PullRequestTools.ts"
import { checkRun, pullLine, review, reviewComment, reviewCommentLine, reviewLine } from "./Shapes.ts"

const root = "/repos/:owner/:repo"

/** Characters of a text that one answer holds. */
const bodyLength = 12_000

const lineComment = Schema.Struct({
  path: text("Path of the file.", 1000),
  line: whole("Line of the file that it is about; in the file as changed, unless `side` is LEFT.", 1, 10_000_000),
  side: optional(
    choice(
      "LEFT for a line that is deleted, RIGHT (when left out) for one that is added or unchanged.",
      "LEFT",
      "RIGHT"
    )
  ),
  start_line: optional(whole("First line, when it is about several.", 1, 10_000_000)),
  body: text("The comment, in GitHub's Markdown.")
})

/** Reviews of pull requests, and checks. https://docs.github.com/en/rest/pulls/reviews */
export const reviewTools = ({ one, page }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "github_request_reviewers",
    title: "Request reviewers",
    description:
      "Asks people or teams to review a pull request; they get a notification. Its author cannot review it. Logins come from github_list_assignees.",
    keywords: ["ask for review", "assign reviewer", "review request"],
    hints: hints.create,
    scopes: ["repo"],
    input: Schema.Struct({
      ...repository,
      number: number("pull request"),
      reviewers: texts("Logins of the people; empty to ask teams only.", 15),
      team_reviewers: optional(texts("Slugs of teams of the organisation.", 15))
    }),
    run: (connection, { reviewers, team_reviewers, ...params }) =>
      Effect.map(
        one(connection, {
          operation: "reviewers.request",
          method: "POST",
          path: `${pull}/requested_reviewers`,
          params: at(params),
          json: { reviewers, team_reviewers }
        }),
        pullLine
      )
  }),
  tool({
    name: "github_list_reviews",
    title: "List reviews",
    description:
      "Lists the reviews of a pull request, oldest first: who approved, asked for changes or commented, with the beginning of their text; github_get_review reads one in full.",
    keywords: ["approvals", "who approved", "changes requested", "review status"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({ ...repository, number: number("pull request"), ...paging }),
    run: (connection, { limit, page: place, ...params }) =>
      page(
        connection,
        { operation: "reviews.list", method: "GET", path: `${pull}/reviews`, params: at(params) },
        { limit, page: place },
        { name: "reviews", show: reviewLine(limit) }
      )
  }),
  tool({
    name: "github_list_review_comments",
    title: "List review comments",
    description:
      "Lists the comments on lines of a pull request, with file and line; long texts are cut (`truncated`), and github_get_review_comment reads one in full. The general conversation comes from github_list_issue_comments.",
    keywords: ["inline comments", "code comments", "review threads", "feedback"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({ ...repository, number: number("pull request"), ...paging }),
    run: (connection, { limit, page: place, ...params }) =>
      page(
        connection,
        { operation: "reviewComments.list", method: "GET", path: `${pull}/comments`, params: at(params) },
        { limit, page: place },
        { name: "comments", show: reviewCommentLine(limit) }
      )
  }),
  tool({
    name: "github_get_review",
    title: "Get a review",
    description:
      "Gets one review of a pull request with its text, 12,000 characters at a time (`next_from` tells where to read on).",
    keywords: ["read review", "verdict"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({
      ...repository,
      number: number("pull request"),
      review_id: whole("Id of the review, from github_list_reviews.", 1, Number.MAX_SAFE_INTEGER),
      from
    }),
    run: (connection, { from, review_id, ...params }) =>
      Effect.map(
        one(connection, {
          operation: "reviews.get",
          method: "GET",
          path: `${pull}/reviews/:id`,
          params: { ...at(params), id: String(review_id) }
        }),
        (found) => ({ ...review(found), ...part("body", getPath(found, "body"), bodyLength, from) })
      )
  }),
  tool({
    name: "github_get_review_comment",
    title: "Get a review comment",
    description:
      "Gets one comment on lines of a pull request, with the lines it is about, 12,000 characters of text at a time (`next_from` tells where to read on).",
    keywords: ["read inline comment", "code comment"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({
      ...repository,
      comment_id: whole("Id of the comment, from github_list_review_comments.", 1, Number.MAX_SAFE_INTEGER),
      from
    }),
    run: (connection, { comment_id, from, ...params }) =>
      Effect.map(
        one(connection, {
          operation: "reviewComments.get",
          method: "GET",
          path: `${root}/pulls/comments/:id`,
          params: { ...params, id: String(comment_id) }
        }),
        (found) => ({
          ...reviewComment(found),
          ...beginning("lines", getPath(found, "diff_hunk"), 2000),
          ...part("body", getPath(found, "body"), bodyLength, from)
        })
      )
  }),
  tool({
    name: "github_create_review",
    title: "Review a pull request",
    description:
      "Submits a review of a pull request: approve it, ask for changes, or comment, with comments on lines if you like. `body` is needed unless it approves. You cannot approve your own pull request.",
    keywords: ["approve", "request changes", "code review", "LGTM", "inline comment"],
    hints: hints.create,
    scopes: ["repo"],
    input: Schema.Struct({
      ...repository,
      number: number("pull request"),
      event: choice("The verdict.", "APPROVE", "REQUEST_CHANGES", "COMMENT"),
      body: optional(text("The text, in GitHub's Markdown.")),
      comments: optional(list("Comments on lines that the pull request's diff shows.", lineComment, 50))
    }),
    run: (connection, { body, comments, event, ...params }) =>
      Effect.map(
        one(connection, {
          operation: "reviews.create",
          method: "POST",
          path: `${pull}/reviews`,
          params: at(params),
          json: { event, body, comments }
        }),
        review
      )
  }),
  tool({
    name: "github_reply_to_review_comment",
    title: "Reply to a review comment",
    description:
      "Answers a comment on a line of a pull request in its thread; the id of the thread's first comment comes from github_list_review_comments.",
    keywords: ["respond to feedback", "answer reviewer"],
    hints: hints.create,
    scopes: ["repo"],
    input: Schema.Struct({
      ...repository,
      number: number("pull request"),
      comment_id: whole("Id of the first comment of the thread.", 1, Number.MAX_SAFE_INTEGER),
      body: text("The text, in GitHub's Markdown.")
    }),
    run: (connection, { body, comment_id, ...params }) =>
      Effect.map(
        one(connection, {
          operation: "reviewComments.reply",
          method: "POST",
          path: `${pull}/comments/:id/replies`,
          params: { ...at(params), id: String(comment_id) },
          json: { body }
        }),
        reviewComment
      )
  }),
  tool({
    name: "github_list_checks",
    title: "List checks",
    description:
      "Lists the check runs (CI) of a commit, branch or tag, with their state and outcome. For a pull request give its `head_sha`.",
    keywords: ["CI status", "build", "tests passing", "pipeline", "actions", "failing checks"],
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({
      ...repository,
      ref: text("Commit, branch or tag.", 250),
      ...paging
    }),
    run: (connection, { limit, page: place, ...params }) =>
      page(
        connection,
        { operation: "checks.list", method: "GET", path: `${root}/commits/:ref/check-runs`, params },
        { limit, page: place },
        { name: "checks", show: checkRun, member: "check_runs", about: ({ total_count }) => ({ total: total_count }) }
      )
  })
]
