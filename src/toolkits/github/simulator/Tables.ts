import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import { table } from "../../../providers/simulation/Table.ts"
import { type Answered, failure, notFound } from "./Answers.ts"

// Contents of a simulated GitHub account. Times are milliseconds since the epoch; people are logins.

const text = Schema.String
const time = Schema.Number
const maybe = Schema.NullOr

const Login = Schema.Struct({
  login: text,
  id: Schema.Int,
  name: text,
  type: Schema.Literal("User", "Organization"),
  email: maybe(text)
})
export const logins = table("login", Login)
export type Login = typeof Login.Type

const Repository = Schema.Struct({
  id: Schema.Int,
  owner: text,
  name: text,
  description: maybe(text),
  homepage: maybe(text),
  isPrivate: Schema.Boolean,
  /** Full name of the repository it is a copy of. */
  parent: maybe(text),
  isArchived: Schema.Boolean,
  language: maybe(text),
  topics: Schema.Array(text),
  license: maybe(text),
  defaultBranch: text,
  stars: Schema.Int,
  /** Whether the connected account may write to it. */
  mayPush: Schema.Boolean,
  createdAt: time,
  pushedAt: time
})
export const repositories = table("repository", Repository)
export type Repository = typeof Repository.Type

export const Blob = Schema.Struct({ sha: text, base64: text })
export const blobs = table("blob", Blob)

const Commit = Schema.Struct({
  sha: text,
  message: text,
  author: text,
  at: time,
  parents: Schema.Array(text),
  /** Path -> blob. */
  tree: Schema.Record({ key: text, value: text })
})
export const commits = table("commit", Commit)
export type Commit = typeof Commit.Type

const Branch = Schema.Struct({ repository: Schema.Int, name: text, sha: text, isProtected: Schema.Boolean })
export const branches = table("branch", Branch)
export type Branch = typeof Branch.Type

const Pull = Schema.Struct({
  headRepository: text,
  headRef: text,
  headSha: text,
  baseRef: text,
  isDraft: Schema.Boolean,
  mergedAt: maybe(time),
  mergedBy: maybe(text),
  mergeSha: maybe(text),
  reviewers: Schema.Array(text),
  teams: Schema.Array(text)
})

const Issue = Schema.Struct({
  id: Schema.Int,
  repository: Schema.Int,
  number: Schema.Int,
  title: text,
  body: maybe(text),
  user: text,
  state: Schema.Literal("open", "closed"),
  reason: maybe(Schema.Literal("completed", "not_planned", "duplicate", "reopened")),
  labels: Schema.Array(text),
  assignees: Schema.Array(text),
  milestone: maybe(Schema.Int),
  createdAt: time,
  updatedAt: time,
  closedAt: maybe(time),
  closedBy: maybe(text),
  /** Set for a pull request. */
  pull: maybe(Pull)
})
export const issues = table("issue", Issue)
export type Issue = typeof Issue.Type
export type PullRequest = Issue & { readonly pull: typeof Pull.Type }

const Label = Schema.Struct({
  id: Schema.Int,
  repository: Schema.Int,
  name: text,
  color: text,
  description: maybe(text)
})
export const labels = table("label", Label)
export type Label = typeof Label.Type

const Milestone = Schema.Struct({
  id: Schema.Int,
  repository: Schema.Int,
  number: Schema.Int,
  title: text,
  description: maybe(text),
  state: Schema.Literal("open", "closed"),
  dueOn: maybe(time),
  createdAt: time
})
export const milestones = table("milestone", Milestone)
export type Milestone = typeof Milestone.Type

const Comment = Schema.Struct({
  id: Schema.Int,
  repository: Schema.Int,
  number: Schema.Int,
  user: text,
  body: text,
  createdAt: time,
  updatedAt: time
})
export const comments = table("comment", Comment)
export type Comment = typeof Comment.Type

const Review = Schema.Struct({
  id: Schema.Int,
  repository: Schema.Int,
  number: Schema.Int,
  user: text,
  body: text,
  state: Schema.Literal("APPROVED", "CHANGES_REQUESTED", "COMMENTED", "PENDING"),
  sha: text,
  submittedAt: maybe(time)
})
export const reviews = table("review", Review)
export type Review = typeof Review.Type

