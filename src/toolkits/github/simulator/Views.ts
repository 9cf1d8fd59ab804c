import type { Account } from "../../../providers/simulation/Account.ts"
import { accountNumber } from "../../../providers/simulation/AccountNumber.ts"
import { apiOf, fullName, loginAddresses, repositoryAddresses, web, webOf } from "./Addresses.ts"
import { api, iso } from "./Answers.ts"
import { type FileChange, treeHash } from "./Git.ts"
import {
  type Branch,
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
  repositories,
  type Repository,
  within
} from "./Tables.ts"

// Records as the API shows them: https://docs.github.com/en/rest

export const nodeId = (kind: string, id: number | string) => Buffer.from(`${kind}:${id}`).toString("base64")

export const loginView = (account: Account, { id, login, type }: Login) => ({
  login,
  // the account itself is another one in every simulated account
  id: login === me ? accountNumber(account, 8) : id,
  node_id: nodeId("User", id),
  avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
  gravatar_id: "",
  url: `${api}/users/${login}`,
  html_url: `${web}/${login}`,
  ...loginAddresses(login),
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
  hireable: null,
  public_repos: 4,
  public_gists: 0,
  followers: 31,
  following: 12,
  created_at: "2016-03-14T09:26:53Z",
  updated_at: "2026-08-02T07:11:00Z"
})

const licenseView = (name: string) => ({
  key: name.toLowerCase(),
  name,
  spdx_id: name,
  url: `${api}/licenses/${name.toLowerCase()}`,
  node_id: nodeId("License", name)
})

