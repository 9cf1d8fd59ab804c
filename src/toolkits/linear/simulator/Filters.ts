import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import type { Schema } from "./Execute.ts"

// Filters: https://linear.app/developers/filtering

const text = { eq: "String", neq: "String", in: "[String!]", nin: "[String!]" }

const StringComparator = {
  ...text,
  eqIgnoreCase: "String",
  neqIgnoreCase: "String",
  contains: "String",
  containsIgnoreCase: "String",
  notContains: "String",
  startsWith: "String",
  endsWith: "String"
}

const id = { eq: "ID", neq: "ID", in: "[ID!]", nin: "[ID!]" }

const ordered = (type: string) => ({
  eq: type,
  neq: type,
  in: `[${type}!]`,
  nin: `[${type}!]`,
  gt: type,
  gte: type,
  lt: type,
  lte: type
})

const both = (name: string) => ({ and: `[${name}!]`, or: `[${name}!]` })

const user = {
  id: "IDComparator",
  name: "StringComparator",
  displayName: "StringComparator",
  email: "StringComparator",
  active: "BooleanComparator",
  isMe: "BooleanComparator"
}

const label = { id: "IDComparator", name: "StringComparator" }

/** The input types of filters, as far as they are known here. */
export const filterInputs: Schema["inputs"] = {
  StringComparator,
  IDComparator: id,
  IssueIDComparator: id,
  BooleanComparator: { eq: "Boolean", neq: "Boolean" },
  NumberComparator: ordered("Float"),
  NullableNumberComparator: { ...ordered("Float"), null: "Boolean" },
  EstimateComparator: { ...ordered("Float"), null: "Boolean" },
  DateComparator: ordered("DateTimeOrDuration"),
  NullableDateComparator: { ...ordered("DateTimeOrDuration"), null: "Boolean" },
  NullableTimelessDateComparator: { ...ordered("TimelessDateOrDuration"), null: "Boolean" },
  TeamFilter: { id: "IDComparator", key: "StringComparator", name: "StringComparator", ...both("TeamFilter") },
  UserFilter: { ...user, ...both("UserFilter") },
  NullableUserFilter: { ...user, null: "Boolean", ...both("NullableUserFilter") },
  WorkflowStateFilter: {
    id: "IDComparator",
    name: "StringComparator",
    type: "StringComparator",
    team: "TeamFilter",
    ...both("WorkflowStateFilter")
  },
  IssueLabelFilter: { ...label, ...both("IssueLabelFilter") },
  IssueLabelCollectionFilter: { ...label, some: "IssueLabelFilter", every: "IssueLabelFilter" },
  ProjectStatusFilter: { id: "IDComparator", name: "StringComparator", type: "StringComparator" },
  ProjectFilter: {
    id: "IDComparator",
    name: "StringComparator",
    status: "ProjectStatusFilter",
    lead: "NullableUserFilter",
    ...both("ProjectFilter")
  },
  NullableProjectFilter: { id: "IDComparator", name: "StringComparator", null: "Boolean" },
  CycleFilter: {
    id: "IDComparator",
    number: "NumberComparator",
    team: "TeamFilter",
    isActive: "BooleanComparator",
    isFuture: "BooleanComparator",
    isNext: "BooleanComparator",
    isPast: "BooleanComparator",
    isPrevious: "BooleanComparator"
  },
  NullableCycleFilter: { id: "IDComparator", number: "NumberComparator", null: "Boolean" },
  IssueFilter: {
    id: "IssueIDComparator",
    number: "NumberComparator",
    title: "StringComparator",
    priority: "NullableNumberComparator",
    estimate: "EstimateComparator",
    dueDate: "NullableTimelessDateComparator",
    createdAt: "DateComparator",
    updatedAt: "DateComparator",
    completedAt: "NullableDateComparator",
    team: "TeamFilter",
    state: "WorkflowStateFilter",
    assignee: "NullableUserFilter",
    creator: "NullableUserFilter",
    project: "NullableProjectFilter",
    cycle: "NullableCycleFilter",
    labels: "IssueLabelCollectionFilter",
    ...both("IssueFilter")
  },
  CommentFilter: {
    id: "IDComparator",
    body: "StringComparator",
    createdAt: "DateComparator",
    updatedAt: "DateComparator",
    user: "UserFilter",
    issue: "NullableIssueFilter",
    ...both("CommentFilter")
  },
  NullableIssueFilter: { id: "IssueIDComparator", number: "NumberComparator", team: "TeamFilter", null: "Boolean" }
}

