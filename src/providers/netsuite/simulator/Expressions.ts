import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Expr, ExprCall, ExprRef, SelectStatement } from "pgsql-ast-parser"
import type { Account } from "../../simulation/Account.ts"
import type { Column, Source, Table, Value } from "./Columns.ts"

// Expressions of queries, over groups of rows; a single row, the usual case, is a group of one.

type Parsed<A> = Either.Either<A, string>

/** A row of each table, by its alias; an outer join may have none. */
export interface Joined {
  readonly [alias: string]: Source
}

export type Evaluate = (group: ReadonlyArray<Joined>) => Value

type Test = (group: ReadonlyArray<Joined>) => boolean | null

export interface Scope {
  readonly account: Account
  readonly tables: ReadonlyMap<string, Table>
  /** Lists of ids for `$1`, `$2` and so on. */
  readonly parameters: ReadonlyArray<ReadonlyArray<string>>
  readonly subquery: (statement: SelectStatement) => Parsed<ReadonlyArray<Value>>
}

export const parameterOf = ({ parameters }: Scope, name: string): ReadonlyArray<string> | undefined =>
  parameters[Number(name.slice(1)) - 1]

const unsupported = (what: string) => Either.left(`Invalid or unsupported search: ${what}`)

const columnOf = ({ tables }: Scope, { name, table }: ExprRef): Parsed<readonly [alias: string, column: Column]> => {
  const found = [...tables].flatMap(([alias, { columns }]) => {
    const column = columns[name.toLowerCase()]
    const isMeant = table === undefined || table.name.toLowerCase() === alias
    return column === undefined || !isMeant ? [] : [[alias, column] as const]
  })
  const [first, second] = found
  if (first === undefined)
    return Either.left(`Unknown identifier '${name}'. Available identifiers are: {${[...tables.keys()].join(", ")}}`)
  return second === undefined ? Either.right(first) : Either.left(`The identifier '${name}' is ambiguous.`)
}

// Formats of dates: https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/Format-Models.html

const marks = /YYYY|MM|DD|HH24|MI|SS|"[^"]*"|[^A-Za-z"]+/g

const marksOf = (format: string): Parsed<ReadonlyArray<string>> => {
  const found = format.match(marks) ?? []
  return found.join("") === format ? Either.right(found) : unsupported(`date format '${format}'`)
}

const digits: { readonly [mark: string]: (date: Date) => string } = {
  YYYY: (date) => String(date.getUTCFullYear()).padStart(4, "0"),
  MM: (date) => String(date.getUTCMonth() + 1).padStart(2, "0"),
  DD: (date) => String(date.getUTCDate()).padStart(2, "0"),
  HH24: (date) => String(date.getUTCHours()).padStart(2, "0"),
  MI: (date) => String(date.getUTCMinutes()).padStart(2, "0"),
  SS: (date) => String(date.getUTCSeconds()).padStart(2, "0")
}

const formatted = (date: Date, found: ReadonlyArray<string>): string =>
  found.map((mark) => digits[mark]?.(date) ?? mark.replaceAll('"', "")).join("")

const readDate = (text: string, found: ReadonlyArray<string>): Date | undefined => {
  let rest = text
  const numbers: { [mark: string]: number } = {}
  for (const mark of found) {
    if (digits[mark] === undefined) {
      const literal = mark.replaceAll('"', "")
      if (!rest.startsWith(literal)) return undefined
      rest = rest.slice(literal.length)
      continue
    }
    const [number] = (mark === "YYYY" ? /^\d{4}/ : /^\d{1,2}/).exec(rest) ?? []
    if (number === undefined) return undefined
    numbers[mark] = Number(number)
    rest = rest.slice(number.length)
  }
  const { DD = 1, HH24 = 0, MI = 0, MM = 1, SS = 0, YYYY = Number.NaN } = numbers
  const date = new Date(Date.UTC(YYYY, MM - 1, DD, HH24, MI, SS))
  return rest === "" && date.getUTCDate() === DD && date.getUTCMonth() === MM - 1 ? date : undefined
}

/** The date format of the account's user. */
const preference = "MM/DD/YYYY"

const textOf = (value: Value): string =>
  value instanceof Decimal ? value.toFixed(value.decimalPlaces()) : String(value)

const compare = (left: Value, right: Value): number | null => {
  if (left === null || right === null) return null
  if (left === right) return 0
  if (left instanceof Date || right instanceof Date) {
    return left instanceof Date && right instanceof Date ? left.getTime() - right.getTime() : null
  }
  if (left instanceof Decimal || right instanceof Decimal) {
    const [a, b] = [numberOf(left), numberOf(right)]
    return a === null || b === null ? null : a.comparedTo(b)
  }
  return left < right ? -1 : left > right ? 1 : 0
}

