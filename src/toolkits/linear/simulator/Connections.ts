import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../../providers/simulation/Account.ts"
import { type Answered, fail, invalid } from "./Answers.ts"
import { type Args, type Field, scalar, type Schema } from "./Execute.ts"
import { type Fields, text, timeOf } from "./Fields.ts"
import { fits } from "./Filters.ts"

// Lists: pages of records, filtered and sorted. https://linear.app/developers/pagination

const pagingArgs = {
  first: "Int",
  after: "String",
  last: "Int",
  before: "String",
  includeArchived: "Boolean",
  orderBy: "PaginationOrderBy"
}

/** Fields that lists of a type can be sorted by, with Linear's name for the input of each. */
const sorts: { readonly [type: string]: { readonly [field: string]: string } } = {
  Issue: {
    createdAt: "CreatedAtSort",
    updatedAt: "UpdatedAtSort",
    completedAt: "CompletedAtSort",
    dueDate: "DueDateSort",
    estimate: "EstimateSort",
    title: "TitleSort"
  },
  Project: {
    createdAt: "ProjectCreatedAtSort",
    updatedAt: "ProjectUpdatedAtSort",
    name: "ProjectNameSort",
    startDate: "StartDateSort",
    targetDate: "TargetDateSort"
  },
  User: { name: "UserNameSort", displayName: "UserDisplayNameSort" }
}

/** The input types of sorting. */
export const sortInputs: Schema["inputs"] = Object.fromEntries(
  Object.entries(sorts).flatMap(([type, fields]) => [
    [`${type}SortInput`, fields],
    ...Object.values(fields).map((name) => [name, { order: "PaginationSortOrder", nulls: "PaginationNulls" }] as const)
  ])
)

type Order = (a: Doc, b: Doc) => number

/** By one field; nulls go last unless the input says otherwise. */
const orderBy = (field: string, wanted: unknown): Order => {
  const { nulls, order }: Doc = Predicate.isRecord(wanted) ? wanted : {}
  const [direction, end] = [order === "Descending" ? -1 : 1, nulls === "first" ? -1 : 1]
  return (a, b) => {
    const [one, other] = [a[field] ?? null, b[field] ?? null]
    if (one === null || other === null) return one === other ? 0 : one === null ? end : -end
    if (typeof one === "number" && typeof other === "number") return direction * (one - other)
    return direction * String(one).localeCompare(String(other))
  }
}

/** By what a list is asked to be sorted by, and the newest first. */
const orderOf = ({ orderBy: by, sort }: Args): Order => {
  const name = by === "updatedAt" ? "updatedAt" : "createdAt"
  const wanted = (Array.isArray(sort) ? sort.filter(Predicate.isRecord) : []).flatMap((one) =>
    Object.entries(one).map(([field, how]) => orderBy(field, how))
  )
  const newest: Order = (a, b) => (timeOf(b, name) ?? 0) - (timeOf(a, name) ?? 0)
  const byId: Order = (a, b) => (text(a, "id") < text(b, "id") ? -1 : 1)
  return (a, b) => {
    for (const order of [...wanted, newest]) {
      const found = order(a, b)
      if (found !== 0) return found
    }
    return byId(a, b)
  }
}

const refused = (words: string) => fail(invalid("Argument Validation Error", words))

/** A page of records: the first after a cursor, or the last before one. */
const pageOf = (all: ReadonlyArray<Doc>, args: Args): Answered<Doc> => {
  const sorted = all.toSorted(orderOf(args))
  for (const name of ["first", "last"]) {
    const count = args[name] ?? 1
    if (typeof count !== "number" || count < 1 || count > 250) return refused(`${name} must be between 1 and 250`)
  }
  const [after, before] = [args["after"] ?? null, args["before"] ?? null]
  const low = after === null ? 0 : sorted.findIndex(({ id }) => id === after) + 1
  if (after !== null && low === 0) return refused("after is not a valid cursor")
  const high = before === null ? sorted.length : sorted.findIndex(({ id }) => id === before)
  if (high < 0) return refused("before is not a valid cursor")
  const isBackwards = before !== null || typeof args["last"] === "number"
  const count = Number(args[isBackwards ? "last" : "first"] ?? 50)
  const [start, end] = isBackwards ? [Math.max(low, high - count), high] : [low, Math.min(high, low + count)]
  const nodes = sorted.slice(start, end)
  return Either.right({
    all: sorted,
    nodes,
    totalCount: sorted.length,
    pageInfo: {
      hasNextPage: end < sorted.length,
      hasPreviousPage: start > 0,
      startCursor: nodes[0]?.["id"] ?? null,
      endCursor: nodes.at(-1)?.["id"] ?? null
    }
  })
}

type Find = (account: Account, source: Doc, args: Args) => ReadonlyArray<Doc>

/** Arguments of a list beyond those of all. */
type More = NonNullable<Field["args"]>

export const filter = (name: string) => ({ filter: `${name}Filter` })
export const sort = (type: string) => ({ sort: `[${type}SortInput!]` })

/** Makes the fields that are lists, in a schema's types. */
export const lists =
  (types: () => Schema["types"]) =>
  (type: string, find: Find, more: More = {}): Field => ({
    type: `${type}Connection`,
    args: { ...pagingArgs, ...more },
    resolve: (source, given, account) =>
      pageOf(
        find(account, source, given).filter(
          (one) =>
            (given["includeArchived"] === true || typeof one["archivedAt"] !== "number") &&
            fits(types(), type, given["filter"], one, account)
        ),
        given
      )
  })

const part = (name: string, type: string): Field => ({ ...scalar((source) => source[name]), type })

export const connectionOf = (type: string): Fields => ({
  nodes: part("nodes", `[${type}]`),
  pageInfo: part("pageInfo", "PageInfo")
})
