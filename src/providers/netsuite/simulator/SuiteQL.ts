import { Decimal } from "decimal.js"
import { Either } from "effect"
import {
  astMapper,
  type Expr,
  type ExprLiteral,
  type From,
  type SelectedColumn,
  type SelectFromStatement,
  type SelectStatement
} from "pgsql-ast-parser"
import type { Account, Doc } from "../../simulation/Account.ts"
import { parseSql } from "../../simulation/Sql.ts"
import { badParameter, type Outcome } from "./Answers.ts"
import {
  condition,
  type Evaluate,
  evaluation,
  hasAggregate,
  type Joined,
  parameterOf,
  type Scope
} from "./Expressions.ts"
import type { Source, Table, Value } from "./Columns.ts"
import { isOfSubsidiaries, unknownIn } from "./Editions.ts"
import { tables } from "./Tables.ts"

// SuiteQL: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156257790831.html,
// and what it does not take: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/article_0824094533.html

type Parsed<A> = Either.Either<A, string>

/** Rows by the names of their columns, in order. */
interface Result {
  readonly names: ReadonlyArray<string>
  /** Reckoned when asked for: of many rows a page is answered. */
  readonly rows: ReadonlyArray<() => ReadonlyArray<Value>>
}

/** A query without the lists of ids in it, and these: queries of pages differ in nothing else. */
interface Shape {
  readonly text: string
  readonly values: ReadonlyArray<ReadonlyArray<string>>
}

const shapeOf = (text: string): Shape => {
  const values: Array<ReadonlyArray<string>> = []
  const bare = text.replace(
    /'(?:[^']|'')*'|(\bIN \()(\d+(?:, \d+)*)(?=\))/g,
    (found: string, list?: string, ids?: string) =>
      list === undefined || ids === undefined ? found : `${list}$${values.push(ids.split(", "))}`
  )
  return { text: bare, values }
}

/** Reads a query. Its literals are put in afterwards: parsing takes longest, and is done once for what differs in them alone. */
const read = (text: string): Parsed<SelectStatement> =>
  Either.gen(function* () {
    const literals: Array<string> = []
    const bare = text.replace(/'(?:[^']|'')*'|(?<=[=>] )\d+\b(?!\.)/g, (found) => `'${literals.push(found) - 1}'`)
    if (/\blimit\b/i.test(bare)) return yield* Either.left("Invalid or unsupported search: LIMIT is not supported")
    const statements = yield* Either.try({ try: () => parseSql(bare), catch: () => "Invalid or unsupported search" })
    const [statement, ...more] = statements
    const constant = (one: ExprLiteral): ExprLiteral => {
      const literal = one.type === "string" ? literals[Number(one.value)] : undefined
      if (literal === undefined) return one
      return literal.startsWith("'")
        ? { type: "string", value: literal.slice(1, -1).replaceAll("''", "'") }
        : { type: "integer", value: Number(literal) }
    }
    const filled = statement === undefined ? undefined : astMapper(() => ({ constant })).statement(statement)
    return filled?.type === "select" && more.length === 0 ? filled : yield* Either.left("Invalid or unsupported search")
  })

/** Queries read lately: the same ones come again and again. */
const lately = new Map<string, Parsed<SelectStatement>>()

const statementOf = (text: string): Parsed<SelectStatement> => {
  const statement = lately.get(text) ?? read(text)
  if (lately.size >= 500) lately.clear()
  lately.set(text, statement)
  return statement
}

const tableOf = (scope: Scope, from: From): Parsed<readonly [alias: string, table: Table]> =>
  Either.gen(function* () {
    const { account } = scope
    if (from.type === "table") {
      const { alias, name } = from.name
      const key = name.toLowerCase()
      const found = tables.get(key)
      const unknown = unknownIn(account)
      if (found === undefined || unknown.has(key) || isOfSubsidiaries(account, key)) {
        return yield* Either.left(`Record '${name}' was not found.`)
      }
      const columns = Object.fromEntries(
        Object.entries(found.columns).filter(
          ([column]) => !unknown.has(`${key}.${column}`) && !isOfSubsidiaries(account, column)
        )
      )
      return [(alias ?? name).toLowerCase(), { ...found, columns }] as const
    }
    if (from.type !== "statement" || from.statement.type !== "select")
      return yield* Either.left("Invalid or unsupported search")
    const { names, rows } = yield* select(scope, from.statement)
    const whole = rows.map((row) => row())
    const sources = rows.map((_, index) => ({ doc: { index } }))
    const columns = names.map(
      (name, place) => [name, { value: ({ doc }: Source) => whole[Number(doc.index)]?.[place] ?? null }] as const
    )
    return [from.alias.toLowerCase(), { columns: Object.fromEntries(columns), rows: () => sources }] as const
  })

