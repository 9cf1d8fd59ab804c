import type { Account } from "../../../providers/simulation/Account.ts"
import { accountNumber } from "../../../providers/simulation/AccountNumber.ts"
import { api, iso } from "./Answers.ts"
import { type FileChange, treeHash } from "./Git.ts"
import {
  type Branch,
  type CheckRun,
  type Comment,
  comments,
  type Commit,
  type Issue,
  issues,
  keyOf,
  type Label,
  labels,
  type Login,
  logins,
  me,
  type Milestone,
  milestones,
  ofRepository,
  type Release,
  repositories,
  type Repository,
  within
} from "./Tables.ts"

// Records as the API shows them: https://docs.github.com/en/rest

const web = "https://github.com"

export const nodeId = (kind: string, id: number | string) => Buffer.from(`${kind}:${id}`).toString("base64")

const loginView = (account: Account, { id, login, type }: Login) => ({
  login,
  // the account itself is another one in every simulated account
  id: login === me ? accountNumber(account, 8) : id,
  node_id: nodeId("User", id),
  avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
  gravatar_id: "",
  url: `${api}/users/${login}`,
  html_url: `${web}/${login}`,
  repos_url: `${api}/users/${login}/repos`,
  type,
  site_admin: false
})

/** An account by its login; GitHub shows one that is gone as `ghost`. */
export const userView = (account: Account, login: string) =>
  loginView(
    account,
    logins.get(account, login.toLowerCase()) ?? {
      login: "ghost",
      id: 10_137,
      name: "Deleted user",
      type: "User",
      email: null
    }
  )

export const profileView = (account: Account, login: Login) => ({
  ...loginView(account, login),
  name: login.name,
  company: null,
  blog: "",
  location: null,
  email: login.email,
  bio: null,
  public_repos: 4,
  followers: 31,
  following: 12,
  created_at: "2016-03-14T09:26:53Z",
  updated_at: "2026-08-02T07:11:00Z"
})

export const fullName = ({ name, owner }: Repository) => `${owner}/${name}`
export const apiOf = (repository: Repository) => `${api}/repos/${fullName(repository)}`
export const webOf = (repository: Repository) => `${web}/${fullName(repository)}`

