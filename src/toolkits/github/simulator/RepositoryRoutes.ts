import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route } from "../../../providers/simulation/Simulator.ts"
import { fullName } from "./Addresses.ts"
import {
  type Answered,
  bodyOf,
  failure,
  listed,
  noContent,
  notFound,
  ok,
  oneOf,
  paging,
  queryOf,
  route
} from "./Answers.ts"
import { putBlob, putCommit } from "./Git.ts"
import {
  branches,
  branchOf,
  checkRuns,
  commitOf,
  freshId,
  keyOf,
  logins,
  me,
  ofRepository,
  releases,
  repositories,
  type Repository,
  repositoryOf,
  within,
  writableOf
} from "./Tables.ts"
import { checkRunView, releaseView } from "./ReleaseViews.ts"
import { branchView, fullRepositoryView, profileView, refView, repositoryView, userView } from "./Views.ts"

const root = "/repos/:owner/:repo"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const orders = {
  created: (repository: Repository) => repository.createdAt,
  updated: (repository: Repository) => repository.pushedAt,
  pushed: (repository: Repository) => repository.pushedAt,
  full_name: (repository: Repository) => fullName(repository).toLowerCase()
}

const sorted = (
  all: ReadonlyArray<Repository>,
  sort: keyof typeof orders,
  direction: string | undefined
): ReadonlyArray<Repository> => {
  const order = orders[sort]
  const ascending = [...all].sort((a, b) => (order(a) < order(b) ? -1 : 1))
  return (direction ?? (sort === "full_name" ? "asc" : "desc")) === "asc" ? ascending : ascending.toReversed()
}

const isMine = ({ mayPush, owner }: Repository) => owner === me || mayPush

const lists: ReadonlyArray<Route> = [
  route("GET", "/user/repos", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["visibility", "sort", "direction", ...paging])
      const visibility = yield* oneOf("visibility", query("visibility"), ["all", "public", "private"])
      const sort = yield* oneOf("sort", query("sort"), ["full_name", "created", "updated", "pushed"])
      const wanted = repositories
        .all(account)
        .filter((one) => isMine(one) && (visibility === "all" || one.isPrivate === (visibility === "private")))
      return yield* listed(request, sorted(wanted, sort, query("direction")), (one) => repositoryView(account, one))
    })
  ),
  route("GET", "/orgs/:org/repos", (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["type", "sort", "direction", ...paging])
      const type = yield* oneOf("type", query("type"), ["all", "public", "private", "forks", "sources"])
      const sort = yield* oneOf("sort", query("sort"), ["created", "updated", "pushed", "full_name"])
      const organisation = logins.get(account, (request.params.org ?? "").toLowerCase())
      if (organisation?.type !== "Organization") return yield* Either.left(notFound)
      const wanted = repositories.all(account).filter(
        (one) =>
          one.owner === organisation.login &&
          {
            all: true,
            public: !one.isPrivate,
            private: one.isPrivate,
            forks: one.parent !== null,
            sources: one.parent === null
          }[type]
      )
      return yield* listed(request, sorted(wanted, sort, query("direction")), (one) => repositoryView(account, one))
    })
  )
]

const NewRepository = Schema.Struct({
  name: Schema.String,
  description: optional(Schema.String),
  private: optional(Schema.Boolean),
  auto_init: optional(Schema.Boolean)
})

/** Makes a repository; its name must be free. */
const put = (
  account: Account,
  owner: string,
  repository: Omit<Repository, "id" | "owner" | "createdAt" | "pushedAt">
) => {
  if (repositories.get(account, keyOf(owner, repository.name)) !== undefined) {
    return Either.left(
      failure(422, "Repository creation failed.", [
        { resource: "Repository", field: "name", code: "custom", message: "name already exists on this account" }
      ])
    )
  }
  const made = { ...repository, id: freshId(account), owner, createdAt: account.now, pushedAt: account.now }
  repositories.put(account, keyOf(owner, repository.name), made)
  return Either.right(made)
}

const createFor = (owner: string, account: Account, body: typeof NewRepository.Type): Answered =>
  Either.map(
    put(account, owner, {
      name: body.name.replace(/[^\w.-]/g, "-"),
      description: body.description ?? null,
      homepage: null,
      isPrivate: body.private ?? false,
      parent: null,
      isArchived: false,
      language: null,
      topics: [],
      license: null,
      defaultBranch: "main",
      stars: 0,
      mayPush: true
    }),
    (made) => {
      if (body.auto_init === true) {
        const readme = putBlob(account, Buffer.from(`# ${made.name}\n${made.description ?? ""}\n`))
        const commit = putCommit(account, {
          message: "Initial commit",
          author: me,
          at: account.now,
          parents: [],
          tree: { "README.md": readme }
        })
        const first = { repository: made.id, name: "main", sha: commit.sha, isProtected: false }
        branches.put(account, within(made.id, "main"), first)
      }
      return ok(fullRepositoryView(account, made), 201)
    }
  )

const Fork = Schema.Struct({
  organization: optional(Schema.String),
  name: optional(Schema.String),
  default_branch_only: optional(Schema.Boolean)
})

const organisationOf = (account: Account, login: string): Answered<string> => {
  const found = logins.get(account, login.toLowerCase())
  return found?.type === "Organization" ? Either.right(found.login) : Either.left(notFound)
}

