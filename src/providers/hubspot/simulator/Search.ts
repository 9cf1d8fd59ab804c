import { Either, Schema } from "effect"
import type { Account } from "../../simulation/Account.ts"
import { type Answered, type Asked, bodyOf, invalid, ok } from "./Answers.ts"
import { linksOf } from "./Associations.ts"
import { recordsOf, type Stored, valueOf, view } from "./Records.ts"
import { type ObjectType, typeNamed } from "./Types.ts"
import { millisecondsOf } from "./Values.ts"

// Search: https://developers.hubspot.com/docs/api-reference/search/guide

const Filter = Schema.Struct({
  propertyName: Schema.String,
  operator: Schema.Literal(
    "EQ",
    "NEQ",
    "LT",
    "LTE",
    "GT",
    "GTE",
    "BETWEEN",
    "IN",
    "NOT_IN",
    "HAS_PROPERTY",
    "NOT_HAS_PROPERTY",
    "CONTAINS_TOKEN",
    "NOT_CONTAINS_TOKEN"
  ),
  value: Schema.optional(Schema.Union(Schema.String, Schema.Number, Schema.Boolean)),
  highValue: Schema.optional(Schema.Union(Schema.String, Schema.Number)),
  values: Schema.optional(Schema.Array(Schema.Union(Schema.String, Schema.Number)))
})

const Sort = Schema.Struct({
  propertyName: Schema.String,
  direction: Schema.optional(Schema.Literal("ASCENDING", "DESCENDING"))
})

const SearchBody = Schema.Struct({
  query: Schema.optional(Schema.String),
  limit: Schema.optional(Schema.Int),
  after: Schema.optional(Schema.Union(Schema.String, Schema.Int)),
  sorts: Schema.optional(Schema.Array(Schema.Union(Schema.String, Sort))),
  properties: Schema.optional(Schema.Array(Schema.String)),
  filterGroups: Schema.optional(Schema.Array(Schema.Struct({ filters: Schema.Array(Filter) })))
})

type Test = (record: Stored) => boolean

/** A value as it is compared: numbers and times by size, choices as they are, text without regard to case. */
type Comparable = (text: string) => string | number | undefined

const comparableOf = (type: ObjectType, name: string): Comparable => {
  switch (type.properties.get(name)?.type) {
    case "number":
      return (text) => (text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text))
    case "date":
    case "datetime":
      return millisecondsOf
    case "enumeration":
      return (text) => text
    default:
      return (text) => text.toLowerCase()
  }
}

/** Properties that no search filters by. */
const unsearchable: { readonly [type: string]: ReadonlyArray<string> } = { emails: ["hs_email_html"] }

const problem = (message: string) =>
  invalid("There was a problem with the request.", { errors: [{ message, code: "INVALID_FILTER" }] })

const tokens = (text: string) => text.split(/[^\p{L}\p{M}\p{N}]+/u)

/** Whether a pattern with `*` for any letters meets the whole value or one of its words. */
const containsToken = (pattern: string) => {
  const escaped = pattern
    .split("*")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*")
  const whole = new RegExp(`^${escaped}$`, "su")
  const wanted = tokens(pattern).filter((token) => token !== "")
  return (value: string) => {
    const held = tokens(value)
    return (
      whole.test(value) ||
      held.some((token) => whole.test(token)) ||
      (!pattern.includes("*") && wanted.length > 0 && wanted.every((token) => held.includes(token)))
    )
  }
}

/** `associations.contact`: records linked to a record. */
const associationTest = (account: Account, type: ObjectType, filter: typeof Filter.Type): Answered<Test> =>
  Either.gen(function* () {
    const to = yield* typeNamed(filter.propertyName.slice("associations.".length))
    const wanted = filter.operator === "EQ" ? [filter.value] : filter.operator === "IN" ? filter.values : undefined
    if (wanted === undefined) return yield* Either.left(problem(`${filter.operator} cannot be used with associations`))
    const ids = wanted.map(String)
    return (record) => linksOf(account, type, record.id, to).some((link) => ids.includes(link.id))
  })

