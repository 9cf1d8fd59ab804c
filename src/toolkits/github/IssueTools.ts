import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { part } from "../Answers.ts"
import { anyText, choice, formed, from, limit, optional, otherwise, text, texts, whole } from "../Fields.ts"
import { type ConnectionTool, hints, type JsonObject, tool } from "../Tool.ts"
import { type Calls, paging, repository, total } from "./Calls.ts"
import { comment, commentLine, foundIssue, issueLine } from "./Shapes.ts"

const root = "/repos/:owner/:repo"

/** Characters of a text that one answer holds. */
const bodyLength = 12_000

export const number = (what: string) => whole(`Number of the ${what}, as in its address.`, 1, 1_000_000_000)

export const state = otherwise(choice("Which ones; open when left out.", "open", "closed", "all"), "open")

const sort = optional(choice("Order; by creation when left out.", "created", "updated", "comments"))

export const direction = optional(choice("Newest or most first (`desc`) when left out.", "asc", "desc"))

const query = (kind: "issue" | "pull-request", words: string) =>
  `${words} ${/\bis:(issue|pr|pull-request)\b/.test(words) ? "" : `is:${kind}`}`.trim()

/** Searches of issues and of pull requests are one to GitHub, told apart by a qualifier. */
export const searchIssues = (
  { page }: Calls,
  about: { readonly name: string; readonly title: string; readonly description: string; readonly list: string },
  kind: "issue" | "pull-request",
  keywords: ReadonlyArray<string>
): ConnectionTool =>
  tool({
    ...about,
    keywords,
    hints: hints.read,
    scopes: ["repo"],
    input: Schema.Struct({
      query: text(
        "Words and qualifiers: `repo:owner/name`, `org:name`, `is:open`, `author:login`, `assignee:login`, `label:bug`, `milestone:name`, `created:>2026-01-01`, `sort:updated`.",
        256
      ),
      sort,
      direction,
      ...paging
    }),
    run: (connection, { direction, query: words, sort, ...paged }) =>
      page(
        connection,
        {
          operation: "search.issues",
          method: "GET",
          path: "/search/issues",
          query: { q: query(kind, words), sort, order: direction }
        },
        paged,
        { name: about.list, show: foundIssue, member: "items", about: total }
      )
  })

const labels = (description: string) => texts(description, 100)

/** Entries of a native page, and how many of them are looked through for one answer. */
const nativeSize = 100
const looked = 5

/**
 * Issues without the pull requests among them, which GitHub cannot leave out: native pages are looked through, and the
 * cursor is the page and the place in it where the next answer goes on.
 */
const withoutPulls = (limit: number, cursor: string, fetch: (page: number) => ReturnType<Calls["native"]>) =>
  Effect.gen(function* () {
    const issues: Array<JsonObject> = []
    let [page = 1, place = 0] = cursor.split(".").map(Number)
    for (let round = 0; round < looked; round += 1) {
      const { entries, next } = yield* fetch(page)
      while (place < entries.length && issues.length < limit) {
        const entry = entries[place]
        if (getPath(entry, "pull_request") === undefined) issues.push(issueLine(entry))
        place += 1
      }
      if (place < entries.length) return { issues, next_cursor: `${page}.${place}` }
      if (next === null) return { issues, next_cursor: null }
      page = next
      place = 0
      if (issues.length === limit) break
    }
    return { issues, next_cursor: `${page}.${place}` }
  })

