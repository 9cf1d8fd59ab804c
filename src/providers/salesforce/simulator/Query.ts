import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { soql } from "../../simulation/Dialects.ts"
import { run } from "../../simulation/Evaluate.ts"
import {
  type Comparison,
  comparisons,
  type Condition,
  type Literal,
  type OrderKey,
  parse,
  type Query
} from "../../simulation/Query.ts"
import {
  badLocator,
  cannotBe,
  type Fault,
  malformedQuery,
  noChildren,
  noColumn,
  noEntity,
  noField,
  noRelation,
  offsetTooLarge,
  restrictedQuery,
  twice,
  wrongCriterion,
  wrongOperator
} from "./Faults.ts"
import { type Field, isHeldBy, type SObject } from "./Fields.ts"
import { idOf } from "./Ids.ts"
import {
  childRelations,
  type Children,
  fieldNamed,
  follow,
  type Found,
  isResolved,
  type Path,
  pathOf,
  sObjectNamed,
  valueAt,
  valueOf
} from "./Schema.ts"
import { type FieldType, types } from "./Values.ts"

type Checked<A> = Either.Either<A, Fault>

/** Contents of a row: fields, and the contents of parents under the names of relations. */
interface Shown {
  readonly fields: ReadonlyArray<Field>
  readonly parents: ReadonlyArray<{ readonly link: Field; readonly shown: Shown }>
}

/** A query whose names and literals are right. */
interface Plan {
  readonly object: SObject
  readonly joins: ReadonlyMap<Query, Plan>
  readonly query: Query
  readonly shown: Shown
  readonly children: ReadonlyArray<{ readonly from: Children; readonly relation: string; readonly plan: Plan }>
  readonly paths: ReadonlyMap<string, Path>
}

/** The organisation at a version of the API, with or without what is in the recycle bin. */
export interface View {
  readonly org: Org
  readonly version: string
  readonly deleted: boolean
}

const shownOf = (paths: ReadonlyArray<Path>): Shown => {
  const links = [...new Set(paths.flatMap(({ through }) => through.slice(0, 1)))]
  return {
    fields: paths.flatMap(({ field, through }) => (through.length === 0 ? [field] : [])),
    parents: links.map((link) => ({
      link,
      shown: shownOf(
        paths.flatMap(({ field, through }) => (through[0] === link ? [{ field, through: through.slice(1) }] : []))
      )
    }))
  }
}

const attributesOf = (version: string, { doc, object }: Found) => ({
  type: object.name,
  url: `/services/data/${version}/sobjects/${object.name}/${String(doc.Id)}`
})

const rowOf = (view: View, found: Found, { fields, parents }: Shown): Doc => {
  const attributes = attributesOf(view.version, found)
  const values = fields.map((field) => {
    const value = valueOf(view.org, found, field)
    // content is read under its own address
    return [field.code, field.type === "base64" && value !== null ? `${attributes.url}/${field.code}` : value] as const
  })
  const nested = parents.map(({ link, shown }) => {
    const parent = follow(view.org, found.doc, link)
    return [link.relation ?? link.code, parent === undefined ? null : rowOf(view, parent, shown)] as const
  })
  return { attributes, ...Object.fromEntries(values), ...Object.fromEntries(nested) }
}

/** A record as it is read by id: fields by name or path, or every field. */
export const recordOf = (view: View, found: Found, names: ReadonlyArray<string> | undefined): Checked<Doc> =>
  Either.map(
    Either.all(
      (names ?? found.object.fields.filter((field) => isHeldBy(view.org, field)).map(({ code }) => code)).map(
        (name): Checked<Path> => {
          const path = pathOf(found.object, name)
          return isResolved(path) && isHeldBy(view.org, path.field)
            ? Either.right(path)
            : Either.left(noColumn(name, found.object.name))
        }
      )
    ),
    (paths) => rowOf(view, found, shownOf(paths))
  )

// Checks

type Criterion = (typeof types)[FieldType][0]

const literals: { readonly [criterion in Criterion]: ReadonlyArray<Literal["kind"]> } = {
  id: ["text"],
  string: ["text"],
  boolean: ["boolean"],
  double: ["number"],
  date: ["date", "period"],
  dateTime: ["instant", "period"]
}

/** Long text, content and compound fields take part in no filter and no order. */
export const isFilterable = ({ length, type }: Field) =>
  type !== "address" && type !== "base64" && !(type === "textarea" && (length ?? 0) > 255)