export const repositoryView = (account: Account, repository: Repository) => {
  const open = ofRepository(repository, issues.all(account)).filter(({ state }) => state === "open").length
  return {
    id: repository.id,
    node_id: nodeId("Repository", repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.isPrivate,
    owner: userView(account, repository.owner),
    html_url: webOf(repository),
    description: repository.description,
    fork: repository.parent !== null,
    url: apiOf(repository),
    created_at: iso(repository.createdAt),
    updated_at: iso(repository.pushedAt),
    pushed_at: iso(repository.pushedAt),
    clone_url: `${webOf(repository)}.git`,
    homepage: repository.homepage,
    size: 1480,
    stargazers_count: repository.stars,
    watchers_count: repository.stars,
    language: repository.language,
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: repositories.all(account).filter(({ parent }) => parent === fullName(repository)).length,
    archived: repository.isArchived,
    disabled: false,
    open_issues_count: open,
    license:
      repository.license === null
        ? null
        : { key: repository.license.toLowerCase(), name: repository.license, spdx_id: repository.license, url: null },
    topics: repository.topics,
    visibility: repository.isPrivate ? "private" : "public",
    default_branch: repository.defaultBranch,
    permissions: {
      admin: repository.owner === me,
      maintain: repository.mayPush,
      push: repository.mayPush,
      triage: repository.mayPush,
      pull: true
    }
  }
}

/** One repository asked for by name: with what it is a copy of. */
export const fullRepositoryView = (account: Account, repository: Repository) => {
  const [owner = "", name = ""] = repository.parent?.split("/") ?? []
  const parent = repositories.get(account, keyOf(owner, name))
  return {
    ...repositoryView(account, repository),
    ...(parent === undefined
      ? {}
      : { parent: repositoryView(account, parent), source: repositoryView(account, parent) }),
    subscribers_count: 7
  }
}

export const branchView = (repository: Repository, { isProtected, name, sha }: Branch) => ({
  name,
  commit: { sha, url: `${apiOf(repository)}/commits/${sha}` },
  protected: isProtected
})

export const refView = (repository: Repository, { name, sha }: Branch) => ({
  ref: `refs/heads/${name}`,
  node_id: nodeId("Ref", name),
  url: `${apiOf(repository)}/git/refs/heads/${name}`,
  object: { type: "commit", sha, url: `${apiOf(repository)}/git/commits/${sha}` }
})

/** A commit as the git part of the API shows it. */
export const gitCommitView = (account: Account, repository: Repository, commit: Commit) => {
  const user = logins.get(account, commit.author.toLowerCase())
  const signature = {
    name: user?.name ?? commit.author,
    email: user?.email ?? `${commit.author}@users.noreply.github.com`,
    date: iso(commit.at)
  }
  return {
    author: signature,
    committer: signature,
    message: commit.message,
    tree: { sha: treeHash(commit.tree), url: `${apiOf(repository)}/git/trees/${treeHash(commit.tree)}` },
    url: `${apiOf(repository)}/git/commits/${commit.sha}`,
    comment_count: 0
  }
}

export const commitView = (account: Account, repository: Repository, commit: Commit) => ({
  sha: commit.sha,
  node_id: nodeId("Commit", commit.sha),
  commit: gitCommitView(account, repository, commit),
  url: `${apiOf(repository)}/commits/${commit.sha}`,
  html_url: `${webOf(repository)}/commit/${commit.sha}`,
  author: userView(account, commit.author),
  committer: userView(account, commit.author),
  parents: commit.parents.map((sha) => ({
    sha,
    url: `${apiOf(repository)}/commits/${sha}`,
    html_url: `${webOf(repository)}/commit/${sha}`
  }))
})

export const fileView = (repository: Repository, sha: string, file: FileChange) => ({
  sha: file.sha,
  filename: file.path,
  status: file.status,
  additions: file.additions,
  deletions: file.deletions,
  changes: file.additions + file.deletions,
  blob_url: `${webOf(repository)}/blob/${sha}/${file.path}`,
  raw_url: `${webOf(repository)}/raw/${sha}/${file.path}`,
  contents_url: `${apiOf(repository)}/contents/${file.path}?ref=${sha}`,
  ...(file.patch === undefined ? {} : { patch: file.patch })
})

export const labelView = (repository: Repository, label: Label) => ({
  id: label.id,
  node_id: nodeId("Label", label.id),
  url: `${apiOf(repository)}/labels/${encodeURIComponent(label.name)}`,
  name: label.name,
  description: label.description,
  color: label.color,
  default: false
})

const labelsOf = (account: Account, repository: Repository, names: ReadonlyArray<string>) =>
  names.flatMap((name) => {
    const label = labels.get(account, within(repository.id, name.toLowerCase()))
    return label === undefined ? [] : [labelView(repository, label)]
  })

export const milestoneView = (account: Account, repository: Repository, milestone: Milestone) => {
  const inside = ofRepository(repository, issues.all(account)).filter((issue) => issue.milestone === milestone.number)
  return {
    url: `${apiOf(repository)}/milestones/${milestone.number}`,
    html_url: `${webOf(repository)}/milestone/${milestone.number}`,
    id: milestone.id,
    node_id: nodeId("Milestone", milestone.id),
    number: milestone.number,
    title: milestone.title,
    description: milestone.description,
    creator: userView(account, me),
    open_issues: inside.filter(({ state }) => state === "open").length,
    closed_issues: inside.filter(({ state }) => state === "closed").length,
    state: milestone.state,
    created_at: iso(milestone.createdAt),
    updated_at: iso(milestone.createdAt),
    due_on: iso(milestone.dueOn),
    closed_at: null
  }
}

export const associationOf = (repository: Repository, login: string) =>
  login === repository.owner ? "OWNER" : repository.mayPush ? "MEMBER" : "NONE"

const milestoneIn = (account: Account, repository: Repository, number: number | null) => {
  const found = number === null ? undefined : milestones.get(account, within(repository.id, number))
  return found === undefined ? null : milestoneView(account, repository, found)
}

/** What issues and pull requests show alike. */
export const headingView = (account: Account, repository: Repository, issue: Issue) => ({
  number: issue.number,
  title: issue.title,
  user: userView(account, issue.user),
  labels: labelsOf(account, repository, issue.labels),
  state: issue.state,
  locked: false,
  active_lock_reason: null,
  assignee: issue.assignees[0] === undefined ? null : userView(account, issue.assignees[0]),
  assignees: issue.assignees.map((login) => userView(account, login)),
  milestone: milestoneIn(account, repository, issue.milestone),
  created_at: iso(issue.createdAt),
  updated_at: iso(issue.updatedAt),
  closed_at: iso(issue.closedAt),
  author_association: associationOf(repository, issue.user),
  body: issue.body
})

export const commentsOf = (account: Account, { number, repository }: Issue) =>
  comments.all(account).filter((comment) => comment.repository === repository && comment.number === number)

export const issueView = (account: Account, repository: Repository, issue: Issue) => {
  const place = `${issue.pull === null ? "issues" : "pull"}/${issue.number}`
  return {
    url: `${apiOf(repository)}/issues/${issue.number}`,
    repository_url: apiOf(repository),
    comments_url: `${apiOf(repository)}/issues/${issue.number}/comments`,
    html_url: `${webOf(repository)}/${place}`,
    id: issue.id,
    node_id: nodeId("Issue", issue.id),
    ...headingView(account, repository, issue),
    comments: commentsOf(account, issue).length,
    closed_by: issue.closedBy === null ? null : userView(account, issue.closedBy),
    state_reason: issue.reason,
    ...(issue.pull === null
      ? {}
      : {
          draft: issue.pull.isDraft,
          pull_request: {
            url: `${apiOf(repository)}/pulls/${issue.number}`,
            html_url: `${webOf(repository)}/${place}`,
            diff_url: `${webOf(repository)}/${place}.diff`,
            patch_url: `${webOf(repository)}/${place}.patch`,
            merged_at: iso(issue.pull.mergedAt)
          }
        })
  }
}

export const commentView = (account: Account, repository: Repository, comment: Comment) => ({
  url: `${apiOf(repository)}/issues/comments/${comment.id}`,
  html_url: `${webOf(repository)}/issues/${comment.number}#issuecomment-${comment.id}`,
  issue_url: `${apiOf(repository)}/issues/${comment.number}`,
  id: comment.id,
  node_id: nodeId("IssueComment", comment.id),
  user: userView(account, comment.user),
  created_at: iso(comment.createdAt),
  updated_at: iso(comment.updatedAt),
  author_association: associationOf(repository, comment.user),
  body: comment.body
})

export const releaseView = (account: Account, repository: Repository, release: Release) => ({
  url: `${apiOf(repository)}/releases/${release.id}`,
  html_url: `${webOf(repository)}/releases/tag/${release.tag}`,
  id: release.id,
  node_id: nodeId("Release", release.id),
  tag_name: release.tag,
  target_commitish: repository.defaultBranch,
  name: release.name,
  body: release.body,
  draft: release.isDraft,
  prerelease: release.isPrerelease,
  created_at: iso(release.publishedAt),
  published_at: iso(release.publishedAt),
  author: userView(account, release.author),
  assets: []
})

export const checkRunView = (repository: Repository, run: CheckRun) => ({
  id: run.id,
  head_sha: run.sha,
  node_id: nodeId("CheckRun", run.id),
  external_id: "",
  url: `${apiOf(repository)}/check-runs/${run.id}`,
  html_url: `${webOf(repository)}/runs/${run.id}`,
  details_url: `${webOf(repository)}/actions/runs/${run.id}`,
  status: run.status,
  conclusion: run.conclusion,
  started_at: iso(run.startedAt),
  completed_at: iso(run.completedAt),
  output: { title: run.title, summary: null, text: null, annotations_count: 0 },
  name: run.name,
  check_suite: { id: run.id },
  app: { id: 15_368, slug: "github-actions", name: "GitHub Actions" },
  pull_requests: []
})
