import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { anyText, flag, formed, from, limit, optional, otherwise, text, texts } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { accountId, type Calls, issueKey, paging, projectKey, root } from "./Calls.ts"
import { toDocument } from "./Document.ts"
import { change, detailFields, issueDetails, issueLine, lineFields } from "./Shapes.ts"

const issuePath = `${root}/issue/:issue`

const jql = text(
  'A JQL query, which must have a restriction: `project = HARBOR AND status != Done AND assignee = currentUser() ORDER BY updated DESC`. Fields: project, status, statusCategory, assignee, reporter, issuetype, priority, labels, text ~ "words", summary, created >= -7d, due, parent, component, fixVersion.',
  10_000
)

const label = formed("A label.", /^\S{1,255}$/, "a label without spaces")

const dueDate = formed("Day it is due, such as `2026-03-31`.", /^\d{4}-\d{2}-\d{2}$/, "a day such as 2026-03-31")

/** Values of an issue that a tool can set; `fields` in Jira's own form. */
const values = {
  description: optional(anyText("The text, in Markdown.", 32_767)),
  priority: optional(text("Name of the priority, such as `High`.", 100)),
  labels: optional(
    Schema.Array(label).pipe(Schema.maxItems(100)).annotations({ description: "Labels without spaces." })
  ),
  components: optional(texts("Names of components of the project, from jira_get_project.", 50)),
  fix_versions: optional(texts("Names of versions of the project, from jira_get_project.", 50)),
  due_date: optional(dueDate),
  extra_fields: optional(
    // without a form of its own JSON Schema's maker gives "anything" an id
    Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
      jsonSchema: {
        type: "object",
        additionalProperties: true,
        description:
          'More fields by their ids from jira_get_create_fields, in Jira\'s own form, such as `{"customfield_10016": 5}`.'
      }
    })
  )
}

interface Values {
  readonly description?: string
  readonly priority?: string
  readonly labels?: ReadonlyArray<string>
  readonly components?: ReadonlyArray<string>
  readonly fix_versions?: ReadonlyArray<string>
  readonly due_date?: string | null
  readonly extra_fields?: { readonly [name: string]: unknown }
}

const named = (names: ReadonlyArray<string> | undefined) => names?.map((name) => ({ name }))

const fieldsOf = (given: Values) => ({
  ...given.extra_fields,
  description: given.description === undefined ? undefined : toDocument(given.description),
  priority: given.priority === undefined ? undefined : { name: given.priority },
  labels: given.labels,
  components: named(given.components),
  fixVersions: named(given.fix_versions),
  duedate: given.due_date
})

