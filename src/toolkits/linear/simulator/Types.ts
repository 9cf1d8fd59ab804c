import { Either } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import { firm } from "../../../providers/simulation/SampleSoftware.ts"
import { type Answered, fail, invalid } from "./Answers.ts"
import { type Args, type Field, scalar, type Schema } from "./Execute.ts"
import { fits } from "./Filters.ts"
import {
  comments,
  cycles,
  identifierOf,
  issues,
  labels,
  me,
  priorities,
  projects,
  projectStatuses,
  relations,
  states,
  teams,
  users,
  uuidOf
} from "./Tables.ts"

// The object types of Linear's schema, as far as they are known here, over the records of a workspace.

const web = `https://linear.app/${firm.slug}`

const stamp = (value: unknown) => (typeof value === "number" ? new Date(value).toISOString() : null)

const text = (source: Doc, name: string): string => {
  const value = source[name]
  return typeof value === "string" ? value : ""
}

const plain = (name: string) => scalar((source) => source[name])
const date = (name: string) => scalar((source) => stamp(source[name]))
const record = { id: plain("id"), createdAt: date("createdAt") }

/** The record that one names. */
const linked = (type: string, get: (account: Account, source: Doc) => Doc | undefined): Field => ({
  type,
  resolve: (source, _, account) => Either.right(get(account, source) ?? null)
})

const slugOf = (words: string) =>
  words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

// connections -------------------------------------------------------------------------------------------------------------

/** Arguments of every list. `before` and `last` are not known here. */
const pagingArgs = { first: "Int", after: "String", includeArchived: "Boolean", orderBy: "PaginationOrderBy" }

const stampOf = (source: Doc, name: string) => {
  const value = source[name]
  return typeof value === "number" ? value : 0
}

/** A page of records, the newest first. https://linear.app/developers/pagination */
const pageOf = (all: ReadonlyArray<Doc>, { after, first = 50, orderBy = "createdAt" }: Args): Answered<Doc> => {
  if (typeof first !== "number" || first < 1 || first > 250) {
    return fail(invalid("Argument Validation Error", "first must be between 1 and 250"))
  }
  const by = orderBy === "updatedAt" ? "updatedAt" : "createdAt"
  const sorted = [...all].sort((a, b) => stampOf(b, by) - stampOf(a, by) || (text(a, "id") < text(b, "id") ? -1 : 1))
  const start = after === undefined || after === null ? 0 : sorted.findIndex(({ id }) => id === after) + 1
  if (start === 0 && typeof after === "string")
    return fail(invalid("Argument Validation Error", "after is not a valid cursor"))
  const nodes = sorted.slice(start, start + first)
  return Either.right({
    all: sorted,
    nodes,
    totalCount: sorted.length,
    pageInfo: {
      hasNextPage: start + nodes.length < sorted.length,
      hasPreviousPage: start > 0,
      startCursor: nodes[0]?.["id"] ?? null,
      endCursor: nodes.at(-1)?.["id"] ?? null
    }
  })
}

/** A list of records of a type, which may be narrowed by a filter. */
const list = (
  type: string,
  read: (account: Account, source: Doc, args: Args) => ReadonlyArray<Doc>,
  filter?: string,
  more: { readonly [arg: string]: string } = {}
): Field => ({
  type: `${type}Connection`,
  args: { ...pagingArgs, ...(filter === undefined ? {} : { filter }), ...more },
  resolve: (source, args, account) =>
    pageOf(
      read(account, source, args).filter(
        (one) =>
          (args["includeArchived"] === true || typeof one["archivedAt"] !== "number") &&
          fits(types, type, args["filter"], one, account)
      ),
      args
    )
})

const connectionOf = (type: string) => ({
  nodes: { type, resolve: (source: Doc) => Either.right(source["nodes"]) },
  pageInfo: { type: "PageInfo", resolve: (source: Doc) => Either.right(source["pageInfo"]) }
})

// objects -----------------------------------------------------------------------------------------------------------------

