import { Either } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import { wordsOf } from "./Documents.ts"
import { type Clause, type Jql, type Operator, parse, type Term, type Value } from "./Jql.ts"
import {
  comments,
  findProject,
  type Issue,
  issues,
  keyOf,
  me,
  of,
  priorities,
  projects,
  resolutions,
  statuses,
  types,
  users
} from "./Tables.ts"

// Queries evaluated over the issues of a site.

type Test = (issue: Issue) => boolean
type Tested = Either.Either<Test, string>

/** How a field is compared. */
type Field =
  /** One or several names of what it holds; `known` are all that exist, where others are an error. */
  | {
      readonly kind: "names"
      readonly of: (account: Account, issue: Issue) => ReadonlyArray<string>
      readonly known?: (account: Account) => ReadonlyArray<string>
    }
  | { readonly kind: "words"; readonly of: (account: Account, issue: Issue) => string }
  | { readonly kind: "time"; readonly of: (issue: Issue) => number | null }

const names = <A extends { readonly id: string; readonly name: string }>(all: ReadonlyArray<A>, held: string | null) =>
  all.flatMap(({ id, name }) => (name === held ? [name, id] : []))

const allNames = (all: ReadonlyArray<{ readonly id: string; readonly name: string }>) =>
  all.flatMap(({ id, name }) => [name, id])

const personNames = (account: Account, accountId: string | null) => {
  const user = accountId === null ? undefined : users.get(account, accountId)
  return user === undefined ? [] : [user.accountId, user.name, user.email]
}

const person = (field: "assignee" | "reporter"): Field => ({
  kind: "names",
  of: (account, issue) => personNames(account, issue[field]),
  known: (account) => users.all(account).flatMap(({ accountId, email, name }) => [accountId, name, email])
})

const key: Field = {
  kind: "names",
  of: (_, issue) => [keyOf(issue), issue.id],
  known: (account) => issues.all(account).flatMap((issue) => [keyOf(issue), issue.id])
}

const type: Field = { kind: "names", of: (_, issue) => names(types, issue.type), known: () => allNames(types) }
const due: Field = { kind: "time", of: ({ due }) => (due === null ? null : Date.parse(due)) }
const resolved: Field = { kind: "time", of: (issue) => issue.resolved }

const commentWords = (account: Account, issue: Issue) =>
  of(issue, comments.all(account))
    .map(({ body }) => wordsOf(body))
    .join(" ")

const fields: { readonly [name: string]: Field } = {
  project: {
    kind: "names",
    of: (account, issue) => {
      const project = findProject(account, issue.project)
      return project === undefined ? [] : [project.key, project.name, project.id]
    },
    known: (account) => projects.all(account).flatMap((project) => [project.key, project.name, project.id])
  },
  key,
  issue: key,
  issuekey: key,
  id: key,
  status: { kind: "names", of: (_, issue) => names(statuses, issue.status), known: () => allNames(statuses) },
  statuscategory: {
    kind: "names",
    of: (_, issue) =>
      statuses.flatMap(({ category, name }) => (name === issue.status ? [category.name, category.key] : [])),
    known: () => statuses.flatMap(({ category }) => [category.name, category.key])
  },
  issuetype: type,
  type,
  priority: { kind: "names", of: (_, issue) => names(priorities, issue.priority), known: () => allNames(priorities) },
  assignee: person("assignee"),
  reporter: person("reporter"),
  creator: person("reporter"),
  labels: { kind: "names", of: (_, issue) => issue.labels },
  component: { kind: "names", of: (_, issue) => issue.components },
  fixversion: { kind: "names", of: (_, issue) => issue.versions },
  resolution: {
    kind: "names",
    of: (_, issue) => (issue.resolution === null ? ["Unresolved"] : names(resolutions, issue.resolution)),
    known: () => ["Unresolved", ...allNames(resolutions)]
  },
  parent: {
    kind: "names",
    of: (account, { parent }) => {
      const found = parent === null ? undefined : issues.get(account, parent)
      return found === undefined ? [] : [keyOf(found), found.id]
    }
  },
  summary: { kind: "words", of: (_, { summary }) => summary },
  description: { kind: "words", of: (_, { description }) => wordsOf(description) },
  comment: { kind: "words", of: commentWords },
  text: {
    kind: "words",
    of: (account, issue) => [issue.summary, wordsOf(issue.description), commentWords(account, issue)].join(" ")
  },
  created: { kind: "time", of: ({ created }) => created },
  createddate: { kind: "time", of: ({ created }) => created },
  updated: { kind: "time", of: ({ updated }) => updated },
  updateddate: { kind: "time", of: ({ updated }) => updated },
  due,
  duedate: due,
  resolved,
  resolutiondate: resolved
}

