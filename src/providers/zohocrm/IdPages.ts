import { Effect, Either, identity, Schema } from "effect"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import { keyset, type Slice } from "../base/Paginator.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord } from "../ProviderAdapter.ts"
import { ListBroken, type ProviderError } from "../ProviderError.ts"
import { allOf, anyOf, type Criterion, type Said } from "./Criteria.ts"
import type { Columns } from "./Columns.ts"
import { api, failure, rowsOf } from "./Rows.ts"

/** How the ids of a module are found. */
export interface Finding {
  /** A condition for records that a query leaves out unless it names them. */
  readonly besides?: string
  /** True for a module that queries may not know: its list then takes their place. */
  readonly listed?: boolean
}

/** How whole records are given. */
export interface Whole {
  /** The names of all fields that are wanted, where a list can be asked for so many. */
  readonly fields?: string
  /** Of every list. */
  readonly parameters?: { readonly [name: string]: string }
  /** Of a query that gives them. */
  readonly columns?: Columns
}

/** Ids, or whole records. */
export interface Found extends Slice {
  readonly isWhole?: boolean
}

/** Records of a page; a list always has as many, since a token is good only for the request that it was given for. */
const most = 100

export const idOf = ({ record }: NativeRecord) => String(record.id)

/** Ids are numbers too long to be reckoned with, without leading zeros. */
const compare = (a: string, b: string) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)

const found = (module: string, rows: ReadonlyArray<Native>): ReadonlyArray<NativeRecord> =>
  [...new Map(rows.map((record) => [String(record.id), record])).values()]
    .map((record): NativeRecord => ({ nativeType: module, record }))
    .toSorted((a, b) => compare(idOf(a), idOf(b)))

/** The page of a list that a token leads to, and the id to go on after. */
const Place = Schema.parseJson(Schema.Struct({ token: Schema.NullOr(Schema.String), after: Schema.String }))
const readPlace = Schema.decodeUnknownEither(Place)
const writePlace = Schema.encodeSync(Place)

const idsAlone: Columns = { names: ["id"], recordOf: identity }

/**
 * The records of a module that meet one of each list of criteria, in the order of their ids; without columns, only ids.
 * A second query adds the condition `besides`.
 * https://www.zoho.com/crm/developer/docs/api/v8/Get-Records-through-COQL-Query.html
 */
export const matching = (
  call: Caller,
  connection: ConnectionRef,
  module: string,
  besides: string | undefined,
  columns: Columns = idsAlone
) => {
  const operation = `${module}.list`
  const selected = columns.names.join(", ")

  const query = (condition: string, size: number) => {
    const request: Call = {
      operation,
      method: "POST",
      path: `${api}/coql`,
      json: { select_query: `select ${selected} from ${module} where ${condition} order by id asc limit ${size}` },
      reads: true
    }
    return Effect.flatMap(call(connection, request), (answer) =>
      Effect.map(rowsOf(request, "data", answer), (rows) => rows.map(columns.recordOf))
    )
  }

  const among = (
    where: string,
    criteria: ReadonlyArray<ReadonlyArray<Criterion>>,
    size: number
  ): Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError> => {
    if (criteria.some((one) => one.length === 0)) return Effect.succeed([])
    const all = [where, ...criteria.map((some) => anyOf(some.map(({ coql }) => coql)))]
    const conditions = [all, ...(besides === undefined ? [] : [[...all, besides]])].map(allOf)
    return Effect.forEach(conditions, (condition) => query(condition, size), { concurrency: "unbounded" }).pipe(
      Effect.map((rows) => found(module, rows.flat()).slice(0, size)),
      Effect.catchAll((error) => {
        const unknown = new Set(error.reason._tag === "Invalid" ? Object.keys(error.reason.fields) : [])
        const isKnown = ({ column }: Criterion) => column === undefined || !unknown.has(column)
        return criteria.flat().every(isKnown)
          ? error
          : among(
              where,
              criteria.map((some) => some.filter(isKnown)),
              size
            )
      })
    )
  }
  return among
}

/**
 * The records of a module in the order of their ids. A list gives them whole, page by page, by tokens that are good for a
 * day, but takes no filters: a query takes those and finds ids. It fails over a field that the account lacks, and does not
 * have every field of activities. A query also goes on after an id where a token has ended.
 * https://www.zoho.com/crm/developer/docs/api/v8/get-records.html
 * https://www.zoho.com/crm/developer/docs/api/v8/Get-Records-through-COQL-Query.html
 */
