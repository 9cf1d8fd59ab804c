import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import {
  type Answered,
  bodyOf,
  failure,
  invalid,
  ok,
  pageOf,
  paging,
  queryOf,
  route,
  selfOf,
  site,
  stamp
} from "./Answers.ts"
import { isDocument } from "./Documents.ts"
import { search } from "./Search.ts"
import {
  type Comment,
  comments,
  findIssue,
  findProject,
  freshId,
  issueOf,
  linkTypes,
  me,
  noIssue,
  of,
  priorities,
  type Project,
  projects,
  Stored,
  types,
  users,
  worklogs,
  writableOf
} from "./Tables.ts"
import { commentView, fullProjectView, issueView, projectView, typeView, userView, worklogView } from "./Views.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

// searches --------------------------------------------------------------------------------------------------------------

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

const searches: ReadonlyArray<Route> = [
  route("POST", "/search/jql", (request, account) =>
    Either.gen(function* () {
      const { fields = ["id"], jql = "", maxResults = 50, nextPageToken } = yield* bodyOf(Query, request)
      const found = yield* Either.mapLeft(search(account, jql), (words) => failure(400, [words]))
      const start = yield* startOf(nextPageToken, jql)
      const end = start + Math.max(0, Math.min(maxResults, 100))
      const isLast = end >= found.length
      return ok({
        issues: found.slice(start, end).map((issue) => issueView(account, issue, fields)),
        isLast,
        ...(isLast ? {} : { nextPageToken: Buffer.from(writeToken({ after: end, jql })).toString("base64url") })
      })
    })
  ),
  route("POST", "/search/approximate-count", (request, account) =>
    Either.gen(function* () {
      const { jql } = yield* bodyOf(Schema.Struct({ jql: Schema.String }), request)
      const found = yield* Either.mapLeft(search(account, jql), (words) => failure(400, [words]))
      return ok({ count: found.length })
    })
  )
]

// comments and time -----------------------------------------------------------------------------------------------------

const commentOf = (request: SimulatedRequest, account: Account): Answered<Comment> =>
  Either.flatMap(issueOf(request, account), (issue) => {
    const found = comments.get(account, request.params.id ?? "")
    return found?.issue === issue.id
      ? Either.right(found)
      : Either.left(failure(404, [`Can not find a comment for the id: ${request.params.id}.`]))
  })

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