/** Salesforce's own name of a path, or what it says of one it does not know. */
const resolve = (text: string, object: SObject, path: string): Checked<Path> => {
  const found = pathOf(object, path)
  if (isResolved(found)) return Either.right(found)
  return Either.left(
    "noField" in found ? noField(text, found.noField, found.of.name) : noRelation(text, found.noRelation, found.of.name)
  )
}

const checkedComparison = (text: string, object: SObject, one: Comparison): Checked<Comparison> =>
  Either.gen(function* () {
    const { field } = yield* resolve(text, object, one.path)
    if (one.among !== undefined && !linked.has(field.type)) {
      return yield* Either.left(
        malformedQuery(text, "The left operand field in the where expression should be an id field")
      )
    }
    if (!isFilterable(field)) return yield* Either.left(cannotBe(text, field.code, "filtered"))
    const [criterion] = types[field.type]
    const isOrdered = ["<", "<=", ">", ">="].includes(one.operator)
    if ((one.operator === "LIKE" && criterion !== "string") || (isOrdered && criterion === "boolean")) {
      return yield* Either.left(wrongOperator(text, `invalid operator on ${field.type} field`))
    }
    const values: Array<Literal> = []
    for (const value of one.values) {
      if (value.kind !== "null" && !literals[criterion].includes(value.kind)) {
        const isQuoted = criterion === "id" || criterion === "string"
        return yield* Either.left(wrongCriterion(text, field.code, isQuoted ? "string" : criterion, isQuoted))
      }
      if (criterion === "id" && value.kind === "text" && value.value !== "") {
        const long = idOf(value.value)
        if (long === undefined) return yield* Either.left(wrongOperator(text, `invalid ID field: ${value.value}`))
        values.push({ ...value, value: long })
      } else {
        values.push(value)
      }
    }
    return { ...one, values }
  })

const checkedCondition = (text: string, object: SObject, condition: Condition): Checked<Condition> =>
  Either.gen(function* () {
    if (condition.kind === "compare") return yield* checkedComparison(text, object, condition)
    if (condition.kind === "not") {
      return { kind: "not" as const, of: yield* checkedCondition(text, object, condition.of) }
    }
    const left = yield* checkedCondition(text, object, condition.left)
    return { kind: condition.kind, left, right: yield* checkedCondition(text, object, condition.right) }
  })

const linked = new Set(["id", "reference"])

/** Conditions that hold whatever else does. */
const topLevel = (where: Condition | undefined): ReadonlyArray<Comparison> =>
  where?.kind === "compare" ? [where] : where?.kind === "and" ? [...topLevel(where.left), ...topLevel(where.right)] : []

/**
 * Queries within a condition.
 * https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_comparisonoperators.htm
 */
const joinsIn = (text: string, where: Condition | undefined): Checked<ReadonlyMap<Query, Plan>> =>
  Either.gen(function* () {
    const all = comparisons(where).flatMap(({ among }) => among ?? [])
    const refuse = (message: string) => Either.left(malformedQuery(text, message))
    if (all.length > 2) return yield* refuse("maximum 2 semi join sub-selects are allowed")
    if (topLevel(where).filter(({ among }) => among !== undefined).length < all.length) {
      return yield* refuse("Semi join sub-selects are not allowed with the 'OR' operator")
    }
    const joins = new Map<Query, Plan>()
    for (const query of all) {
      const [column] = query.columns
      const object = sObjectNamed(query.from)
      if (object === undefined) return yield* Either.left(noEntity(text, query.from))
      if (query.limit !== undefined || query.offset !== undefined || query.orderBy.length > 0) {
        return yield* refuse("Semi join sub-selects take no ORDER BY and no LIMIT")
      }
      if (comparisons(query.where).some(({ among }) => among !== undefined)) {
        return yield* refuse("Nesting of semi join sub-selects is not supported")
      }
      // a filter by a parent takes no query (Object Reference, ContentDocumentLink)
      if (object.filteredBy !== undefined) {
        return yield* refuse(`Entity '${object.name}' is not supported for semi join inner selects`)
      }
      const field = column?.kind === "field" ? fieldNamed(object, column.path) : undefined
      if (query.columns.length !== 1 || field === undefined || !linked.has(field.type)) {
        return yield* refuse("The inner select field should be an id field")
      }
      joins.set(query, yield* plan(text, object, query))
    }
    return joins
  })

