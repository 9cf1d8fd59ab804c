import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { part } from "../Answers.ts"
import { anyText, choice, flag, from, optional, otherwise, text } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, paging, repository } from "./Calls.ts"
import { direction, number, searchIssues, state } from "./IssueTools.ts"
import { changedFile, pullDetails, pullLine } from "./Shapes.ts"

const root = "/repos/:owner/:repo"
export const pull = `${root}/pulls/:number`

/** Characters of a text, and of a diff, that one answer holds. */
const bodyLength = 12_000
const diffLength = 24_000

/** Places of a path that name a pull request. */
export const at = <A extends { readonly number: number }>({ number, ...params }: A) => ({
  ...params,
  number: String(number)
})

/** Pull requests. https://docs.github.com/en/rest/pulls */
export const pullRequestTools = (calls: Calls): ReadonlyArray<ConnectionTool> => {
  const { call, one, page } = calls
  return [
    tool({
      name: "github_list_pull_requests",
      title: "List pull requests",
      description:
        "Lists pull requests of a repository, newest first: number, title, state, branches, author, reviewers. To find them by words or over several repositories, use github_search_pull_requests.",
      keywords: ["PRs", "merge requests", "open changes", "waiting for review"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        state,
        head: optional(text("Only from this branch, as `owner:branch`.", 250)),
        base: optional(text("Only into this branch.", 250)),
        sort: optional(choice("Order; by creation when left out.", "created", "updated", "popularity", "long-running")),
        direction,
        ...paging
      }),
      run: (connection, { base, direction, head, limit, page: place, sort, state, ...params }) =>
        page(
          connection,
          {
            operation: "pulls.list",
            method: "GET",
            path: `${root}/pulls`,
            params,
            query: { state, head, base, sort, direction: direction ?? "desc" }
          },
          { limit, page: place },
          { name: "pull_requests", show: pullLine }
        )
    }),
    searchIssues(
      calls,
      {
        name: "github_search_pull_requests",
        title: "Search pull requests",
        description:
          "Finds pull requests in all repositories that the account can read, by words and GitHub's search qualifiers, also `review-requested:login`, `is:merged`, `draft:true`, `head:branch`. Answers at most 1,000 hits in pages.",
        list: "pull_requests"
      },
      "pull-request",
      ["find PR", "my reviews", "waiting for my review", "merge requests"]
    ),
    tool({
      name: "github_get_pull_request",
      title: "Get a pull request",
      description:
        "Gets one pull request: text (12,000 characters at a time), branches, whether it can be merged (GitHub reckons that in the background: `mergeable` may be missing at first), size, reviewers. Its changes come from github_list_pull_request_files, its checks from github_list_checks.",
      keywords: ["read PR", "show merge request", "is it mergeable", "PR status"],
      hints: hints.read,
      scopes: ["repo"],
      input: Schema.Struct({ ...repository, number: number("pull request"), from }),
      run: (connection, { from, ...params }) =>
        Effect.map(
          one(connection, { operation: "pulls.get", method: "GET", path: pull, params: at(params) }),
          (found) => ({ ...pullDetails(found), ...part("body", getPath(found, "body"), bodyLength, from) })
        )
    }),
    tool({
      name: "github_list_pull_request_files",
      title: "List files of a pull request",
      description:
        "Lists the files that a pull request changes, each with the beginning of its patch (`truncated` where there is more: read it with github_get_pull_request_diff).",
      keywords: ["changed files", "PR changes", "patch"],
      hints: hints.read,
      verbatim: true,
      scopes: ["repo"],
      input: Schema.Struct({ ...repository, number: number("pull request"), ...paging }),
      run: (connection, { limit, page: place, ...params }) =>
        page(
          connection,
          { operation: "pulls.files", method: "GET", path: `${pull}/files`, params: at(params) },
          { limit, page: place },
          { name: "files", show: changedFile(limit) }
        )
    }),
    tool({
      name: "github_get_pull_request_diff",
      title: "Get the diff of a pull request",
      description:
        "Gets the whole unified diff of a pull request as text, 24,000 characters at a time (`next_from` tells where to read on). Look at github_list_pull_request_files first: a diff can be long.",
      keywords: ["diff", "review code", "full patch", "what does it change"],
      hints: hints.read,
      verbatim: true,
      scopes: ["repo"],
      input: Schema.Struct({ ...repository, number: number("pull request"), from }),
      run: (connection, { from, ...params }) =>
        Effect.map(
          call(connection, {
            operation: "pulls.diff",
            method: "GET",
            path: pull,
            params: at(params),
            headers: { accept: "application/vnd.github.diff" },
            text: true
          }),
          ({ body }) => ({ diff: "", ...part("diff", body, diffLength, from) })
        )
    }),
    tool({
      name: "github_create_pull_request",
      title: "Open a pull request",
      description:
        "Opens a pull request from a branch into another, after its commits are pushed. For a branch of a fork give `head` as `owner:branch`. GitHub refuses a second one for the same branches, and one without new commits.",
      keywords: ["create PR", "merge request", "propose change", "submit for review"],
      hints: hints.create,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        title: text("What it changes, in a line.", 256),
        head: text("Branch with the changes; `owner:branch` when it is in a fork.", 250),
        base: text("Branch that they go into, such as `main`.", 250),
        body: optional(anyText("The text, in GitHub's Markdown; `Closes #12` links an issue.")),
        draft: optional(flag("Opens it as a draft, which cannot be merged yet."))
      }),
      run: (connection, { owner, repo, ...json }) =>
        Effect.map(
          one(connection, {
            operation: "pulls.create",
            method: "POST",
            path: `${root}/pulls`,
            params: { owner, repo },
            json
          }),
          pullLine
        )
    }),
    tool({
      name: "github_update_pull_request",
      title: "Update a pull request",
      description:
        "Changes a pull request: title, text, state (close or reopen without merging), the branch it goes into. What is left out stays as it is. Labels and assignees are those of the issue with the same number: github_update_issue.",
      keywords: ["edit PR", "close PR", "retarget"],
      hints: hints.update,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        number: number("pull request"),
        title: optional(text("The new title.", 256)),
        body: optional(anyText("The whole new text, in GitHub's Markdown.")),
        state: optional(choice("Closes or reopens it.", "open", "closed")),
        base: optional(text("Branch that the changes go into from now on.", 250))
      }),
      run: (connection, { number, owner, repo, ...json }) =>
        Effect.map(
          one(connection, {
            operation: "pulls.update",
            method: "PATCH",
            path: pull,
            params: at({ owner, repo, number }),
            json
          }),
          pullLine
        )
    }),
    tool({
      name: "github_merge_pull_request",
      title: "Merge a pull request",
      description:
        "Merges a pull request into its base branch; it cannot be undone here. Give `sha` (`head_sha` of github_get_pull_request) so that nothing is merged that you have not seen. Conflicts, failing required checks and missing reviews are refused with GitHub's words.",
      keywords: ["merge PR", "land", "squash", "ship it"],
      hints: hints.update,
      scopes: ["repo"],
      input: Schema.Struct({
        ...repository,
        number: number("pull request"),
        method: otherwise(choice("How; `merge` when left out.", "merge", "squash", "rebase"), "merge"),
        sha: optional(text("Last commit that the branch must be at.", 64)),
        commit_title: optional(text("First line of the commit's message; GitHub's own when left out.", 256)),
        commit_message: optional(anyText("Rest of the commit's message."))
      }),
      run: (connection, { commit_message, commit_title, method, sha, ...params }) =>
        Effect.map(
          one(connection, {
            operation: "pulls.merge",
            method: "PUT",
            path: `${pull}/merge`,
            params: at(params),
            json: { merge_method: method, sha, commit_title, commit_message }
          }),
          ({ merged, message, sha }) => ({ merged, message, sha })
        )
    })
  ]
}
