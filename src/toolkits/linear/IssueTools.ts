import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { part } from "../Answers.ts"
import { anyText, choice, flag, formed, from, optional, otherwise, text, whole } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, id, issueId, paging, teamFilter, teamKey } from "./Calls.ts"
import {
  bodyLength,
  comment,
  commentFields,
  commentLine,
  issueDetailFields,
  issueDetails,
  issueFields,
  issueLine,
  pageInfo
} from "./Shapes.ts"
import { day } from "./WorkspaceTools.ts"

const paged = "$first: Int, $after: String"

/** Linear counts priorities from the most urgent on; 0 is none. */
const priorities = { none: 0, urgent: 1, high: 2, medium: 3, low: 4 } as const

const priority = choice("Priority.", "none", "urgent", "high", "medium", "low")

const since = (description: string) =>
  formed(description, /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/, "a day or time such as 2026-03-31 or 2026-03-31T09:00:00Z")

const ids = (what: string, from: string) =>
  Schema.Array(id(what, from))
    .pipe(Schema.maxItems(50))
    .annotations({ description: `Ids of ${what}s, from ${from}.` })

/** Values of an issue that a tool can set. */
const values = {
  description: optional(anyText("The text, in Markdown.")),
  assignee_id: optional(id("person who is to do it", "linear_list_users")),
  state_id: optional(id("state", "linear_list_states")),
  priority: optional(priority),
  label_ids: optional(ids("label", "linear_list_labels")),
  project_id: optional(id("project", "linear_list_projects")),
  cycle_id: optional(id("cycle", "linear_list_cycles")),
  parent: optional(
    issueId.annotations({ description: "Identifier of the issue that it is a part of, such as `HAR-12`." })
  ),
  estimate: optional(whole("Size, in the points that the team uses.", 0, 1000)),
  due_date: optional(day("Day it is due, such as `2026-03-31`."))
}

type Created = Schema.Struct.Type<typeof values>

/** An update clears some values with null. */
type Values = { readonly [name in keyof Created]: Created[name] | null }

const inputOf = (given: Values) => ({
  description: given.description,
  assigneeId: given.assignee_id,
  stateId: given.state_id,
  priority: given.priority === undefined || given.priority === null ? undefined : priorities[given.priority],
  labelIds: given.label_ids,
  projectId: given.project_id,
  cycleId: given.cycle_id,
  parentId: given.parent,
  estimate: given.estimate,
  dueDate: given.due_date
})

const orNull = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  optional(Schema.NullOr(schema).annotations({ description }))

