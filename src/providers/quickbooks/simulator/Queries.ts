import { Either, Option } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { quickBooks } from "../../simulation/Dialects.ts"
import { run } from "../../simulation/Evaluate.ts"
import { comparisons, parse, type Query } from "../../simulation/Query.ts"
import { entityOf } from "./Entities.ts"
import type { Entity } from "./Entity.ts"
import { entitled } from "./Features.ts"
import { business, missing, type Outcome, queryInvalid, queryUnreadable, refuse } from "./Faults.ts"
import { partAt, refAt, textAt } from "./Fields.ts"
import { deleted } from "./Ledger.ts"
import { present } from "./Records.ts"

// https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries

const pageSize = 100
const largestPage = 1000

const everywhere = ["Id", "MetaData.CreateTime", "MetaData.LastUpdatedTime"]

/** A property as it is called, from how a query writes it. */
const propertyOf = (entity: Entity, written: string): string | undefined =>
  [...everywhere, ...entity.filters].find((name) => name.toLowerCase() === written.toLowerCase())

const patterns: { readonly [kind: string]: RegExp } = {
  number: /^[+-]?(\d+\.?\d*|\.\d+)$/,
  flag: /^(true|false)$/i,
  date: /^\d{4}-\d{2}-\d{2}/
}

/** The first value that is none of its property's kind. */
const wrongValueIn = (entity: Entity, where: Query["where"]): string | undefined =>
  comparisons(where)
    .flatMap(({ path, values }) => {
      const property = propertyOf(entity, path) ?? path
      const kind = property.startsWith("MetaData.") ? "date" : entity.fields[property]?.kind
      return values
        .map((one) => String("value" in one ? one.value : ""))
        .filter((value) => kind !== undefined && patterns[kind]?.test(value) === false)
        .map((value) => `value ${value} is not valid for property ${property}`)
    })
    .at(0)

const valueAt = (doc: Doc, property: string): unknown => {
  if (property === "Id") return /^\d+$/.test(String(doc.Id)) ? Number(doc.Id) : doc.Id
  const [first = "", second] = property.split(".")
  if (second !== undefined) return partAt(doc, first)[second]
  return refAt(doc, first) ?? textAt(partAt(doc, first), "Address") ?? doc[first]
}

/** The `QueryResponse` of a query. */
export const query = (account: Account, text: string): Outcome<Doc> =>
  Either.gen(function* () {
    const read = yield* Either.mapLeft(parse(quickBooks, text), (detail) => [queryUnreadable(detail)] as const)
    // Intuit writes that names of entities are case sensitive; its service takes node-quickbooks' `vendorCredit`
    const entity = entityOf(read.from)
    if (entity === undefined) return yield* refuse(queryInvalid(`Invalid context declaration: ${read.from}`))
    yield* entitled(account, entity, "read")
    const [column] = read.columns
    const isCount = column?.kind === "count" && column.path === undefined
    if (read.columns.length !== 1 || (column?.kind !== "all" && !isCount)) {
      return yield* refuse(queryUnreadable("projections are not supported"))
    }
    const compared = comparisons(read.where).map(({ path }) => path)
    const unknown = [...compared, ...read.orderBy.map(({ path }) => path)].find(
      (path) => propertyOf(entity, path) === undefined
    )
    if (unknown !== undefined) {
      const isThere = Object.keys(entity.fields).some((name) => name.toLowerCase() === unknown.toLowerCase())
      return yield* refuse(
        queryInvalid(
          isThere ? `property '${unknown}' is not queryable` : `Property ${unknown} not found for Entity ${entity.name}`
        )
      )
    }
    const wrong = wrongValueIn(entity, read.where)
    if (wrong !== undefined) return yield* refuse(queryInvalid(wrong))
    const limit = read.limit ?? pageSize
    if (limit < 1) return yield* refuse(queryInvalid(`value ${limit} is too small. Min allowed value is 1.`))
    if (limit > largestPage) {
      return yield* refuse(queryInvalid(`value ${limit} is too large. Max allowed value is ${largestPage}.`))
    }
    // inactive records of name lists are hidden from queries that do not ask for them
    const showsAll =
      entity.fields.Active === undefined || compared.some((path) => propertyOf(entity, path) === "Active")
    const rows = account.all(entity.name).filter((doc) => showsAll || doc.Active !== false)
    const get = (doc: Doc, path: string) => valueAt(doc, propertyOf(entity, path) ?? path)
    const { limit: _limit, offset = 0, ...whole } = read
    const found = run(whole, rows, get, account.now)
    if (isCount) return { totalCount: found.length }
    const page = found.slice(offset, offset + limit).map((doc) => present(account, entity, doc))
    return page.length === 0 ? {} : { [entity.name]: page, startPosition: offset + 1, maxResults: page.length }
  })

// https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/change-data-capture

const changedAt = (doc: Doc): string => textAt(partAt(doc, "MetaData"), "LastUpdatedTime") ?? ""

const lookBack = 30 * 86_400_000
const mostChanges = 1000

/** The `CDCResponse` of what changed since a time, entity by entity. */
export const changes = (account: Account, names: string | null, since: string | null): Outcome<ReadonlyArray<Doc>> =>
  Either.gen(function* () {
    if (names === null) return yield* refuse(missing("entities"))
    if (since === null) return yield* refuse(missing("changedSince"))
    const from = Date.parse(since)
    if (Number.isNaN(from)) return yield* refuse(business(`changedSince is no date and time: ${since}`))
    if (from < account.now - lookBack) return yield* refuse(business("changedSince must be within the last 30 days."))
    const asked = yield* Either.all(
      names.split(",").map((name) =>
        Either.fromOption(
          Option.filter(Option.fromNullable(entityOf(name.trim())), (entity) => entity.isCaptured),
          () => [business(`Change data capture is not supported for ${name}.`)] as const
        )
      )
    )
    // in which order a full answer has them is not documented: clients go on from the newest that they got
    let left = mostChanges
    const responses = asked.map((entity) => {
      const changed = account
        .all(entity.name)
        .filter((doc) => Date.parse(changedAt(doc)) >= from)
        .map((doc) => present(account, entity, doc))
      const gone = account
        .all(deleted(entity.name))
        .filter(({ LastUpdatedTime }) => Date.parse(String(LastUpdatedTime)) >= from)
        .map(({ Id, LastUpdatedTime }) => ({ domain: "QBO", status: "Deleted", Id, MetaData: { LastUpdatedTime } }))
      const rows = [...changed, ...gone]
        .toSorted((a, b) => Date.parse(changedAt(a)) - Date.parse(changedAt(b)))
        .slice(0, left)
      left -= rows.length
      return rows.length === 0 ? {} : { [entity.name]: rows, startPosition: 1, maxResults: rows.length }
    })
    return [{ QueryResponse: responses }]
  })
