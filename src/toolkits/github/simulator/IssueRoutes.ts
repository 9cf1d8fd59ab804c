import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route } from "../../../providers/simulation/Simulator.ts"
import {
  type Answered,
  bodyOf,
  failure,
  invalid,
  listed,
  notFound,
  ok,
  oneOf,
  paging,
  queryOf,
  route
} from "./Answers.ts"
import {
  comments,
  freshId,
  type Issue,
  issueOf,
  issues,
  labels,
  logins,
  me,
  milestones,
  ofRepository,
  type Repository,
  repositoryOf,
  within
} from "./Tables.ts"
import { commentView, issueView, labelView, milestoneView } from "./Views.ts"

const root = "/repos/:owner/:repo"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The number of a new issue or pull request of a repository. */
export const nextNumber = (account: Account, repository: Repository): number =>
  Math.max(0, ...ofRepository(repository, issues.all(account)).map(({ number }) => number)) + 1

export const putIssue = (account: Account, issue: Issue): Issue => {
  issues.put(account, within(issue.repository, issue.number), issue)
  return issue
}

// writes --------------------------------------------------------------------------------------------------------------

/** Labels by their names; those that a repository lacks come into being. */
const labelled = (account: Account, repository: Repository, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(names)].map((name) => {
    const key = within(repository.id, name.toLowerCase())
    const known = labels.get(account, key)
    if (known !== undefined) return known.name
    labels.put(account, key, {
      id: freshId(account),
      repository: repository.id,
      name,
      color: "ededed",
      description: null
    })
    return name
  })

const People = Schema.Array(Schema.String)

const assigned = (account: Account, names: ReadonlyArray<string>): Answered<ReadonlyArray<string>> => {
  const unknown = names.find((login) => logins.get(account, login.toLowerCase())?.type !== "User")
  return unknown === undefined
    ? Either.right(names.flatMap((login) => logins.get(account, login.toLowerCase())?.login ?? []))
    : Either.left(invalid({ resource: "Issue", field: "assignees", code: "invalid", message: `${unknown} is unknown` }))
}

const inMilestone = (account: Account, repository: Repository, number: number | null): Answered<number | null> =>
  number === null || milestones.get(account, within(repository.id, number)) !== undefined
    ? Either.right(number)
    : Either.left(invalid({ resource: "Issue", field: "milestone", code: "invalid" }))

const written = {
  body: optional(Schema.NullOr(Schema.String)),
  labels: optional(Schema.Array(Schema.String)),
  assignees: optional(People),
  milestone: optional(Schema.NullOr(Schema.Int))
}

const NewIssue = Schema.Struct({ title: Schema.String, ...written })

const Changes = Schema.Struct({
  title: optional(Schema.String),
  ...written,
  state: optional(Schema.Literal("open", "closed")),
  state_reason: optional(Schema.NullOr(Schema.Literal("completed", "not_planned", "duplicate", "reopened")))
})

const create = route("POST", `${root}/issues`, (request, account) =>
  Either.gen(function* () {
    const repository = yield* repositoryOf(request, account)
    const body = yield* bodyOf(NewIssue, request)
    if (repository.isArchived) return yield* Either.left(failure(403, "Repository was archived so is read-only."))
    if (body.title.trim() === "") {
      return yield* Either.left(invalid({ resource: "Issue", field: "title", code: "missing_field" }))
    }
    // without write access GitHub leaves these out, without a word
    const may = repository.mayPush
    const made = putIssue(account, {
      id: freshId(account),
      repository: repository.id,
      number: nextNumber(account, repository),
      title: body.title,
      body: body.body ?? null,
      user: me,
      state: "open",
      reason: null,
      labels: may ? labelled(account, repository, body.labels ?? []) : [],
      assignees: may ? yield* assigned(account, body.assignees ?? []) : [],
      milestone: may ? yield* inMilestone(account, repository, body.milestone ?? null) : null,
      createdAt: account.now,
      updatedAt: account.now,
      closedAt: null,
      closedBy: null,
      pull: null
    })
    return ok(issueView(account, repository, made), 201)
  })
)

/** Closing and reopening; the state that an issue has already changes nothing. */
export const turned = (account: Account, issue: Issue, state: Issue["state"] | undefined, reason?: Issue["reason"]) =>
  state === undefined || state === issue.state
    ? {}
    : state === "closed"
      ? { state, reason: reason ?? "completed", closedAt: account.now, closedBy: me }
      : { state, reason: "reopened" as const, closedAt: null, closedBy: null }