// values ------------------------------------------------------------------------------------------------------------------

const lengths: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

/** `-7d`, `4h`: from now. */
const relative = (text: string, now: number): number | undefined => {
  const [, sign, count, unit = ""] = /^([+-]?)(\d+)([mhdw])$/.exec(text) ?? []
  const length = lengths[unit]
  return length === undefined ? undefined : now + (sign === "-" ? -1 : 1) * Number(count) * length
}

const starts: { readonly [name: string]: (now: Date) => Date } = {
  day: (now) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())),
  week: (now) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - now.getUTCDay())),
  month: (now) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
  year: (now) => new Date(Date.UTC(now.getUTCFullYear(), 0, 1))
}

const ends: { readonly [name: string]: (now: Date) => Date } = {
  day: (now) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1) - 1),
  week: (now) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - now.getUTCDay() + 7) - 1),
  month: (now) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - 1),
  year: (now) => new Date(Date.UTC(now.getUTCFullYear() + 1, 0, 1) - 1)
}

/** The time a value stands for. */
const timeOf = (value: Value, now: number): number | undefined => {
  if (value.kind === "empty") return undefined
  if (value.kind === "text") {
    const day = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?: (\d{1,2}):(\d{2}))?$/.exec(value.text)
    if (day === null) return relative(value.text, now)
    const [year = 0, month = 1, date = 1, hour = 0, minute = 0] = day.slice(1).map((part) => Number(part ?? 0))
    return Date.UTC(year, month - 1, date, hour, minute)
  }
  if (value.name.toLowerCase() === "now") return now
  const [, side, span = ""] = /^(start|end)of(day|week|month|year)$/.exec(value.name.toLowerCase()) ?? []
  const at = (side === "start" ? starts : ends)[span]?.(new Date(now)).getTime()
  return at === undefined || value.argument === undefined ? at : relative(value.argument, at)
}

const textOf = (value: Value): Either.Either<string | null, string> => {
  if (value.kind === "empty") return Either.right(null)
  if (value.kind === "text") return Either.right(value.text)
  return value.name.toLowerCase() === "currentuser"
    ? Either.right(me)
    : Either.left(`Unable to find JQL function '${value.name}(${value.argument ?? ""})'.`)
}

// terms -------------------------------------------------------------------------------------------------------------------

const notSupported = (field: string, operator: Operator) =>
  Either.left(`The operator '${operator}' is not supported by the '${field}' field.`)

const ranked = (operator: Operator, difference: number): boolean =>
  (operator === ">" && difference > 0) ||
  (operator === ">=" && difference >= 0) ||
  (operator === "<" && difference < 0) ||
  (operator === "<=" && difference <= 0) ||
  (operator === "=" && difference === 0) ||
  (operator === "!=" && difference !== 0)

const rankOf = (name: string) =>
  priorities.findIndex((one) => one.name.toLowerCase() === name.toLowerCase() || one.id === name)

const namesTest = (account: Account, field: Extract<Field, { kind: "names" }>, term: Term): Tested =>
  Either.gen(function* () {
    const wanted = yield* Either.all(term.values.map(textOf))
    const known = field.known?.(account).map((one) => one.toLowerCase())
    const unknown = wanted.find((one) => one !== null && known?.includes(one.toLowerCase()) === false)
    if (unknown !== undefined && unknown !== null) {
      return yield* Either.left(`The value '${unknown}' does not exist for the field '${term.field}'.`)
    }
    if ([">", ">=", "<", "<="].includes(term.operator) && term.field.toLowerCase() === "priority") {
      const rank = rankOf(wanted[0] ?? "")
      // the most urgent is the greatest
      return (issue: Issue) => ranked(term.operator, rank - rankOf(issue.priority))
    }
    const isAny = (issue: Issue) => {
      const held = field.of(account, issue).map((one) => one.toLowerCase())
      return wanted.some((one) => (one === null ? held.length === 0 : held.includes(one.toLowerCase())))
    }
    switch (term.operator) {
      case "=":
      case "in":
      case "is":
        return isAny
      case "!=":
      case "not in":
        // an empty field is neither equal nor unequal
        return (issue: Issue) => field.of(account, issue).length > 0 && !isAny(issue)
      case "is not":
        return (issue: Issue) => !isAny(issue)
      default:
        return yield* notSupported(term.field, term.operator)
    }
  })