const numberOf = (value: Value): Decimal | null =>
  value instanceof Decimal
    ? value
    : typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value)
      ? new Decimal(value)
      : null

const arithmetic: { readonly [op: string]: (a: Decimal, b: Decimal) => Decimal } = {
  "+": (a, b) => a.plus(b),
  "-": (a, b) => a.minus(b),
  "*": (a, b) => a.times(b),
  "/": (a, b) => a.div(b)
}

const aggregates: { readonly [name: string]: (values: ReadonlyArray<Value>) => Value } = {
  count: (values) => new Decimal(values.length),
  sum: (values) => {
    const numbers = values.map(numberOf).filter((one) => one !== null)
    return numbers.length === 0 ? null : numbers.reduce((sum, one) => sum.plus(one))
  },
  min: (values) => values.toSorted((a, b) => compare(a, b) ?? 0)[0] ?? null,
  max: (values) => values.toSorted((a, b) => compare(a, b) ?? 0).at(-1) ?? null
}

export const hasAggregate = (expr: Expr): boolean =>
  (expr.type === "call" && expr.function.name.toLowerCase() in aggregates) ||
  (expr.type === "call" && expr.args.some(hasAggregate)) ||
  (expr.type === "binary" && (hasAggregate(expr.left) || hasAggregate(expr.right))) ||
  (expr.type === "unary" && hasAggregate(expr.operand))

/** Functions of values, except those of dates and of display. */
const functions: { readonly [name: string]: (...values: ReadonlyArray<Value>) => Value } = {
  nvl: (value = null, other = null) => value ?? other,
  coalesce: (...values) => values.find((value) => value !== null) ?? null,
  upper: (value = null) => (value === null ? null : textOf(value).toUpperCase()),
  lower: (value = null) => (value === null ? null : textOf(value).toLowerCase()),
  // counted from 1: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158513731864.html
  substr: (value = null, from = null, length = null) => {
    const start = Number(from) - 1
    const part =
      value === null ? "" : [...textOf(value)].slice(start, length === null ? undefined : start + Number(length))
    return [...part].join("") || null
  },
  trim: (value = null) => (value === null ? null : textOf(value).trim() || null),
  length: (value = null) => (value === null ? null : new Decimal(textOf(value).length)),
  abs: (value = null) => numberOf(value)?.abs() ?? null,
  round: (value = null, places = null) =>
    numberOf(value)?.toDecimalPlaces(Number(places ?? 0), Decimal.ROUND_HALF_UP) ?? null,
  to_number: (value = null) => numberOf(value),
  trunc: (value = null) =>
    value instanceof Date
      ? new Date(Date.UTC(value.getUTCFullYear(), value.getUTCMonth(), value.getUTCDate()))
      : (numberOf(value)?.trunc() ?? null),
  sys_extract_utc: (value = null) => value
}

const literalText = (expr: Expr | undefined): string | undefined => (expr?.type === "string" ? expr.value : undefined)

const dateCall = (scope: Scope, name: string, [value, format]: ReadonlyArray<Expr>): Parsed<Evaluate> =>
  Either.gen(function* () {
    if (value === undefined) return yield* unsupported(name)
    const found = format === undefined ? undefined : yield* marksOf(literalText(format) ?? "?")
    const inner = yield* evaluation(scope, value)
    if (name === "to_char") {
      return (group: ReadonlyArray<Joined>) => {
        const held = inner(group)
        return held instanceof Date
          ? formatted(held, found ?? preference.match(marks) ?? [])
          : held === null
            ? null
            : textOf(held)
      }
    }
    const text = literalText(value)
    const date = readDate(text ?? "", found ?? preference.match(marks) ?? [])
    if (text === undefined || date === undefined) return yield* unsupported(`${name} of '${text ?? "an expression"}'`)
    return () => date
  })

const builtin = (scope: Scope, name: string, [of]: ReadonlyArray<Expr>): Parsed<Evaluate> => {
  if (of?.type !== "ref") return unsupported(`BUILTIN.${name}`)
  return Either.flatMap(columnOf(scope, of), ([alias, column]) => {
    const value = (group: ReadonlyArray<Joined>): Value => {
      const source = group[0]?.[alias]
      if (source === undefined) return null
      if (name === "df") return column.label?.(source, scope.account) ?? column.value(source, scope.account)
      // the status with the type of the transaction
      const held = column.value(source, scope.account)
      return of.name.toLowerCase() === "status" && source.type !== undefined && held !== null
        ? `${source.type.code}:${textOf(held)}`
        : held
    }
    return name === "df" || name === "cf" ? Either.right(value) : unsupported(`BUILTIN.${name}`)
  })
}