const update = route("PATCH", `${root}/issues/:number`, (request, account) =>
  Either.gen(function* () {
    const [repository, issue] = yield* issueOf(request, account)
    const body = yield* bodyOf(Changes, request)
    if (!repository.mayPush && issue.user !== me) {
      return yield* Either.left(failure(403, "Must have admin rights to Repository."))
    }
    const changed = putIssue(account, {
      ...issue,
      ...turned(account, issue, body.state, body.state_reason),
      title: body.title ?? issue.title,
      body: body.body === undefined ? issue.body : body.body,
      labels: body.labels === undefined ? issue.labels : labelled(account, repository, body.labels),
      assignees: body.assignees === undefined ? issue.assignees : yield* assigned(account, body.assignees),
      milestone:
        body.milestone === undefined ? issue.milestone : yield* inMilestone(account, repository, body.milestone),
      updatedAt: account.now
    })
    return ok(issueView(account, repository, changed))
  })
)

// lists -----------------------------------------------------------------------------------------------------------------

const orders = {
  created: (_: Account, issue: Issue) => issue.createdAt,
  updated: (_: Account, issue: Issue) => issue.updatedAt,
  comments: (account: Account, issue: Issue) =>
    comments.all(account).filter((one) => one.repository === issue.repository && one.number === issue.number).length
}

export type IssueOrder = keyof typeof orders

/** Sorts in an order, and equal ones by their numbers. */
export const inOrder = (
  account: Account,
  all: ReadonlyArray<Issue>,
  sort: IssueOrder,
  direction: "asc" | "desc"
): ReadonlyArray<Issue> => {
  const keyed = all.map((issue) => ({ issue, key: orders[sort](account, issue) }))
  const ascending = keyed.sort((a, b) => a.key - b.key || a.issue.number - b.issue.number).map(({ issue }) => issue)
  return direction === "asc" ? ascending : ascending.toReversed()
}

const assigneeIs = (wanted: string | undefined, { assignees }: Issue) =>
  wanted === undefined ||
  (wanted === "none" ? assignees.length === 0 : wanted === "*" ? assignees.length > 0 : assignees.includes(wanted))

const list = route("GET", `${root}/issues`, (request, account) =>
  Either.gen(function* () {
    const query = yield* queryOf(request, [
      "milestone",
      "state",
      "assignee",
      "creator",
      "labels",
      "sort",
      "direction",
      "since",
      ...paging
    ])
    const repository = yield* repositoryOf(request, account)
    const state = yield* oneOf("state", query("state"), ["open", "closed", "all"])
    const sort = yield* oneOf("sort", query("sort"), ["created", "updated", "comments"])
    const direction = yield* oneOf("direction", query("direction"), ["desc", "asc"])
    const wantedLabels = (query("labels") ?? "").split(",").filter((name) => name !== "")
    const [creator, milestone] = [query("creator"), query("milestone")]
    const since = query("since") === undefined ? -Infinity : Date.parse(query("since") ?? "")
    if (Number.isNaN(since)) return yield* Either.left(invalid({ resource: "Issue", field: "since", code: "invalid" }))
    const wanted = ofRepository(repository, issues.all(account)).filter(
      (issue) =>
        (state === "all" || issue.state === state) &&
        wantedLabels.every((name) => issue.labels.some((one) => one.toLowerCase() === name.toLowerCase())) &&
        (creator === undefined || issue.user === creator) &&
        (milestone === undefined || milestone === "*" || issue.milestone === Number(milestone)) &&
        issue.updatedAt >= since &&
        assigneeIs(query("assignee"), issue)
    )
    return yield* listed(request, inOrder(account, wanted, sort, direction), (issue) =>
      issueView(account, repository, issue)
    )
  })
)

// comments --------------------------------------------------------------------------------------------------------------

const Body = Schema.Struct({ body: Schema.String })

/** The text of a comment, which may not be blank. */
const textIn = (text: string): Answered<string> =>
  text.trim() === ""
    ? Either.left(
        invalid({ resource: "IssueComment", field: "body", code: "unprocessable", message: "Body can't be blank" })
      )
    : Either.right(text)

const commentOf = (request: Parameters<typeof repositoryOf>[0], account: Account) =>
  Either.flatMap(repositoryOf(request, account), (repository) => {
    const found = comments.get(account, request.params.id ?? "")
    return found === undefined || found.repository !== repository.id
      ? Either.left(notFound)
      : Either.right([repository, found] as const)
  })