/** Issues, their comments, labels and milestones. https://docs.github.com/en/rest/issues */
export const issueTools = (calls: Calls): ReadonlyArray<ConnectionTool> => {
  const { native, one, page } = calls
  return [
    tool({
      name: "github_list_issues",
      title: "List issues",
      description:
        "Lists issues of a repository, newest first: number, title, state, labels, assignees. Pull requests, which GitHub counts as issues, are left out. To find issues by words, use github_search_issues.",
      keywords: ["bugs", "tickets", "open issues", "backlog", "assigned to me"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        state,
        labels: optional(labels("Only issues with all of these labels.")),
        assignee: optional(text("Only issues assigned to this login; `none` for unassigned ones, `*` for any.", 100)),
        creator: optional(text("Only issues that this login opened.", 100)),
        since: optional(text("Only issues changed after this time, such as `2026-01-31T00:00:00Z`.", 40)),
        sort,
        direction,
        limit,
        cursor: optional(
          formed(
            "Where the list goes on: `next_cursor` of the answer before.",
            /^\d{1,6}\.\d{1,3}$/,
            "`next_cursor` of an answer"
          )
        )
      }),
      run: (
        connection,
        { assignee, creator, cursor = "1.0", direction, labels, limit, owner, repo, since, sort, state }
      ) =>
        withoutPulls(limit, cursor, (page) =>
          native(
            connection,
            {
              operation: "issues.list",
              method: "GET",
              path: `${root}/issues`,
              params: { owner, repo },
              query: { state, labels: labels?.join(","), assignee, creator, since, sort, direction }
            },
            { limit: nativeSize, page }
          )
        )
    }),
    searchIssues(
      calls,
      {
        name: "github_search_issues",
        title: "Search issues",
        description:
          "Finds issues in all repositories that the account can read, by words and GitHub's search qualifiers; best match first. Answers at most 1,000 hits in pages. For pull requests use github_search_pull_requests.",
        list: "issues"
      },
      "issue",
      ["find bug", "look for ticket", "duplicate issue", "issues assigned to me"]
    ),
    tool({
      name: "github_get_issue",
      title: "Get an issue",
      description:
        "Gets one issue with its text, up to 12,000 characters at a time (`next_from` tells where to read on). Its discussion comes from github_list_issue_comments.",
      keywords: ["read issue", "show ticket", "bug details"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({ ...repository, number: number("issue"), from }),
      run: (connection, { from, number, ...params }) =>
        Effect.map(
          one(connection, {
            operation: "issues.get",
            method: "GET",
            path: `${root}/issues/:number`,
            params: { ...params, number: String(number) }
          }),
          (issue) => ({
            ...issueLine(issue),
            ...(getPath(issue, "pull_request") === undefined ? {} : { is_pull_request: true }),
            ...part("body", getPath(issue, "body"), bodyLength, from)
          })
        )
    }),
    tool({
      name: "github_create_issue",
      title: "Create an issue",
      description:
        "Opens an issue in a repository and answers its number and address. Labels must exist (github_list_labels). Without write access GitHub leaves labels, assignees and milestone out silently: check the answer. Search first, so that you open no duplicate.",
      keywords: ["file a bug", "open issue", "report", "log a ticket", "new task", "raise"],
      hints: hints.create,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        title: text("What it is about, in a line.", 256),
        body: optional(anyText("The text, in GitHub's Markdown.")),
        labels: optional(labels("Names of labels.")),
        assignees: optional(texts("Logins of at most 10 people.", 10)),
        milestone: optional(whole("Number of a milestone, from github_list_milestones.", 1, 1_000_000))
      }),
      run: (connection, { owner, repo, ...issue }) =>
        Effect.map(
          one(connection, {
            operation: "issues.create",
            method: "POST",
            path: `${root}/issues`,
            params: { owner, repo },
            json: issue
          }),
          issueLine
        )
    }),
    tool({
      name: "github_update_issue",
      title: "Update an issue",
      description:
        "Changes an issue: title, text, state (close or reopen, with a reason), labels, assignees, milestone. What is left out stays as it is; `labels` and `assignees` replace the whole list. To add or remove single labels use github_add_labels and github_remove_label.",
      keywords: ["close issue", "reopen", "edit ticket", "assign", "resolve", "rename issue"],
      hints: hints.update,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        number: number("issue"),
        title: optional(text("The new title.", 256)),
        body: optional(anyText("The whole new text, in GitHub's Markdown.")),
        state: optional(choice("Closes or reopens it.", "open", "closed")),
        state_reason: optional(
          choice(
            "Why it is closed or reopened; only together with `state`.",
            "completed",
            "not_planned",
            "duplicate",
            "reopened"
          )
        ),
        labels: optional(labels("All labels that it has from now on; an empty list removes all.")),
        assignees: optional(texts("Logins of all who are assigned from now on; an empty list for nobody.", 10)),
        milestone: optional(
          Schema.NullOr(Schema.Number.pipe(Schema.int(), Schema.positive())).annotations({
            description: "Number of a milestone, from github_list_milestones; null takes it out of its milestone."
          })
        )
      }),
      run: (connection, { number, owner, repo, ...changes }) =>
        Effect.map(
          one(connection, {
            operation: "issues.update",
            method: "PATCH",
            path: `${root}/issues/:number`,
            params: { owner, repo, number: String(number) },
            json: changes
          }),
          issueLine
        )
    }),
    tool({
      name: "github_list_issue_comments",
      title: "List comments of an issue",
      description:
        "Lists the discussion of an issue or pull request, oldest first; long texts are cut (`truncated`), and github_get_issue_comment reads one in full. Comments on lines of a pull request come from github_list_review_comments.",
      keywords: ["discussion", "replies", "conversation", "thread"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        number: number("issue or pull request"),
        since: optional(text("Only comments changed after this time, such as `2026-01-31T00:00:00Z`.", 40)),
        ...paging
      }),
      run: (connection, { limit, number, page: place, since, ...params }) =>
        page(
          connection,
          {
            operation: "comments.list",
            method: "GET",
            path: `${root}/issues/:number/comments`,
            params: { ...params, number: String(number) },
            query: { since }
          },
          { limit, page: place },
          { name: "comments", show: commentLine(limit) }
        )
    }),
    tool({
      name: "github_get_issue_comment",
      title: "Get a comment",
      description:
        "Gets one comment of an issue or pull request by its id, up to 12,000 characters of text at a time (`next_from` tells where to read on).",
      keywords: ["read comment", "full reply"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        comment_id: whole("Id of the comment.", 1, Number.MAX_SAFE_INTEGER),
        from
      }),
      run: (connection, { comment_id, from, ...params }) =>
        Effect.map(
          one(connection, {
            operation: "comments.get",
            method: "GET",
            path: `${root}/issues/comments/:id`,
            params: { ...params, id: String(comment_id) }
          }),
          (found) => ({ ...comment(found), ...part("body", getPath(found, "body"), bodyLength, from) })
        )
    }),
    tool({
      name: "github_add_issue_comment",
      title: "Comment on an issue",
      description:
        "Adds a comment to an issue or to the conversation of a pull request, visible to everyone who can see it; those who watch get a notification. To comment on lines of a pull request use github_create_review.",
      keywords: ["reply", "answer", "post comment", "respond", "note"],
      hints: hints.create,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        number: number("issue or pull request"),
        body: text("The text, in GitHub's Markdown.")
      }),
      run: (connection, { body, number, ...params }) =>
        Effect.map(
          one(connection, {
            operation: "comments.create",
            method: "POST",
            path: `${root}/issues/:number/comments`,
            params: { ...params, number: String(number) },
            json: { body }
          }),
          comment
        )
    }),
    tool({
      name: "github_update_issue_comment",
      title: "Edit a comment",
      description:
        "Replaces the whole text of a comment on an issue or pull request; its id comes from github_list_issue_comments.",
      keywords: ["change comment", "correct reply"],
      hints: hints.update,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        comment_id: whole("Id of the comment.", 1, Number.MAX_SAFE_INTEGER),
        body: text("The whole new text, in GitHub's Markdown.")
      }),
      run: (connection, { body, comment_id, ...params }) =>
        Effect.map(
          one(connection, {
            operation: "comments.update",
            method: "PATCH",
            path: `${root}/issues/comments/:id`,
            params: { ...params, id: String(comment_id) },
            json: { body }
          }),
          comment
        )
    })
  ]
}
