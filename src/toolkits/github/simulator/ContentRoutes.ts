import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { apiOf, fullName, webOf } from "./Addresses.ts"
import { type Answered, bodyOf, failure, listed, notFound, ok, pageOf, paging, queryOf, route } from "./Answers.ts"
import { ahead, changes, contentOf, history, mergeBase, putBlob, putCommit, treeHash } from "./Git.ts"
import {
  blobs,
  branches,
  branchOf,
  type Commit,
  commitOf,
  me,
  repositories,
  type Repository,
  repositoryOf,
  keyOf,
  logins,
  within,
  writableOf
} from "./Tables.ts"
import { commitView, fileView, madeCommitView } from "./Views.ts"

const root = "/repos/:owner/:repo"

/** Bytes of a file above which its content is left out. */
const largest = 1_048_576

/** Members that files and directories share; git keeps them as blobs and trees. */
const entryOf = (repository: Repository, kind: "blob" | "tree", path: string, sha: string, ref: string) => {
  const addresses = {
    self: `${apiOf(repository)}/contents/${path}?ref=${ref}`,
    git: `${apiOf(repository)}/git/${kind}s/${sha}`,
    html: `${webOf(repository)}/${kind}/${ref}/${path}`
  }
  return {
    name: path.split("/").at(-1) ?? path,
    path,
    sha,
    url: addresses.self,
    git_url: addresses.git,
    html_url: addresses.html,
    _links: addresses
  }
}

const fileEntry = (account: Account, repository: Repository, path: string, sha: string, ref: string) => ({
  type: "file",
  size: contentOf(account, sha).length,
  ...entryOf(repository, "blob", path, sha, ref),
  download_url: `https://raw.githubusercontent.com/${fullName(repository)}/${ref}/${path}`
})

const withContent = (account: Account, repository: Repository, path: string, sha: string, ref: string) => {
  const entry = fileEntry(account, repository, path, sha, ref)
  const isLarge = entry.size > largest
  // GitHub breaks base64 into lines, the last of which ends as well
  const content = (blobs.get(account, sha)?.base64 ?? "").replace(/.{1,60}/g, "$&\n")
  return { ...entry, encoding: isLarge ? "none" : "base64", content: isLarge ? "" : content }
}

/** The entries right below a directory. */
const directoryView = (
  account: Account,
  repository: Repository,
  tree: Commit["tree"],
  directory: string,
  ref: string
) => {
  const inside = directory === "" ? "" : `${directory}/`
  const names = new Set(
    Object.keys(tree).flatMap((path) =>
      path.startsWith(inside) ? [path.slice(inside.length).split("/")[0] ?? ""] : []
    )
  )
  return [...names].sort().map((name) => {
    const path = inside + name
    const sha = tree[path]
    return sha !== undefined
      ? fileEntry(account, repository, path, sha, ref)
      : {
          type: "dir",
          size: 0,
          ...entryOf(repository, "tree", path, treeHash(tree, `${path}/`), ref),
          download_url: null
        }
  })
}

const getContents = (request: SimulatedRequest, account: Account): Answered =>
  Either.gen(function* () {
    const repository = yield* repositoryOf(request, account)
    const ref = (yield* queryOf(request, ["ref"]))("ref") ?? repository.defaultBranch
    const tree = commitOf(account, repository, ref)?.tree
    if (tree === undefined) return yield* Either.left(failure(404, `No commit found for the ref ${ref}`))
    const path = (request.params["*"] ?? "").replace(/\/$/, "")
    const sha = tree[path]
    if (sha !== undefined) {
      return (request.headers.accept ?? "").includes("raw")
        ? {
            status: 200,
            headers: { "content-type": "application/vnd.github.raw+json; charset=utf-8" },
            body: contentOf(account, sha)
          }
        : ok(withContent(account, repository, path, sha, ref))
    }
    const entries = directoryView(account, repository, tree, path, ref)
    return entries.length === 0 && path !== "" ? yield* Either.left(notFound) : ok(entries)
  })

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Signature = Schema.Struct({ name: Schema.String, email: Schema.String, date: optional(Schema.String) })

