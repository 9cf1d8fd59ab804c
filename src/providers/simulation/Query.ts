import { Either } from "effect"
import type { Expr, SelectFromStatement } from "pgsql-ast-parser"
import { period, type Span } from "./Period.ts"
import { parseSql } from "./Sql.ts"

/**
 * Query languages of providers, evaluated over plain rows. A dialect's text is cut into tokens, its own clauses become
 * SQL's, a maintained SQL parser reads them, and only what is understood becomes a `Query`: any other clause, function or
 * operator is a Left with a message for the provider's own error.
 *
 *     Either.map(parse(soql, "SELECT Name FROM Account WHERE Owner.Name LIKE 'A%' ORDER BY Name"), (query) =>
 *       run(query, rows, (row, path) => lookUp(row, path), account.now))
 *
 * `soql` and `quickBooks` are in Dialects.ts, `run` is in Evaluate.ts. Names are passed on as they were written; that they
 * exist, and that a literal suits its field, is for the simulator to check: `comparisons` and the lists below name them.
 * Counting is the simulator's too: `run(...).length`.
 */
export interface Query {
  readonly dialect: Dialect
  /** Never empty; counts appear only with other counts. */
  readonly columns: ReadonlyArray<Column>
  /** The object asked for, as it was written. */
  readonly from: string
  readonly where?: Condition
  readonly orderBy: ReadonlyArray<OrderKey>
  readonly limit?: number
  /** Rows to leave out first, from 0 (QuickBooks' `startposition 1` is 0). */
  readonly offset?: number
}

export type Column =
  | { readonly kind: "field"; readonly path: string }
  | { readonly kind: "all" }
  /** `count()`, `count(*)` (no path) or `count(path)`. */
  | { readonly kind: "count"; readonly path?: string }
  /** A subselect: its `from` is the name of a relation to children. */
  | { readonly kind: "children"; readonly query: Query }

export interface OrderKey {
  readonly path: string
  readonly descending: boolean
  readonly nullsFirst: boolean
}

export type Operator = "=" | "!=" | "<" | "<=" | ">" | ">=" | "LIKE" | "IN" | "NOT IN"

/** `values` holds one literal, or the list of `IN`; for a semi-join, the values that the simulator finds by `among`. */
export interface Comparison {
  readonly kind: "compare"
  readonly path: string
  readonly operator: Operator
  readonly values: ReadonlyArray<Literal>
  readonly among?: Query
}

export type Condition =
  | { readonly kind: "and" | "or"; readonly left: Condition; readonly right: Condition }
  | { readonly kind: "not"; readonly of: Condition }
  | Comparison

export type Literal =
  /** Quoted. `raw` is the text between the quotes, `value` has its escapes resolved. */
  | { readonly kind: "text"; readonly value: string; readonly raw: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "null" }
  /** Without quotes: `2024-01-01` is a date, `2024-01-01T10:00:00Z` an instant. */
  | { readonly kind: "date" | "instant"; readonly value: string }
  /** `TODAY`, `LAST_N_DAYS:7`: everything within equals it. */
  | { readonly kind: "period"; readonly span: (now: number) => Span }

/** The peculiarities of a query language. */
export interface Dialect {
  /** Words with a meaning in the language, in lower case; every other word is a name. */
  readonly keywords: ReadonlySet<string>
  /** `null`: a literal that `=` and `!=` take. `_`: one character in a pattern. */
  readonly allows: ReadonlySet<Operator | "OR" | "NOT" | "subselect" | "join" | "null" | "_">
  /** Whether absent values come first, where the order does not say. */
  readonly nullsFirst: (descending: boolean) => boolean
  /** Its own clauses as SQL's. */
  readonly rewrite: (tokens: ReadonlyArray<Token>) => Parsed<ReadonlyArray<Token>>
}

type Parsed<A> = Either.Either<A, string>

export interface Token {
  readonly kind: "word" | "text" | "number" | "date" | "period" | "sign"
  readonly text: string
}

// Tokens: quoted text is one token, and is never read as language.

const shapes: ReadonlyArray<readonly [Token["kind"], RegExp]> = [
  ["text", /^'(?:[^'\\]|\\.)*'/s],
  ["date", /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2}))?(?![\w:.+-])/],
  ["number", /^-?\d+(?:\.\d+)?(?![\w:.-])/],
  ["period", /^[A-Za-z_]+:\d+(?!\w)/],
  ["word", /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/],
  ["sign", /^(?:<>|!=|<=|>=|[=<>(),*])/]
]

