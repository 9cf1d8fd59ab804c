import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route } from "../../../providers/simulation/Simulator.ts"
import { fullName } from "./Addresses.ts"
import { type Answered, bodyOf, failure, invalid, listed, ok, oneOf, paging, queryOf, route } from "./Answers.ts"
import { ahead, diffOf, merged, putCommit } from "./Git.ts"
import { inOrder, nextNumber, putIssue, turned } from "./IssueRoutes.ts"
import { contentsOf, fullPullView, pullView } from "./PullViews.ts"
import {
  branches,
  branchOf,
  commitOf,
  freshId,
  isPull,
  issues,
  keyOf,
  logins,
  me,
  ofRepository,
  pullOf,
  type PullRequest,
  repositories,
  type Repository,
  repositoryOf,
  teams,
  within,
  writableOf
} from "./Tables.ts"
import { fileView } from "./Views.ts"

const root = "/repos/:owner/:repo"
const pull = `${root}/pulls/:number`

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The branch with the changes: `branch`, or `owner:branch` of a copy of the repository. */
const headOf = (account: Account, repository: Repository, head: string) => {
  const [owner, ref] = head.includes(":") ? head.split(":") : [repository.owner, head]
  const from =
    owner === repository.owner
      ? repository
      : repositories.all(account).find((one) => one.owner === owner && one.parent === fullName(repository))
  const branch = from === undefined ? undefined : branchOf(account, from, ref ?? "")
  return from === undefined || branch === undefined ? undefined : { from, branch }
}

const pullsOf = (account: Account, repository: Repository): ReadonlyArray<PullRequest> =>
  ofRepository(repository, issues.all(account)).filter(isPull)

const New = Schema.Struct({
  title: Schema.String,
  head: Schema.String,
  base: Schema.String,
  body: optional(Schema.NullOr(Schema.String)),
  draft: optional(Schema.Boolean),
  maintainer_can_modify: optional(Schema.Boolean)
})

const create = route("POST", `${root}/pulls`, (request, account) =>
  Either.gen(function* () {
    const repository = yield* repositoryOf(request, account)
    const body = yield* bodyOf(New, request)
    const head = headOf(account, repository, body.head)
    if (head === undefined) {
      return yield* Either.left(invalid({ resource: "PullRequest", field: "head", code: "invalid" }))
    }
    const base = branchOf(account, repository, body.base)
    if (base === undefined) {
      return yield* Either.left(invalid({ resource: "PullRequest", field: "base", code: "invalid" }))
    }
    const label = `${head.from.owner}:${head.branch.name}`
    const refuse = (message: string) => Either.left(invalid({ resource: "PullRequest", code: "custom", message }))
    const isThere = pullsOf(account, repository).some(
      ({ pull, state }) =>
        state === "open" &&
        pull.baseRef === base.name &&
        pull.headRef === head.branch.name &&
        pull.headRepository === fullName(head.from)
    )
    if (isThere) return yield* refuse(`A pull request already exists for ${label}.`)
    if (ahead(account, head.branch.sha, base.sha).length === 0) {
      return yield* refuse(`No commits between ${base.name} and ${head.branch.name}`)
    }
    const made = {
      id: freshId(account),
      repository: repository.id,
      number: nextNumber(account, repository),
      title: body.title,
      body: body.body ?? null,
      user: me,
      state: "open" as const,
      reason: null,
      labels: [],
      assignees: [],
      milestone: null,
      createdAt: account.now,
      updatedAt: account.now,
      closedAt: null,
      closedBy: null,
      pull: {
        headRepository: fullName(head.from),
        headRef: head.branch.name,
        headSha: head.branch.sha,
        baseRef: base.name,
        isDraft: body.draft ?? false,
        mergedAt: null,
        mergedBy: null,
        mergeSha: null,
        reviewers: [],
        teams: []
      }
    }
    putIssue(account, made)
    return ok(fullPullView(account, repository, made), 201)
  })
)

