import { Either, Schema } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { Account } from "../../../providers/simulation/Account.ts"
import { table } from "../../../providers/simulation/Table.ts"
import { type Answered, failure } from "./Answers.ts"

// Contents of a simulated site. Times are milliseconds since the epoch, people are account ids, issues are named by ids.

const text = Schema.String
const time = Schema.Number
const maybe = Schema.NullOr

/** A document as it came; it was checked when it was written. */
export const Stored = Schema.Record({ key: text, value: Schema.Unknown })

const User = Schema.Struct({ accountId: text, name: text, email: text, active: Schema.Boolean })
export const users = table("user", User)
export type User = typeof User.Type

const Named = Schema.Struct({ id: text, name: text })

const Project = Schema.Struct({
  id: text,
  key: text,
  name: text,
  description: text,
  lead: text,
  /** Whether the connected user may write to it. */
  mayWrite: Schema.Boolean,
  components: Schema.Array(Named),
  versions: Schema.Array(Schema.Struct({ ...Named.fields, released: Schema.Boolean, releaseDate: maybe(text) }))
})
export const projects = table("project", Project)
export type Project = typeof Project.Type

const Issue = Schema.Struct({
  id: text,
  project: text,
  number: Schema.Int,
  type: text,
  summary: text,
  description: maybe(Stored),
  status: text,
  priority: text,
  assignee: maybe(text),
  reporter: text,
  labels: Schema.Array(text),
  parent: maybe(text),
  due: maybe(text),
  components: Schema.Array(text),
  versions: Schema.Array(text),
  points: maybe(Schema.Number),
  created: time,
  updated: time,
  resolution: maybe(text),
  resolved: maybe(time)
})
export const issues = table("issue", Issue)
export type Issue = typeof Issue.Type

const Comment = Schema.Struct({ id: text, issue: text, author: text, body: Stored, created: time, updated: time })
export const comments = table("comment", Comment)
export type Comment = typeof Comment.Type

const Change = Schema.Struct({
  id: text,
  issue: text,
  author: text,
  at: time,
  items: Schema.Array(Schema.Struct({ field: text, from: maybe(text), to: maybe(text) }))
})
export const changes = table("change", Change)
export type Change = typeof Change.Type

const Link = Schema.Struct({ id: text, type: text, inward: text, outward: text })
export const links = table("link", Link)
export type Link = typeof Link.Type

const Worklog = Schema.Struct({
  id: text,
  issue: text,
  author: text,
  seconds: Schema.Int,
  spent: text,
  started: text,
  comment: maybe(Stored),
  created: time
})
export const worklogs = table("worklog", Worklog)
export type Worklog = typeof Worklog.Type

export const freshId = (account: Account): string => String(10_400 + account.nextId())

/** The connected user. */
export const me = "557058:0b1f3d22-7c55-4e7e-9f1a-2f4b6d8e0a01"

// the same on every site ----------------------------------------------------------------------------------------------

export const statuses = [
  { id: "10000", name: "To Do", category: { id: 2, key: "new", name: "To Do", colorName: "blue-gray" } },
  {
    id: "10001",
    name: "In Progress",
    category: { id: 4, key: "indeterminate", name: "In Progress", colorName: "yellow" }
  },
  {
    id: "10002",
    name: "In Review",
    category: { id: 4, key: "indeterminate", name: "In Progress", colorName: "yellow" }
  },
  { id: "10003", name: "Done", category: { id: 3, key: "done", name: "Done", colorName: "green" } }
] as const

/** Steps of the workflow, by the statuses they start from. */
export const transitions = [
  { id: "11", name: "Start progress", from: ["To Do"], to: "In Progress" },
  { id: "21", name: "Stop progress", from: ["In Progress"], to: "To Do" },
  { id: "31", name: "Ask for review", from: ["In Progress"], to: "In Review" },
  { id: "41", name: "Done", from: ["To Do", "In Progress", "In Review"], to: "Done" },
  { id: "51", name: "Reopen", from: ["Done"], to: "To Do" }
] as const

export const types = [
  { id: "10100", name: "Epic", description: "A large piece of work", subtask: false, level: 1 },
  { id: "10101", name: "Story", description: "Something a user wants", subtask: false, level: 0 },
  { id: "10102", name: "Task", description: "Something that has to be done", subtask: false, level: 0 },
  { id: "10103", name: "Bug", description: "Something that is not as it should be", subtask: false, level: 0 },
  { id: "10104", name: "Subtask", description: "A part of a piece of work", subtask: true, level: -1 }
] as const

/** The most urgent first. */
export const priorities: NonEmptyReadonlyArray<typeof Named.Type> = [
  { id: "1", name: "Highest" },
  { id: "2", name: "High" },
  { id: "3", name: "Medium" },
  { id: "4", name: "Low" },
  { id: "5", name: "Lowest" }
]

export const resolutions = [
  { id: "10000", name: "Done" },
  { id: "10001", name: "Won't Do" },
  { id: "10002", name: "Duplicate" }
] as const

export const linkTypes = [
  { id: "10000", name: "Blocks", inward: "is blocked by", outward: "blocks" },
  { id: "10001", name: "Duplicate", inward: "is duplicated by", outward: "duplicates" },
  { id: "10002", name: "Relates", inward: "relates to", outward: "relates to" }
] as const

// looking things up -------------------------------------------------------------------------------------------------------

export const keyOf = ({ number, project }: Issue): string => `${project}-${number}`

/** An issue by its key, in any case, or its id. */
export const findIssue = (account: Account, name: string): Issue | undefined =>
  issues.get(account, name) ?? issues.all(account).find((issue) => keyOf(issue) === name.toUpperCase())

export const noIssue = failure(404, ["Issue does not exist or you do not have permission to see it."])

export const issueOf = (
  { params }: { readonly params: { readonly [name: string]: string } },
  account: Account
): Answered<Issue> => {
  const found = findIssue(account, params.issue ?? "")
  return found === undefined ? Either.left(noIssue) : Either.right(found)
}

export const findProject = (account: Account, name: string): Project | undefined =>
  projects.all(account).find(({ id, key }) => id === name || key === name.toUpperCase())

/** The issue, if its project may be written to. */
export const writableOf = (request: Parameters<typeof issueOf>[0], account: Account): Answered<Issue> =>
  Either.flatMap(issueOf(request, account), (issue) =>
    findProject(account, issue.project)?.mayWrite === true
      ? Either.right(issue)
      : Either.left(failure(403, ["You do not have permission to edit issues in this project."]))
  )

/** Records that name an issue, in the order of ids. */
export const of = <A extends { readonly issue: string }>(issue: Issue, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((one) => one.issue === issue.id)
