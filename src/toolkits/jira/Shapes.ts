import { getPath, natives } from "../../mapping/Mapping.ts"
import { beginning, each, part, share, shown } from "../Answers.ts"
import { toMarkdown } from "./Document.ts"

// Jira's records as its tools answer them: https://developer.atlassian.com/cloud/jira/platform/rest/v3/

export const person = shown({ account_id: "accountId", name: "displayName", email: "emailAddress", active: "active" })

const personAt = (path: string) => (record: unknown) => {
  const found = getPath(record, path)
  return found === undefined || found === null
    ? undefined
    : shown({ account_id: "accountId", name: "displayName" })(found)
}

const line = {
  key: "key",
  id: "id",
  summary: "fields.summary",
  type: "fields.issuetype.name",
  status: "fields.status.name",
  status_category: "fields.status.statusCategory.name",
  priority: "fields.priority.name",
  assignee: personAt("fields.assignee"),
  labels: each("fields.labels", (label) => label),
  parent: "fields.parent.key",
  due_date: "fields.duedate",
  created: "fields.created",
  updated: "fields.updated"
}

export const issueLine = shown(line)

/** Fields of an issue that a line of a list shows. */
export const lineFields = [
  "summary",
  "issuetype",
  "status",
  "priority",
  "assignee",
  "labels",
  "parent",
  "duedate",
  "created",
  "updated"
]

const linked = shown({ key: "key", summary: "fields.summary", status: "fields.status.name" })

/** A link is seen from one of its ends: `blocks` there is `is blocked by` here. */
const linksOf = (record: unknown) =>
  natives(getPath(record, "fields.issuelinks")).map((link) =>
    link.outwardIssue === undefined
      ? { link: getPath(link, "type.inward"), ...linked(link.inwardIssue) }
      : { link: getPath(link, "type.outward"), ...linked(link.outwardIssue) }
  )

/** Characters of a text that one answer holds. */
export const bodyLength = 12_000

export const issueDetails = (record: unknown, from: number) => ({
  ...shown({
    ...line,
    project: "fields.project.key",
    resolution: "fields.resolution.name",
    reporter: personAt("fields.reporter"),
    components: each("fields.components", "name"),
    fix_versions: each("fields.fixVersions", "name"),
    subtasks: each("fields.subtasks", linked),
    links: linksOf,
    comments: "fields.comment.total"
  })(record),
  ...part("description", toMarkdown(getPath(record, "fields.description")), bodyLength, from)
})

/** Fields of an issue that its details show. */
export const detailFields = [
  ...lineFields,
  "project",
  "resolution",
  "reporter",
  "components",
  "fixVersions",
  "subtasks",
  "issuelinks",
  "comment",
  "description"
]

export const comment = shown({
  id: "id",
  author: "author.displayName",
  created: "created",
  updated: "updated"
})

export const commentLine = (limit: number) => (record: unknown) => ({
  ...comment(record),
  ...beginning("body", toMarkdown(getPath(record, "body")), share(limit, 2000))
})

export const project = shown({
  key: "key",
  id: "id",
  name: "name",
  type: "projectTypeKey",
  lead: "lead.displayName",
  archived: "archived"
})

export const projectDetails = shown({
  key: "key",
  id: "id",
  name: "name",
  description: "description",
  type: "projectTypeKey",
  lead: personAt("lead"),
  components: each("components", "name"),
  versions: each("versions", shown({ name: "name", released: "released", release_date: "releaseDate" })),
  issue_types: each("issueTypes", "name")
})

export const issueType = shown({ id: "id", name: "name", description: "description", subtask: "subtask" })

export const createField = shown({
  field: "fieldId",
  name: "name",
  required: "required",
  type: "schema.type",
  items: "schema.items",
  allowed_values: (record) =>
    natives(record.allowedValues).flatMap((value) => value.name ?? value.value ?? value.id ?? [])
})

export const transition = shown({
  id: "id",
  name: "name",
  to: "to.name",
  to_category: "to.statusCategory.name"
})

export const linkType = shown({ name: "name", outward: "outward", inward: "inward" })

export const change = shown({
  at: "created",
  author: "author.displayName",
  changes: each("items", (item) => ({
    ...shown({ field: "field" })(item),
    ...beginning("from", getPath(item, "fromString"), 500),
    ...beginning("to", getPath(item, "toString"), 500)
  }))
})
