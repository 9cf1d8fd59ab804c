import type { Condition, Dialect, Literal, Operator, OrderKey, Query } from "./Query.ts"

// Text is compared without regard to case, times as instants, numbers as numbers (also when written in quotes); an absent
// value equals nothing but `null`, differs from everything else and fits no pattern.

/** Reads the value at a path of a row; null or undefined when it is absent. */
export type Get<Row> = (row: Row, path: string) => unknown

/** The matching rows, in order, from `offset`, at most `limit`. `now` (milliseconds since the epoch) dates periods. */
export const run = <Row>(query: Query, rows: ReadonlyArray<Row>, get: Get<Row>, now: number): ReadonlyArray<Row> => {
  const from = query.offset ?? 0
  const found = query.where === undefined ? rows : rows.filter(matches(query.dialect, query.where, get, now))
  return sort(query.orderBy, found, get).slice(from, query.limit === undefined ? undefined : from + query.limit)
}

/** A condition as a predicate of rows. */
export const matches = <Row>(
  dialect: Dialect,
  condition: Condition,
  get: Get<Row>,
  now: number
): ((row: Row) => boolean) => {
  if (condition.kind === "not") {
    const of = matches(dialect, condition.of, get, now)
    return (row) => !of(row)
  }
  if (condition.kind !== "compare") {
    const left = matches(dialect, condition.left, get, now)
    const right = matches(dialect, condition.right, get, now)
    return condition.kind === "and" ? (row) => left(row) && right(row) : (row) => left(row) || right(row)
  }
  const { operator, path, values } = condition
  const [first] = values
  if (operator === "LIKE") {
    const pattern = patternOf(first?.kind === "text" ? first.raw : "", dialect.allows.has("_"))
    return (row) => {
      const held = get(row, path) ?? null
      return held !== null && pattern.test(String(held))
    }
  }
  const orders = values.map((value) => orderTo(value, now))
  const holds = tests[operator]
  return (row) => {
    const held = get(row, path) ?? null
    return holds(orders.map((order) => order(held)))
  }
}

/** Tests by operator, given the order of the held value to each literal (undefined: not comparable). */
const tests: {
  readonly [operator in Exclude<Operator, "LIKE">]: (orders: ReadonlyArray<number | undefined>) => boolean
} = {
  "=": ([order]) => order === 0,
  "!=": ([order]) => order !== 0,
  "<": ([order]) => order !== undefined && order < 0,
  "<=": ([order]) => order !== undefined && order <= 0,
  ">": ([order]) => order !== undefined && order > 0,
  ">=": ([order]) => order !== undefined && order >= 0,
  IN: (orders) => orders.includes(0),
  "NOT IN": (orders) => !orders.includes(0)
}

const patternOf = (raw: string, underscore: boolean) =>
  new RegExp(
    `^${raw.replace(/\\(.)|[^\\]/gs, (character, escaped: string | undefined) => {
      if (character === "%") return ".*"
      if (character === "_" && underscore) return "."
      return (escaped ?? character).replace(/[\\^$.*+?()[\]{}|]/, "\\$&")
    })}$`,
    "is"
  )

const iso = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/

/** Milliseconds of a date or date-time as text; NaN when it is neither. Without an offset it is UTC. */
const instantOf = (text: string): number => {
  if (!iso.test(text)) return Number.NaN
  const isBare = text.includes("T") && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10))
  return Date.parse(isBare ? `${text}Z` : text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"))
}

const orderOf = (left: string | number | boolean, right: string | number | boolean): number =>
  left < right ? -1 : left > right ? 1 : 0

const textOrder = (left: string, right: string, rightInstant: number): number => {
  const leftInstant = Number.isNaN(rightInstant) ? Number.NaN : instantOf(left)
  return Number.isNaN(leftInstant)
    ? orderOf(left.toLowerCase(), right.toLowerCase())
    : orderOf(leftInstant, rightInstant)
}

const isNumeric = (value: unknown) =>
  typeof value === "number" || (typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value)))

/** Compares a held value (null when absent) to a literal: below, at or above 0; undefined when not comparable. */
const orderTo = (literal: Literal, now: number): ((held: unknown) => number | undefined) => {
  switch (literal.kind) {
    case "null":
      return (held) => (held === null ? 0 : undefined)
    case "boolean":
      return (held) => (typeof held === "boolean" ? orderOf(held, literal.value) : undefined)
    case "number":
      return (held) => (isNumeric(held) ? orderOf(Number(held), literal.value) : undefined)
    case "period": {
      const [start, end] = literal.span(now)
      return (held) => {
        const at = typeof held === "string" ? instantOf(held) : Number.NaN
        return Number.isNaN(at) ? undefined : at < start ? -1 : at >= end ? 1 : 0
      }
    }
    default: {
      const instant = instantOf(literal.value)
      return (held) => {
        if (typeof held === "string") return textOrder(held, literal.value, instant)
        if (typeof held === "boolean") return orderOf(String(held), literal.value.toLowerCase())
        return typeof held === "number" && isNumeric(literal.value) ? orderOf(held, Number(literal.value)) : undefined
      }
    }
  }
}

/** Sorts rows by keys; rows with equal keys keep their order. */
export const sort = <Row>(
  keys: ReadonlyArray<OrderKey>,
  rows: ReadonlyArray<Row>,
  get: Get<Row>
): ReadonlyArray<Row> =>
  keys.length === 0
    ? rows
    : rows.toSorted((a, b) => {
        for (const { descending, nullsFirst, path } of keys) {
          const [left, right] = [get(a, path) ?? null, get(b, path) ?? null]
          if (left === null && right === null) continue
          if (left === null || right === null) return (left === null) === nullsFirst ? -1 : 1
          const order =
            typeof left === "number" || typeof left === "boolean"
              ? Number(left) - Number(right)
              : textOrder(String(left), String(right), instantOf(String(right)))
          if (order !== 0) return descending ? -order : order
        }
        return 0
      })