/** Issues, comments and relations. https://linear.app/developers/graphql */
export const issueTools = ({ ask, page, teamId }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "linear_list_issues",
    title: "List issues",
    description:
      "Lists issues, last changed first, narrowed by team, assignee, state, project, label, priority or time: identifier, title, state, priority, assignee, dates. To find issues by words use linear_search_issues.",
    keywords: ["my issues", "tickets", "backlog", "assigned to me", "open bugs", "in progress"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({
      team: optional(teamKey),
      assignee: optional(text("Only issues of this person: `me`, `none`, or an id from linear_list_users.", 60)),
      state: optional(text("Only issues in the state of this name, such as `In Progress`.", 100)),
      state_type: optional(
        choice(
          "Only issues in states of this type.",
          "triage",
          "backlog",
          "unstarted",
          "started",
          "completed",
          "canceled"
        )
      ),
      project_id: optional(id("project", "linear_list_projects")),
      cycle_id: optional(id("cycle", "linear_list_cycles")),
      label: optional(text("Only issues with the label of this name.", 100)),
      priority: optional(priority),
      updated_since: optional(since("Only issues changed at or after this time, such as `2026-03-31`.")),
      created_since: optional(since("Only issues created at or after this time, such as `2026-03-31`.")),
      due_before: optional(day("Only issues that are due before this day, such as `2026-03-31`.")),
      include_archived: otherwise(flag("Also issues that are archived. False when left out."), false),
      ...paging
    }),
    run: (connection, given) =>
      page(
        connection,
        {
          operation: "issues.list",
          query: `query(${paged}, $filter: IssueFilter, $archived: Boolean) { issues(first: $first, after: $after, filter: $filter, includeArchived: $archived, orderBy: updatedAt) { nodes { ${issueFields} } ${pageInfo} } }`,
          variables: {
            archived: given.include_archived,
            filter: {
              team: teamFilter(given.team),
              assignee:
                given.assignee === undefined
                  ? undefined
                  : given.assignee === "me"
                    ? { isMe: { eq: true } }
                    : given.assignee === "none"
                      ? { null: true }
                      : { id: { eq: given.assignee } },
              state:
                given.state === undefined && given.state_type === undefined
                  ? undefined
                  : {
                      name: given.state === undefined ? undefined : { eqIgnoreCase: given.state },
                      type: given.state_type === undefined ? undefined : { eq: given.state_type }
                    },
              project: given.project_id === undefined ? undefined : { id: { eq: given.project_id } },
              cycle: given.cycle_id === undefined ? undefined : { id: { eq: given.cycle_id } },
              labels: given.label === undefined ? undefined : { some: { name: { eqIgnoreCase: given.label } } },
              priority: given.priority === undefined ? undefined : { eq: priorities[given.priority] },
              updatedAt: given.updated_since === undefined ? undefined : { gte: given.updated_since },
              createdAt: given.created_since === undefined ? undefined : { gte: given.created_since },
              dueDate: given.due_before === undefined ? undefined : { lt: given.due_before }
            }
          }
        },
        given,
        { path: "issues", name: "issues", show: issueLine }
      )
  }),
  tool({
    name: "linear_search_issues",
    title: "Search issues",
    description:
      "Finds issues by words in their titles and descriptions, and with `include_comments` in comments, best match first. To list issues by state, person or project use linear_list_issues.",
    keywords: ["find ticket", "look for bug", "duplicate", "full text"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({
      words: text("Words to find.", 250),
      team: optional(teamKey),
      include_comments: otherwise(flag("Also in comments. False when left out."), false),
      ...paging
    }),
    run: (connection, { include_comments, team, words, ...paging }) =>
      page(
        connection,
        {
          operation: "issues.search",
          query: `query(${paged}, $term: String!, $filter: IssueFilter, $comments: Boolean) { searchIssues(first: $first, after: $after, term: $term, filter: $filter, includeComments: $comments) { nodes { ${issueFields} } totalCount ${pageInfo} } }`,
          variables: {
            term: words,
            comments: include_comments,
            filter: team === undefined ? undefined : { team: teamFilter(team) }
          }
        },
        paging,
        { path: "searchIssues", name: "issues", show: issueLine }
      )
  }),
  tool({
    name: "linear_get_issue",
    title: "Get an issue",
    description:
      "Gets one issue: state, people, dates, sub-issues, relations, branch name, and its description, 12,000 characters at a time (`next_from` tells where to read on). Comments come from linear_list_comments.",
    keywords: ["read ticket", "show issue", "details", "branch name"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({ issue: issueId, from }),
    run: (connection, { from, issue }) =>
      Effect.map(
        ask(connection, {
          operation: "issues.get",
          query: `query($id: String!) { issue(id: $id) { ${issueDetailFields} } }`,
          variables: { id: issue },
          isRead: true
        }),
        (data) => issueDetails(data["issue"], from)
      )
  }),
  tool({
    name: "linear_create_issue",
    title: "Create an issue",
    description:
      "Creates an issue in a team and answers its identifier and address. Without a state it starts in the team's default one. Search first, so that you create no duplicate.",
    keywords: ["file a bug", "open ticket", "log a task", "report", "new issue", "raise"],
    hints: hints.create,
    scopes: ["write"],
    input: Schema.Struct({ team: teamKey, title: text("What it is about, in a line.", 512), ...values }),
    run: (connection, { team, title, ...rest }) =>
      Effect.gen(function* () {
        const input = { teamId: yield* teamId(connection, team), title, ...inputOf(rest) }
        const { issueCreate } = yield* ask(connection, {
          operation: "issues.create",
          query: `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { ${issueFields} } } }`,
          variables: { input }
        })
        return issueLine(getPath(issueCreate, "issue"))
      })
  }),
  tool({
    name: "linear_update_issue",
    title: "Update an issue",
    description:
      "Changes an issue: title, description, state (move, close, reopen), assignee, priority, project, cycle, parent, dates. What is left out stays as it is; null takes the assignee, project, cycle, parent, estimate or due date away. `label_ids` replaces all labels; to add or remove single ones use `add_label_ids` and `remove_label_ids`.",
    keywords: ["close issue", "assign", "move to done", "edit ticket", "change status", "prioritise"],
    hints: hints.update,
    scopes: ["write"],
    input: Schema.Struct({
      issue: issueId,
      title: optional(text("The new title.", 512)),
      ...values,
      assignee_id: orNull(
        id("person", "linear_list_users"),
        "Id of who is to do it, from linear_list_users; null for nobody."
      ),
      project_id: orNull(
        id("project", "linear_list_projects"),
        "Id of the project, from linear_list_projects; null for none."
      ),
      cycle_id: orNull(id("cycle", "linear_list_cycles"), "Id of the cycle, from linear_list_cycles; null for none."),
      parent: orNull(issueId, "Identifier of the issue that it is a part of; null for none."),
      estimate: orNull(whole("Size.", 0, 1000), "Size, in the points that the team uses; null for none."),
      due_date: orNull(day("Day."), "Day it is due, such as `2026-03-31`; null for none."),
      add_label_ids: optional(ids("label", "linear_list_labels")),
      remove_label_ids: optional(ids("label", "linear_list_labels"))
    }),
    run: (connection, { add_label_ids, issue, remove_label_ids, title, ...rest }) =>
      Effect.map(
        ask(connection, {
          operation: "issues.update",
          query: `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success issue { ${issueFields} } } }`,
          variables: {
            id: issue,
            input: { title, ...inputOf(rest), addedLabelIds: add_label_ids, removedLabelIds: remove_label_ids }
          }
        }),
        ({ issueUpdate }) => issueLine(getPath(issueUpdate, "issue"))
      )
  }),
  tool({
    name: "linear_delete_issue",
    title: "Delete an issue",
    description:
      "Moves an issue to the trash, where it stays for 30 days and can be restored in Linear. To finish an issue move it to a completed or canceled state instead.",
    keywords: ["remove ticket", "trash"],
    hints: hints.remove,
    scopes: ["write"],
    input: Schema.Struct({ issue: issueId }),
    run: (connection, { issue }) =>
      Effect.as(
        ask(connection, {
          operation: "issues.delete",
          query: "mutation($id: String!) { issueDelete(id: $id) { success } }",
          variables: { id: issue }
        }),
        { deleted: issue }
      )
  }),
  tool({
    name: "linear_relate_issues",
    title: "Relate two issues",
    description: "Relates two issues: the first `blocks`, is a `duplicate` of, or is `related` to the other.",
    keywords: ["dependency", "blocked by", "duplicate of", "link issues"],
    hints: hints.create,
    scopes: ["write"],
    input: Schema.Struct({
      issue: issueId,
      type: choice("How the first is related to the other.", "blocks", "duplicate", "related"),
      to: issueId.annotations({ description: "Identifier of the other issue." })
    }),
    run: (connection, { issue, to, type }) =>
      Effect.map(
        ask(connection, {
          operation: "relations.create",
          query:
            "mutation($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success issueRelation { id type } } }",
          variables: { input: { issueId: issue, relatedIssueId: to, type } }
        }),
        ({ issueRelationCreate }) => ({ id: getPath(issueRelationCreate, "issueRelation.id"), issue, type, to })
      )
  }),
  tool({
    name: "linear_list_comments",
    title: "List comments",
    description:
      "Lists the comments of an issue, newest first; long texts are cut (`truncated`), and linear_get_comment reads one in full.",
    keywords: ["discussion", "replies", "conversation"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({ issue: issueId, ...paging }),
    run: (connection, { issue, ...paging }) =>
      page(
        connection,
        {
          operation: "comments.list",
          query: `query(${paged}, $id: String!) { issue(id: $id) { comments(first: $first, after: $after) { nodes { ${commentFields} } ${pageInfo} } } }`,
          variables: { id: issue }
        },
        paging,
        { path: "issue.comments", name: "comments", show: commentLine(paging.limit) }
      )
  }),
  tool({
    name: "linear_get_comment",
    title: "Get a comment",
    description:
      "Gets one comment, 12,000 characters at a time (`next_from` tells where to read on), with the issue it is on.",
    keywords: ["read comment", "full reply"],
    hints: hints.read,
    scopes: ["read"],
    input: Schema.Struct({ comment_id: id("comment", "linear_list_comments"), from }),
    run: (connection, { comment_id, from }) =>
      Effect.map(
        ask(connection, {
          operation: "comments.get",
          query: `query($id: String!) { comment(id: $id) { ${commentFields} issue { identifier } } }`,
          variables: { id: comment_id },
          isRead: true
        }),
        ({ comment: found }) => ({
          ...comment(found),
          issue: getPath(found, "issue.identifier"),
          ...part("body", getPath(found, "body"), bodyLength, from)
        })
      )
  }),
  tool({
    name: "linear_add_comment",
    title: "Comment on an issue",
    description: "Adds a comment to an issue, or a reply to a comment; those who follow the issue get a notification.",
    keywords: ["reply", "answer", "note", "post comment"],
    hints: hints.create,
    scopes: ["write"],
    input: Schema.Struct({
      issue: issueId,
      body: text("The text, in Markdown."),
      reply_to: optional(id("comment that it answers", "linear_list_comments"))
    }),
    run: (connection, { body, issue, reply_to }) =>
      Effect.map(
        ask(connection, {
          operation: "comments.create",
          query: `mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { ${commentFields} } } }`,
          variables: { input: { issueId: issue, body, parentId: reply_to } }
        }),
        ({ commentCreate }) => comment(getPath(commentCreate, "comment"))
      )
  }),
  tool({
    name: "linear_update_comment",
    title: "Edit a comment",
    description: "Replaces the whole text of a comment of the connected user's own.",
    keywords: ["change comment", "correct reply"],
    hints: hints.update,
    scopes: ["write"],
    input: Schema.Struct({
      comment_id: id("comment", "linear_list_comments"),
      body: text("The whole new text, in Markdown.")
    }),
    run: (connection, { body, comment_id }) =>
      Effect.map(
        ask(connection, {
          operation: "comments.update",
          query: `mutation($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success comment { ${commentFields} } } }`,
          variables: { id: comment_id, input: { body } }
        }),
        ({ commentUpdate }) => comment(getPath(commentUpdate, "comment"))
      )
  })
]