/** The parts of a condition that must all hold. */
const conjuncts = (expr: Expr | null | undefined): ReadonlyArray<Expr> =>
  expr === null || expr === undefined
    ? []
    : expr.type === "binary" && expr.op === "AND"
      ? [...conjuncts(expr.left), ...conjuncts(expr.right)]
      : [expr]

const keyOf = (value: Value): string | undefined =>
  value === null ? undefined : value instanceof Date ? value.toISOString() : String(value)

const add = <A>(lists: Map<string, Array<A>>, key: string, one: A): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [one])
  else list.push(one)
}

/** The column of a table that an expression is. */
const columnIn = (alias: string, expr: Expr): string | undefined =>
  expr.type === "ref" && expr.table?.name.toLowerCase() === alias ? expr.name.toLowerCase() : undefined

/** Values that a column must have one of, by a condition that says so. */
const valuesOf = (
  scope: Scope,
  alias: string,
  one: Expr
): readonly [column: string, values: ReadonlyArray<string>] | undefined => {
  if (one.type !== "binary" || (one.op !== "=" && one.op !== "IN")) return undefined
  const column = columnIn(alias, one.left)
  const list = one.right.type === "list" ? one.right.expressions : [one.right]
  const values = list.flatMap((value): ReadonlyArray<string | undefined> =>
    value.type === "parameter"
      ? (parameterOf(scope, value.name) ?? [undefined])
      : value.type === "string" || value.type === "integer"
        ? [String(value.value)]
        : [undefined]
  )
  const known = values.filter((value) => value !== undefined)
  return column === undefined || known.length < values.length ? undefined : [column, known]
}

/** The rows of a table that conditions leave, found by a key of it where there is one. */
const rowsFor = (scope: Scope, alias: string, table: Table, conditions: ReadonlyArray<Expr>): ReadonlyArray<Source> => {
  for (const one of conditions) {
    const [column = "", values = []] = valuesOf(scope, alias, one) ?? []
    const find = table.keys?.[column]
    if (find !== undefined) return [...new Set(values)].flatMap((value) => find(scope.account, value))
  }
  return table.rows(scope.account)
}

/** How rows of a table are found by what is joined already: an equality between both, if there is one. */
const finder = (
  scope: Scope,
  alias: string,
  table: Table,
  conditions: ReadonlyArray<Expr>,
  test: (source: Source) => boolean,
  all: () => ReadonlyArray<Source>
) => {
  const before: Scope = { ...scope, tables: new Map([...scope.tables].filter(([name]) => name !== alias)) }
  const only: Scope = { ...scope, tables: new Map([...scope.tables].filter(([name]) => name === alias)) }
  const equalities = conditions.flatMap((one) =>
    one.type === "binary" && one.op === "="
      ? ([
          [one.left, one.right],
          [one.right, one.left]
        ] as const)
      : []
  )
  for (const [mine, other] of equalities) {
    const find = table.keys?.[columnIn(alias, mine) ?? ""]
    const sought = evaluation(before, other)
    if (find === undefined || other.type !== "ref" || Either.isLeft(sought)) continue
    return (joined: Joined): ReadonlyArray<Source> => {
      const value = keyOf(sought.right([joined]))
      return value === undefined ? [] : find(scope.account, value).filter(test)
    }
  }
  for (const [mine, other] of equalities) {
    const [key, sought] = [evaluation(only, mine), evaluation(before, other)]
    if (Either.isLeft(key) || Either.isLeft(sought) || mine.type !== "ref") continue
    const index = new Map<string, Array<Source>>()
    for (const row of all()) {
      const found = keyOf(key.right([{ [alias]: row }]))
      if (found !== undefined) add(index, found, row)
    }
    return (joined: Joined): ReadonlyArray<Source> => index.get(keyOf(sought.right([joined])) ?? "") ?? []
  }
  const rows = all()
  return () => rows
}