const call = (scope: Scope, { args, distinct, function: called }: ExprCall): Parsed<Evaluate> =>
  Either.gen(function* () {
    const name = called.name.toLowerCase()
    if (called.schema?.toLowerCase() === "builtin") return yield* builtin(scope, name, args)
    if (["to_date", "to_timestamp", "to_char"].includes(name)) return yield* dateCall(scope, name, args)
    const aggregate = aggregates[name]
    const [first] = args
    if (aggregate !== undefined && first !== undefined) {
      if (first.type === "ref" && first.name === "*") return (group: ReadonlyArray<Joined>) => new Decimal(group.length)
      const inner = yield* evaluation(scope, first)
      return (group: ReadonlyArray<Joined>) => {
        const held = group.map((row) => inner([row])).filter((value) => value !== null)
        return aggregate(
          distinct === "distinct" ? [...new Map(held.map((value) => [textOf(value), value])).values()] : held
        )
      }
    }
    const plain = functions[name]
    if (plain === undefined) return yield* unsupported(`function ${called.name}`)
    if (name === "sys_extract_utc" && first?.type === "ref") {
      const [, column] = yield* columnOf(scope, first)
      if (column.isUnzoned === true) return yield* unsupported("SYS_EXTRACT_UTC of a date without a time zone")
    }
    const inner = yield* Either.all(args.map((one) => evaluation(scope, one)))
    return (group: ReadonlyArray<Joined>) => plain(...inner.map((one) => one(group)))
  })

/** Compiles an expression to a function that returns its value for a group of rows. */
export const evaluation = (scope: Scope, expr: Expr): Parsed<Evaluate> =>
  Either.gen(function* () {
    switch (expr.type) {
      case "string":
        return () => (expr.value === "" ? null : expr.value)
      case "integer":
      case "numeric":
        return () => new Decimal(expr.value)
      case "null":
        return () => null
      case "ref": {
        if (expr.table === undefined && ["sysdate", "current_date"].includes(expr.name.toLowerCase())) {
          return () => new Date(scope.account.now)
        }
        const [alias, column] = yield* columnOf(scope, expr)
        return (group: ReadonlyArray<Joined>) => {
          const source = group[0]?.[alias]
          return source === undefined ? null : column.value(source, scope.account)
        }
      }
      case "call":
        return yield* call(scope, expr)
      case "unary": {
        if (expr.op !== "-") return yield* unsupported(expr.op)
        const inner = yield* evaluation(scope, expr.operand)
        return (group: ReadonlyArray<Joined>) => numberOf(inner(group))?.negated() ?? null
      }
      case "binary": {
        const [left, right] = [yield* evaluation(scope, expr.left), yield* evaluation(scope, expr.right)]
        if (expr.op === "||")
          return (group: ReadonlyArray<Joined>) =>
            [left, right]
              .map((one) => one(group))
              .map((value) => (value === null ? "" : textOf(value)))
              .join("") || null
        const operate = arithmetic[expr.op]
        if (operate === undefined) return yield* unsupported(expr.op)
        return (group: ReadonlyArray<Joined>) => {
          const [a, b] = [left(group), right(group)].map(numberOf)
          return a === null || a === undefined || b === null || b === undefined ? null : operate(a, b)
        }
      }
      case "case": {
        if (expr.value) return yield* unsupported("CASE of a value")
        const whens = yield* Either.all(
          expr.whens.map(({ value, when }) => Either.all([condition(scope, when), evaluation(scope, value)]))
        )
        const other = expr.else ? yield* evaluation(scope, expr.else) : () => null
        return (group: ReadonlyArray<Joined>) => (whens.find(([test]) => test(group) === true)?.[1] ?? other)(group)
      }
      default:
        return yield* unsupported(expr.type)
    }
  })

const negated =
  (test: Test): Test =>
  (group) => {
    const held = test(group)
    return held === null ? null : !held
  }

const comparisons: { readonly [op: string]: (order: number) => boolean } = {
  "=": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0
}

/** Refuses text compared with a date, which needs `TO_DATE`. */
const dateCheck = (scope: Scope, column: Expr, literal: Expr): Parsed<void> => {
  const text = literalText(literal)
  const found = column.type === "ref" && text !== undefined ? columnOf(scope, column) : undefined
  const isDate = found !== undefined && Either.isRight(found) && found.right[1].isDate === true
  return isDate ? unsupported(`date literal '${text ?? ""}', use TO_DATE`) : Either.void
}