/** A pull request goes with its branch as long as it is open. */
const current = (account: Account, issue: PullRequest): PullRequest => {
  const [owner = "", name = ""] = issue.pull.headRepository.split("/")
  const from = repositories.get(account, keyOf(owner, name))
  const branch = from === undefined ? undefined : branchOf(account, from, issue.pull.headRef)
  return issue.state === "closed" || branch === undefined
    ? issue
    : { ...issue, pull: { ...issue.pull, headSha: branch.sha } }
}

const list = route("GET", `${root}/pulls`, (request, account) =>
  Either.gen(function* () {
    const query = yield* queryOf(request, ["state", "head", "base", "sort", "direction", ...paging])
    const repository = yield* repositoryOf(request, account)
    const state = yield* oneOf("state", query("state"), ["open", "closed", "all"])
    const sort = yield* oneOf("sort", query("sort"), ["created", "updated", "popularity", "long-running"])
    const direction = yield* oneOf(
      "direction",
      query("direction"),
      sort === "created" ? ["desc", "asc"] : ["asc", "desc"]
    )
    const [head, base] = [query("head"), query("base")]
    const wanted = pullsOf(account, repository).filter(
      (one) =>
        (state === "all" || one.state === state) &&
        (base === undefined || one.pull.baseRef === base) &&
        (head === undefined || `${one.pull.headRepository.split("/")[0]}:${one.pull.headRef}` === head)
    )
    const order = sort === "popularity" ? "comments" : sort === "long-running" ? "created" : sort
    return yield* listed(request, inOrder(account, wanted, order, direction).filter(isPull), (one) =>
      pullView(account, repository, current(account, one))
    )
  })
)

const read = route("GET", pull, (request, account) =>
  Either.map(pullOf(request, account), ([repository, found]) => {
    const issue = current(account, found)
    const isDiff = /\.diff\b/.test(request.headers.accept ?? "")
    return isDiff
      ? {
          status: 200,
          headers: { "content-type": "application/vnd.github.diff; charset=utf-8" },
          body: diffOf(contentsOf(account, repository, issue).files)
        }
      : ok(fullPullView(account, repository, issue))
  })
)

const Changes = Schema.Struct({
  title: optional(Schema.String),
  body: optional(Schema.NullOr(Schema.String)),
  state: optional(Schema.Literal("open", "closed")),
  base: optional(Schema.String),
  maintainer_can_modify: optional(Schema.Boolean)
})

const update = route("PATCH", pull, (request, account) =>
  Either.gen(function* () {
    const [repository, found] = yield* pullOf(request, account)
    const body = yield* bodyOf(Changes, request)
    if (!repository.mayPush && found.user !== me) {
      return yield* Either.left(failure(403, "Must have admin rights to Repository."))
    }
    if (body.base !== undefined && branchOf(account, repository, body.base) === undefined) {
      return yield* Either.left(invalid({ resource: "PullRequest", field: "base", code: "invalid" }))
    }
    if (body.state === "open" && found.pull.mergedAt !== null) {
      return yield* Either.left(
        invalid({
          resource: "PullRequest",
          field: "state",
          code: "invalid",
          message: "state cannot be changed. The pull request was merged."
        })
      )
    }
    const { reason: _, ...state } = { reason: null, ...turned(account, found, body.state) }
    const changed = {
      ...found,
      ...state,
      title: body.title ?? found.title,
      body: body.body === undefined ? found.body : body.body,
      updatedAt: account.now,
      pull: { ...found.pull, baseRef: body.base ?? found.pull.baseRef }
    }
    putIssue(account, changed)
    return ok(fullPullView(account, repository, current(account, changed)))
  })
)

const Merge = Schema.Struct({
  merge_method: optional(Schema.Literal("merge", "squash", "rebase")),
  sha: optional(Schema.String),
  commit_title: optional(Schema.String),
  commit_message: optional(Schema.String)
})