const tokensOf = (text: string): Parsed<ReadonlyArray<Token>> => {
  const found: Array<Token> = []
  for (let rest = text.trimStart(); rest !== ""; rest = rest.trimStart()) {
    const token = shapes.flatMap(([kind, shape]) =>
      (shape.exec(rest) ?? []).slice(0, 1).map((text) => ({ kind, text }))
    )[0]
    if (token === undefined) return Either.left(unexpected(/^(?:[^\s,()]+|.)/.exec(rest)?.[0] ?? rest))
    found.push(token)
    rest = rest.slice(token.text.length)
  }
  return Either.right(found)
}

const unexpected = (text: string) => `unexpected token: '${text}'`

const is = (token: Token | undefined, ...words: ReadonlyArray<string>) =>
  token?.kind === "word" && words.includes(token.text.toLowerCase())

/** The tokens as SQL: names in quotes with their dots; quoted values and dates as their index among the tokens. */
const sqlOf = (dialect: Dialect, tokens: ReadonlyArray<Token>) =>
  tokens
    .map((token, index) => {
      if (token.kind === "number" || token.kind === "sign") return token.text
      if (token.kind !== "word") return `'${index}'`
      const isKeyword = dialect.keywords.has(token.text.toLowerCase()) && !is(tokens[index - 1], "from")
      return isKeyword ? token.text : `"${token.text}"`
    })
    .join(" ")

const escapes: { readonly [letter: string]: string } = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }

const literalOf = (token: Token | undefined): Parsed<Literal> => {
  if (token?.kind === "date") {
    return Either.right({ kind: token.text.includes("T") ? "instant" : "date", value: token.text })
  }
  if (token?.kind === "text") {
    const raw = token.text.slice(1, -1)
    return Either.right({
      kind: "text",
      raw,
      value: raw.replace(/\\(.)/gs, (_, letter: string) => escapes[letter.toLowerCase()] ?? letter)
    })
  }
  const span = token?.kind === "period" ? period(token.text) : undefined
  return span === undefined ? Either.left(unexpected(token?.text ?? "")) : Either.right({ kind: "period", span })
}

/** Parses a query; the Left is a message for people. */
export const parse = (dialect: Dialect, text: string): Parsed<Query> =>
  Either.gen(function* () {
    const tokens = yield* Either.flatMap(tokensOf(text), dialect.rewrite)
    const statements = yield* Either.try({ try: () => parseSql(sqlOf(dialect, tokens)), catch: faultOf(tokens) })
    const [statement, ...more] = statements
    if (statement?.type !== "select" || more.length > 0) return yield* Either.left("only one SELECT is supported")
    return yield* queryOf(dialect, tokens, statement)
  })

/** The message for a parser error, by the token it names; the parser's own text and list of tokens are about SQL. */
const faultOf = (tokens: ReadonlyArray<Token>) => (error: unknown) => {
  const token = typeof error === "object" && error !== null && "token" in error ? error.token : undefined
  const text = typeof token === "object" && token !== null && "text" in token ? String(token.text) : undefined
  if (text === undefined) return "unexpected end of query"
  const place = /^'(\d+)'$/.exec(text)?.[1]
  return unexpected(place === undefined ? text.replace(/^"(.*)"$/, "$1") : (tokens[Number(place)]?.text ?? text))
}

const queryOf = (dialect: Dialect, tokens: ReadonlyArray<Token>, select: SelectFromStatement): Parsed<Query> =>
  Either.gen(function* () {
    const refused = (["distinct", "groupBy", "having", "for", "skip"] as const).find((clause) => select[clause])
    if (refused !== undefined) return yield* Either.left(`${clauseNames[refused]} is not supported`)
    const table = select.from?.[0]
    if (table?.type !== "table" || select.from?.length !== 1) return yield* Either.left("FROM takes one object")
    const { alias, name } = table.name
    if (alias !== undefined) return yield* Either.left(unexpected(alias))

    const columns = yield* Either.all(
      (select.columns ?? []).map(({ alias, expr }) =>
        alias === undefined ? columnOf(dialect, tokens, expr) : Either.left(unexpected(alias.name))
      )
    )
    if (columns.length === 0) return yield* Either.left(unexpected("FROM"))
    const counts = columns.filter(({ kind }) => kind === "count").length
    if (counts > 0 && counts < columns.length) return yield* Either.left("a count stands with counts only")

    const orderBy = yield* Either.all(
      (select.orderBy ?? []).map(({ by, nulls, order }) =>
        Either.map(pathOf(by), (path): OrderKey => {
          const descending = order === "DESC"
          return { path, descending, nullsFirst: nulls ? nulls === "FIRST" : dialect.nullsFirst(descending) }
        })
      )
    )
    const limit = yield* wholeOf("LIMIT", select.limit?.limit)
    const offset = yield* wholeOf("OFFSET", select.limit?.offset)
    // the parser reads a repeated clause as one that is neither
    if (select.limit && limit === undefined && offset === undefined) return yield* Either.left(unexpected("LIMIT"))
    return {
      dialect,
      columns,
      from: name,
      orderBy,
      ...(select.where ? { where: yield* conditionOf(dialect, tokens, select.where) } : {}),
      ...(limit === undefined ? {} : { limit }),
      ...(offset === undefined ? {} : { offset })
    }
  })