const joinAll = (
  outer: Scope,
  statement: SelectFromStatement
): Parsed<{ readonly scope: Scope; readonly rows: ReadonlyArray<Joined> }> =>
  Either.gen(function* () {
    let scope: Scope = { ...outer, tables: new Map() }
    let rows: ReadonlyArray<Joined> = [{}]
    const [, ...joins] = statement.from ?? []
    if (joins.some(({ join }) => join) && joins.some(({ join }) => !join)) {
      return yield* Either.left("Both syntaxes of joins cannot be used in one query")
    }
    const conditions = conjuncts(statement.where)
    for (const from of statement.from ?? []) {
      const [alias, table] = yield* tableOf(scope, from)
      if (scope.tables.has(alias)) return yield* Either.left(`The alias '${alias}' is not unique.`)
      const wider: Scope = { ...scope, tables: new Map([...scope.tables, [alias, table]]) }
      scope = wider
      const kind = from.join?.type ?? "INNER JOIN"
      if (kind !== "INNER JOIN" && kind !== "LEFT JOIN" && kind !== "CROSS JOIN")
        return yield* Either.left("Invalid or unsupported search")
      const on = conjuncts(from.join?.on)
      const holds = yield* Either.all(on.map((one) => condition(wider, one)))
      const only: Scope = { ...wider, tables: new Map([[alias, table]]) }
      // what is asked of this table alone is settled before it is joined
      const asked = kind === "LEFT JOIN" ? [] : conditions
      const own = asked.flatMap((one) =>
        Either.match(condition(only, one), { onLeft: () => [], onRight: (test) => [test] })
      )
      const test = (source: Source) => own.every((one) => one([{ [alias]: source }]) === true)
      const candidates = finder(wider, alias, table, [...on, ...asked], test, () =>
        rowsFor(wider, alias, table, asked).filter(test)
      )
      rows = rows.flatMap((row) => {
        const found = candidates(row)
          .map((source) => ({ ...row, [alias]: source }))
          .filter((joined) => holds.every((one) => one([joined]) === true))
        return found.length === 0 && kind === "LEFT JOIN" ? [row] : found
      })
    }
    return { scope, rows }
  })

const same = (a: Expr, b: Expr) => JSON.stringify(a) === JSON.stringify(b)

/** Columns with their names; `*` is all of them. */
const outputs = (
  scope: Scope,
  columns: ReadonlyArray<SelectedColumn>
): ReadonlyArray<readonly [name: string, expr: Expr]> => {
  let unnamed = 0
  return columns.flatMap(({ alias, expr }): ReadonlyArray<readonly [string, Expr]> => {
    if (expr.type === "ref" && expr.name === "*") {
      const from = [...scope.tables].filter(
        ([name]) => expr.table === undefined || expr.table.name.toLowerCase() === name
      )
      return from.flatMap(([name, table]) =>
        Object.keys(table.columns).map((column) => [column, { type: "ref", name: column, table: { name } }] as const)
      )
    }
    const name = alias?.name ?? (expr.type === "ref" ? expr.name : `expr${(unnamed += 1)}`)
    return [[name.toLowerCase(), expr]]
  })
}

const isConstant = (expr: Expr) => ["string", "integer", "numeric"].includes(expr.type)

const order = (left: Value, right: Value): number => {
  if (left instanceof Decimal && right instanceof Decimal) return left.comparedTo(right)
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime()
  return String(left) < String(right) ? -1 : String(left) > String(right) ? 1 : 0
}

interface Key {
  readonly value: Evaluate
  readonly descending: boolean
  readonly nullsFirst: boolean
}

const byKeys = (keys: ReadonlyArray<Key>) => (a: ReadonlyArray<Joined>, b: ReadonlyArray<Joined>) => {
  for (const { descending, nullsFirst, value } of keys) {
    const [left, right] = [value(a), value(b)]
    if (left === null && right === null) continue
    if (left === null || right === null) return (left === null) === nullsFirst ? -1 : 1
    const found = order(left, right)
    if (found !== 0) return descending ? -found : found
  }
  return 0
}