/** Words in any order, each from its beginning with `*` at its end; quotes inside keep them together. */
const wordsTest = (
  account: Account,
  field: Extract<Field, { kind: "words" }>,
  { field: name, operator, values }: Term
): Tested => {
  const [value] = values
  if (operator === "is" || operator === "is not") {
    return Either.right((issue) => (field.of(account, issue).trim() === "") === (operator === "is"))
  }
  if ((operator !== "~" && operator !== "!~") || value?.kind !== "text") return notSupported(name, operator)
  const wanted = [...value.text.toLowerCase().matchAll(/"([^"]+)"|([^\s"]+)/g)].map(([, phrase, word = ""]) =>
    phrase === undefined ? word.replace(/\*$/, "") : phrase
  )
  return Either.right((issue) => {
    const text = field.of(account, issue).toLowerCase()
    return wanted.every((word) => text.includes(word)) === (operator === "~")
  })
}

const timeTest = (
  account: Account,
  field: Extract<Field, { kind: "time" }>,
  { field: name, operator, values }: Term
): Tested => {
  const [value] = values
  if (operator === "is" || operator === "is not") {
    return Either.right((issue) => (field.of(issue) === null) === (operator === "is"))
  }
  if (["~", "!~", "in", "not in"].includes(operator) || value === undefined) return notSupported(name, operator)
  const time = timeOf(value, account.now)
  if (time === undefined) {
    const said = value.kind === "text" ? value.text : value.kind === "call" ? `${value.name}()` : "EMPTY"
    return Either.left(
      `Date value '${said}' for field '${name}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.`
    )
  }
  return Either.right((issue) => {
    const held = field.of(issue)
    return held !== null && ranked(operator, held - time)
  })
}

const unknownField = (name: string) => `Field '${name}' does not exist or you do not have permission to view it.`

const testOf = (account: Account, clause: Clause): Tested => {
  switch (clause.kind) {
    case "not":
      return Either.map(testOf(account, clause.of), (test) => (issue: Issue) => !test(issue))
    case "and":
      return Either.map(
        Either.all(clause.of.map((one) => testOf(account, one))),
        (tests) => (issue: Issue) => tests.every((test) => test(issue))
      )
    case "or":
      return Either.map(
        Either.all(clause.of.map((one) => testOf(account, one))),
        (tests) => (issue: Issue) => tests.some((test) => test(issue))
      )
    case "term": {
      const field = fields[clause.field.toLowerCase()]
      if (field === undefined) return Either.left(unknownField(clause.field))
      if (field.kind === "names") return namesTest(account, field, clause)
      return field.kind === "words" ? wordsTest(account, field, clause) : timeTest(account, field, clause)
    }
  }
}

// order -------------------------------------------------------------------------------------------------------------------

type Sortable = (account: Account, issue: Issue) => string | number

const sortables: { readonly [field: string]: Sortable } = {
  key: (_, { number, project }) => `${project} ${String(number).padStart(10, "0")}`,
  created: (_, { created }) => created,
  updated: (_, { updated }) => updated,
  due: (_, { due }) => due ?? "9999",
  duedate: (_, { due }) => due ?? "9999",
  priority: (_, { priority }) => -rankOf(priority),
  status: (_, { status }) => statuses.findIndex(({ name }) => name === status),
  summary: (_, { summary }) => summary.toLowerCase(),
  project: (_, { project }) => project,
  issuetype: (_, { type }) => type,
  assignee: (account, { assignee }) => (assignee === null ? "~" : (users.get(account, assignee)?.name ?? "~")),
  resolved: (_, { resolved }) => resolved ?? 0
}

/** The issues that a query means, in its order: as it says, and the newest first where it does not. */
export const search = (account: Account, jql: string): Either.Either<ReadonlyArray<Issue>, string> =>
  Either.gen(function* () {
    const query: Jql = yield* parse(jql)
    if (query.where === undefined) {
      return yield* Either.left(
        "Unbounded JQL queries are not allowed here. Please add a search restriction to your query."
      )
    }
    const test = yield* testOf(account, query.where)
    const keys = query.orderBy.length === 0 ? [{ field: "created", isDescending: true }] : query.orderBy
    const strange = keys.find(({ field }) => sortables[field.toLowerCase()] === undefined)
    if (strange !== undefined) return yield* Either.left(unknownField(strange.field))
    const compare = (a: Issue, b: Issue) => {
      for (const { field, isDescending } of keys) {
        const sortable = sortables[field.toLowerCase()]
        const [left, right] = [sortable?.(account, a) ?? 0, sortable?.(account, b) ?? 0]
        if (left !== right) return (left < right ? -1 : 1) * (isDescending ? -1 : 1)
      }
      return Number(a.id) - Number(b.id)
    }
    return issues.all(account).filter(test).sort(compare)
  })