const merge = route("PUT", `${pull}/merge`, (request, account) =>
  Either.gen(function* () {
    const repository = yield* writableOf(request, account)
    const [, found] = yield* pullOf(request, account)
    const issue = current(account, found)
    const { commit_message, commit_title, merge_method = "merge", sha } = yield* bodyOf(Merge, request)
    const branch = branchOf(account, repository, issue.pull.baseRef)
    const base = branch === undefined ? undefined : commitOf(account, repository, branch.sha)
    const head = commitOf(account, repository, issue.pull.headSha)
    if (
      issue.state === "closed" ||
      issue.pull.isDraft ||
      branch === undefined ||
      base === undefined ||
      head === undefined
    ) {
      return yield* Either.left(failure(405, "Pull Request is not mergeable"))
    }
    if (sha !== undefined && sha !== head.sha) {
      return yield* Either.left(failure(409, "Head branch was modified. Review and try the merge again."))
    }
    const tree = merged(account, base, head)
    if (tree === undefined) return yield* Either.left(failure(405, "Pull Request has merge conflicts"))
    const title = commit_title ?? `${issue.title} (#${issue.number})`
    const isMerge = merge_method === "merge"
    const commit = putCommit(account, {
      message: [
        isMerge && commit_title === undefined
          ? `Merge pull request #${issue.number} from ${issue.pull.headRepository.split("/")[0]}/${issue.pull.headRef}`
          : title,
        ...(commit_message === undefined || commit_message === "" ? [] : ["", commit_message])
      ].join("\n"),
      author: me,
      at: account.now,
      parents: isMerge ? [base.sha, head.sha] : [base.sha],
      tree
    })
    branches.put(account, within(repository.id, branch.name), { ...branch, sha: commit.sha })
    putIssue(account, {
      ...issue,
      state: "closed",
      closedAt: account.now,
      closedBy: me,
      updatedAt: account.now,
      pull: { ...issue.pull, mergedAt: account.now, mergedBy: me, mergeSha: commit.sha }
    })
    return ok({ sha: commit.sha, merged: true, message: "Pull Request successfully merged" })
  })
)

const Reviewers = Schema.Struct({
  reviewers: optional(Schema.Array(Schema.String)),
  team_reviewers: optional(Schema.Array(Schema.String))
})

/** Adds the reviewers and teams asked now to those asked before. */
const askedOf = (
  account: Account,
  { pull, user }: PullRequest,
  { reviewers = [], team_reviewers = [] }: typeof Reviewers.Type
): Answered<Pick<PullRequest["pull"], "reviewers" | "teams">> => {
  if (reviewers.includes(user)) {
    return Either.left(failure(422, "Review cannot be requested from pull request author."))
  }
  const isStranger =
    reviewers.some((login) => logins.get(account, login.toLowerCase())?.type !== "User") ||
    team_reviewers.some((wanted) => !teams.some(({ slug }) => slug === wanted))
  return isStranger
    ? Either.left(
        failure(
          422,
          "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository."
        )
      )
    : Either.right({
        reviewers: [...new Set([...pull.reviewers, ...reviewers])],
        teams: [...new Set([...pull.teams, ...team_reviewers])]
      })
}

const request = route("POST", `${pull}/requested_reviewers`, (request, account) =>
  Either.gen(function* () {
    const [repository, issue] = yield* pullOf(request, account)
    const asked = yield* askedOf(account, issue, yield* bodyOf(Reviewers, request))
    const changed = { ...issue, updatedAt: account.now, pull: { ...issue.pull, ...asked } }
    putIssue(account, changed)
    return ok(pullView(account, repository, current(account, changed)), 201)
  })
)

const files = route("GET", `${pull}/files`, (request, account) =>
  Either.gen(function* () {
    yield* queryOf(request, paging)
    const [repository, issue] = yield* pullOf(request, account)
    const { files, head } = contentsOf(account, repository, current(account, issue))
    return yield* listed(request, files, (file) => fileView(repository, head?.sha ?? "", file))
  })
)

/** Pull requests, their files and merging. */
export const pullRoutes: ReadonlyArray<Route> = [list, create, read, update, merge, request, files]