/** The most values that `IN` takes. */
const mostListed = 1000

const patternOf = (pattern: string) =>
  new RegExp(
    `^${pattern
      .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
      .replaceAll("%", ".*")
      .replaceAll("_", ".")}$`,
    "s"
  )

const listed = (scope: Scope, expr: Expr): Parsed<Evaluate | ReadonlyArray<Evaluate>> => {
  if (expr.type === "list" && expr.expressions.length > mostListed)
    return unsupported(`more than ${mostListed} values of IN`)
  if (expr.type === "list") return Either.all(expr.expressions.map((one) => evaluation(scope, one)))
  if (expr.type === "select") return Either.map(scope.subquery(expr), (values) => values.map((value) => () => value))
  return Either.map(evaluation(scope, expr), (one) => [one])
}

const among = (scope: Scope, left: Expr, right: Expr): Parsed<Test> =>
  Either.gen(function* () {
    const value = yield* evaluation(scope, left)
    // brackets around a single value do not make a list
    const [first] = right.type === "list" ? right.expressions : [right]
    const ids = first?.type === "parameter" ? parameterOf(scope, first.name) : undefined
    if (ids !== undefined) {
      if (ids.length > mostListed) return yield* unsupported(`more than ${mostListed} values of IN`)
      const known = new Set(ids)
      return (group: ReadonlyArray<Joined>) => {
        const held = value(group)
        return held === null ? null : known.has(textOf(held))
      }
    }
    const found = yield* listed(scope, right)
    const values = typeof found === "function" ? [found] : found
    return (group: ReadonlyArray<Joined>) => {
      const held = value(group)
      if (held === null) return null
      return values.some((one) => compare(held, one(group)) === 0)
    }
  })

/** Compiles a condition to a test of a group of rows; null where the result is unknown. */
export const condition = (scope: Scope, expr: Expr): Parsed<Test> =>
  Either.gen(function* () {
    if (expr.type === "unary") {
      if (expr.op === "NOT") return negated(yield* condition(scope, expr.operand))
      const value = yield* evaluation(scope, expr.operand)
      if (expr.op === "IS NULL") return (group: ReadonlyArray<Joined>) => value(group) === null
      if (expr.op === "IS NOT NULL") return (group: ReadonlyArray<Joined>) => value(group) !== null
    }
    if (expr.type === "ternary") {
      yield* dateCheck(scope, expr.value, expr.lo)
      yield* dateCheck(scope, expr.value, expr.hi)
      const [value, low, high] = yield* Either.all([
        evaluation(scope, expr.value),
        evaluation(scope, expr.lo),
        evaluation(scope, expr.hi)
      ])
      const test: Test = (group) => {
        const [from, to] = [compare(value(group), low(group)), compare(value(group), high(group))]
        return from === null || to === null ? null : from >= 0 && to <= 0
      }
      return expr.op === "BETWEEN" ? test : negated(test)
    }
    if (expr.type !== "binary") return yield* unsupported(expr.type)
    const { left, op, right } = expr
    if (op === "AND" || op === "OR") {
      const [a, b] = yield* Either.all([condition(scope, left), condition(scope, right)])
      const decides = op === "OR"
      return (group: ReadonlyArray<Joined>) => {
        const one = a(group)
        if (one === decides) return decides
        const two = b(group)
        return two === decides ? decides : one === null || two === null ? null : !decides
      }
    }
    if (op === "IN") return yield* among(scope, left, right)
    if (op === "NOT IN") return negated(yield* among(scope, left, right))
    if (op === "LIKE" || op === "NOT LIKE") {
      const pattern = literalText(right)
      if (pattern === undefined) return yield* unsupported("LIKE without a quoted pattern")
      const value = yield* evaluation(scope, left)
      const shape = patternOf(pattern)
      const test: Test = (group) => {
        const held = value(group)
        return held === null ? null : shape.test(textOf(held))
      }
      return op === "LIKE" ? test : negated(test)
    }
    const holds = comparisons[op]
    if (holds === undefined) return yield* unsupported(op)
    yield* dateCheck(scope, left, right)
    yield* dateCheck(scope, right, left)
    const [a, b] = yield* Either.all([evaluation(scope, left), evaluation(scope, right)])
    return (group: ReadonlyArray<Joined>) => {
      const found = compare(a(group), b(group))
      return found === null ? null : holds(found)
    }
  })