const testOf = (account: Account, type: ObjectType, filter: typeof Filter.Type): Answered<Test> => {
  const { operator, propertyName } = filter
  if (propertyName.startsWith("associations.")) return associationTest(account, type, filter)
  const property = type.properties.get(propertyName)
  if (property === undefined) return Either.left(problem(`Property ${propertyName} does not exist`))
  if (unsearchable[type.name]?.includes(propertyName) === true) {
    return Either.left(problem(`Property ${propertyName} cannot be filtered by`))
  }
  const held = (record: Stored) => valueOf(account, type, record, propertyName)
  if (operator === "HAS_PROPERTY") return Either.right((record) => held(record) !== undefined)
  if (operator === "NOT_HAS_PROPERTY") return Either.right((record) => held(record) === undefined)

  const comparable = comparableOf(type, propertyName)
  const readable = (name: string, given: string | number | boolean | undefined): Answered<string | number> => {
    const value = given === undefined ? undefined : comparable(String(given))
    return value === undefined
      ? Either.left(problem(`${operator} of ${propertyName} needs a ${name} that is a ${property.type}`))
      : Either.right(value)
  }
  const compared = (record: Stored) => {
    const value = held(record)
    return value === undefined ? undefined : comparable(value)
  }
  return Either.gen(function* () {
    if (operator === "IN" || operator === "NOT_IN") {
      const given = filter.values ?? []
      if (given.length === 0) return yield* Either.left(problem(`${operator} of ${propertyName} needs values`))
      yield* Either.all(given.map((value) => readable("value", value)))
      // values of text are found only when they are asked for in lower case
      const wanted = given.map((value) => (property.type === "string" ? String(value) : comparable(String(value))))
      const isIn = (record: Stored) => wanted.includes(compared(record))
      return operator === "IN" ? isIn : (record: Stored) => !isIn(record)
    }
    const value = yield* readable("value", filter.value)
    const high = operator === "BETWEEN" ? yield* readable("highValue", filter.highValue) : value
    const folded = (text: string) => (property.type === "enumeration" ? text : text.toLowerCase())
    const contains = containsToken(folded(String(filter.value)))
    const holds = (record: Stored): boolean => {
      const own = compared(record)
      switch (operator) {
        case "EQ":
          return own === value
        case "NEQ":
          return own !== value
        case "CONTAINS_TOKEN":
          return contains(folded(held(record) ?? ""))
        case "NOT_CONTAINS_TOKEN":
          return !contains(folded(held(record) ?? ""))
        default:
          if (own === undefined) return false
          return (
            (operator === "LT" && own < value) ||
            (operator === "LTE" && own <= value) ||
            (operator === "GT" && own > value) ||
            (operator === "GTE" && own >= value) ||
            (operator === "BETWEEN" && own >= value && own <= high)
          )
      }
    }
    return holds
  })
}

const filtersOf = (account: Account, type: ObjectType, body: typeof SearchBody.Type): Answered<Test> =>
  Either.gen(function* () {
    const groups = body.filterGroups ?? []
    const count = groups.reduce((sum, group) => sum + group.filters.length, 0)
    if (groups.length > 5 || groups.some((group) => group.filters.length > 6) || count > 18) {
      return yield* Either.left(problem("At most 5 filterGroups, 6 filters in each, and 18 filters altogether"))
    }
    const tests = yield* Either.all(
      groups.map((group) => Either.all(group.filters.map((filter) => testOf(account, type, filter))))
    )
    return (record) => tests.length === 0 || tests.some((group) => group.every((test) => test(record)))
  })

const queryTest = (account: Account, type: ObjectType, query: string | undefined): Test => {
  const wanted = tokens((query ?? "").toLowerCase()).filter((token) => token !== "")
  return (record) => {
    const held = type.searched.flatMap((name) => tokens((valueOf(account, type, record, name) ?? "").toLowerCase()))
    return wanted.every((token) => held.some((one) => one.startsWith(token)))
  }
}

type Order = (a: Stored, b: Stored) => number

const orderOf = (account: Account, type: ObjectType, body: typeof SearchBody.Type): Answered<Order> => {
  const [sort, ...more] = body.sorts ?? []
  if (more.length > 0) return Either.left(problem("Only one sort is supported"))
  if (sort === undefined) return Either.right(() => 0)
  const name = typeof sort === "string" ? sort.replace(/^-/, "") : sort.propertyName
  const descends = typeof sort === "string" ? sort.startsWith("-") : sort.direction === "DESCENDING"
  if (!type.properties.has(name)) return Either.left(problem(`Property ${name} does not exist`))
  const comparable = comparableOf(type, name)
  const key = (record: Stored) => {
    const value = valueOf(account, type, record, name)
    return value === undefined ? undefined : comparable(value)
  }
  return Either.right((first, second) => {
    const a = key(first)
    const b = key(second)
    // records without a value come last
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return (a < b ? -1 : a > b ? 1 : 0) * (descends ? -1 : 1)
  })
}

/** Results of one search that can be reached. */
const reach = 10_000

/** Characters of a body. */
const longest = 3000

export const search = ({ account, at, request }: Asked): Answered =>
  Either.gen(function* () {
    const type = yield* typeNamed(at("objectType"))
    const body = yield* bodyOf(SearchBody, request)
    if (request.text.length > longest) {
      return yield* Either.left(problem(`The request is longer than ${longest} characters`))
    }
    const limit = body.limit ?? 10
    if (limit < 1 || limit > 200) return yield* Either.left(problem("limit must be from 1 to 200"))
    const from = body.after === undefined || body.after === "" ? 0 : Number(body.after)
    if (!Number.isInteger(from) || from < 0) return yield* Either.left(problem("after is not an offset"))
    if (from + limit > reach) {
      return yield* Either.left(problem(`Paging beyond the first ${reach} results is not supported`))
    }
    const matches = yield* filtersOf(account, type, body)
    const order = yield* orderOf(account, type, body)
    const asked = queryTest(account, type, body.query)
    const found = recordsOf(account, type)
      .filter((record) => record.archivedAt === undefined && matches(record) && asked(record))
      .sort(order)
    const end = from + limit
    return ok({
      total: found.length,
      results: found.slice(from, end).map((record) => view(account, type, record, body.properties ?? [])),
      ...(found.length > end ? { paging: { next: { after: String(end) } } } : {})
    })
  })