const ofTeam = linked("Team", (account, source) => teams.get(account, text(source, "team")))
const person = (name: string) => linked("User", (account, source) => users.get(account, text(source, name)))

const issue: { readonly [field: string]: Field } = {
  ...record,
  updatedAt: date("updatedAt"),
  completedAt: date("completedAt"),
  archivedAt: date("archivedAt"),
  number: plain("number"),
  title: plain("title"),
  description: plain("description"),
  priority: plain("priority"),
  priorityLabel: scalar(({ priority }) => priorities[Number(priority)]),
  estimate: plain("estimate"),
  dueDate: plain("dueDate"),
  identifier: {
    resolve: (source, _, account) => {
      const found = issues.get(account, text(source, "id"))
      return Either.right(found === undefined ? "" : identifierOf(account, found))
    }
  },
  url: {
    resolve: (source, _, account) => {
      const found = issues.get(account, text(source, "id"))
      const identifier = found === undefined ? "" : identifierOf(account, found)
      return Either.right(`${web}/issue/${identifier}/${slugOf(text(source, "title"))}`)
    }
  },
  branchName: {
    resolve: (source, _, account) => {
      const found = issues.get(account, text(source, "id"))
      const identifier = found === undefined ? "" : identifierOf(account, found).toLowerCase()
      return Either.right(`mira/${identifier}-${slugOf(text(source, "title"))}`)
    }
  },
  team: ofTeam,
  state: linked("WorkflowState", (account, source) => states.get(account, text(source, "state"))),
  assignee: person("assignee"),
  creator: person("creator"),
  project: linked("Project", (account, source) => projects.get(account, text(source, "project"))),
  cycle: linked("Cycle", (account, source) => cycles.get(account, text(source, "cycle"))),
  parent: linked("Issue", (account, source) => issues.get(account, text(source, "parent"))),
  labels: list("IssueLabel", (account, { labels: held }) =>
    labels.all(account).filter(({ id }) => Array.isArray(held) && held.includes(id))
  ),
  children: list("Issue", (account, { id }) => issues.all(account).filter(({ parent }) => parent === id)),
  comments: list("Comment", (account, { id }) => comments.all(account).filter((one) => one.issue === id)),
  relations: list("IssueRelation", (account, { id }) => relations.all(account).filter((one) => one.issue === id))
}

/** What lists of records are asked for at the top. */
export const roots: { readonly [field: string]: Field } = {
  teams: list("Team", (account) => teams.all(account), "TeamFilter"),
  users: list("User", (account) => users.all(account).filter(({ active }) => active), "UserFilter"),
  workflowStates: list("WorkflowState", (account) => states.all(account), "WorkflowStateFilter"),
  issueLabels: list("IssueLabel", (account) => labels.all(account), "IssueLabelFilter"),
  cycles: list("Cycle", (account) => cycles.all(account), "CycleFilter"),
  projects: list("Project", (account) => projects.all(account), "ProjectFilter"),
  issues: list("Issue", (account) => issues.all(account), "IssueFilter"),
  searchIssues: {
    ...list(
      "Issue",
      (account, _, { includeComments, term }) => {
        const wanted = String(term).toLowerCase().split(/\s+/)
        return issues.all(account).filter((one) => {
          const said =
            includeComments === true ? comments.all(account).filter((comment) => comment.issue === one.id) : []
          const words = [one.title, one.description ?? "", ...said.map(({ body }) => body)].join(" ").toLowerCase()
          return wanted.every((word) => words.includes(word))
        })
      },
      "IssueFilter",
      { term: "String!", includeComments: "Boolean" }
    ),
    type: "IssueSearchPayload"
  }
}

const isNow = (account: Account, { endsAt, startsAt }: Doc) =>
  Number(startsAt) <= account.now && account.now < Number(endsAt)

const doneShare = (account: Account, all: ReadonlyArray<Doc>) => {
  const done = all.filter((one) => states.get(account, text(one, "state"))?.type === "completed").length
  return all.length === 0 ? 0 : Math.round((done / all.length) * 100) / 100
}

