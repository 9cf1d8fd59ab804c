import { Either, Predicate } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { run } from "../../simulation/Evaluate.ts"
import { type Comparison, comparisons, parse, type Query } from "../../simulation/Query.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"
import { type Checked, fault, notJson, nothing, ok } from "./Answers.ts"
import { coql } from "./Coql.ts"
import type { Field, Module } from "./Fields.ts"
import { isHidden } from "./Hidden.ts"
import { fieldNamed, follow, moduleNamed, valueOf } from "./Modules.ts"
import { shownField } from "./Rows.ts"
import type { FieldType } from "./Values.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/Get-Records-through-COQL-Query.html

const syntaxError = (near: string) => fault("SYNTAX_ERROR", "error occured while parsing the query", { near })
const noClause = (clause: string) => fault("SYNTAX_ERROR", "missing clause", { clause })
const badColumn = (name: string) => fault("INVALID_QUERY", "unsupported column", { column_name: name })
const badOperator = ({ operator, path }: Comparison) =>
  fault("INVALID_QUERY", "Invalid query formed", {
    reason: "invalid operator found",
    column_name: path,
    operator: operator.toLowerCase()
  })

/** Rows of an answer, and rows that queries reach. */
const most = 2000
const mostColumns = 50
const reach = 100_000
const mostCriteria = 25

/** A column of a query: the lookups to follow, and a field of what they lead to, its id, or one of a user. */
interface Column {
  readonly name: string
  readonly through: ReadonlyArray<Field>
  readonly field: Field | "id" | { readonly user: string }
}

/** Of users, who are a module to queries too. https://www.zoho.com/crm/developer/docs/api/v8/get-users.html */
const userFields: ReadonlyArray<string> = ["first_name", "last_name", "full_name", "email", "status"]

/** Not among the modules that the description gives a scope for: https://www.zoho.com/crm/developer/docs/api/v8/scopes.html */
const unqueried: ReadonlyArray<string> = ["Notes"]

const unsupported: ReadonlyArray<FieldType> = ["participants", "tags"]

const columnOf = (module: Module, name: string): Checked<Column> => {
  const parts = name.split(".")
  const last = parts.pop() ?? ""
  const through: Array<Field> = []
  let at: Module | undefined = module
  for (const [index, part] of parts.entries()) {
    const link: Field | undefined = at === undefined ? undefined : fieldNamed(at, part)
    if (link?.type === "ownerlookup" && index === parts.length - 1 && userFields.includes(last)) {
      return Either.right({ name, through: [...through, link], field: { user: last } })
    }
    if (link === undefined || link.to?.length !== 1) return Either.left(badColumn(name))
    through.push(link)
    at = moduleNamed(link.to[0] ?? "")
  }
  if (at === undefined || through.length > 2) return Either.left(badColumn(name))
  const field = last === "id" ? last : fieldNamed(at, last)
  return field === undefined || (field !== "id" && unsupported.includes(field.type))
    ? Either.left(badColumn(name))
    : Either.right({ name, through, field })
}

/** The value of a column for a row; `show` makes of it what is shown, or what is compared. */
const valueAt = (org: Org, doc: Doc, { field, through }: Column, show: typeof shownField): unknown => {
  let at: Doc | undefined = doc
  for (const { code, type } of through) {
    const link: unknown = at?.[code]
    at = type === "ownerlookup" ? org.get("users", String(link)) : follow(org, link)?.doc
  }
  if (at === undefined) return null
  if (typeof field === "object" && "user" in field) return at[field.user] ?? null
  return field === "id" ? at.id : show(org, at, field)
}

/** Lookups are shown by their ids alone: what they lead to has columns of its own. */
const shownColumn = (org: Org, doc: Doc, field: Field): unknown => {
  const value = shownField(org, doc, field)
  const isLookup = field.type === "lookup" || field.type === "ownerlookup"
  return isLookup && Predicate.hasProperty(value, "id") ? { id: value.id } : value
}

/** Lookups are compared by their ids. */
const compared = (org: Org, doc: Doc, field: Field): unknown => {
  const value = valueOf(org, doc, field)
  return Predicate.hasProperty(value, "id") ? value.id : value
}

const ordered: ReadonlyArray<FieldType> = ["integer", "bigint", "double", "currency", "date", "datetime"]