const clauseNames = { distinct: "DISTINCT", groupBy: "GROUP BY", having: "HAVING", for: "FOR", skip: "SKIP" }

const wholeOf = (clause: string, value: Expr | null | undefined): Parsed<number | undefined> =>
  value === null || value === undefined
    ? Either.right(undefined)
    : value.type === "integer" && value.value >= 0
      ? Either.right(value.value)
      : Either.left(`${clause} takes a whole number`)

const pathOf = (expr: Expr): Parsed<string> =>
  expr.type === "ref" && expr.table === undefined && expr.name !== "*"
    ? Either.right(expr.name)
    : Either.left(expr.type === "call" ? `unknown function: ${expr.function.name}` : "a field name is expected")

const columnOf = (dialect: Dialect, tokens: ReadonlyArray<Token>, expr: Expr): Parsed<Column> => {
  if (expr.type === "ref" && expr.name === "*") return Either.right({ kind: "all" })
  if (expr.type === "select" && dialect.allows.has("subselect")) {
    return Either.map(queryOf(dialect, tokens, expr), (query) => ({ kind: "children", query }))
  }
  if (expr.type === "call" && expr.function.name.toLowerCase() === "count" && expr.args.length < 2 && !expr.distinct) {
    const [of] = expr.args
    if (of === undefined || (of.type === "ref" && of.name === "*")) return Either.right({ kind: "count" })
    return Either.map(pathOf(of), (path) => ({ kind: "count", path }))
  }
  return Either.map(pathOf(expr), (path) => ({ kind: "field", path }))
}

const operators: { readonly [op: string]: Operator } = {
  "=": "=",
  "!=": "!=",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
  LIKE: "LIKE",
  IN: "IN",
  "NOT IN": "NOT IN"
}

const conditionOf = (dialect: Dialect, tokens: ReadonlyArray<Token>, expr: Expr): Parsed<Condition> =>
  Either.gen(function* () {
    if (expr.type === "unary" && expr.op === "NOT" && dialect.allows.has("NOT")) {
      return { kind: "not" as const, of: yield* conditionOf(dialect, tokens, expr.operand) }
    }
    if (expr.type !== "binary") return yield* Either.left("a comparison is expected")
    if (expr.op === "AND" || (expr.op === "OR" && dialect.allows.has("OR"))) {
      return {
        kind: expr.op === "AND" ? ("and" as const) : ("or" as const),
        left: yield* conditionOf(dialect, tokens, expr.left),
        right: yield* conditionOf(dialect, tokens, expr.right)
      }
    }
    const operator = operators[expr.op]
    if (operator === undefined || !dialect.allows.has(operator)) {
      return yield* Either.left(`unknown operator: ${expr.op}`)
    }
    const path = yield* pathOf(expr.left)
    if (expr.right.type === "select" && operator.endsWith("IN") && dialect.allows.has("join")) {
      return {
        kind: "compare" as const,
        path,
        operator,
        values: [],
        among: yield* queryOf(dialect, tokens, expr.right)
      }
    }
    const values = yield* Either.all(listOf(operator, expr.right).map((one) => valueOf(dialect, tokens, one)))
    if (operator === "LIKE" && values[0]?.kind !== "text") return yield* Either.left("LIKE takes a quoted pattern")
    return { kind: "compare" as const, path, operator, values }
  })

const listOf = (operator: Operator, expr: Expr): ReadonlyArray<Expr> =>
  (operator === "IN" || operator === "NOT IN") && expr.type === "list" ? expr.expressions : [expr]

const valueOf = (dialect: Dialect, tokens: ReadonlyArray<Token>, expr: Expr): Parsed<Literal> => {
  switch (expr.type) {
    case "string":
      return literalOf(tokens[Number(expr.value)])
    case "integer":
    case "numeric":
      return Either.right({ kind: "number", value: expr.value })
    case "boolean":
      return Either.right({ kind: "boolean", value: expr.value })
    case "null":
      return dialect.allows.has("null") ? Either.right({ kind: "null" }) : Either.left(unexpected("null"))
    case "ref":
      return Either.left(unexpected(expr.name))
    default:
      return Either.left("a literal value is expected")
  }
}

/** Every comparison of a condition, in order. */
export const comparisons = (condition: Condition | undefined): ReadonlyArray<Comparison> => {
  if (condition === undefined) return []
  if (condition.kind === "compare") return [condition]
  if (condition.kind === "not") return comparisons(condition.of)
  return [...comparisons(condition.left), ...comparisons(condition.right)]
}