const checkedOrder = (text: string, object: SObject, keys: ReadonlyArray<OrderKey>): Checked<unknown> =>
  Either.all(
    keys.map(({ path }) =>
      Either.flatMap(resolve(text, object, path), ({ field }) =>
        isFilterable(field) ? Either.right(field) : Either.left(cannotBe(text, field.code, "sorted"))
      )
    )
  )

const plan = (text: string, object: SObject, asked: Query): Checked<Plan> =>
  Either.gen(function* () {
    const paths = new Map<string, Path>()
    const shown: Array<Path> = []
    const children: Array<Plan["children"][number]> = []
    const seen = new Set<string>()
    for (const column of asked.columns) {
      if (column.kind === "all") return yield* Either.left(malformedQuery(text, "unexpected token: '*'"))
      if (column.kind === "count") {
        if (column.path !== undefined) yield* resolve(text, object, column.path)
        continue
      }
      const name = column.kind === "field" ? column.path : column.query.from
      if (seen.has(name.toLowerCase())) return yield* Either.left(twice(text, name))
      seen.add(name.toLowerCase())
      if (column.kind === "field") {
        shown.push(yield* resolve(text, object, name))
      } else {
        const from = childRelations(object).find(({ relation }) => relation.toLowerCase() === name.toLowerCase())
        if (from === undefined) return yield* Either.left(noChildren(text, name))
        children.push({ from, relation: from.relation, plan: yield* plan(text, from.object, column.query) })
      }
    }
    if ((asked.offset ?? 0) > 2000) return yield* Either.left(offsetTooLarge(text))
    yield* checkedOrder(text, object, asked.orderBy)
    const where = asked.where === undefined ? undefined : yield* checkedCondition(text, object, asked.where)
    const joins = yield* joinsIn(text, where)
    const compared = comparisons(where)
    if (
      object.filteredBy !== undefined &&
      !compared.some(({ operator, path }) => object.filteredBy?.includes(path) === true && /^(?:=|IN)$/.test(operator))
    ) {
      return yield* Either.left(
        restrictedQuery(
          `Implementation restriction: ${object.name} requires a filter by a single Id on ${object.filteredBy.join(" or ")} using the equals operator or multiple Id's using the IN operator.`
        )
      )
    }
    for (const { path } of [...compared, ...asked.orderBy]) paths.set(path, yield* resolve(text, object, path))
    return {
      object,
      joins,
      query: where === undefined ? asked : { ...asked, where },
      shown: shownOf(shown),
      children,
      paths
    }
  })

const planOf = (text: string): Checked<Plan> =>
  Either.gen(function* () {
    const query = yield* Either.mapLeft(parse(soql, text), (message) => malformedQuery(text, message))
    const object = sObjectNamed(query.from)
    return object === undefined ? yield* Either.left(noEntity(text, query.from)) : yield* plan(text, object, query)
  })

/** A field of a query that the organisation does not have. */
const lackedIn = (org: Org, { children, joins, object, paths, shown }: Plan): Fault | undefined => {
  const fieldsOf = ({ fields, parents }: Shown): ReadonlyArray<Field> => [
    ...fields,
    ...parents.flatMap((parent) => fieldsOf(parent.shown))
  ]
  const lacked = [...fieldsOf(shown), ...[...paths.values()].map(({ field }) => field)].find(
    (field) => !isHeldBy(org, field)
  )
  return lacked === undefined
    ? [...children.map(({ plan }) => plan), ...joins.values()].map((one) => lackedIn(org, one)).find(Boolean)
    : noField(object.name, lacked.code, object.name)
}

// Answers

/** The condition with what its inner queries find. */
const joined = (view: View, condition: Condition, joins: Plan["joins"]): Condition => {
  if (condition.kind === "not") return { kind: "not", of: joined(view, condition.of, joins) }
  if (condition.kind !== "compare") {
    const { kind, left, right } = condition
    return { kind, left: joined(view, left, joins), right: joined(view, right, joins) }
  }
  const plan = condition.among === undefined ? undefined : joins.get(condition.among)
  const [field] = plan?.shown.fields ?? []
  if (plan === undefined || field === undefined) return condition
  const values = foundBy(view, plan, () => true).flatMap((found): ReadonlyArray<Literal> => {
    const value = valueOf(view.org, found, field)
    return typeof value === "string" ? [{ kind: "text", value, raw: value }] : []
  })
  return { ...condition, values }
}

/** Queries leave out old activities as they do the recycle bin. */
const isLeftOut = ({ IsArchived, IsDeleted }: Doc) => IsDeleted === true || IsArchived === true

