import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { each, part } from "../Answers.ts"
import { choice, from, formed, optional, otherwise, text } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, issueKey, paging, root } from "./Calls.ts"
import { toDocument, toMarkdown } from "./Document.ts"
import { bodyLength, comment, commentLine, transition } from "./Shapes.ts"

const issuePath = `${root}/issue/:issue`

const commentId = formed("Id of the comment, from jira_list_comments.", /^\d{1,19}$/, "a comment's id")

const body = text("The text, in Markdown.", 32_767)

/** Comments, transitions, links and time. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/ */
export const workTools = ({ call, one, page }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "jira_list_comments",
    title: "List comments",
    description:
      "Lists the comments of an issue as Markdown, oldest first unless `order` says otherwise; long ones are cut (`truncated`), and jira_get_comment reads one in full.",
    keywords: ["discussion", "replies", "conversation"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({
      issue: issueKey,
      order: otherwise(choice("Oldest or newest first; oldest when left out.", "oldest", "newest"), "oldest"),
      ...paging
    }),
    run: (connection, { issue, order, ...paged }) =>
      page(
        connection,
        {
          operation: "comments.list",
          method: "GET",
          path: `${issuePath}/comment`,
          params: { issue },
          query: { orderBy: order === "oldest" ? "created" : "-created" }
        },
        paged,
        { name: "comments", member: "comments", show: commentLine(paged.limit) }
      )
  }),
  tool({
    name: "jira_get_comment",
    title: "Get a comment",
    description:
      "Gets one comment of an issue as Markdown, up to 12,000 characters at a time (`next_from` tells where to read on).",
    keywords: ["read comment", "full reply"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({ issue: issueKey, comment_id: commentId, from }),
    run: (connection, { comment_id, from, issue }) =>
      Effect.map(
        one(connection, {
          operation: "comments.get",
          method: "GET",
          path: `${issuePath}/comment/:id`,
          params: { issue, id: comment_id }
        }),
        (found) => ({ ...comment(found), ...part("body", toMarkdown(getPath(found, "body")), bodyLength, from) })
      )
  }),
  tool({
    name: "jira_add_comment",
    title: "Comment on an issue",
    description:
      "Adds a comment to an issue, visible to everyone who can see the issue; those who watch get a notification.",
    keywords: ["reply", "answer", "note", "post comment"],
    hints: hints.create,
    scopes: ["write:jira-work"],
    input: Schema.Struct({ issue: issueKey, body }),
    run: (connection, { body, issue }) =>
      Effect.map(
        one(connection, {
          operation: "comments.create",
          method: "POST",
          path: `${issuePath}/comment`,
          params: { issue },
          json: { body: toDocument(body) }
        }),
        comment
      )
  }),
  tool({
    name: "jira_update_comment",
    title: "Edit a comment",
    description:
      "Replaces the whole text of a comment. Others' comments can be edited only with the permission for it.",
    keywords: ["change comment", "correct reply"],
    hints: hints.update,
    scopes: ["write:jira-work"],
    input: Schema.Struct({ issue: issueKey, comment_id: commentId, body }),
    run: (connection, { body, comment_id, issue }) =>
      Effect.map(
        one(connection, {
          operation: "comments.update",
          method: "PUT",
          path: `${issuePath}/comment/:id`,
          params: { issue, id: comment_id },
          json: { body: toDocument(body) }
        }),
        comment
      )
  }),
  tool({
    name: "jira_list_transitions",
    title: "List transitions",
    description:
      "Lists the steps that an issue can take from its present status, with the status each leads to. jira_transition_issue takes one.",
    keywords: ["workflow", "next status", "what can I do"],
    hints: hints.read,
    scopes: ["read:jira-work"],
    input: Schema.Struct({ issue: issueKey }),
    run: (connection, params) =>
      Effect.map(
        one(connection, {
          operation: "transitions.list",
          method: "GET",
          path: `${issuePath}/transitions`,
          params
        }),
        (answer) => ({ transitions: each("transitions", transition)(answer) })
      )
  }),
  tool({
    name: "jira_transition_issue",
    title: "Move an issue to another status",
    description:
      "Takes an issue one step through its workflow, such as to In Progress or Done, by the id of a transition from jira_list_transitions; optionally with a resolution and a comment.",
    keywords: ["close ticket", "resolve", "start progress", "change status", "done", "reopen", "move"],
    hints: hints.update,
    scopes: ["write:jira-work"],
    input: Schema.Struct({
      issue: issueKey,
      transition_id: formed("Id of the transition, from jira_list_transitions.", /^\d{1,19}$/, "a transition's id"),
      resolution: optional(text("Name of the resolution, such as `Done`, where the transition asks for one.", 100)),
      comment: optional(text("A comment to add, in Markdown.", 32_767))
    }),
    run: (connection, { comment, issue, resolution, transition_id }) =>
      Effect.as(
        call(connection, {
          operation: "transitions.do",
          method: "POST",
          path: `${issuePath}/transitions`,
          params: { issue },
          json: {
            transition: { id: transition_id },
            ...(resolution === undefined ? {} : { fields: { resolution: { name: resolution } } }),
            ...(comment === undefined ? {} : { update: { comment: [{ add: { body: toDocument(comment) } }] } })
          }
        }),
        { issue, transition: transition_id }
      )
  }),
  tool({
    name: "jira_link_issues",
    title: "Link two issues",
    description:
      "Links two issues by a type from jira_list_link_types. With `Blocks` the first issue blocks the second: read it as `issue` + outward words + `to`.",
    keywords: ["dependency", "blocked by", "duplicate of", "relate"],
    hints: hints.create,
    scopes: ["write:jira-work"],
    input: Schema.Struct({
      issue: issueKey,
      type: text("Name of the type, such as `Blocks`.", 100),
      to: issueKey.annotations({ description: "Key of the other issue." })
    }),
    run: (connection, { issue, to, type }) =>
      Effect.as(
        call(connection, {
          operation: "links.create",
          method: "POST",
          path: `${root}/issueLink`,
          // the outward words are about the inward issue (unverified); a link is read the other way round
          // https://developer.atlassian.com/cloud/jira/platform/issue-linking-model/
          json: { type: { name: type }, inwardIssue: { key: issue }, outwardIssue: { key: to } }
        }),
        { issue, type, to }
      )
  }),
  tool({
    name: "jira_add_worklog",
    title: "Log work",
    description:
      "Notes time that was spent on an issue, such as `1h 30m`, optionally with when it began and a comment.",
    keywords: ["time tracking", "hours", "log time", "timesheet"],
    hints: hints.create,
    scopes: ["write:jira-work"],
    input: Schema.Struct({
      issue: issueKey,
      time_spent: formed("Time, such as `3h 20m` or `1d`.", /^\d+[wdhm]( \d+[wdhm])*$/, "a time such as 3h 20m"),
      started: optional(
        formed(
          "When it began, such as `2026-03-31T09:30:00.000+0000`; now when left out.",
          /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}[+-]\d{4}$/,
          "a time such as 2026-03-31T09:30:00.000+0000"
        )
      ),
      comment: optional(text("What was done, in Markdown.", 32_767))
    }),
    run: (connection, { comment, issue, started, time_spent }) =>
      Effect.map(
        one(connection, {
          operation: "worklogs.create",
          method: "POST",
          path: `${issuePath}/worklog`,
          params: { issue },
          json: {
            timeSpent: time_spent,
            started,
            comment: comment === undefined ? undefined : toDocument(comment)
          }
        }),
        ({ id, started, timeSpent }) => ({ id, issue, time_spent: timeSpent, started })
      )
  })
]