const single: ReadonlyArray<Route> = [
  route("POST", "/user/repos", (request, account) =>
    Either.flatMap(bodyOf(NewRepository, request), (body) => createFor(me, account, body))
  ),
  route("POST", "/orgs/:org/repos", (request, account) =>
    Either.gen(function* () {
      const organisation = yield* organisationOf(account, request.params.org ?? "")
      return yield* createFor(organisation, account, yield* bodyOf(NewRepository, request))
    })
  ),
  route("GET", root, (request, account) =>
    Either.map(repositoryOf(request, account), (found) => ok(fullRepositoryView(account, found)))
  ),
  route("POST", `${root}/forks`, (request, account) =>
    Either.gen(function* () {
      const source = yield* repositoryOf(request, account)
      const body = yield* bodyOf(Fork, request)
      const owner = body.organization === undefined ? me : yield* organisationOf(account, body.organization)
      if (owner === source.owner) return yield* Either.left(failure(403, "You cannot fork your own repository."))
      const known = repositories.all(account).find((one) => one.owner === owner && one.parent === fullName(source))
      if (known !== undefined) return ok(fullRepositoryView(account, known), 202)
      const { createdAt: _, id: __, owner: ___, pushedAt: ____, ...rest } = source
      const fork = yield* put(account, owner, {
        ...rest,
        name: body.name ?? source.name,
        parent: fullName(source),
        stars: 0,
        mayPush: true
      })
      const copied = ofRepository(source, branches.all(account)).filter(
        ({ name }) => body.default_branch_only !== true || name === source.defaultBranch
      )
      for (const branch of copied) {
        branches.put(account, within(fork.id, branch.name), { ...branch, repository: fork.id, isProtected: false })
      }
      return ok(fullRepositoryView(account, fork), 202)
    })
  )
]

const NewRef = Schema.Struct({ ref: Schema.String, sha: Schema.String })

const refs: ReadonlyArray<Route> = [
  route("GET", `${root}/branches`, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, paging)
      const repository = yield* repositoryOf(request, account)
      const all = [...ofRepository(repository, branches.all(account))].sort((a, b) => (a.name < b.name ? -1 : 1))
      return yield* listed(request, all, (branch) => branchView(repository, branch))
    })
  ),
  route("GET", `${root}/git/ref/*`, (request, account) =>
    Either.gen(function* () {
      const repository = yield* repositoryOf(request, account)
      const branch = branchOf(account, repository, (request.params["*"] ?? "").replace(/^heads\//, ""))
      return branch === undefined ? yield* Either.left(notFound) : ok(refView(repository, branch))
    })
  ),
  route("POST", `${root}/git/refs`, (request, account) =>
    Either.gen(function* () {
      const repository = yield* writableOf(request, account)
      const { ref, sha } = yield* bodyOf(NewRef, request)
      const name = /^refs\/heads\/([^\s~^:?*[\\]+)$/.exec(ref)?.[1]
      if (name === undefined) return yield* Either.left(failure(422, "Reference name must start with 'refs/heads/'."))
      if (commitOf(account, repository, sha)?.sha !== sha) {
        return yield* Either.left(failure(422, "Object does not exist"))
      }
      if (branchOf(account, repository, name) !== undefined) {
        return yield* Either.left(failure(422, "Reference already exists"))
      }
      const made = { repository: repository.id, name, sha, isProtected: false }
      branches.put(account, within(repository.id, name), made)
      return ok(refView(repository, made), 201)
    })
  ),
  route("DELETE", `${root}/git/refs/*`, (request, account) =>
    Either.gen(function* () {
      const repository = yield* writableOf(request, account)
      const branch = branchOf(account, repository, (request.params["*"] ?? "").replace(/^heads\//, ""))
      if (branch === undefined) return yield* Either.left(failure(422, "Reference does not exist"))
      if (branch.isProtected || branch.name === repository.defaultBranch) {
        return yield* Either.left(failure(422, "Cannot delete this branch"))
      }
      branches.remove(account, within(repository.id, branch.name))
      return noContent
    })
  )
]

const rest: ReadonlyArray<Route> = [
  route("GET", "/user", (_, account) => {
    const login = logins.get(account, me)
    return login === undefined ? Either.left(notFound) : Either.right(ok(profileView(account, login)))
  }),
  route("GET", `${root}/assignees`, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, paging)
      const repository = yield* repositoryOf(request, account)
      const people = logins.all(account).filter(({ type }) => type === "User" && repository.mayPush)
      return yield* listed(request, people, ({ login }) => userView(account, login))
    })
  ),
  route("GET", `${root}/releases`, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, paging)
      const repository = yield* repositoryOf(request, account)
      const all = [...ofRepository(repository, releases.all(account))].sort((a, b) => b.publishedAt - a.publishedAt)
      return yield* listed(request, all, (release) => releaseView(account, repository, release))
    })
  ),
  route("GET", `${root}/releases/tags/:tag`, (request, account) =>
    Either.gen(function* () {
      const repository = yield* repositoryOf(request, account)
      const found = ofRepository(repository, releases.all(account)).find(({ tag }) => tag === request.params.tag)
      return found === undefined ? yield* Either.left(notFound) : ok(releaseView(account, repository, found))
    })
  ),
  route("GET", `${root}/commits/:ref/check-runs`, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, paging)
      const repository = yield* repositoryOf(request, account)
      const commit = commitOf(account, repository, request.params.ref ?? "")
      if (commit === undefined) {
        return yield* Either.left(failure(422, `No commit found for SHA: ${request.params.ref}`))
      }
      const all = checkRuns.all(account).filter(({ sha }) => sha === commit.sha)
      const page = yield* listed(request, all, (run) => checkRunView(account, repository, run))
      return { ...page, body: { total_count: all.length, check_runs: page.body } }
    })
  )
]

/** The connected user, repositories, branches, releases, check runs. */
export const repositoryRoutes: ReadonlyArray<Route> = [...lists, ...single, ...refs, ...rest]