const common = {
  message: Schema.String,
  branch: optional(Schema.String),
  committer: optional(Signature),
  author: optional(Signature)
}

const Write = Schema.Struct({ ...common, content: Schema.String, sha: optional(Schema.String) })
const Delete = Schema.Struct({ ...common, sha: Schema.String })

/** The branch a write goes to, and the file as it is there; a write that names another version of it is refused. */
const targetOf = (request: SimulatedRequest, account: Account, { branch, sha }: { branch?: string; sha?: string }) =>
  Either.gen(function* () {
    const repository = yield* writableOf(request, account)
    const path = request.params["*"] ?? ""
    const name = branch ?? repository.defaultBranch
    const head = branchOf(account, repository, name)
    if (head === undefined) return yield* Either.left(failure(404, `Branch ${name} not found`))
    if (path.split("/").some((part) => ["", ".", ".."].includes(part))) {
      return yield* Either.left(failure(422, "path contains a malformed path component"))
    }
    const tip = commitOf(account, repository, head.sha)
    const current = tip?.tree[path]
    if (sha !== undefined && current !== undefined && sha !== current) {
      return yield* Either.left(failure(409, `${path} does not match ${sha}`))
    }
    return { repository, path, head, tip, current }
  })

const commitTo = (
  account: Account,
  { head, repository, tip }: Either.Either.Right<ReturnType<typeof targetOf>>,
  message: string,
  tree: Commit["tree"]
) => {
  const commit = putCommit(account, {
    message,
    author: me,
    at: account.now,
    parents: tip === undefined ? [] : [tip.sha],
    tree
  })
  branches.put(account, within(repository.id, head.name), { ...head, sha: commit.sha })
  const key = keyOf(repository.owner, repository.name)
  repositories.put(account, key, { ...repository, pushedAt: account.now })
  return madeCommitView(account, repository, commit)
}

const contents: ReadonlyArray<Route> = [
  route("GET", `${root}/contents`, getContents),
  route("GET", `${root}/contents/*`, getContents),
  route("PUT", `${root}/contents/*`, (request, account) =>
    Either.gen(function* () {
      const body = yield* bodyOf(Write, request)
      const target = yield* targetOf(request, account, body)
      const { current, head, path, repository, tip } = target
      if (current !== undefined && body.sha === undefined) {
        return yield* Either.left(failure(422, `Invalid request.\n\n"sha" wasn't supplied.`))
      }
      if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(body.content)) {
        return yield* Either.left(failure(422, "content is not valid Base64"))
      }
      const sha = putBlob(account, Buffer.from(body.content, "base64"))
      const commit = commitTo(account, target, body.message, { ...tip?.tree, [path]: sha })
      const content = fileEntry(account, repository, path, sha, head.name)
      return ok({ content, commit }, current === undefined ? 201 : 200)
    })
  ),
  route("DELETE", `${root}/contents/*`, (request, account) =>
    Either.gen(function* () {
      const body = yield* bodyOf(Delete, request)
      const target = yield* targetOf(request, account, body)
      const { current, path, tip } = target
      if (current === undefined) return yield* Either.left(notFound)
      const { [path]: _, ...rest } = tip?.tree ?? {}
      return ok({ content: null, commit: commitTo(account, target, body.message, rest) })
    })
  )
]

const timeIn = (value: string | undefined, otherwise: number): number =>
  value === undefined ? otherwise : Date.parse(value)

const touches = (account: Account, commit: Commit, path: string): boolean => {
  const before = commitParent(account, commit)?.tree ?? {}
  return [...new Set([...Object.keys(before), ...Object.keys(commit.tree)])].some(
    (name) => (name === path || name.startsWith(`${path}/`)) && before[name] !== commit.tree[name]
  )
}

