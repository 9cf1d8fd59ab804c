import { Either } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { apiOf, fullName, webOf } from "./Addresses.ts"
import { type Answered, failure, invalid, oneOf, pageOf, paging, queryOf, route } from "./Answers.ts"
import { textOf } from "./Git.ts"
import { inOrder } from "./IssueRoutes.ts"
import { commitOf, type Issue, issues, me, repositories, type Repository } from "./Tables.ts"
import { foundIssueView, repositoryView } from "./Views.ts"

// https://docs.github.com/en/search-github/getting-started-with-searching-on-github/understanding-the-search-syntax

interface Term {
  readonly isNot: boolean
  /** Undefined for plain words. */
  readonly key: string | undefined
  readonly value: string
}

/** Words, quoted phrases and `key:value`, each of which a hyphen negates. */
const termsOf = (query: string): ReadonlyArray<Term> =>
  [...query.matchAll(/(-)?(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))/g)].map(([, not, key, quoted, plain]) => ({
    isNot: not !== undefined,
    key,
    value: quoted ?? plain ?? ""
  }))

type Test<A> = (one: A, value: string) => boolean

const includes = (text: string | null, value: string) => (text ?? "").toLowerCase().includes(value.toLowerCase())
const same = (text: string | null, value: string) => text?.toLowerCase() === value.toLowerCase()
const person = (login: string | null, value: string) => same(login, value === "@me" ? me : value)

/** `>10`, `<=2026-01-31`, `1..9`, or one value; a day stands for all of it. */
const inRange = (
  number: number,
  value: string,
  read: (text: string) => readonly [from: number, to: number]
): boolean => {
  const [low, high] = value.split("..")
  if (low !== undefined && high !== undefined) return number >= read(low)[0] && number < read(high)[1]
  const [, sign = "", text = ""] = /^(>=|<=|>|<)?(.*)$/.exec(value) ?? []
  const [from, to] = read(text)
  return (
    (sign === ">" && number >= to) ||
    (sign === ">=" && number >= from) ||
    (sign === "<" && number < from) ||
    (sign === "<=" && number < to) ||
    (sign === "" && number >= from && number < to)
  )
}

const dayLength = 86_400_000
const day = (text: string) => {
  const time = Date.parse(text)
  return [time, /^\d{4}-\d{2}-\d{2}$/.test(text) ? time + dayLength : time + 1000] as const
}
const count = (text: string) => [Number(text), Number(text) + 1] as const

/** Records that fit all terms; refuses a qualifier that is not known here. */
const matching = <A>(
  all: ReadonlyArray<A>,
  terms: ReadonlyArray<Term>,
  words: Test<A>,
  qualifiers: { readonly [key: string]: Test<A> }
): Answered<ReadonlyArray<A>> => {
  const unknown = terms.find(({ key }) => key !== undefined && !Object.hasOwn(qualifiers, key))
  if (unknown !== undefined) {
    return Either.left(
      invalid({
        resource: "Search",
        field: "q",
        code: "invalid",
        message: `${unknown.key}: is not a qualifier of this search`
      })
    )
  }
  return Either.right(
    all.filter((one) =>
      terms.every(({ isNot, key, value }) => {
        const test = key === undefined ? words : qualifiers[key]
        return test !== undefined && test(one, value) !== isNot
      })
    )
  )
}

const found = <A>(request: SimulatedRequest, all: ReadonlyArray<A>, view: (one: A) => object): Answered => {
  // only the first 1,000 hits can be had
  const { entries, headers } = pageOf(request, all.slice(0, 1000))
  const items = entries.map((one) => ({ ...view(one), score: 1 }))
  return Either.right({ status: 200, headers, body: { total_count: all.length, incomplete_results: false, items } })
}

const queryIn = (request: SimulatedRequest) =>
  Either.gen(function* () {
    const query = yield* queryOf(request, ["q", "sort", "order", ...paging])
    const q = query("q") ?? ""
    if (q.trim() === "") return yield* Either.left(invalid({ resource: "Search", field: "q", code: "missing" }))
    if (q.length > 256) {
      return yield* Either.left(
        invalid({
          resource: "Search",
          field: "q",
          code: "invalid",
          message: "The search is longer than 256 characters."
        })
      )
    }
    return { terms: termsOf(q), query }
  })

