import { Either, Schema } from "effect"
import type { Page, Stored } from "./Tables.ts"
import { columnNamed, isObject, plainOf } from "./Values.ts"

// Filters of a query that are known here: https://developers.notion.com/reference/filter-data-source-entries

export type Test = (page: Page) => boolean

const valueOf = (page: Page, name: string, type: string): unknown => {
  const property = page.properties[name]
  const value = isObject(property) ? property[type] : undefined
  if (type === "title" || type === "rich_text") return plainOf(value)
  if (isObject(value)) return value["name"] ?? value["start"]
  return Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? (one["name"] ?? one["id"]) : one)) : value
}

const timestamps = ["created_time", "last_edited_time"] as const
const Timestamp = Schema.Literal(...timestamps)

const timeOf = ({ created, edited }: Page, timestamp: typeof Timestamp.Type) =>
  new Date(timestamp === "created_time" ? created : edited).toISOString()

const Direction = Schema.Literal("ascending", "descending")

/** An order of rows: by a property or by a time of the row itself. */
export const Sort = Schema.Union(
  Schema.Struct({ property: Schema.String, direction: Direction }),
  Schema.Struct({ timestamp: Timestamp, direction: Direction })
)

export const inOrder =
  (sorts: ReadonlyArray<typeof Sort.Type>, columns: Stored) =>
  (a: Page, b: Page): number => {
    for (const sort of sorts) {
      const name = "property" in sort ? (columnNamed(columns, sort.property)?.[0] ?? "") : ""
      const [left, right] =
        "property" in sort ? [keyOf(a, name), keyOf(b, name)] : [timeOf(a, sort.timestamp), timeOf(b, sort.timestamp)]
      if (left !== right) return left < right === (sort.direction === "ascending") ? -1 : 1
    }
    return b.created - a.created || (a.id < b.id ? -1 : 1)
  }

/** The value that a property sorts by. */
const keyOf = (page: Page, name: string): string | number => {
  const property = page.properties[name]
  const type = isObject(property) ? String(property["type"]) : ""
  const value = valueOf(page, name, type)
  return typeof value === "number" ? value : String(value ?? "")
}

const isEmpty = (held: unknown) =>
  held === undefined || held === null || held === "" || (Array.isArray(held) && held.length === 0)

type Condition = (held: unknown, wanted: unknown) => boolean

const lower = (value: unknown) => String(value).toLowerCase()
const empty: { readonly [name: string]: Condition } = {
  is_empty: (held) => isEmpty(held),
  is_not_empty: (held) => !isEmpty(held)
}
const equal: { readonly [name: string]: Condition } = {
  equals: (held, wanted) => held === wanted,
  does_not_equal: (held, wanted) => held !== wanted
}
const words: { readonly [name: string]: Condition } = {
  ...empty,
  equals: (held, wanted) => lower(held) === lower(wanted),
  does_not_equal: (held, wanted) => lower(held) !== lower(wanted),
  contains: (held, wanted) => lower(held).includes(lower(wanted)),
  does_not_contain: (held, wanted) => !lower(held).includes(lower(wanted)),
  starts_with: (held, wanted) => lower(held).startsWith(lower(wanted)),
  ends_with: (held, wanted) => lower(held).endsWith(lower(wanted))
}
const members: { readonly [name: string]: Condition } = {
  ...empty,
  contains: (held, wanted) => Array.isArray(held) && held.includes(wanted),
  does_not_contain: (held, wanted) => !(Array.isArray(held) && held.includes(wanted))
}
const order =
  (compare: (held: number | string, wanted: number | string) => boolean): Condition =>
  (held, wanted) =>
    typeof held === typeof wanted && (typeof held === "number" || typeof held === "string")
      ? compare(held, typeof wanted === "number" ? wanted : String(wanted))
      : false

const conditions: { readonly [type: string]: { readonly [name: string]: Condition } } = {
  title: words,
  rich_text: words,
  url: words,
  select: { ...equal, ...empty },
  status: { ...equal, ...empty },
  checkbox: equal,
  multi_select: members,
  people: members,
  relation: members,
  number: {
    ...equal,
    ...empty,
    greater_than: order((a, b) => a > b),
    less_than: order((a, b) => a < b),
    greater_than_or_equal_to: order((a, b) => a >= b),
    less_than_or_equal_to: order((a, b) => a <= b)
  },
  date: {
    ...equal,
    ...empty,
    before: order((a, b) => a < b),
    after: order((a, b) => a > b),
    on_or_before: order((a, b) => a <= b),
    on_or_after: order((a, b) => a >= b)
  }
}

const isTimestamp = Schema.is(Timestamp)

/** The test of a condition on a value of a row; left: what is wrong with it. */
const conditionOf = (
  type: string,
  given: unknown,
  held: (page: Page) => unknown,
  known = conditions[type]
): Either.Either<Test, string> => {
  const [condition, ...others] = isObject(given) ? Object.entries(given) : []
  const fits = condition === undefined ? undefined : known?.[condition[0]]
  return condition === undefined || fits === undefined || others.length > 0
    ? Either.left(`body failed validation: body.filter.${type}.${condition?.[0] ?? "condition"} should be not present.`)
    : Either.right((page) => fits(held(page), condition[1]))
}

/** The test of a filter; left: what is wrong with it. */
export const testOf = (filter: unknown, columns: Stored, depth = 0): Either.Either<Test, string> => {
  if (!isObject(filter) || depth > 2) return Either.left("body failed validation: body.filter should be an object.")
  for (const word of ["and", "or"] as const) {
    const parts = filter[word]
    if (!Array.isArray(parts)) continue
    return Either.map(
      Either.all(parts.map((part: unknown) => testOf(part, columns, depth + 1))),
      (tests) => (page: Page) => (word === "and" ? tests.every((test) => test(page)) : tests.some((test) => test(page)))
    )
  }
  const { property, timestamp, ...rest } = filter
  if (isTimestamp(timestamp)) {
    return conditionOf(timestamp, rest[timestamp], (page) => timeOf(page, timestamp), conditions["date"])
  }
  const [name, column] = columnNamed(columns, String(property)) ?? []
  if (name === undefined || column === undefined) {
    return Either.left(`Could not find property with name or id: ${String(property)}`)
  }
  const type = String(column["type"])
  const [only, ...more] = Object.entries(rest).filter(([member]) => member !== "type")
  if (only === undefined || more.length > 0 || only[0] !== type) {
    return Either.left(
      `The property type in the database does not match the property type of the filter provided: database property ${type} does not match filter ${only?.[0] ?? "undefined"}`
    )
  }
  return conditionOf(type, only[1], (page) => valueOf(page, name, type))
}
