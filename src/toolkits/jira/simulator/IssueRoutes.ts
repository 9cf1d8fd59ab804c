import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route } from "../../../providers/simulation/Simulator.ts"
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
  selfOf
} from "./Answers.ts"
import { isDocument } from "./Documents.ts"
import { projectIn, readFields } from "./Fields.ts"
import {
  changes,
  comments,
  findProject,
  freshId,
  type Issue,
  issueOf,
  issues,
  keyOf,
  links,
  me,
  noIssue,
  of,
  type Project,
  statuses,
  transitions,
  types,
  users,
  writableOf
} from "./Tables.ts"
import { changeView, issueView, transitionsOf } from "./Views.ts"

const Fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Fields that an edit can set; a new issue has a project besides. */
const editable = [
  "summary",
  "issuetype",
  "description",
  "priority",
  "assignee",
  "labels",
  "components",
  "fixVersions",
  "duedate",
  "parent",
  "customfield_10016"
]

const required = (given: { readonly [field: string]: unknown }): Answered<undefined> => {
  const missing = {
    ...(given.issuetype === undefined ? { issuetype: "Specify an issue type" } : {}),
    ...(given.summary === undefined ? { summary: "You must specify a summary of the issue." } : {})
  }
  return Object.keys(missing).length > 0 ? Either.left(invalid(missing)) : Either.right(undefined)
}

/** A subtask has a parent, and others have an epic at most. */
const placed = (account: Account, type: string | undefined, parent: string | null | undefined): Answered<undefined> => {
  const isSubtask = types.some(({ name, subtask }) => name === type && subtask)
  if (isSubtask && (parent === undefined || parent === null)) {
    return Either.left(invalid({ parentId: "Issue type is a sub-task but parent issue key or id not specified." }))
  }
  const above = parent === undefined || parent === null ? undefined : issues.get(account, parent)
  return above !== undefined && !isSubtask && above.type !== "Epic"
    ? Either.left(invalid({ parent: "Given parent issue does not belong to the appropriate hierarchy." }))
    : Either.right(undefined)
}

const nextNumber = (account: Account, { key }: Project): number =>
  Math.max(0, ...issues.all(account).flatMap(({ number, project }) => (project === key ? [number] : []))) + 1

const create = route("POST", "/issue", (request, account) =>
  Either.gen(function* () {
    yield* queryOf(request, ["updateHistory"])
    const { fields } = yield* bodyOf(Schema.Struct({ fields: Fields }), request)
    const { project: named, ...given } = fields
    const project = yield* projectIn(account, named)
    if (!project.mayWrite) {
      return yield* Either.left(invalid({ project: "You do not have permission to create issues in this project." }))
    }
    yield* required(given)
    const values = yield* readFields(account, project, given, editable)
    yield* placed(account, values.type, values.parent)
    const made: Issue = {
      id: freshId(account),
      project: project.key,
      number: nextNumber(account, project),
      type: "Task",
      summary: "",
      description: null,
      status: statuses[0].name,
      priority: "Medium",
      assignee: null,
      reporter: me,
      labels: [],
      parent: null,
      due: null,
      components: [],
      versions: [],
      points: null,
      created: account.now,
      updated: account.now,
      resolution: null,
      resolved: null,
      ...values
    }
    issues.put(account, made.id, made)
    return ok({ id: made.id, key: keyOf(made), self: selfOf(account, `issue/${made.id}`) }, 201)
  })
)

// the history of changes ----------------------------------------------------------------------------------------------

const watched = ["type", "summary", "status", "priority", "due", "resolution", "assignee", "labels"] as const

const shownAs = (account: Account, field: (typeof watched)[number], issue: Issue): string | null => {
  if (field === "assignee") return issue.assignee === null ? null : (users.get(account, issue.assignee)?.name ?? null)
  return field === "labels" ? issue.labels.join(" ") : issue[field]
}

/** Keeps a changed issue, with an entry of its history. */
const put = (account: Account, before: Issue, after: Issue): void => {
  const items = watched.flatMap((field) => {
    const [from, to] = [shownAs(account, field, before), shownAs(account, field, after)]
    return from === to ? [] : [{ field: field === "due" ? "duedate" : field, from, to }]
  })
  issues.put(account, after.id, { ...after, updated: account.now })
  const id = freshId(account)
  if (items.length > 0) changes.put(account, id, { id, issue: after.id, author: me, at: account.now, items })
}

const edit = route("PUT", "/issue/:issue", (request, account) =>
  Either.gen(function* () {
    const query = yield* queryOf(request, ["notifyUsers", "returnIssue"])
    const issue = yield* writableOf(request, account)
    const { fields = {} } = yield* bodyOf(Schema.Struct({ fields: optional(Fields) }), request)
    if (query("notifyUsers") === "false") {
      return yield* Either.left(
        failure(403, ["To discard the user notification either admin or project admin permissions are required."])
      )
    }
    const project = findProject(account, issue.project)
    if (project === undefined) return yield* Either.left(noIssue)
    const values = yield* readFields(account, project, fields, editable)
    yield* placed(account, values.type ?? issue.type, values.parent === undefined ? issue.parent : values.parent)
    const changed = { ...issue, ...values, updated: account.now }
    put(account, issue, changed)
    return query("returnIssue") === "true" ? ok(issueView(account, changed, ["*all"])) : noContent
  })
)