const conversation: ReadonlyArray<Route> = [
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
      const comment = yield* commentOf(request, account)
      const body = yield* documentIn(request)
      if (comment.author !== me) {
        return yield* Either.left(failure(400, ["You do not have the permission to edit this comment."]))
      }
      const changed = { ...comment, body, updated: account.now }
      comments.put(account, comment.id, changed)
      return ok(commentView(account, changed))
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

// projects and people ---------------------------------------------------------------------------------------------------

const projectOf = (request: SimulatedRequest, account: Account): Answered<Project> => {
  const name = request.params.project ?? ""
  const found = findProject(account, name)
  return found === undefined
    ? Either.left(failure(404, [`No project could be found with key '${name}'.`]))
    : Either.right(found)
}

const metaOf = (project: Project) => {
  const field = (fieldId: string, name: string, type: string, more: object = {}) => ({
    fieldId,
    key: fieldId,
    name,
    required: ["summary", "project", "issuetype"].includes(fieldId),
    hasDefaultValue: fieldId === "priority",
    operations: ["set"],
    schema: { type, ...(type === "array" ? { items: "string" } : {}) },
    ...more
  })
  return [
    field("summary", "Summary", "string"),
    field("project", "Project", "project"),
    field("issuetype", "Issue Type", "issuetype"),
    field("description", "Description", "string"),
    field("priority", "Priority", "priority", { allowedValues: priorities }),
    field("labels", "Labels", "array"),
    field("assignee", "Assignee", "user"),
    field("components", "Components", "array", { allowedValues: project.components }),
    field("fixVersions", "Fix versions", "array", { allowedValues: project.versions }),
    field("duedate", "Due date", "date"),
    field("parent", "Parent", "issuelink"),
    field("customfield_10016", "Story point estimate", "number")
  ]
}

/** People by the beginning of a word of their name, or by their address. */
const peopleOf = (account: Account, query: string) =>
  users.all(account).filter(
    ({ email, name }) =>
      email.toLowerCase() === query.toLowerCase() ||
      name
        .toLowerCase()
        .split(" ")
        .some((part) => part.startsWith(query.toLowerCase())) ||
      name.toLowerCase().startsWith(query.toLowerCase())
  )

const orders = { name: (one: Project) => one.name, key: (one: Project) => one.key }

const things: ReadonlyArray<Route> = [
  route("GET", "/serverInfo", () =>
    Either.right(ok({ baseUrl: site, version: "1001.0.0-SNAPSHOT", deploymentType: "Cloud", serverTitle: "Jira" }))
  ),
  route("GET", "/myself", (_, account) => {
    const user = users.get(account, me)
    return user === undefined
      ? Either.left(failure(404, ["User not found"]))
      : Either.right(ok(userView(account, user)))
  }),
  route("GET", "/project/search", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["query", "orderBy", "expand", ...paging])
      const part = (query("query") ?? "").toLowerCase()
      const order = query("orderBy") === "name" ? orders.name : orders.key
      const all = projects
        .all(account)
        .filter(({ key, name }) => key.toLowerCase().includes(part) || name.toLowerCase().includes(part))
        .sort((a, b) => (order(a) < order(b) ? -1 : 1))
      const { entries, maxResults, startAt } = yield* pageOf(query, all, 50)
      const view = (query("expand") ?? "").includes("lead") ? fullProjectView : projectView
      return ok({
        self: selfOf(account, "project/search"),
        maxResults,
        startAt,
        total: all.length,
        isLast: startAt + entries.length >= all.length,
        values: entries.map((one) => view(account, one))
      })
    })
  ),
  route("GET", "/project/:project", (request, account) =>
    Either.map(projectOf(request, account), (project) => ok(fullProjectView(account, project)))
  ),
  route("GET", "/issue/createmeta/:project/issuetypes", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, paging)
      yield* projectOf(request, account)
      const { entries, maxResults, startAt } = yield* pageOf(query, types, 50)
      return ok({
        maxResults,
        startAt,
        total: types.length,
        issueTypes: entries.map(({ name }) => typeView(account, name))
      })
    })
  ),
  route("GET", "/issue/createmeta/:project/issuetypes/:type", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, paging)
      const project = yield* projectOf(request, account)
      if (!types.some(({ id }) => id === request.params.type)) {
        return yield* Either.left(failure(404, ["The issue type does not exist."]))
      }
      const all = metaOf(project)
      const { entries, maxResults, startAt } = yield* pageOf(query, all, 50)
      return ok({ maxResults, startAt, total: all.length, fields: entries })
    })
  ),
  route("GET", "/issueLinkType", () => Either.right(ok({ issueLinkTypes: linkTypes }))),
  route("GET", "/user/search", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["query", ...paging])
      const { entries } = yield* pageOf(query, peopleOf(account, query("query") ?? ""), 50, 1000)
      return ok(entries.map((user) => userView(account, user)))
    })
  ),
  route("GET", "/user/assignable/search", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["query", "project", "issueKey", ...paging])
      const [project, issue] = [query("project"), query("issueKey")]
      if (project === undefined && issue === undefined) {
        return yield* Either.left(failure(400, ["Please provide a project, an issue key or an issue id."]))
      }
      if (issue !== undefined && findIssue(account, issue) === undefined) return yield* Either.left(noIssue)
      if (project !== undefined && findProject(account, project) === undefined) {
        return yield* Either.left(failure(404, [`No project could be found with key '${project}'.`]))
      }
      const all = peopleOf(account, query("query") ?? "").filter(({ active }) => active)
      const { entries } = yield* pageOf(query, all, 50, 1000)
      return ok(entries.map((user) => userView(account, user)))
    })
  )
]

/** Searches, comments, time, projects and people. */
export const otherRoutes: ReadonlyArray<Route> = [...searches, ...conversation, ...things]