/** A repository as pull requests name it: without the permissions of who asks. */
export const bareRepositoryView = (account: Account, repository: Repository) => {
  const open = ofRepository(repository, issues.all(account)).filter(({ state }) => state === "open").length
  const forks = repositories.all(account).filter(({ parent }) => parent === fullName(repository)).length
  return {
    id: repository.id,
    node_id: nodeId("Repository", repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.isPrivate,
    owner: userView(account, repository.owner),
    ...repositoryAddresses(repository),
    description: repository.description,
    fork: repository.parent !== null,
    created_at: iso(repository.createdAt),
    updated_at: iso(repository.pushedAt),
    pushed_at: iso(repository.pushedAt),
    homepage: repository.homepage,
    size: 1480,
    stargazers_count: repository.stars,
    watchers_count: repository.stars,
    watchers: repository.stars,
    language: repository.language,
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    is_template: false,
    allow_forking: true,
    web_commit_signoff_required: false,
    forks_count: forks,
    forks,
    archived: repository.isArchived,
    disabled: false,
    open_issues_count: open,
    open_issues: open,
    license: repository.license === null ? null : licenseView(repository.license),
    topics: repository.topics,
    visibility: repository.isPrivate ? "private" : "public",
    default_branch: repository.defaultBranch
  }
}

export const repositoryView = (account: Account, repository: Repository) => ({
  ...bareRepositoryView(account, repository),
  permissions: {
    admin: repository.owner === me,
    maintain: repository.mayPush,
    push: repository.mayPush,
    triage: repository.mayPush,
    pull: true
  }
})

/** One repository asked for by name: with what it is a copy of. */
export const fullRepositoryView = (account: Account, repository: Repository) => {
  const [owner = "", name = ""] = repository.parent?.split("/") ?? []
  const parent = repositories.get(account, keyOf(owner, name))
  const shown = repositoryView(account, repository)
  return {
    ...shown,
    ...(parent === undefined
      ? {}
      : { parent: repositoryView(account, parent), source: repositoryView(account, parent) }),
    temp_clone_token: "",
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: true,
    allow_auto_merge: false,
    allow_update_branch: false,
    delete_branch_on_merge: false,
    use_squash_pr_title_as_default: false,
    squash_merge_commit_title: "COMMIT_OR_PR_TITLE",
    squash_merge_commit_message: "COMMIT_MESSAGES",
    merge_commit_title: "MERGE_MESSAGE",
    merge_commit_message: "PR_TITLE",
    network_count: shown.forks_count,
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
    email: user?.email ?? `${commit.author.toLowerCase().replaceAll(" ", ".")}@users.noreply.github.com`,
    date: iso(commit.at)
  }
  return {
    author: signature,
    committer: signature,
    message: commit.message,
    tree: { sha: treeHash(commit.tree), url: `${apiOf(repository)}/git/trees/${treeHash(commit.tree)}` },
    url: `${apiOf(repository)}/git/commits/${commit.sha}`,
    verification: { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null }
  }
}

const parentsOf = (repository: Repository, { parents }: Commit, path: string) =>
  parents.map((sha) => ({
    sha,
    url: `${apiOf(repository)}/${path}/${sha}`,
    html_url: `${webOf(repository)}/commit/${sha}`
  }))

/** A commit as the answer to a change of a file shows it. */
export const madeCommitView = (account: Account, repository: Repository, commit: Commit) => ({
  sha: commit.sha,
  node_id: nodeId("Commit", commit.sha),
  html_url: `${webOf(repository)}/commit/${commit.sha}`,
  ...gitCommitView(account, repository, commit),
  parents: parentsOf(repository, commit, "git/commits")
})

/** Whoever wrote a commit with an address that no account has is nobody to GitHub. */
const authorView = (account: Account, { author }: Commit) =>
  logins.get(account, author.toLowerCase()) === undefined ? null : userView(account, author)

export const commitView = (account: Account, repository: Repository, commit: Commit) => ({
  sha: commit.sha,
  node_id: nodeId("Commit", commit.sha),
  commit: { ...gitCommitView(account, repository, commit), comment_count: 0 },
  url: `${apiOf(repository)}/commits/${commit.sha}`,
  html_url: `${webOf(repository)}/commit/${commit.sha}`,
  comments_url: `${apiOf(repository)}/commits/${commit.sha}/comments`,
  author: authorView(account, commit),
  committer: authorView(account, commit),
  parents: parentsOf(repository, commit, "commits")
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
    labels_url: `${apiOf(repository)}/milestones/${milestone.number}/labels`,
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

/** Members that issues and pull requests share. */
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

/** An issue or comment that nobody reacted to and no app wrote. */
const quiet = (url: string) => ({
  reactions: {
    url: `${url}/reactions`,
    total_count: 0,
    "+1": 0,
    "-1": 0,
    laugh: 0,
    hooray: 0,
    confused: 0,
    heart: 0,
    rocket: 0,
    eyes: 0
  },
  performed_via_github_app: null
})

/** An issue or pull request as searches show it. */
export const foundIssueView = (account: Account, repository: Repository, issue: Issue) => {
  const place = `${issue.pull === null ? "issues" : "pull"}/${issue.number}`
  return {
    url: `${apiOf(repository)}/issues/${issue.number}`,
    repository_url: apiOf(repository),
    labels_url: `${apiOf(repository)}/issues/${issue.number}/labels{/name}`,
    comments_url: `${apiOf(repository)}/issues/${issue.number}/comments`,
    events_url: `${apiOf(repository)}/issues/${issue.number}/events`,
    html_url: `${webOf(repository)}/${place}`,
    id: issue.id,
    node_id: nodeId("Issue", issue.id),
    timeline_url: `${apiOf(repository)}/issues/${issue.number}/timeline`,
    ...headingView(account, repository, issue),
    ...quiet(`${apiOf(repository)}/issues/${issue.number}`),
    sub_issues_summary: { total: 0, completed: 0, percent_completed: 0 },
    issue_dependencies_summary: { blocked_by: 0, total_blocked_by: 0, blocking: 0, total_blocking: 0 },
    comments: commentsOf(account, issue).length,
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

export const issueView = (account: Account, repository: Repository, issue: Issue) => ({
  ...foundIssueView(account, repository, issue),
  closed_by: issue.closedBy === null ? null : userView(account, issue.closedBy)
})

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
  body: comment.body,
  ...quiet(`${apiOf(repository)}/issues/comments/${comment.id}`)
})
