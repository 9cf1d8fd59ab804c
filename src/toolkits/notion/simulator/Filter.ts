import { Either } from "effect"
import { isObject, plainOf } from "./Values.ts"
import type { Page, Stored } from "./Tables.ts"

// Filters of a query, those that are known here: https://developers.notion.com/reference/filter-data-source-entries

export type Test = (page: Page) => boolean

const valueOf = (page: Page, name: string, type: string): unknown => {
  const property = page.properties[name]
  const value = isObject(property) ? property[type] : undefined
  if (type === "title" || type === "rich_text") return plainOf(value)
  if (isObject(value)) return value["name"] ?? value["start"]
  return Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? (one["name"] ?? one["id"]) : one)) : value
}

/** What properties sort by. */
export const keyOf = (page: Page, name: string): string | number => {
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
  const { property, ...rest } = filter
  const name = String(property)
  const column = columns[name]
  if (!isObject(column)) return Either.left(`Could not find property with name or id: ${name}`)
  const type = String(column["type"])
  const [only, ...more] = Object.entries(rest)
  if (only === undefined || more.length > 0 || only[0] !== type || !isObject(only[1])) {
    return Either.left(
      `The property type in the database does not match the property type of the filter provided: database property ${type} does not match filter ${only?.[0] ?? "undefined"}`
    )
  }
  const [condition, ...others] = Object.entries(only[1])
  const fits = condition === undefined ? undefined : conditions[type]?.[condition[0]]
  if (condition === undefined || fits === undefined || others.length > 0) {
    return Either.left(
      `body failed validation: body.filter.${type}.${condition?.[0] ?? "condition"} should be not present.`
    )
  }
  return Either.right((page) => fits(valueOf(page, name, type), condition[1]))
}
