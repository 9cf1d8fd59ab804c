import { Either } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import { firm } from "../../../providers/simulation/SampleSoftware.ts"
import type { Table } from "../../../providers/simulation/Table.ts"
import { connectionOf, filter, lists, sort } from "./Connections.ts"
import { type Field, scalar, type Schema } from "./Execute.ts"
import { always, date, dates, derived, type Fields, linked, plain, record, text } from "./Fields.ts"
import {
  comments,
  cycles,
  held,
  identifierOf,
  type Issue,
  issues,
  labels,
  me,
  priorities,
  projects,
  projectStatuses,
  relations,
  startOf,
  states,
  teams,
  users,
  uuidOf
} from "./Tables.ts"
import { absent, unused } from "./Unused.ts"

// The object types of Linear's schema, as far as they are known here, over the records of a workspace.

const web = `https://linear.app/${firm.slug}`

const slugOf = (words: string) =>
  words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

const list = lists(() => types)

// relations between records -------------------------------------------------------------------------------------------

const byId = (name: string, type: string, records: Pick<Table<Doc>, "get">) =>
  linked(type, (account, source) => records.get(account, text(source, name)))

const ofTeam = byId("team", "Team", teams)
const person = (name: string) => byId(name, "User", users)

/** Issues of a record. */
const issueList = (isOne: (issue: Issue, of: Doc) => boolean, more: Field["args"] = {}) =>
  list("Issue", (account, source) => issues.all(account).filter((issue) => isOne(issue, source)), {
    ...filter("Issue"),
    ...more
  })

/** Reads from the issue that a record names by its id. */
const ofIssue = (name: string, read: (identifier: string, issue: Issue, source: Doc) => string) =>
  derived((account, source) => {
    const issue = issues.get(account, text(source, name))
    return issue === undefined ? "" : read(identifierOf(account, issue), issue, source)
  })

const isAmong = (ids: unknown, id: unknown) => Array.isArray(ids) && ids.includes(id)

const issue: Fields = {
  ...record,
  ...dates("startedAt", "completedAt", "canceledAt"),
  number: plain("number"),
  title: plain("title"),
  description: plain("description"),
  priority: plain("priority"),
  priorityLabel: scalar(({ priority }) => priorities[Number(priority)]),
  estimate: plain("estimate"),
  dueDate: plain("dueDate"),
  labelIds: plain("labels"),
  trashed: scalar(({ trashed }) => (trashed === true ? true : null)),
  sortOrder: scalar(({ number }) => -Number(number)),
  identifier: ofIssue("id", (identifier) => identifier),
  url: ofIssue("id", (identifier, { title }) => `${web}/issue/${identifier}/${slugOf(title)}`),
  branchName: ofIssue("id", (identifier, { title }) => `mira/${identifier.toLowerCase()}-${slugOf(title)}`),
  team: ofTeam,
  state: byId("state", "WorkflowState", states),
  assignee: person("assignee"),
  creator: person("creator"),
  project: byId("project", "Project", projects),
  cycle: byId("cycle", "Cycle", cycles),
  parent: byId("parent", "Issue", issues),
  labels: list(
    "IssueLabel",
    (account, issue) => labels.all(account).filter(({ id }) => isAmong(issue["labels"], id)),
    filter("IssueLabel")
  ),
  children: issueList(({ parent }, { id }) => parent === id),
  comments: list(
    "Comment",
    (account, { id }) => comments.all(account).filter((one) => one.issue === id),
    filter("Comment")
  ),
  relations: list("IssueRelation", (account, { id }) => relations.all(account).filter((one) => one.issue === id))
}

const members = filter("User")

/** Lists of records that queries can ask for. */
export const roots: Fields = {
  teams: list("Team", (account) => teams.all(account), filter("Team")),
  users: list(
    "User",
    (account, _, { includeDisabled }) => users.all(account).filter(({ active }) => active || includeDisabled === true),
    { ...members, ...sort("User"), includeDisabled: "Boolean" }
  ),
  workflowStates: list("WorkflowState", (account) => states.all(account), filter("WorkflowState")),
  issueLabels: list("IssueLabel", (account) => labels.all(account), filter("IssueLabel")),
  issueRelations: list("IssueRelation", (account) => relations.all(account)),
  cycles: list("Cycle", (account) => cycles.all(account), filter("Cycle")),
  comments: list("Comment", (account) => comments.all(account), filter("Comment")),
  projects: list("Project", (account) => projects.all(account), { ...filter("Project"), ...sort("Project") }),
  projectStatuses: list("ProjectStatus", () => projectStatuses),
  issues: issueList(() => true, sort("Issue")),
  searchIssues: {
    ...list(
      "Issue",
      (account, _, { includeComments, teamId, term }) => {
        const wanted = String(term).toLowerCase().split(/\s+/)
        return issues.all(account).filter((one) => {
          if (typeof teamId === "string" && one.team !== teamId) return false
          const said =
            includeComments === true ? comments.all(account).filter((comment) => comment.issue === one.id) : []
          const words = [one.title, one.description ?? "", ...said.map(({ body }) => body)].join(" ").toLowerCase()
          return wanted.every((word) => words.includes(word))
        })
      },
      { ...filter("Issue"), term: "String!", includeComments: "Boolean", teamId: "String" }
    ),
    type: "IssueSearchPayload"
  }
}