// repositories ----------------------------------------------------------------------------------------------------------

const ownedBy: Test<Repository> = ({ owner }, value) => person(owner, value)

const ofRepositories: { readonly [key: string]: Test<Repository> } = {
  repo: (one, value) => same(fullName(one), value),
  org: ownedBy,
  user: ownedBy,
  language: ({ language }, value) => same(language, value),
  topic: ({ topics }, value) => topics.some((topic) => same(topic, value)),
  stars: ({ stars }, value) => inRange(stars, value, count),
  archived: ({ isArchived }, value) => String(isArchived) === value,
  fork: ({ parent }, value) => (value === "only" ? parent !== null : true),
  in: (_, value) => ["name", "description", "topics", "readme"].includes(value),
  is: ({ isPrivate }, value) => value === (isPrivate ? "private" : "public")
}

const searchRepositories = route("GET", "/search/repositories", (request, account) =>
  Either.gen(function* () {
    const { query, terms } = yield* queryIn(request)
    const sort = yield* oneOf("sort", query("sort"), ["best", "stars", "forks", "help-wanted-issues", "updated"])
    const hits = yield* matching(
      repositories.all(account),
      terms,
      (one, word) =>
        includes(one.name, word) || includes(one.description, word) || one.topics.includes(word.toLowerCase()),
      ofRepositories
    )
    const key = ({ pushedAt, stars }: Repository) => (sort === "updated" ? pushedAt : stars)
    const sorted = [...hits].sort((a, b) => key(b) - key(a))
    return yield* found(request, query("order") === "asc" ? sorted.toReversed() : sorted, (one) =>
      repositoryView(account, one)
    )
  })
)

// issues ----------------------------------------------------------------------------------------------------------------

interface Placed {
  readonly issue: Issue
  readonly repository: Repository
}

const isIt = ({ issue, repository }: Placed, value: string): boolean => {
  switch (value) {
    case "issue":
      return issue.pull === null
    case "pr":
    case "pull-request":
      return issue.pull !== null
    case "open":
    case "closed":
      return issue.state === value
    case "merged":
      return issue.pull?.mergedAt !== null && issue.pull !== null
    case "unmerged":
      return issue.pull?.mergedAt === null
    case "draft":
      return issue.pull?.isDraft === true
    case "private":
    case "public":
      return repository.isPrivate === (value === "private")
    default:
      return false
  }
}

const inOwner: Test<Placed> = ({ repository }, value) => person(repository.owner, value)

const ofIssues: { readonly [key: string]: Test<Placed> } = {
  is: isIt,
  type: isIt,
  state: isIt,
  repo: ({ repository }, value) => same(fullName(repository), value),
  org: inOwner,
  user: inOwner,
  author: ({ issue }, value) => person(issue.user, value),
  assignee: ({ issue }, value) => issue.assignees.some((login) => person(login, value)),
  "review-requested": ({ issue }, value) => issue.pull?.reviewers.some((login) => person(login, value)) === true,
  label: ({ issue }, value) => issue.labels.some((label) => same(label, value)),
  no: ({ issue }, value) =>
    (value === "assignee" && issue.assignees.length === 0) ||
    (value === "label" && issue.labels.length === 0) ||
    (value === "milestone" && issue.milestone === null),
  head: ({ issue }, value) => same(issue.pull?.headRef ?? null, value),
  base: ({ issue }, value) => same(issue.pull?.baseRef ?? null, value),
  draft: ({ issue }, value) => String(issue.pull?.isDraft === true) === value,
  in: (_, value) => ["title", "body", "comments"].includes(value),
  created: ({ issue }, value) => inRange(issue.createdAt, value, day),
  updated: ({ issue }, value) => inRange(issue.updatedAt, value, day),
  closed: ({ issue }, value) => issue.closedAt !== null && inRange(issue.closedAt, value, day),
  merged: ({ issue }, value) =>
    issue.pull !== null && issue.pull.mergedAt !== null && inRange(issue.pull.mergedAt, value, day),
  sort: (_, value) => /^(created|updated|comments)(-asc|-desc)?$/.test(value)
}