const words = (value: unknown) => (typeof value === "string" ? value : "")
const lower = (value: unknown) => words(value).toLowerCase()

const isDate = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d{2}-\d{2}/.test(value)

/** Dates and times are compared as times, other values as they are. */
const order = (value: unknown, other: unknown): number => {
  const [a, b] = isDate(value) && isDate(other) ? [Date.parse(value), Date.parse(other)] : [value, other]
  if (a === b) return 0
  return typeof a === "number" && typeof b === "number" ? a - b : words(a) < words(b) ? -1 : 1
}

const isThere = (value: unknown) => value !== null && value !== undefined

const comparisons: { readonly [comparator: string]: (value: unknown, other: unknown) => boolean } = {
  eq: (value, other) => order(value, other) === 0,
  neq: (value, other) => order(value, other) !== 0,
  in: (value, other) => Array.isArray(other) && other.includes(value),
  nin: (value, other) => Array.isArray(other) && !other.includes(value),
  null: (value, other) => isThere(value) !== other,
  gt: (value, other) => isThere(value) && order(value, other) > 0,
  gte: (value, other) => isThere(value) && order(value, other) >= 0,
  lt: (value, other) => isThere(value) && order(value, other) < 0,
  lte: (value, other) => isThere(value) && order(value, other) <= 0,
  eqIgnoreCase: (value, other) => lower(value) === lower(other),
  neqIgnoreCase: (value, other) => lower(value) !== lower(other),
  contains: (value, other) => words(value).includes(words(other)),
  containsIgnoreCase: (value, other) => lower(value).includes(lower(other)),
  notContains: (value, other) => !words(value).includes(words(other)),
  startsWith: (value, other) => words(value).startsWith(words(other)),
  endsWith: (value, other) => words(value).endsWith(words(other))
}

const given = (filter: Doc) => Object.entries(filter).filter(([, condition]) => isThere(condition))

const asDocs = (value: unknown): ReadonlyArray<Doc> => (Array.isArray(value) ? value.filter(Predicate.isRecord) : [])

/** Whether a record of a type fits a filter, which was checked against its input type before. */
export const fits = (types: Schema["types"], type: string, filter: unknown, source: Doc, account: Account): boolean => {
  if (!Predicate.isRecord(filter)) return true
  return given(filter).every(([name, condition]) => {
    if (name === "and") return asDocs(condition).every((one) => fits(types, type, one, source, account))
    if (name === "or") return asDocs(condition).some((one) => fits(types, type, one, source, account))
    const field = types[type]?.[name]
    if (field === undefined || !Predicate.isRecord(condition)) return false
    const value = Either.getOrElse(field.resolve(source, {}, account), () => null)
    if (field.type === undefined)
      return given(condition).every(([comparator, other]) => comparisons[comparator]?.(value, other) === true)
    if (field.type.endsWith("Connection")) {
      const all = asDocs(Predicate.isRecord(value) ? value["all"] : undefined)
      const inner = field.type.replace(/Connection$/, "")
      const isOne = (wanted: unknown) => (one: Doc) => fits(types, inner, wanted, one, account)
      const { every, some, ...plain } = condition
      return (
        (every === undefined || all.every(isOne(every))) &&
        (some === undefined || all.some(isOne(some))) &&
        (Object.keys(plain).length === 0 || all.some(isOne(plain)))
      )
    }
    const { null: isMissing, ...rest } = condition
    if (isMissing === true) return !isThere(value)
    return Predicate.isRecord(value) && fits(types, field.type, rest, value, account)
  })
}