// progress of projects and cycles -------------------------------------------------------------------------------------

const share = (account: Account, all: ReadonlyArray<Issue>) => {
  const done = all.filter(({ state }) => states.get(account, state)?.type === "completed").length
  return all.length === 0 ? 0 : Math.round((done / all.length) * 100) / 100
}

const progress = (name: "project" | "cycle") =>
  derived((account, { id }) =>
    share(
      account,
      issues.all(account).filter((one) => one[name] === id)
    )
  )

/** Whether a cycle is before, in or after the present; the ones next to the present have names of their own. */
const placed = (isThere: (now: number, cycle: { readonly startsAt: number; readonly endsAt: number }) => boolean) =>
  derived((account, { id }) => {
    const cycle = cycles.get(account, String(id))
    return cycle !== undefined && isThere(account.now, cycle)
  })

/** Cycles last as long as each other, so that the next one is active a length from now. */
const active =
  (lengths: number) =>
  (now: number, { endsAt, startsAt }: { readonly startsAt: number; readonly endsAt: number }) => {
    const then = now + lengths * (endsAt - startsAt)
    return startsAt <= then && then < endsAt
  }

/** Types by name. */
export const types: Schema["types"] = {
  ...absent,
  Issue: { ...unused.Issue, ...issue },
  IssueSearchResult: { ...unused.IssueSearchResult, ...issue },
  User: {
    ...unused.User,
    ...record,
    name: plain("name"),
    displayName: plain("displayName"),
    email: plain("email"),
    active: plain("active"),
    admin: scalar(({ id }) => id === me),
    isMe: scalar(({ id }) => id === me),
    organization: { type: "Organization", resolve: (_, __, account) => held(users, account, me, "User") },
    initials: scalar((source) => text(source, "name").replaceAll(/\b(\w)\w*\s*/g, "$1")),
    url: scalar((source) => `${web}/profiles/${text(source, "displayName")}`),
    createdIssueCount: derived((account, { id }) => issues.all(account).filter(({ creator }) => creator === id).length),
    assignedIssues: issueList(({ assignee }, { id }) => assignee === id),
    createdIssues: issueList(({ creator }, { id }) => creator === id)
  },
  Organization: {
    ...unused.Organization,
    ...record,
    id: derived(({ name }) => uuidOf(name)),
    name: scalar(() => firm.name),
    urlKey: scalar(() => firm.slug),
    userCount: derived((account) => users.all(account).filter(({ active }) => active).length),
    createdIssueCount: derived((account) => issues.all(account).length),
    projectStatuses: { type: "[ProjectStatus]", resolve: () => Either.right(projectStatuses) }
  },
  Team: {
    ...unused.Team,
    ...record,
    key: plain("key"),
    name: plain("name"),
    displayName: plain("name"),
    description: plain("description"),
    cyclesEnabled: plain("cyclesEnabled"),
    cycleCalenderUrl: scalar((source) => `${web}/team/${text(source, "key")}/cycles.ics`),
    issueCount: {
      args: { includeArchived: "Boolean" },
      resolve: ({ id }, { includeArchived }, account) =>
        Either.right(
          issues
            .all(account)
            .filter(({ archivedAt, team }) => team === id && (archivedAt === null || includeArchived === true)).length
        )
    },
    activeCycle: linked("Cycle", (account, { id }) =>
      cycles.all(account).find((cycle) => cycle.team === id && active(0)(account.now, cycle))
    ),
    defaultIssueState: linked("WorkflowState", (account, source) => startOf(account, text(source, "id"))),
    states: list(
      "WorkflowState",
      (account, { id }) => states.all(account).filter(({ team }) => team === id),
      filter("WorkflowState")
    ),
    labels: list(
      "IssueLabel",
      (account, { id }) => labels.all(account).filter(({ team }) => team === id),
      filter("IssueLabel")
    ),
    cycles: list("Cycle", (account, { id }) => cycles.all(account).filter(({ team }) => team === id), filter("Cycle")),
    members: list("User", (account) => users.all(account).filter(({ active }) => active), {
      ...members,
      ...sort("User"),
      includeDisabled: "Boolean"
    }),
    projects: list("Project", (account, { id }) => projects.all(account).filter(({ teams }) => isAmong(teams, id)), {
      ...filter("Project"),
      ...sort("Project"),
      includeSubTeams: "Boolean"
    }),
    issues: issueList(({ team }, { id }) => team === id, { includeSubTeams: "Boolean" })
  },
  WorkflowState: {
    ...unused.WorkflowState,
    ...record,
    name: plain("name"),
    type: plain("type"),
    position: plain("position"),
    color: scalar(({ type }) => (type === "completed" ? "#5e6ad2" : "#e2e2e2")),
    team: ofTeam,
    issues: issueList(({ state }, { id }) => state === id)
  },
  IssueLabel: {
    ...unused.IssueLabel,
    ...record,
    name: plain("name"),
    description: plain("description"),
    color: scalar(() => "#bec2c8"),
    team: ofTeam,
    issues: issueList(({ labels }, { id }) => isAmong(labels, id))
  },
  Project: {
    ...unused.Project,
    ...record,
    name: plain("name"),
    description: plain("description"),
    content: plain("content"),
    startDate: plain("startDate"),
    targetDate: plain("targetDate"),
    priority: plain("priority"),
    priorityLabel: scalar(({ priority }) => priorities[Number(priority)]),
    color: scalar(() => "#bec2c8"),
    slugId: scalar((source) => text(source, "id").slice(0, 12)),
    url: scalar((source) => `${web}/project/${slugOf(text(source, "name"))}-${text(source, "id").slice(0, 12)}`),
    progress: progress("project"),
    scope: derived((account, { id }) =>
      issues.all(account).reduce((sum, one) => sum + (one.project === id ? (one.estimate ?? 1) : 0), 0)
    ),
    state: scalar(({ status }) => projectStatuses.find(({ id }) => id === status)?.type),
    status: linked("ProjectStatus", (_, { status }) => projectStatuses.find(({ id }) => id === status)),
    lead: person("lead"),
    teams: list(
      "Team",
      (account, project) => teams.all(account).filter(({ id }) => isAmong(project["teams"], id)),
      filter("Team")
    ),
    issues: issueList(({ project }, { id }) => project === id)
  },
  ProjectStatus: {
    ...unused.ProjectStatus,
    ...record,
    name: plain("name"),
    type: plain("type"),
    position: plain("position"),
    color: scalar(() => "#bec2c8")
  },
  Cycle: {
    ...unused.Cycle,
    ...record,
    ...dates("startsAt", "endsAt"),
    number: plain("number"),
    name: plain("name"),
    completedAt: derived((account, { endsAt }) =>
      Number(endsAt) <= account.now ? new Date(Number(endsAt)).toISOString() : null
    ),
    isActive: placed(active(0)),
    isNext: placed(active(1)),
    isPrevious: placed(active(-1)),
    isFuture: placed((now, { startsAt }) => now < startsAt),
    isPast: placed((now, { endsAt }) => endsAt <= now),
    progress: progress("cycle"),
    team: ofTeam,
    issues: issueList(({ cycle }, { id }) => cycle === id)
  },
  Comment: {
    ...unused.Comment,
    ...record,
    editedAt: date("editedAt"),
    body: plain("body"),
    issueId: plain("issue"),
    parentId: plain("parent"),
    url: ofIssue(
      "issue",
      (identifier, _, source) => `${web}/issue/${identifier}#comment-${text(source, "id").slice(0, 8)}`
    ),
    user: person("user"),
    issue: byId("issue", "Issue", issues),
    parent: byId("parent", "Comment", comments),
    children: list(
      "Comment",
      (account, { id }) => comments.all(account).filter(({ parent }) => parent === id),
      filter("Comment")
    )
  },
  IssueRelation: {
    ...record,
    type: plain("type"),
    issue: byId("issue", "Issue", issues),
    relatedIssue: byId("related", "Issue", issues)
  },
  PageInfo: {
    hasNextPage: plain("hasNextPage"),
    hasPreviousPage: plain("hasPreviousPage"),
    startCursor: plain("startCursor"),
    endCursor: plain("endCursor")
  },
  ArchiveResponse: always({ archive: "[]", totalCount: 0, databaseVersion: 1, includesDependencies: [] }),
  IssueSearchPayload: {
    ...connectionOf("IssueSearchResult"),
    totalCount: plain("totalCount"),
    archivePayload: { type: "ArchiveResponse", resolve: () => Either.right({}) }
  },
  ...Object.fromEntries(
    [
      "Issue",
      "User",
      "Team",
      "WorkflowState",
      "IssueLabel",
      "Project",
      "ProjectStatus",
      "Cycle",
      "Comment",
      "IssueRelation"
    ].map((type) => [`${type}Connection`, connectionOf(type)])
  )
}