/** Types by name. */
export const types: Schema["types"] = {
  Issue: issue,
  IssueSearchResult: issue,
  User: {
    ...record,
    name: plain("name"),
    displayName: plain("displayName"),
    email: plain("email"),
    active: plain("active"),
    isMe: scalar(({ id }) => id === me),
    url: scalar((source) => `${web}/profiles/${text(source, "displayName")}`)
  },
  Organization: {
    id: { resolve: (_, __, account) => Either.right(uuidOf(account.name)) },
    name: scalar(() => firm.name),
    urlKey: scalar(() => firm.slug)
  },
  Team: {
    ...record,
    key: plain("key"),
    name: plain("name"),
    description: plain("description"),
    cyclesEnabled: plain("cyclesEnabled"),
    states: list("WorkflowState", (account, { id }) => states.all(account).filter(({ team }) => team === id))
  },
  WorkflowState: {
    ...record,
    name: plain("name"),
    type: plain("type"),
    position: plain("position"),
    description: scalar(() => null),
    team: ofTeam
  },
  IssueLabel: { ...record, name: plain("name"), description: plain("description"), team: ofTeam },
  Project: {
    ...record,
    updatedAt: date("updatedAt"),
    name: plain("name"),
    description: plain("description"),
    content: plain("content"),
    startDate: plain("startDate"),
    targetDate: plain("targetDate"),
    priority: plain("priority"),
    priorityLabel: scalar(({ priority }) => priorities[Number(priority)]),
    url: scalar((source) => `${web}/project/${slugOf(text(source, "name"))}-${text(source, "id").slice(0, 12)}`),
    progress: {
      resolve: ({ id }, _, account) =>
        Either.right(
          doneShare(
            account,
            issues.all(account).filter(({ project }) => project === id)
          )
        )
    },
    status: linked("ProjectStatus", (_, { status }) => projectStatuses.find(({ id }) => id === status)),
    lead: person("lead"),
    teams: list("Team", (account, { teams: held }) =>
      teams.all(account).filter(({ id }) => Array.isArray(held) && held.includes(id))
    )
  },
  ProjectStatus: { id: plain("id"), name: plain("name"), type: plain("type") },
  Cycle: {
    ...record,
    number: plain("number"),
    name: plain("name"),
    startsAt: date("startsAt"),
    endsAt: date("endsAt"),
    isActive: { resolve: (source, _, account) => Either.right(isNow(account, source)) },
    progress: {
      resolve: ({ id }, _, account) =>
        Either.right(
          doneShare(
            account,
            issues.all(account).filter(({ cycle }) => cycle === id)
          )
        )
    },
    team: ofTeam
  },
  Comment: {
    ...record,
    updatedAt: date("updatedAt"),
    body: plain("body"),
    url: {
      resolve: (source, _, account) => {
        const found = issues.get(account, text(source, "issue"))
        const identifier = found === undefined ? "" : identifierOf(account, found)
        return Either.right(`${web}/issue/${identifier}#comment-${text(source, "id").slice(0, 8)}`)
      }
    },
    user: person("user"),
    issue: linked("Issue", (account, source) => issues.get(account, text(source, "issue"))),
    parent: linked("Comment", (account, source) => comments.get(account, text(source, "parent")))
  },
  IssueRelation: {
    ...record,
    type: plain("type"),
    issue: linked("Issue", (account, source) => issues.get(account, text(source, "issue"))),
    relatedIssue: linked("Issue", (account, source) => issues.get(account, text(source, "related")))
  },
  PageInfo: {
    hasNextPage: plain("hasNextPage"),
    hasPreviousPage: plain("hasPreviousPage"),
    startCursor: plain("startCursor"),
    endCursor: plain("endCursor")
  },
  IssueSearchPayload: { ...connectionOf("IssueSearchResult"), totalCount: plain("totalCount") },
  ...Object.fromEntries(
    ["Issue", "User", "Team", "WorkflowState", "IssueLabel", "Project", "Cycle", "Comment", "IssueRelation"].map(
      (type) => [`${type}Connection`, connectionOf(type)]
    )
  )
}