/** Issues. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/ */
export const issueTools = ({ addressOf, call, one, page }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "jira_search_issues",
    title: "Search issues",
    description:
      "Finds issues with a JQL query and answers key, summary, type, status, priority, assignee, dates. How many there are in all is told by jira_count_issues. Read one in full with jira_get_issue.",
    keywords: ["JQL", "find tickets", "my issues", "open bugs", "backlog", "overdue", "list issues"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({
      jql,
      limit,
      cursor: optional(text("Where the list goes on: `next_cursor` of the answer before, with the same query.", 4000))
    }),
    run: (connection, { cursor, jql, limit }) =>
      Effect.gen(function* () {
        const found = yield* one(connection, {
          operation: "issues.search",
          method: "POST",
          path: `${root}/search/jql`,
          json: { jql, maxResults: limit, fields: lineFields, nextPageToken: cursor },
          reads: true
        })
        const address = yield* addressOf(connection)
        const issues = Array.isArray(found["issues"]) ? found["issues"] : []
        return {
          issues: issues.map((issue) => ({ ...issueLine(issue), url: address(getPath(issue, "key")) })),
          next_cursor: getPath(found, "nextPageToken") ?? null
        }
      })
  }),
  tool({
    name: "jira_count_issues",
    title: "Count issues",
    description:
      "Tells about how many issues fit a JQL query, without reading them. New changes may take a moment to count.",
    keywords: ["how many", "number of tickets", "statistics"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({ jql }),
    run: (connection, { jql }) =>
      Effect.map(
        one(connection, {
          operation: "issues.count",
          method: "POST",
          path: `${root}/search/approximate-count`,
          json: { jql },
          reads: true
        }),
        ({ count }) => ({ count })
      )
  }),
  tool({
    name: "jira_get_issue",
    title: "Get an issue",
    description:
      "Gets one issue: summary, status, people, dates, links, subtasks, and its description as Markdown, up to 12,000 characters at a time (`next_from` tells where to read on). Comments come from jira_list_comments.",
    keywords: ["read ticket", "show issue", "details", "description"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({ issue: issueKey, from }),
    run: (connection, { from, issue }) =>
      Effect.gen(function* () {
        const found = yield* one(connection, {
          operation: "issues.get",
          method: "GET",
          path: issuePath,
          params: { issue },
          query: { fields: detailFields.join(",") }
        })
        const address = yield* addressOf(connection)
        return { ...issueDetails(found, from), url: address(getPath(found, "key")) }
      })
  }),
  tool({
    name: "jira_create_issue",
    title: "Create an issue",
    description:
      "Creates an issue in a project and answers its key and address. The type must be one of the project's (jira_list_issue_types); a subtask needs `parent`. Search first, so that you create no duplicate.",
    keywords: ["file a bug", "open ticket", "log a task", "report", "new story", "raise"],
    hints: hints.create,
    scopes: ["write:jira-work"],
    input: Schema.Struct({
      project: projectKey,
      issue_type: text("Name of the type, such as `Bug` or `Task`.", 60),
      summary: text("What it is about, in a line.", 255),
      assignee: optional(accountId("Account id of who is to do it, from jira_search_users.")),
      parent: optional(
        issueKey.annotations({ description: "Key of the epic, or of the issue that it is a subtask of." })
      ),
      ...values
    }),
    run: (connection, { assignee, issue_type, parent, project, summary, ...rest }) =>
      Effect.gen(function* () {
        const made = yield* one(connection, {
          operation: "issues.create",
          method: "POST",
          path: `${root}/issue`,
          json: {
            fields: {
              ...fieldsOf(rest),
              project: /^\d+$/.test(project) ? { id: project } : { key: project },
              issuetype: { name: issue_type },
              summary,
              assignee: assignee === undefined ? undefined : { accountId: assignee },
              parent: parent === undefined ? undefined : /^\d+$/.test(parent) ? { id: parent } : { key: parent }
            }
          }
        })
        const address = yield* addressOf(connection)
        return { key: made["key"], id: made["id"], url: address(made["key"]) }
      })
  }),
  tool({
    name: "jira_update_issue",
    title: "Update an issue",
    description:
      "Changes fields of an issue: summary, description (replaced as a whole), priority, labels, components, versions, due date. What is left out stays as it is; lists are replaced as a whole. Its status changes by jira_transition_issue, its assignee by jira_assign_issue.",
    keywords: ["edit ticket", "rename", "change priority", "set due date", "relabel"],
    hints: hints.update,
    scopes: ["write:jira-work"],
    input: Schema.Struct({
      issue: issueKey,
      summary: optional(text("The new summary.", 255)),
      ...values,
      due_date: optional(
        Schema.NullOr(dueDate).annotations({
          description: "Day it is due, such as `2026-03-31`; null for none."
        })
      ),
      notify: otherwise(flag("Whether those who watch get a notification. True when left out."), true)
    }),
    run: (connection, { issue, notify, summary, ...rest }) =>
      Effect.as(
        call(connection, {
          operation: "issues.update",
          method: "PUT",
          path: issuePath,
          params: { issue },
          // without a notification only administrators may write
          ...(notify ? {} : { query: { notifyUsers: false } }),
          json: { fields: { ...fieldsOf(rest), summary } }
        }),
        { updated: issue }
      )
  }),
  tool({
    name: "jira_assign_issue",
    title: "Assign an issue",
    description:
      "Assigns an issue to somebody by account id (jira_search_users), or takes it from its assignee with null.",
    keywords: ["give to", "take over", "unassign", "owner", "delegate"],
    hints: hints.update,
    scopes: ["write:jira-work"],
    input: Schema.Struct({
      issue: issueKey,
      account_id: Schema.NullOr(accountId("Account id.")).annotations({
        description: "Account id, from jira_search_users; null for nobody."
      })
    }),
    run: (connection, { account_id, issue }) =>
      Effect.as(
        call(connection, {
          operation: "issues.assign",
          method: "PUT",
          path: `${issuePath}/assignee`,
          params: { issue },
          json: { accountId: account_id }
        }),
        { issue, assignee: account_id }
      )
  }),
  tool({
    name: "jira_delete_issue",
    title: "Delete an issue",
    description:
      "Deletes an issue for good, with its comments and history; it cannot be brought back. One with subtasks is refused unless `with_subtasks` is true. Closing it by jira_transition_issue is nearly always better.",
    keywords: ["remove ticket", "erase"],
    hints: hints.remove,
    scopes: ["write:jira-work"],
    input: Schema.Struct({
      issue: issueKey,
      with_subtasks: otherwise(flag("Deletes its subtasks as well. False when left out."), false)
    }),
    run: (connection, { issue, with_subtasks }) =>
      Effect.as(
        call(connection, {
          operation: "issues.delete",
          method: "DELETE",
          path: issuePath,
          params: { issue },
          query: { deleteSubtasks: with_subtasks }
        }),
        { deleted: issue }
      )
  }),
  tool({
    name: "jira_get_changelog",
    title: "Get the history of an issue",
    description: "Lists what was changed in an issue, oldest first: when, by whom, which field, from what to what.",
    keywords: ["changelog", "who changed", "activity", "audit", "status history"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({ issue: issueKey, ...paging }),
    run: (connection, { issue, ...paged }) =>
      page(
        connection,
        { operation: "issues.changelog", method: "GET", path: `${issuePath}/changelog`, params: { issue } },
        paged,
        { name: "changes", member: "values", show: change }
      )
  })
]
