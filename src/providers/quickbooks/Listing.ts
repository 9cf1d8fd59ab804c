import { Effect, Either } from "effect"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { type Fetch, since } from "../base/Paginator.ts"
import type { ListRequest, NativeRecord, Page } from "../ProviderAdapter.ts"
import { type Books, type Outcome, pageSize, type Query } from "./Books.ts"
import { quoted } from "./Conditions.ts"
import { type Entity, listQuery, type NamedPart, partQuery } from "./Entity.ts"

const idOf = (record: NativeRecord) => String(record.record.Id)
const createdAt = (record: NativeRecord) => String(getPath(record.record, "MetaData.CreateTime"))

const none: Page = { records: [], next: null }

/** Leaves records out of pages, which are shorter then. */
const showing = (isShown: ((record: Native) => boolean) | undefined, fetch: Fetch): Fetch =>
  isShown === undefined
    ? fetch
    : (position, limit) =>
        Effect.map(fetch(position, limit), (page) => {
          const records = page.records.filter(({ record }) => isShown(record))
          return { ...page, records, sparse: page.sparse === true || records.length < page.records.length }
        })

/** Whether a filter leaves few records; filters by time may leave many. */
const isNarrow = (filter: string) => !/_(after|before)$/.test(filter)

/** Rows of a query, and the number asked for. */
interface Rows {
  readonly size: number
  readonly outcome: Outcome
}

/** Returns all records of a part; undefined where they are not known. */
export type Beside = (part: NamedPart) => ReadonlyArray<Native> | undefined

/** Finds all records of parts in the outcomes of their queries. */
export const besides = (parts: ReadonlyArray<NamedPart>, outcomes: ReadonlyArray<Outcome>): Beside => {
  const known = new Map(parts.map((part, i) => [part, outcomes[i]]))
  return (part) => {
    const rows = Either.getOrElse(known.get(part) ?? Either.right([]), () => [])
    // a full response may lack some
    return known.has(part) && rows.length > 0 && rows.length < pageSize ? rows : undefined
  }
}

/**
 * Lists several entities, one after the other. Most pages lie within one entity and cost one query. At the end of an entity,
 * one call asks all later ones for their first rows; the first page does so only where few rows are expected, since each
 * query of a batch counts.
 */
export const listing = (
  books: Books,
  request: ListRequest,
  all: ReadonlyArray<Entity>,
  parts: ReadonlyArray<NamedPart> = []
) => {
  const { connection, limit, wanted } = request
  const lists = all.map((entity) => ({ entity, query: listQuery(entity, request) }))
  const isShort = all.every((entity) => entity.isShort === true) || Object.keys(wanted).some(isNarrow)
  const known = new Map<string, Rows>()
  let beside: Beside = () => undefined

  const isThere = ({ editions, name }: Entity) =>
    editions === undefined
      ? Effect.succeed(true)
      : Effect.map(editions.isAbsent(connection, name), (isAbsent) => !isAbsent)

  /** Reads the first rows of a list, and of the later lists that are asked along with it. */
  const begin = Effect.fnUntraced(function* (index: number, own: Query) {
    const size = Math.min(limit + 1, pageSize)
    const later = index > 0 || isShort ? lists.slice(index + 1) : []
    const others = yield* Effect.filter(later, ({ entity, query }) =>
      query === undefined ? Effect.succeed(false) : isThere(entity)
    )
    const asked = [own, ...others.flatMap(({ query }) => query ?? [])]
    const outcomes = yield* books.queries(connection, [
      ...asked.map((query) => ({ ...query, size })),
      ...parts.map(partQuery)
    ])
    for (const [i, { name }] of asked.entries()) {
      const outcome = outcomes[i]
      if (outcome !== undefined) known.set(name, { size, outcome })
    }
    beside = besides(parts, outcomes.slice(asked.length))
  })

  /** Reads rows from a time of creation on; reuses earlier rows for a shorter request. */
  const rowsOf = Effect.fnUntraced(function* (index: number, own: Query, from: string | undefined, size: number) {
    const key = from === undefined ? own.name : `${own.name} ${from}`
    if ((known.get(key)?.size ?? 0) < size) {
      if (from === undefined) yield* begin(index, own)
      else {
        const later = { ...own, where: [...own.where, `MetaData.CreateTime >= ${quoted(from)}`], size }
        known.set(key, { size, outcome: yield* Effect.either(books.query(connection, later)) })
      }
    }
    const rows = yield* known.get(key)?.outcome ?? Either.right([])
    return rows.map((record): NativeRecord => ({ nativeType: own.name, record }))
  })

  return {
    fetches: lists.map(({ entity: { editions, isListed, isOne, name }, query }, index): Fetch => {
      if (query === undefined) return () => Effect.succeed(none)
      const rows = since(pageSize, idOf, createdAt, (from, size) => rowsOf(index, query, from, size))
      const fetch = showing(isListed ?? isOne, rows)
      return editions === undefined
        ? fetch
        : (at, size) => editions.ifThere(connection, name, fetch(at, size), Effect.succeed(none))
    }),
    /** The records of parts that reading the lists has fetched. */
    beside: (part: NamedPart) => beside(part)
  }
}
