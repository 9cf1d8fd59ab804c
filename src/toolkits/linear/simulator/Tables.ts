import { createHash } from "node:crypto"
import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import { table, type Table } from "../../../providers/simulation/Table.ts"
import { type Answered, fail, notFound } from "./Answers.ts"

// Contents of a simulated workspace. Times are milliseconds since the epoch; records name each other by ids.

const text = Schema.String
const time = Schema.Number
const maybe = Schema.NullOr

const User = Schema.Struct({
  id: text,
  name: text,
  displayName: text,
  email: text,
  active: Schema.Boolean,
  createdAt: time
})
export const users = table("user", User)
export type User = typeof User.Type

const Team = Schema.Struct({
  id: text,
  key: text,
  name: text,
  description: maybe(text),
  cyclesEnabled: Schema.Boolean,
  createdAt: time
})
export const teams = table("team", Team)
export type Team = typeof Team.Type

export const stateTypes = ["triage", "backlog", "unstarted", "started", "completed", "canceled"] as const

const State = Schema.Struct({
  id: text,
  team: text,
  name: text,
  type: Schema.Literal(...stateTypes),
  position: Schema.Number,
  createdAt: time
})
export const states = table("state", State)
export type State = typeof State.Type

const Label = Schema.Struct({ id: text, team: maybe(text), name: text, description: maybe(text), createdAt: time })
export const labels = table("label", Label)

const Project = Schema.Struct({
  id: text,
  name: text,
  description: text,
  content: maybe(text),
  status: text,
  priority: Schema.Int,
  lead: maybe(text),
  teams: Schema.Array(text),
  startDate: maybe(text),
  targetDate: maybe(text),
  createdAt: time,
  updatedAt: time
})
export const projects = table("project", Project)
export type Project = typeof Project.Type

const Cycle = Schema.Struct({
  id: text,
  team: text,
  number: Schema.Int,
  name: maybe(text),
  startsAt: time,
  endsAt: time,
  createdAt: time
})
export const cycles = table("cycle", Cycle)

const Issue = Schema.Struct({
  id: text,
  team: text,
  number: Schema.Int,
  title: text,
  description: maybe(text),
  state: text,
  priority: Schema.Int,
  assignee: maybe(text),
  creator: text,
  labels: Schema.Array(text),
  project: maybe(text),
  cycle: maybe(text),
  parent: maybe(text),
  estimate: maybe(Schema.Number),
  dueDate: maybe(text),
  createdAt: time,
  updatedAt: time,
  startedAt: maybe(time),
  completedAt: maybe(time),
  canceledAt: maybe(time),
  archivedAt: maybe(time),
  /** Archived because it was deleted. */
  trashed: Schema.Boolean
})
export const issues = table("issue", Issue)
export type Issue = typeof Issue.Type

const Comment = Schema.Struct({
  id: text,
  issue: text,
  user: text,
  body: text,
  parent: maybe(text),
  createdAt: time,
  updatedAt: time,
  editedAt: maybe(time)
})
export const comments = table("comment", Comment)
export type Comment = typeof Comment.Type

const Relation = Schema.Struct({ id: text, type: text, issue: text, related: text, createdAt: time })
export const relations = table("relation", Relation)

export const priorities = ["No priority", "Urgent", "High", "Medium", "Low"]

const statusAt = <Type extends string>(position: number, name: string, type: Type) => ({
  id: `b1d2c3a4-000${position}-4000-8000-00000000000${position}`,
  name,
  type,
  position,
  createdAt: Date.UTC(2026, 1, 2)
})

export const projectStatuses = [
  statusAt(1, "Backlog", "backlog"),
  statusAt(2, "Planned", "planned"),
  statusAt(3, "In Progress", "started"),
  statusAt(4, "Completed", "completed"),
  statusAt(5, "Canceled", "canceled")
] as const

/** A UUID that a text always gives. */
export const uuidOf = (text: string): string =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5")

export const freshId = (account: Account): string => uuidOf(`record ${account.nextId()}`)

/** The connected user. */
export const me = uuidOf("mira")

export const identifierOf = (account: Account, { number, team }: Issue): string =>
  `${teams.get(account, team)?.key ?? ""}-${number}`

/** The state that issues of a team begin in. */
export const startOf = (account: Account, team: string): State | undefined =>
  states.all(account).find((state) => state.team === team && state.type === "backlog")

/** An issue by its identifier, in any case, or its id. */
export const findIssue = (account: Account, name: string): Issue | undefined =>
  issues.get(account, name) ?? issues.all(account).find((issue) => identifierOf(account, issue) === name.toUpperCase())

export const issueOf = (account: Account, name: unknown): Answered<Issue> => {
  const found = typeof name === "string" ? findIssue(account, name) : undefined
  return found === undefined ? fail(notFound("Issue")) : Either.right(found)
}

/** The record of an id; fails if it is not there. */
export const held = <A extends { readonly [name: string]: unknown }>(
  records: Pick<Table<A>, "get">,
  account: Account,
  id: unknown,
  what: string
): Answered<A> => {
  const found = typeof id === "string" ? records.get(account, id) : undefined
  return found === undefined ? fail(notFound(what)) : Either.right(found)
}