const ReviewComment = Schema.Struct({
  id: Schema.Int,
  repository: Schema.Int,
  number: Schema.Int,
  review: Schema.Int,
  inReplyTo: maybe(Schema.Int),
  user: text,
  body: text,
  path: text,
  line: maybe(Schema.Int),
  startLine: maybe(Schema.Int),
  side: Schema.Literal("LEFT", "RIGHT"),
  hunk: text,
  sha: text,
  createdAt: time
})
export const reviewComments = table("review_comment", ReviewComment)
export type ReviewComment = typeof ReviewComment.Type

const Release = Schema.Struct({
  id: Schema.Int,
  repository: Schema.Int,
  tag: text,
  name: text,
  body: text,
  author: text,
  isDraft: Schema.Boolean,
  isPrerelease: Schema.Boolean,
  publishedAt: time
})
export const releases = table("release", Release)
export type Release = typeof Release.Type

const CheckRun = Schema.Struct({
  id: Schema.Int,
  sha: text,
  name: text,
  status: Schema.Literal("queued", "in_progress", "completed"),
  conclusion: maybe(text),
  title: maybe(text),
  startedAt: time,
  completedAt: maybe(time)
})
export const checkRuns = table("check_run", CheckRun)
export type CheckRun = typeof CheckRun.Type

// keys ----------------------------------------------------------------------------------------------------------------

/** Names of accounts and repositories are the same in any case. */
export const keyOf = (owner: string, name: string) => `${owner}/${name}`.toLowerCase()

export const within = (repository: number, name: string | number) => `${repository}/${name}`

/** Ids of GitHub's are numbers of ten digits; one is never given twice. */
export const freshId = (account: Account): number => 2_104_000_000 + account.nextId() * 17

/** The connected account's own login. */
export const me = "mira-okafor"

/** Teams of the organisation. */
export const teams = [
  { id: 5_110_031, slug: "carriers", name: "Carriers" },
  { id: 5_110_047, slug: "platform", name: "Platform" }
] as const
export type Team = (typeof teams)[number]

// looking things up -----------------------------------------------------------------------------------------------------

interface Named {
  readonly params: { readonly [name: string]: string }
}

export const repositoryOf = ({ params }: Named, account: Account): Answered<Repository> => {
  const found = repositories.get(account, keyOf(params.owner ?? "", params.repo ?? ""))
  return found === undefined ? Either.left(notFound) : Either.right(found)
}

/** A repository that may be written to; the contents of others seem not to be there. */
export const writableOf = (request: Named, account: Account): Answered<Repository> =>
  Either.flatMap(repositoryOf(request, account), (repository) => {
    if (!repository.mayPush) return Either.left(notFound)
    return repository.isArchived
      ? Either.left(failure(403, "Repository was archived so is read-only."))
      : Either.right(repository)
  })

export const issueOf = (request: Named, account: Account): Answered<readonly [Repository, Issue]> =>
  Either.flatMap(repositoryOf(request, account), (repository) => {
    const found = issues.get(account, within(repository.id, Number(request.params.number)))
    return found === undefined ? Either.left(notFound) : Either.right([repository, found] as const)
  })

export const isPull = (issue: Issue): issue is PullRequest => issue.pull !== null

export const pullOf = (request: Named, account: Account): Answered<readonly [Repository, PullRequest]> =>
  Either.flatMap(issueOf(request, account), ([repository, issue]) =>
    isPull(issue) ? Either.right([repository, issue] as const) : Either.left(notFound)
  )

export const ofRepository = <A extends { readonly repository: number }>(
  repository: Repository,
  all: ReadonlyArray<A>
): ReadonlyArray<A> => all.filter((one) => one.repository === repository.id)

export const branchOf = (account: Account, repository: Repository, name: string): Branch | undefined =>
  branches.get(account, within(repository.id, name))

/** The commit that a branch, a tag of a release, or (the beginning of) a hash stands for. */
export const commitOf = (account: Account, repository: Repository, ref: string): Commit | undefined => {
  const name = ref.replace(/^refs\//, "").replace(/^(heads|tags)\//, "")
  const branch = branchOf(account, repository, name)
  if (branch !== undefined) return commits.get(account, branch.sha)
  const isTag = ofRepository(repository, releases.all(account)).some(({ tag }) => tag === name)
  if (isTag) return commits.get(account, branchOf(account, repository, repository.defaultBranch)?.sha ?? "")
  if (!/^[0-9a-f]{7,40}$/.test(name)) return undefined
  return commits.get(account, name) ?? commits.all(account).find(({ sha }) => sha.startsWith(name))
}
