import { getPath } from "../../mapping/Mapping.ts"
import { beginning, each, part, share, shown } from "../Answers.ts"

// Fields asked of Linear's objects, and the objects as its tools answer them: https://linear.app/developers/graphql

export const pageInfo = "pageInfo { hasNextPage endCursor }"

export const userFields = "id name displayName email active url"
export const user = shown({
  id: "id",
  name: "name",
  handle: "displayName",
  email: "email",
  active: "active",
  url: "url"
})

export const issueFields = `id identifier title url priorityLabel estimate dueDate createdAt updatedAt completedAt
  state { name type } team { key } assignee { name } project { name } labels(first: 20) { nodes { name } }
  parent { identifier }`

const line = {
  identifier: "identifier",
  id: "id",
  title: "title",
  state: "state.name",
  state_type: "state.type",
  priority: "priorityLabel",
  team: "team.key",
  assignee: "assignee.name",
  project: "project.name",
  labels: each("labels.nodes", "name"),
  parent: "parent.identifier",
  estimate: "estimate",
  due_date: "dueDate",
  created_at: "createdAt",
  updated_at: "updatedAt",
  completed_at: "completedAt",
  url: "url"
}

export const issueLine = shown(line)

export const issueDetailFields = `${issueFields} description branchName creator { name } cycle { number name }
  assignee { id name } state { id name type } project { id name }
  children(first: 50) { nodes { identifier title state { name } } }
  relations(first: 50) { nodes { type relatedIssue { identifier title } } }`

/** Characters of a text that one answer holds. */
export const bodyLength = 12_000

export const issueDetails = (issue: unknown, from: number) => ({
  ...shown({
    ...line,
    state_id: "state.id",
    assignee_id: "assignee.id",
    project_id: "project.id",
    creator: "creator.name",
    cycle: "cycle.number",
    branch: "branchName",
    sub_issues: each("children.nodes", shown({ identifier: "identifier", title: "title", state: "state.name" })),
    relations: each(
      "relations.nodes",
      shown({ type: "type", identifier: "relatedIssue.identifier", title: "relatedIssue.title" })
    )
  })(issue),
  ...part("description", getPath(issue, "description"), bodyLength, from)
})

export const commentFields = "id body url createdAt updatedAt user { name } parent { id }"

export const comment = shown({
  id: "id",
  author: "user.name",
  in_reply_to: "parent.id",
  created_at: "createdAt",
  updated_at: "updatedAt",
  url: "url"
})

export const commentLine = (limit: number) => (record: unknown) => ({
  ...comment(record),
  ...beginning("body", getPath(record, "body"), share(limit, 2000))
})

export const projectFields = `id name description url progress startDate targetDate priorityLabel
  status { name type } lead { name } teams(first: 20) { nodes { key } }`

export const projectLine = shown({
  id: "id",
  name: "name",
  summary: "description",
  status: "status.name",
  status_type: "status.type",
  priority: "priorityLabel",
  progress: "progress",
  lead: "lead.name",
  teams: each("teams.nodes", "key"),
  start_date: "startDate",
  target_date: "targetDate",
  url: "url"
})

export const team = shown({ id: "id", key: "key", name: "name", description: "description", cycles: "cyclesEnabled" })

export const state = shown({ id: "id", name: "name", type: "type", team: "team.key", description: "description" })

export const label = shown({ id: "id", name: "name", team: "team.key", description: "description" })

export const cycle = shown({
  id: "id",
  number: "number",
  name: "name",
  team: "team.key",
  starts_at: "startsAt",
  ends_at: "endsAt",
  active: "isActive",
  progress: "progress"
})