export const idPages = (
  call: Caller,
  connection: ConnectionRef,
  module: string,
  { besides, listed }: Finding,
  said: ReadonlyArray<Said> = [],
  { columns, ...whole }: Whole = {}
): ((position: string | null, limit: number) => Effect.Effect<Found, ProviderError>) => {
  const operation = `${module}.list`
  const wanted = said.flatMap(({ anyOf }) => (anyOf === undefined ? [] : [anyOf]))
  const [since] = said.flatMap((one) => one.since ?? [])
  const [within, another] = said.flatMap((one) => one.within ?? [])

  /** A list gives all that is wanted. */
  const isListed = whole.fields !== undefined && wanted.length === 0

  const queriedBy = (some?: Columns) => {
    const query = matching(call, connection, module, besides, some)
    return keyset(most + 1, idOf, (after, size) =>
      query(after === undefined ? "id is not null" : `id > '${after}'`, wanted, size)
    )
  }

  const queried = (position: string | null, limit: number): Effect.Effect<Found, ProviderError> =>
    columns === undefined
      ? queriedBy()(position, limit)
      : queriedBy(columns)(position, limit).pipe(
          Effect.map((slice) => ({ ...slice, isWhole: true })),
          // a column is not for queries after all: then the ids alone
          Effect.catchIf(
            ({ reason }) => reason._tag === "Invalid",
            () => queriedBy()(position, limit)
          )
        )

  /** https://www.zoho.com/crm/developer/docs/api/v8/get-records.html */
  const page = (token: string | null) => {
    const request: Call = {
      operation,
      method: "GET",
      ...(within === undefined
        ? { path: `${api}/${module}` }
        : { path: `${api}/${within.module}/:id/${module}`, params: { id: within.id } }),
      ...(since === undefined ? {} : { headers: { "if-modified-since": since } }),
      query: {
        ...whole.parameters,
        fields: whole.fields ?? "id",
        per_page: most,
        sort_by: "id",
        sort_order: "asc",
        page_token: token ?? undefined
      }
    }
    return call(connection, request).pipe(
      Effect.flatMap((answer) =>
        Effect.map(rowsOf(request, "data", answer), (rows) => {
          const next = getPath(answer.body, "info.next_page_token")
          return { records: found(module, rows), next: typeof next === "string" ? next : null }
        })
      ),
      // nothing has changed since, or there is no such record to be on
      Effect.catchIf(
        ({ reason, status }) => reason._tag === "Missing" && (status === 304 || within !== undefined),
        () => Effect.succeed({ records: [], next: null })
      )
    )
  }

  /** From a page of the list on, what comes after an id; `reached`: the last id of the page before. */
  const listedFrom = (
    start: string | null,
    after: string,
    limit: number,
    reached = ""
  ): Effect.Effect<Found, ProviderError> =>
    Effect.flatMap(page(start), ({ next, records }): Effect.Effect<Found, ProviderError> => {
      const end = records.at(-1)
      if (end === undefined) return Effect.succeed({ records, next: null })
      if (compare(idOf(end), reached) <= 0) {
        return failure(operation, new ListBroken(), "it gave a part of a list that it had given before")
      }
      const fresh = records.filter((record) => compare(idOf(record), after) > 0)
      if (fresh.length === 0 && next !== null) return listedFrom(next, after, limit, idOf(end))
      const taken = fresh.slice(0, limit)
      const last = taken.at(-1)
      const isCut = fresh.length > taken.length
      return Effect.succeed({
        records: taken,
        isWhole: whole.fields !== undefined,
        next:
          last === undefined || (next === null && !isCut)
            ? null
            : writePlace({ token: isCut ? start : next, after: idOf(last) })
      })
    })

  const queriedOrListed = (position: string | null, limit: number) =>
    Effect.catchIf(
      queried(position, limit),
      ({ reason }) => listed === true && (reason._tag === "Invalid" || reason._tag === "NotPermitted"),
      () => listedFrom(null, position ?? "", limit)
    )

  return (position, limit) => {
    if (another !== undefined) return Effect.succeed({ records: [], next: null })
    const size = Math.min(limit, most)
    if (position === null && (within !== undefined || isListed)) return listedFrom(null, "", size)
    const place = Either.getOrUndefined(readPlace(position))
    if (place === undefined) return queriedOrListed(position, size)
    const { after, token } = place
    return token === null
      ? listedFrom(null, after, size)
      : Effect.catchIf(
          listedFrom(token, after, size),
          // a token ends after a day, and with other fields: then the place is looked for by its id
          ({ reason }) => reason._tag === "Invalid",
          () => (within === undefined ? queriedOrListed(after, size) : listedFrom(null, after, size))
        )
  }
}
