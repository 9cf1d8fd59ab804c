import type { Account } from "../../../providers/simulation/Account.ts"
import { apiOf, linksTo, web, webOf } from "./Addresses.ts"
import { api, iso } from "./Answers.ts"
import { ahead, changes, mergeBase, merged } from "./Git.ts"
import {
  branchOf,
  type Commit,
  commitOf,
  keyOf,
  logins,
  ofRepository,
  type PullRequest,
  repositories,
  type Repository,
  type Review,
  type ReviewComment,
  reviewComments,
  type Team,
  teams
} from "./Tables.ts"
import { associationOf, bareRepositoryView, commentsOf, headingView, nodeId, userView } from "./Views.ts"

// Pull requests, reviews and comments on lines as the API shows them: https://docs.github.com/en/rest/pulls

/** The commit a pull request is merged into, as it is now, or was before it was merged. */
export const baseOf = (account: Account, repository: Repository, pull: PullRequest): Commit | undefined => {
  const mergedInto = pull.pull.mergeSha === null ? undefined : commitOf(account, repository, pull.pull.mergeSha)
  return mergedInto === undefined
    ? commitOf(account, repository, branchOf(account, repository, pull.pull.baseRef)?.sha ?? "")
    : commitOf(account, repository, mergedInto.parents[0] ?? "")
}

/** Commits (oldest first) and changed files of a pull request. */
export const contentsOf = (account: Account, repository: Repository, pull: PullRequest) => {
  const base = baseOf(account, repository, pull)
  const head = commitOf(account, repository, pull.pull.headSha)
  if (base === undefined || head === undefined) return { commits: [], files: [], base, head }
  const from = mergeBase(account, head.sha, base.sha)
  return {
    commits: ahead(account, head.sha, base.sha).toReversed(),
    files: changes(account, from?.tree ?? {}, head.tree),
    base,
    head
  }
}

/** Addresses of a pull request, of what belongs to it, and of what it shares with an issue. */
const addressesOf = (repository: Repository, number: number, sha: string) => {
  const pull = `${apiOf(repository)}/pulls/${number}`
  const issue = `${apiOf(repository)}/issues/${number}`
  return {
    self: pull,
    html: `${webOf(repository)}/pull/${number}`,
    issue,
    comments: `${issue}/comments`,
    review_comments: `${pull}/comments`,
    review_comment: `${apiOf(repository)}/pulls/comments{/number}`,
    commits: `${pull}/commits`,
    statuses: `${apiOf(repository)}/statuses/${sha}`
  }
}

const teamView = (account: Account, owner: string, { id, name, slug }: Team) => {
  const url = `${api}/organizations/${logins.get(account, owner.toLowerCase())?.id ?? 0}/team/${id}`
  return {
    id,
    node_id: nodeId("Team", id),
    name,
    slug,
    description: null,
    privacy: "closed",
    notification_setting: "notifications_enabled",
    permission: "pull",
    url,
    html_url: `${web}/orgs/${owner}/teams/${slug}`,
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
    type: "organization"
  }
}

const teamsOf = (account: Account, { owner }: Repository, { pull }: PullRequest) =>
  teams.filter(({ slug }) => pull.teams.includes(slug)).map((team) => teamView(account, owner, team))

export const pullView = (account: Account, repository: Repository, issue: PullRequest) => {
  const { pull } = issue
  const [headOwner = "", headName = ""] = pull.headRepository.split("/")
  const headRepository = repositories.get(account, keyOf(headOwner, headName))
  const end = (owner: string, ref: string, sha: string, of: Repository | undefined) => ({
    label: `${owner}:${ref}`,
    ref,
    sha,
    user: userView(account, owner),
    repo: of === undefined ? null : bareRepositoryView(account, of)
  })
  const { html, self, ...others } = addressesOf(repository, issue.number, pull.headSha)
  return {
    id: issue.id,
    node_id: nodeId("PullRequest", issue.id),
    url: self,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    ...Object.fromEntries(Object.entries(others).map(([name, address]) => [`${name}_url`, address])),
    _links: linksTo({ self, html, ...others }),
    ...headingView(account, repository, issue),
    merged_at: iso(pull.mergedAt),
    merge_commit_sha: pull.mergeSha,
    requested_reviewers: pull.reviewers.map((login) => userView(account, login)),
    requested_teams: teamsOf(account, repository, issue).map((team) => ({ ...team, parent: null })),
    head: end(headOwner, pull.headRef, pull.headSha, headRepository),
    base: end(repository.owner, pull.baseRef, baseOf(account, repository, issue)?.sha ?? "", repository),
    draft: pull.isDraft,
    auto_merge: null
  }
}

