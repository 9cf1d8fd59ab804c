import { getPath } from "../../mapping/Mapping.ts"
import { beginning, each, share, shown } from "../Answers.ts"

// GitHub's objects as its tools answer them: https://docs.github.com/en/rest

export const account = shown({ login: "login", name: "name", type: "type", email: "email", url: "html_url" })

export const repositoryLine = shown({
  full_name: "full_name",
  description: "description",
  private: "private",
  fork: "fork",
  archived: "archived",
  language: "language",
  default_branch: "default_branch",
  stars: "stargazers_count",
  pushed_at: "pushed_at",
  url: "html_url"
})

const mayDo = (record: unknown) => {
  const permissions = getPath(record, "permissions")
  return Object.entries(typeof permissions === "object" ? (permissions ?? {}) : {}).flatMap(([name, may]) =>
    may === true ? [name] : []
  )
}

export const repositoryDetails = (record: unknown) => ({
  ...repositoryLine(record),
  ...shown({
    homepage: "homepage",
    topics: each("topics", (topic) => topic),
    license: "license.spdx_id",
    open_issues: "open_issues_count",
    forks: "forks_count",
    parent: "parent.full_name",
    permissions: mayDo,
    clone_url: "clone_url",
    created_at: "created_at"
  })(record)
})

/** Git's own author where the account is not known. */
const authorOf = (record: unknown) => getPath(record, "author.login") ?? getPath(record, "commit.author.name")

export const commitLine = (record: unknown) => ({
  ...shown({ sha: "sha", author: authorOf, date: "commit.author.date", url: "html_url" })(record),
  ...beginning("message", getPath(record, "commit.message"), 300)
})

export const fileLine = shown({
  path: "filename",
  previous_path: "previous_filename",
  status: "status",
  additions: "additions",
  deletions: "deletions"
})

/** A file with the beginning of its patch; in a page of so many. */
export const changedFile = (limit: number) => (record: unknown) => ({
  ...fileLine(record),
  ...beginning("patch", getPath(record, "patch"), share(limit, 3000))
})

/** Issues and pull requests have these in common. */
const heading = {
  number: "number",
  title: "title",
  state: "state",
  author: "user.login",
  labels: each("labels", "name"),
  assignees: each("assignees", "login"),
  milestone: "milestone.title",
  created_at: "created_at",
  updated_at: "updated_at",
  closed_at: "closed_at",
  url: "html_url"
}

export const issueLine = shown({ ...heading, state_reason: "state_reason", comments: "comments" })

/** An issue found by a search names its repository only by the address of it. */
const repositoryOf = (record: unknown) => String(getPath(record, "repository_url") ?? "").replace(/^.*\/repos\//, "")

export const foundIssue = (record: unknown) => ({ repository: repositoryOf(record), ...issueLine(record) })

const pullHeading = {
  ...heading,
  draft: "draft",
  head: "head.label",
  base: "base.ref",
  merged_at: "merged_at",
  requested_reviewers: each("requested_reviewers", "login")
}

export const pullLine = shown(pullHeading)

export const pullDetails = shown({
  ...pullHeading,
  merged: "merged",
  mergeable: "mergeable",
  mergeable_state: "mergeable_state",
  merged_by: "merged_by.login",
  merge_commit_sha: "merge_commit_sha",
  head_sha: "head.sha",
  commits: "commits",
  changed_files: "changed_files",
  additions: "additions",
  deletions: "deletions",
  comments: "comments",
  review_comments: "review_comments"
})

/** The beginning of a comment, in a page of so many. */
const bodyIn = (limit: number, record: unknown) => beginning("body", getPath(record, "body"), share(limit, 2000))

export const comment = shown({
  id: "id",
  author: "user.login",
  created_at: "created_at",
  updated_at: "updated_at",
  url: "html_url"
})

export const commentLine = (limit: number) => (record: unknown) => ({ ...comment(record), ...bodyIn(limit, record) })

export const review = shown({
  id: "id",
  author: "user.login",
  state: "state",
  commit: "commit_id",
  submitted_at: "submitted_at",
  url: "html_url"
})

export const reviewLine = (limit: number) => (record: unknown) => ({ ...review(record), ...bodyIn(limit, record) })

export const reviewComment = shown({
  id: "id",
  review_id: "pull_request_review_id",
  in_reply_to: "in_reply_to_id",
  author: "user.login",
  path: "path",
  line: "line",
  side: "side",
  created_at: "created_at",
  url: "html_url"
})

export const reviewCommentLine = (limit: number) => (record: unknown) => ({
  ...reviewComment(record),
  ...bodyIn(limit, record)
})

export const label = shown({ name: "name", description: "description", color: "color" })

export const milestone = shown({
  number: "number",
  title: "title",
  description: "description",
  state: "state",
  due_on: "due_on",
  open_issues: "open_issues",
  closed_issues: "closed_issues",
  url: "html_url"
})

export const branch = shown({ name: "name", sha: "commit.sha", protected: "protected" })

export const entry = shown({ name: "name", path: "path", type: "type", size: "size", sha: "sha" })

export const release = shown({
  tag: "tag_name",
  name: "name",
  draft: "draft",
  prerelease: "prerelease",
  author: "author.login",
  published_at: "published_at",
  url: "html_url"
})

export const releaseLine = (limit: number) => (record: unknown) => ({
  ...release(record),
  ...beginning("notes", getPath(record, "body"), share(limit, 2000))
})

export const checkRun = shown({
  name: "name",
  status: "status",
  conclusion: "conclusion",
  app: "app.name",
  summary: "output.title",
  started_at: "started_at",
  completed_at: "completed_at",
  url: "html_url"
})

export const foundCode = shown({ repository: "repository.full_name", path: "path", sha: "sha", url: "html_url" })