const placed = (account: Account): ReadonlyArray<Placed> => {
  const byId = new Map(repositories.all(account).map((one) => [one.id, one]))
  return issues.all(account).flatMap((issue) => {
    const repository = byId.get(issue.repository)
    return repository === undefined ? [] : [{ issue, repository }]
  })
}

const searchIssues = route("GET", "/search/issues", (request, account) =>
  Either.gen(function* () {
    const { query, terms } = yield* queryIn(request)
    const kinds = ["issue", "pr", "pull-request"]
    if (!terms.some(({ key, value }) => (key === "is" || key === "type") && kinds.includes(value))) {
      return yield* Either.left(
        failure(422, "Validation Failed", [
          {
            resource: "Search",
            field: "q",
            code: "invalid",
            message: "Query must include 'is:issue' or 'is:pull-request'"
          }
        ])
      )
    }
    const all = placed(account)
    const hits = yield* matching(
      all,
      terms,
      ({ issue }, word) => includes(issue.title, word) || includes(issue.body, word),
      ofIssues
    )
    const said = terms.find(({ key }) => key === "sort")?.value.split("-")
    const sort = yield* oneOf("sort", query("sort") ?? said?.[0], ["created", "updated", "comments"])
    const direction = yield* oneOf("order", query("order") ?? said?.[1], ["desc", "asc"])
    const homes = new Map(hits.map(({ issue, repository }) => [issue.id, repository]))
    const sorted = inOrder(
      account,
      hits.map(({ issue }) => issue),
      sort,
      direction
    )
    return yield* found(request, sorted, (issue) => {
      const repository = homes.get(issue.id)
      return repository === undefined ? {} : foundIssueView(account, repository, issue)
    })
  })
)

// code ------------------------------------------------------------------------------------------------------------------

interface SourceFile {
  readonly repository: Repository
  readonly path: string
  readonly sha: string
  readonly text: string
}

const inOwnersCode: Test<SourceFile> = ({ repository }, value) => person(repository.owner, value)

const ofCode: { readonly [key: string]: Test<SourceFile> } = {
  repo: ({ repository }, value) => same(fullName(repository), value),
  org: inOwnersCode,
  user: inOwnersCode,
  path: ({ path }, value) => includes(path, value),
  filename: ({ path }, value) => includes(path.split("/").at(-1) ?? "", value),
  extension: ({ path }, value) => path.toLowerCase().endsWith(`.${value.toLowerCase()}`),
  language: ({ repository }, value) => same(repository.language, value),
  in: (_, value) => value === "file" || value === "path"
}

const searchCode = route("GET", "/search/code", (request, account) =>
  Either.gen(function* () {
    const { terms } = yield* queryIn(request)
    if (terms.every(({ key }) => key !== undefined)) {
      return yield* Either.left(
        invalid({
          resource: "Search",
          field: "q",
          code: "invalid",
          message: "The search must have words beside qualifiers."
        })
      )
    }
    const all = repositories.all(account).flatMap((repository): ReadonlyArray<SourceFile> => {
      const tree = commitOf(account, repository, repository.defaultBranch)?.tree ?? {}
      return Object.entries(tree).map(([path, sha]) => ({ repository, path, sha, text: textOf(account, sha) }))
    })
    const hits = yield* matching(
      all,
      terms,
      ({ path, text }, word) => includes(text, word) || includes(path, word),
      ofCode
    )
    return yield* found(request, hits, ({ path, repository, sha }) => ({
      name: path.split("/").at(-1) ?? path,
      path,
      sha,
      url: `${apiOf(repository)}/contents/${path}`,
      git_url: `${apiOf(repository)}/git/blobs/${sha}`,
      html_url: `${webOf(repository)}/blob/${repository.defaultBranch}/${path}`,
      repository: repositoryView(account, repository)
    }))
  })
)

/** Searches of repositories, issues, pull requests and code. */
export const searchRoutes: ReadonlyArray<Route> = [searchRepositories, searchIssues, searchCode]
