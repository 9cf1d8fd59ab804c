import { Either, Predicate } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import { isDay } from "../../../providers/simulation/Period.ts"
import { type Answered, invalid } from "./Answers.ts"
import { isDocument } from "./Documents.ts"
import { findIssue, findProject, type Issue, priorities, type Project, resolutions, types, users } from "./Tables.ts"

// Fields of an issue in a body, and Jira's refusals, which name every field that is wrong.

/** Fields of an issue as they are kept. */
type Values = Partial<
  Pick<
    Issue,
    | "type"
    | "summary"
    | "description"
    | "priority"
    | "assignee"
    | "labels"
    | "parent"
    | "due"
    | "components"
    | "versions"
    | "points"
    | "resolution"
  >
>

type Read = (value: unknown, account: Account, project: Project) => Either.Either<Values, string>

const memberOf = (value: unknown, ...names: ReadonlyArray<string>): string | undefined => {
  const found = Predicate.isRecord(value)
    ? names.map((name) => value[name]).find((one) => typeof one === "string")
    : undefined
  return typeof found === "string" ? found : undefined
}

/** One of some records, by id or name. */
const chosen = <A extends { readonly id: string; readonly name: string }>(all: ReadonlyArray<A>, value: unknown) => {
  const named = memberOf(value, "id", "name")
  return named === undefined
    ? undefined
    : all.find(({ id, name }) => id === named || name.toLowerCase() === named.toLowerCase())
}

/** Names of several, each of which the project has. */
const several = (
  all: ReadonlyArray<{ readonly id: string; readonly name: string }>,
  value: unknown,
  what: string
): Either.Either<ReadonlyArray<string>, string> => {
  if (!Array.isArray(value)) return Either.left("data was not an array")
  return Either.all(
    value.map((one: unknown) => {
      const found = chosen(all, one)
      return found === undefined
        ? Either.left(`${what} name '${memberOf(one, "name", "id") ?? ""}' is not valid`)
        : Either.right(found.name)
    })
  )
}

const readers: { readonly [field: string]: Read } = {
  summary: (value) => {
    if (typeof value !== "string") return Either.left("Operation value must be a string")
    if (value.trim() === "") return Either.left("You must specify a summary of the issue.")
    if (value.includes("\n")) return Either.left("The summary is invalid because it contains newline characters.")
    return value.length > 255
      ? Either.left("Summary must be less than 255 characters.")
      : Either.right({ summary: value })
  },
  issuetype: (value) => {
    const type = chosen(types, value)
    return type === undefined ? Either.left("Specify a valid issue type") : Either.right({ type: type.name })
  },
  description: (value) =>
    value === null || isDocument(value)
      ? Either.right({ description: value })
      : Either.left("Operation value must be an Atlassian Document (see the Atlassian Document Format)"),
  priority: (value) => {
    const priority = chosen(priorities, value)
    return priority === undefined
      ? Either.left("The priority selected is invalid.")
      : Either.right({ priority: priority.name })
  },
  resolution: (value) => {
    const resolution = chosen(resolutions, value)
    return resolution === undefined
      ? Either.left("Specify a valid resolution")
      : Either.right({ resolution: resolution.name })
  },
  assignee: (value, account) => {
    if (value === null) return Either.right({ assignee: null })
    const user = users.get(account, memberOf(value, "accountId", "id") ?? "")
    return user?.active === true
      ? Either.right({ assignee: user.accountId })
      : Either.left("User does not exist or cannot be assigned issues.")
  },
  labels: (value) => {
    if (!Array.isArray(value)) return Either.left("data was not an array")
    const given: ReadonlyArray<unknown> = value
    const wrong = given.find((label) => typeof label !== "string" || /\s/.test(label))
    return wrong === undefined
      ? Either.right({ labels: [...new Set(given.map(String))] })
      : Either.left(`The label '${String(wrong)}' contains spaces which is invalid.`)
  },
  components: (value, _, project) =>
    Either.map(several(project.components, value, "Component"), (components) => ({ components })),
  fixVersions: (value, _, project) =>
    Either.map(several(project.versions, value, "Version"), (versions) => ({ versions })),
  duedate: (value) =>
    value === null || (typeof value === "string" && isDay(value))
      ? Either.right({ due: value })
      : Either.left("Error parsing date string: " + String(value)),
  parent: (value, account, project) => {
    if (value === null) return Either.right({ parent: null })
    const parent = findIssue(account, memberOf(value, "key", "id") ?? "")
    return parent === undefined || parent.project !== project.key
      ? Either.left("Given parent issue does not belong to the appropriate hierarchy.")
      : Either.right({ parent: parent.id })
  },
  customfield_10016: (value) =>
    value === null || typeof value === "number"
      ? Either.right({ points: value })
      : Either.left("Operation value must be a number")
}

/** Reads fields of a project's issue; all that are wrong are named. */
export const readFields = (
  account: Account,
  project: Project,
  given: { readonly [field: string]: unknown },
  known: ReadonlyArray<string>
): Answered<Values> => {
  const errors: { [field: string]: string } = {}
  let values: Values = {}
  for (const [field, value] of Object.entries(given)) {
    const read = known.includes(field) ? readers[field] : undefined
    const found =
      read?.(value, account, project) ??
      Either.left(`Field '${field}' cannot be set. It is not on the appropriate screen, or unknown.`)
    if (Either.isLeft(found)) errors[field] = found.left
    else values = { ...values, ...found.right }
  }
  return Object.keys(errors).length > 0 ? Either.left(invalid(errors)) : Either.right(values)
}

/** The project that a body of a new issue names. */
export const projectIn = (account: Account, value: unknown): Answered<Project> => {
  const found = findProject(account, memberOf(value, "key", "id") ?? "")
  return found === undefined
    ? Either.left(invalid({ project: "Specify a valid project ID or key" }))
    : Either.right(found)
}