/** Whether an operator suits a column: text takes no order, and only text takes patterns. */
const suits = (comparison: Comparison, { field }: Column): boolean => {
  // https://www.zoho.com/crm/developer/docs/api/v8/COQL-Limitations.html: no text of several lines, no other patterns than a
  // beginning, an end or a part, and 50 values of a list
  const type = field === "id" ? field : "user" in field ? "text" : field.type
  if (type === "textarea") return false
  if (comparison.operator === "LIKE" && comparison.values.some((one) => one.kind === "text" && /.%./s.test(one.raw))) {
    return false
  }
  if (comparison.values.length > 50) return false
  const isNull = comparison.values.some(({ kind }) => kind === "null")
  if (isNull) return comparison.operator === "=" || comparison.operator === "!="
  if (/[<>]/.test(comparison.operator)) return type === "id" || ordered.some((one) => one === type)
  return comparison.operator !== "LIKE" || !["id", "boolean", ...ordered].includes(type)
}

const columnsOf = (module: Module, query: Query): Checked<ReadonlyArray<Column>> =>
  Either.all(
    query.columns.flatMap((column) =>
      column.kind === "field"
        ? [columnOf(module, column.path)]
        : column.kind === "count"
          ? column.path === undefined
            ? []
            : [columnOf(module, column.path)]
          : [Either.left(syntaxError("*"))]
    )
  )

const answer = (org: Org, text: string): Checked<Reply> =>
  Either.gen(function* () {
    const query = yield* Either.mapLeft(parse(coql, text), syntaxError)
    const module = moduleNamed(query.from)
    if (module === undefined || unqueried.includes(module.name)) {
      return yield* Either.left(fault("INVALID_MODULE", "the given module is not supported in api"))
    }
    if (query.where === undefined) return yield* Either.left(noClause("where"))
    const columns = yield* columnsOf(module, query)
    const used = [...columns.map(({ name }) => name), ...comparisons(query.where).map(({ path }) => path)]
    const hidden = used.find((name) => name.split(".").some((part) => isHidden(org, part)))
    if (hidden !== undefined) return yield* Either.left(badColumn(hidden))
    if (columns.length > mostColumns) {
      return yield* Either.left(fault("LIMIT_EXCEEDED", "fields given exceeds the maximum"))
    }
    const twice = columns.find(({ name }, index) => columns.findIndex((one) => one.name === name) < index)
    if (twice !== undefined) {
      return yield* Either.left(fault("DUPLICATE_DATA", "duplicate select column", { column_name: twice.name }))
    }
    const named = new Map<string, Column>()
    for (const { path } of query.orderBy) named.set(path, yield* columnOf(module, path))
    if (comparisons(query.where).length > mostCriteria) {
      return yield* Either.left(fault("LIMIT_EXCEEDED", "criteria given exceeds the maximum"))
    }
    for (const comparison of comparisons(query.where)) {
      const column = yield* columnOf(module, comparison.path)
      if (!suits(comparison, column)) return yield* Either.left(badOperator(comparison))
      named.set(comparison.path, column)
    }
    const limit = query.limit ?? 200
    if (limit < 1) return yield* Either.left(fault("INVALID_DATA", "limit should be greater than 0"))
    if (limit > most || limit + (query.offset ?? 0) > reach) {
      return yield* Either.left(fault("LIMIT_EXCEEDED", "limit given exceeds the maximum"))
    }
    const { limit: _, ...unlimited } = query
    const rows = run(
      unlimited,
      org.all(module.name).filter((doc) => named.has("Converted__s") || doc.Converted__s !== true),
      (doc, path) => {
        const column = named.get(path)
        return column === undefined ? null : valueAt(org, doc, column, compared)
      },
      org.now
    )
    const counts = query.columns.flatMap((one) => (one.kind === "count" ? [one.path ?? "*"] : []))
    if (counts.length > 0) {
      const counted = counts.map((path) => [`COUNT(${path})`, rows.length] as const)
      return ok({ data: [Object.fromEntries(counted)], info: { count: 1, more_records: false } })
    }
    const shown = rows.slice(0, limit)
    if (shown.length === 0) return nothing
    return ok({
      data: shown.map((doc) => ({
        ...Object.fromEntries(columns.map((column) => [column.name, valueAt(org, doc, column, shownColumn)])),
        id: doc.id
      })),
      info: { count: shown.length, more_records: rows.length > limit }
    })
  })

export const query = (org: Org, { text }: SimulatedRequest): Checked<Reply> =>
  Either.flatMap(Either.try({ try: (): unknown => JSON.parse(text), catch: () => notJson }), (body) =>
    Predicate.hasProperty(body, "select_query") && typeof body.select_query === "string"
      ? answer(org, body.select_query)
      : Either.left(fault("MANDATORY_NOT_FOUND", "mandatory key not found", { api_name: "select_query" }))
  )