const assign = route("PUT", "/issue/:issue/assignee", (request, account) =>
  Either.gen(function* () {
    const issue = yield* writableOf(request, account)
    const { accountId } = yield* bodyOf(Schema.Struct({ accountId: Schema.NullOr(Schema.String) }), request)
    if (accountId !== null && users.get(account, accountId)?.active !== true) {
      return yield* Either.left(invalid({ assignee: `User '${accountId}' does not exist.` }))
    }
    put(account, issue, { ...issue, assignee: accountId })
    return noContent
  })
)

const Transition = Schema.Struct({
  transition: Schema.Struct({ id: Schema.String }),
  fields: optional(Fields),
  update: optional(
    Schema.Struct({
      comment: optional(Schema.Array(Schema.Struct({ add: Schema.Struct({ body: Fields }) })))
    })
  )
})

const move = route("POST", "/issue/:issue/transitions", (request, account) =>
  Either.gen(function* () {
    const issue = yield* writableOf(request, account)
    const { fields = {}, transition, update } = yield* bodyOf(Transition, request)
    const step = transitions.find(({ from, id }) => id === transition.id && from.some((one) => one === issue.status))
    if (step === undefined) {
      return yield* Either.left(
        failure(400, [
          `It seems that you have tried to perform a workflow operation (${transition.id}) that is not valid for the current state of this issue (${keyOf(issue)}).`
        ])
      )
    }
    const project = findProject(account, issue.project)
    if (project === undefined) return yield* Either.left(noIssue)
    const isDone = step.to === "Done"
    const values = yield* readFields(account, project, fields, isDone ? ["resolution"] : [])
    const bodies = (update?.comment ?? []).map(({ add }) => add.body)
    if (!bodies.every(isDocument)) {
      return yield* Either.left(invalid({ comment: "Comment body is not valid!" }))
    }
    put(account, issue, {
      ...issue,
      status: step.to,
      resolution: isDone ? (values.resolution ?? "Done") : null,
      resolved: isDone ? account.now : null
    })
    for (const body of bodies) {
      const id = freshId(account)
      comments.put(account, id, { id, issue: issue.id, author: me, body, created: account.now, updated: account.now })
    }
    return noContent
  })
)

const remove = route("DELETE", "/issue/:issue", (request, account) =>
  Either.gen(function* () {
    const query = yield* queryOf(request, ["deleteSubtasks"])
    const issue = yield* writableOf(request, account)
    const below = issues.all(account).filter(({ parent, type }) => parent === issue.id && type === "Subtask")
    if (below.length > 0 && query("deleteSubtasks") !== "true") {
      return yield* Either.left(
        failure(400, [
          `The issue '${keyOf(issue)}' has subtasks.  You must specify the 'deleteSubtasks' parameter to delete this issue and all its subtasks.`
        ])
      )
    }
    for (const { id } of [issue, ...below]) {
      issues.remove(account, id)
      for (const [link, { inward, outward }] of links.all(account).map((one) => [one.id, one] as const)) {
        if (inward === id || outward === id) links.remove(account, link)
      }
    }
    return noContent
  })
)

/** Issues: making, reading, changing, moving and deleting them. */
export const issueRoutes: ReadonlyArray<Route> = [
  create,
  edit,
  assign,
  move,
  remove,
  route("GET", "/issue/:issue", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["fields", "expand"])
      const issue = yield* issueOf(request, account)
      const expand = (query("expand") ?? "").split(",")
      const history = of(issue, changes.all(account))
      return ok({
        ...issueView(account, issue, (query("fields") ?? "*all").split(",")),
        ...(expand.includes("transitions") ? { transitions: transitionsOf(account, issue) } : {}),
        ...(expand.includes("changelog")
          ? {
              changelog: {
                startAt: 0,
                maxResults: history.length,
                total: history.length,
                histories: history.map((one) => changeView(account, one))
              }
            }
          : {})
      })
    })
  ),
  route("GET", "/issue/:issue/transitions", (request, account) =>
    Either.map(issueOf(request, account), (issue) =>
      ok({ expand: "transitions", transitions: transitionsOf(account, issue) })
    )
  ),
  route("GET", "/issue/:issue/changelog", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, paging)
      const issue = yield* issueOf(request, account)
      const all = of(issue, changes.all(account))
      const { entries, maxResults, startAt } = yield* pageOf(query, all, 100)
      return ok({
        self: selfOf(account, `issue/${issue.id}/changelog`),
        maxResults,
        startAt,
        total: all.length,
        isLast: startAt + entries.length >= all.length,
        values: entries.map((one) => changeView(account, one))
      })
    })
  )
]