const commentRoutes: ReadonlyArray<Route> = [
  route("GET", `${root}/issues/:number/comments`, (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["since", ...paging])
      const [repository, issue] = yield* issueOf(request, account)
      const since = query("since") === undefined ? -Infinity : Date.parse(query("since") ?? "")
      const all = comments
        .all(account)
        .filter((one) => one.repository === repository.id && one.number === issue.number && one.updatedAt >= since)
      return yield* listed(request, all, (comment) => commentView(account, repository, comment))
    })
  ),
  route("POST", `${root}/issues/:number/comments`, (request, account) =>
    Either.gen(function* () {
      const [repository, issue] = yield* issueOf(request, account)
      const body = yield* textIn((yield* bodyOf(Body, request)).body)
      const made = {
        id: freshId(account),
        repository: repository.id,
        number: issue.number,
        user: me,
        body,
        createdAt: account.now,
        updatedAt: account.now
      }
      comments.put(account, String(made.id), made)
      putIssue(account, { ...issue, updatedAt: account.now })
      return ok(commentView(account, repository, made), 201)
    })
  ),
  route("GET", `${root}/issues/comments/:id`, (request, account) =>
    Either.map(commentOf(request, account), ([repository, comment]) => ok(commentView(account, repository, comment)))
  ),
  route("PATCH", `${root}/issues/comments/:id`, (request, account) =>
    Either.gen(function* () {
      const [repository, comment] = yield* commentOf(request, account)
      const body = yield* textIn((yield* bodyOf(Body, request)).body)
      if (comment.user !== me && !repository.mayPush) {
        return yield* Either.left(failure(403, "Must have admin rights to Repository."))
      }
      const changed = { ...comment, body, updatedAt: account.now }
      comments.put(account, String(comment.id), changed)
      return ok(commentView(account, repository, changed))
    })
  )
]

// labels and milestones -------------------------------------------------------------------------------------------------

const labelsOf = (account: Account, repository: Repository, { labels: names }: Issue) =>
  names.flatMap((name) => {
    const found = labels.get(account, within(repository.id, name.toLowerCase()))
    return found === undefined ? [] : [labelView(repository, found)]
  })

const labelRoutes: ReadonlyArray<Route> = [
  route("GET", `${root}/labels`, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, paging)
      const repository = yield* repositoryOf(request, account)
      return yield* listed(request, ofRepository(repository, labels.all(account)), (one) => labelView(repository, one))
    })
  ),
  route("POST", `${root}/issues/:number/labels`, (request, account) =>
    Either.gen(function* () {
      const [repository, issue] = yield* issueOf(request, account)
      const body = yield* bodyOf(Schema.Struct({ labels: Schema.Array(Schema.String) }), request)
      if (!repository.mayPush) return yield* Either.left(failure(403, "Must have admin rights to Repository."))
      const all = [...new Set([...issue.labels, ...labelled(account, repository, body.labels)])]
      return ok(labelsOf(account, repository, putIssue(account, { ...issue, labels: all, updatedAt: account.now })))
    })
  ),
  route("DELETE", `${root}/issues/:number/labels/:name`, (request, account) =>
    Either.gen(function* () {
      const [repository, issue] = yield* issueOf(request, account)
      const name = (request.params.name ?? "").toLowerCase()
      if (!repository.mayPush) return yield* Either.left(failure(403, "Must have admin rights to Repository."))
      if (!issue.labels.some((one) => one.toLowerCase() === name)) {
        return yield* Either.left(failure(404, "Label does not exist"))
      }
      const kept = issue.labels.filter((one) => one.toLowerCase() !== name)
      return ok(labelsOf(account, repository, putIssue(account, { ...issue, labels: kept, updatedAt: account.now })))
    })
  ),
  route("GET", `${root}/milestones`, (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["state", ...paging])
      const repository = yield* repositoryOf(request, account)
      const state = yield* oneOf("state", query("state"), ["open", "closed", "all"])
      const wanted = ofRepository(repository, milestones.all(account)).filter(
        (one) => state === "all" || one.state === state
      )
      return yield* listed(request, wanted, (one) => milestoneView(account, repository, one))
    })
  )
]

/** Issues, their comments, labels and milestones. */
export const issueRoutes: ReadonlyArray<Route> = [
  list,
  create,
  update,
  route("GET", `${root}/issues/:number`, (request, account) =>
    Either.map(issueOf(request, account), ([repository, issue]) => ok(issueView(account, repository, issue)))
  ),
  ...commentRoutes,
  ...labelRoutes
]