/** Whether a pull request can be merged; null once it is closed. */
const mergeableOf = (account: Account, issue: PullRequest, base: Commit | undefined, head: Commit | undefined) =>
  issue.state === "closed" || base === undefined || head === undefined
    ? null
    : merged(account, base, head) !== undefined

/** One pull request asked for by number: with its size and whether it can be merged. */
export const fullPullView = (account: Account, repository: Repository, issue: PullRequest) => {
  const { base, commits, files, head } = contentsOf(account, repository, issue)
  const isMergeable = mergeableOf(account, issue, base, head)
  const sum = (name: "additions" | "deletions") => files.reduce((total, file) => total + file[name], 0)
  const inline = ofRepository(repository, reviewComments.all(account))
  return {
    ...pullView(account, repository, issue),
    requested_teams: teamsOf(account, repository, issue),
    merged: issue.pull.mergedAt !== null,
    mergeable: isMergeable,
    rebaseable: isMergeable,
    mergeable_state: isMergeable === null ? "unknown" : !isMergeable ? "dirty" : issue.pull.isDraft ? "draft" : "clean",
    merged_by: issue.pull.mergedBy === null ? null : userView(account, issue.pull.mergedBy),
    comments: commentsOf(account, issue).length,
    review_comments: inline.filter(({ number }) => number === issue.number).length,
    maintainer_can_modify: false,
    commits: commits.length,
    additions: sum("additions"),
    deletions: sum("deletions"),
    changed_files: files.length
  }
}

/** Addresses of a comment or review and of its pull request, each in two forms. */
const linksOf = (repository: Repository, number: number, anchor: string, own: { readonly self?: string } = {}) => {
  const html = `${webOf(repository)}/pull/${number}#${anchor}`
  const pull_request = `${apiOf(repository)}/pulls/${number}`
  return { html_url: html, pull_request_url: pull_request, _links: linksTo({ ...own, html, pull_request }) }
}

export const reviewView = (account: Account, repository: Repository, review: Review) => ({
  id: review.id,
  node_id: nodeId("PullRequestReview", review.id),
  user: userView(account, review.user),
  body: review.body,
  state: review.state,
  ...linksOf(repository, review.number, `pullrequestreview-${review.id}`),
  author_association: associationOf(repository, review.user),
  ...(review.submittedAt === null ? {} : { submitted_at: iso(review.submittedAt) }),
  commit_id: review.sha
})

const commentAddress = (repository: Repository, id: number) => `${apiOf(repository)}/pulls/comments/${id}`

export const reviewCommentView = (account: Account, repository: Repository, comment: ReviewComment) => ({
  url: commentAddress(repository, comment.id),
  pull_request_review_id: comment.review,
  id: comment.id,
  node_id: nodeId("PullRequestReviewComment", comment.id),
  diff_hunk: comment.hunk,
  path: comment.path,
  commit_id: comment.sha,
  original_commit_id: comment.sha,
  user: userView(account, comment.user),
  body: comment.body,
  created_at: iso(comment.createdAt),
  updated_at: iso(comment.createdAt),
  ...linksOf(repository, comment.number, `discussion_r${comment.id}`, { self: commentAddress(repository, comment.id) }),
  author_association: associationOf(repository, comment.user),
  line: comment.line,
  original_line: comment.line,
  start_line: comment.startLine,
  side: comment.side,
  ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo })
})