const commitParent = (account: Account, { parents }: Commit): Commit | undefined =>
  history(account, parents[0] ?? "").at(0)

const commitRoutes: ReadonlyArray<Route> = [
  route("GET", `${root}/commits`, (request, account) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["sha", "path", "author", "since", "until", ...paging])
      const repository = yield* repositoryOf(request, account)
      const tip = commitOf(account, repository, query("sha") ?? repository.defaultBranch)
      if (tip === undefined) {
        return yield* Either.left(query("sha") === undefined ? failure(409, "Git Repository is empty.") : notFound)
      }
      const [path, author] = [query("path"), query("author")]
      const [since, until] = [timeIn(query("since"), -Infinity), timeIn(query("until"), Infinity)]
      const wanted = history(account, tip.sha).filter(
        (commit) =>
          commit.at >= since &&
          commit.at <= until &&
          (author === undefined || [commit.author, logins.get(account, commit.author)?.email].includes(author)) &&
          (path === undefined || touches(account, commit, path))
      )
      return yield* listed(request, wanted, (commit) => commitView(account, repository, commit))
    })
  ),
  route("GET", `${root}/commits/:ref`, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, paging)
      const repository = yield* repositoryOf(request, account)
      const ref = request.params.ref ?? ""
      const commit = commitOf(account, repository, ref)
      if (commit === undefined) return yield* Either.left(failure(422, `No commit found for SHA: ${ref}`))
      const files = changes(account, commitParent(account, commit)?.tree ?? {}, commit.tree)
      const additions = files.reduce((total, file) => total + file.additions, 0)
      const deletions = files.reduce((total, file) => total + file.deletions, 0)
      const { entries, headers } = pageOf(request, files)
      return {
        status: 200,
        headers,
        body: {
          ...commitView(account, repository, commit),
          stats: { total: additions + deletions, additions, deletions },
          files: entries.map((file) => fileView(repository, commit.sha, file))
        }
      }
    })
  ),
  route("GET", `${root}/compare/:basehead`, (request, account) =>
    Either.gen(function* () {
      yield* queryOf(request, paging)
      const repository = yield* repositoryOf(request, account)
      const [from = "", to = ""] = (request.params.basehead ?? "").split("...")
      const [base, head] = [commitOf(account, repository, from), commitOf(account, repository, to)]
      const common = base === undefined || head === undefined ? undefined : mergeBase(account, head.sha, base.sha)
      if (base === undefined || head === undefined || common === undefined) return yield* Either.left(notFound)
      const fresh = ahead(account, head.sha, base.sha).toReversed()
      const behind = ahead(account, base.sha, head.sha).length
      const status = fresh.length > 0 ? (behind > 0 ? "diverged" : "ahead") : behind > 0 ? "behind" : "identical"
      const { entries, headers } = pageOf(request, fresh)
      const page = `${webOf(repository)}/compare/${from}...${to}`
      const at = ({ sha }: Commit) => `${repository.owner}:${sha}`
      // files come with the first page
      const files = Number(request.query.get("page") ?? 1) > 1 ? [] : changes(account, common.tree, head.tree)
      return {
        status: 200,
        headers,
        body: {
          url: `${apiOf(repository)}/compare/${from}...${to}`,
          html_url: page,
          permalink_url: `${webOf(repository)}/compare/${at(base)}...${at(head)}`,
          diff_url: `${page}.diff`,
          patch_url: `${page}.patch`,
          base_commit: commitView(account, repository, base),
          merge_base_commit: commitView(account, repository, common),
          status,
          ahead_by: fresh.length,
          behind_by: behind,
          total_commits: fresh.length,
          commits: entries.map((commit) => commitView(account, repository, commit)),
          files: files.map((file) => fileView(repository, head.sha, file))
        }
      }
    })
  )
]

/** Files, commits and comparisons. */
export const contentRoutes: ReadonlyArray<Route> = [...contents, ...commitRoutes]