const refusedClauses = ["having", "for", "skip"] as const

const select = (outer: Scope, statement: SelectStatement): Parsed<Result> =>
  Either.gen(function* () {
    if (statement.type !== "select" || refusedClauses.some((clause) => statement[clause])) {
      return yield* Either.left("Invalid or unsupported search")
    }
    const { rows, scope } = yield* joinAll(outer, statement)
    const where = statement.where ? yield* condition(scope, statement.where) : () => true
    const kept = rows.filter((row) => where([row]) === true)
    const columns = outputs(scope, statement.columns ?? [])
    const groupBy = statement.groupBy ?? []
    const isGrouped = groupBy.length > 0 || columns.some(([, expr]) => hasAggregate(expr))
    const loose = columns.find(
      ([, expr]) => !hasAggregate(expr) && !isConstant(expr) && !groupBy.some((one) => same(one, expr))
    )
    if (isGrouped && loose !== undefined) return yield* Either.left(`'${loose[0]}' is not a GROUP BY expression`)

    const parts = yield* Either.all(groupBy.map((one) => evaluation(scope, one)))
    const groups = new Map<string, Array<Joined>>()
    if (isGrouped && parts.length === 0) groups.set("", [...kept])
    else {
      for (const [index, row] of kept.entries()) {
        const key = isGrouped ? JSON.stringify(parts.map((part) => keyOf(part([row])) ?? null)) : String(index)
        add(groups, key, row)
      }
    }
    const values = yield* Either.all(columns.map(([, expr]) => evaluation(scope, expr)))
    const keys = yield* Either.all(
      (statement.orderBy ?? []).map(({ by, nulls, order: direction }): Parsed<Key> => {
        const place =
          by.type === "integer"
            ? by.value - 1
            : by.type === "ref" && by.table === undefined
              ? columns.findIndex(([name]) => name === by.name)
              : -1
        const chosen = values[place]
        const descending = direction === "DESC"
        return Either.map(chosen === undefined ? evaluation(scope, by) : Either.right(chosen), (value) => ({
          value,
          descending,
          nullsFirst: nulls ? nulls === "FIRST" : descending
        }))
      })
    )
    const first = statement.limit?.limit
    const found = [...groups.values()].toSorted(byKeys(keys)).map((group) => () => values.map((value) => value(group)))
    const distinct =
      statement.distinct === "distinct"
        ? [...new Map(found.map((row) => [JSON.stringify(row()), row])).values()]
        : found
    return {
      names: columns.map(([name]) => name),
      rows: first?.type === "integer" ? distinct.slice(0, first.value) : distinct
    }
  })

/** As answers have it: text, dates as the user's preference writes them (`1/31/2024`). */
const written = (value: Value): string | undefined => {
  if (value === null) return undefined
  if (value instanceof Date) return `${value.getUTCMonth() + 1}/${value.getUTCDate()}/${value.getUTCFullYear()}`
  return value instanceof Decimal ? value.toFixed(value.decimalPlaces()) : value
}

export interface Answered {
  readonly count: number
  /** Some of the rows; what is null is left out. */
  readonly rows: (from: number, to: number) => ReadonlyArray<Doc>
}

export const query = (account: Account, text: string): Outcome<Answered> => {
  const shape = shapeOf(text)
  const scope: Scope = {
    account,
    parameters: shape.values,
    tables: new Map(),
    subquery: (one) => Either.map(select(scope, one), ({ rows }) => rows.map((row) => row()[0] ?? null))
  }
  return Either.mapBoth(
    Either.flatMap(statementOf(shape.text), (statement) => select(scope, statement)),
    {
      onLeft: (reason) =>
        badParameter(
          "q",
          `Invalid search query. Detailed unprocessed description follows. Search error occurred: ${reason}`
        ),
      onRight: ({ names, rows }) => ({
        count: rows.length,
        rows: (from, to) =>
          rows.slice(from, to).map((row) => {
            const values = row()
            return Object.fromEntries(
              names.flatMap((name, place) => {
                const value = written(values[place] ?? null)
                return value === undefined ? [] : [[name, value] as const]
              })
            )
          })
      })
    }
  )
}