const foundBy = (
  view: View,
  { joins, object, paths, query }: Plan,
  among: (doc: Doc) => boolean
): ReadonlyArray<Found> => {
  const { deleted, org } = view
  const rows = org
    .all(object.name)
    .filter((doc) => (deleted || !isLeftOut(doc)) && among(doc))
    .map((doc): Found => ({ object, doc }))
  const get = (found: Found, name: string) => {
    const path = paths.get(name)
    return path === undefined ? null : valueAt(org, found, path)
  }
  const where = query.where === undefined ? {} : { where: joined(view, query.where, joins) }
  return run({ ...query, ...where }, rows, get, org.now)
}

const shownRow = (view: View, found: Found, { children, shown }: Plan): Doc => ({
  ...rowOf(view, found, shown),
  ...Object.fromEntries(
    children.map(({ from, plan, relation }) => {
      const rows = foundBy(view, plan, (doc) => doc[from.field.code] === found.doc.Id)
      const records = rows.map((row) => shownRow(view, row, plan))
      return [relation, rows.length === 0 ? null : { totalSize: rows.length, done: true, records }] as const
    })
  )
})

const cursors = "query_cursor"

/** A user has ten cursors; the oldest gives way. */
const keepCursor = (org: Org, cursor: Doc): string => {
  const open = org.entries(cursors)
  for (const [oldest] of open.slice(0, Math.max(0, open.length - 9))) org.remove(cursors, oldest)
  const name = `01gWS${org.nextId().toString(36).toUpperCase().padStart(10, "0")}`
  org.put(cursors, name, cursor)
  return name
}

const planFor = (org: Org, text: string): Checked<Plan> =>
  Either.flatMap(planOf(text), (plan) => {
    const lacked = lackedIn(org, plan)
    return lacked === undefined ? Either.right(plan) : Either.left(lacked)
  })

/** The answer to a query: at most `batch` rows, and where the others are. */
export const answer = (view: View, text: string, batch: number): Checked<Doc> =>
  Either.map(planFor(view.org, text), (plan) => {
    const rows = foundBy(view, plan, () => true)
    const counts = plan.query.columns.flatMap((column) => (column.kind === "count" ? [column] : []))
    if (counts.length === 1 && counts[0]?.path === undefined && counts.length === plan.query.columns.length) {
      return { totalSize: rows.length, done: true, records: [] }
    }
    if (counts.length > 0) {
      const numbers = counts.map(({ path }, index) => {
        const isCounted = (row: Found) => {
          const found = path === undefined ? undefined : pathOf(plan.object, path)
          return found === undefined || (isResolved(found) && valueAt(view.org, row, found) !== null)
        }
        return [`expr${index}`, rows.filter(isCounted).length] as const
      })
      const record = { attributes: { type: "AggregateResult" }, ...Object.fromEntries(numbers) }
      return { totalSize: 1, done: true, records: [record] }
    }
    const records = rows.slice(0, batch).map((row) => shownRow(view, row, plan))
    if (rows.length <= batch) return { totalSize: rows.length, done: true, records }
    const cursor = keepCursor(view.org, { text, deleted: view.deleted, ids: rows.map(({ doc }) => doc.Id) })
    return {
      totalSize: rows.length,
      done: false,
      nextRecordsUrl: `/services/data/${view.version}/query/${cursor}-${batch}`,
      records
    }
  })

/** The rows from a place in an earlier answer. */
export const more = (org: Org, version: string, locator: string, batch: number): Checked<Doc> =>
  Either.gen(function* () {
    const [, name = "", place = ""] = /^(\w+)-(\d+)$/.exec(locator) ?? []
    const cursor = org.get(cursors, name)
    if (cursor === undefined || !Array.isArray(cursor.ids)) return yield* Either.left(badLocator)
    const [from, total] = [Number(place), cursor.ids.length]
    const found = yield* planOf(String(cursor.text))
    const view = { org, version, deleted: cursor.deleted === true }
    const records = cursor.ids.slice(from, from + batch).flatMap((one) => {
      const doc = org.get(found.object.name, String(one))
      return doc === undefined ? [] : [shownRow(view, { object: found.object, doc }, found)]
    })
    const next = from + batch
    return next >= total
      ? { totalSize: total, done: true, records }
      : {
          totalSize: total,
          done: false,
          nextRecordsUrl: `/services/data/${version}/query/${name}-${next}`,
          records
        }
  })
