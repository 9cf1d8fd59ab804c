import { Array as Arr, Effect, Option, Record } from "effect"
import { getPath, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { type Fetch, wholeById } from "../base/Paginator.ts"
import { requestKey } from "../base/RequestKey.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, clausesFor, exact, foundBy } from "../Filtering.ts"
import type { ListRequest, NativeRecord, ResourceAdapter, UpdateRequest, Written } from "../ProviderAdapter.ts"
import { Malformed, Missing, ProviderError } from "../ProviderError.ts"
import { changesOf } from "./Changes.ts"
import { allOf, type Asked, guid, instantOf, times } from "./Filters.ts"
import { numbered } from "./Pages.ts"

/**
 * The conventions of all endpoints of the Accounting API: `PUT /{Endpoint}` creates records, `POST /{Endpoint}/{id}` changes
 * the members that it names, `GET` reads; responses hold a list under the endpoint's name.
 * https://developer.xero.com/documentation/api/accounting/requests-and-responses
 */

export const accounting = "/api.xro/2.0"

/** Records that a page holds at most. */
const pageSize = 1000

/**
 * Ids in one call, in the parameter `IDs` or in a condition: more would make the URL longer than the 2000 or so characters
 * that Xero accepts. https://github.com/XeroAPI/Xero-NetStandard/issues/471
 */
const idsAtOnce = { parameter: 45, condition: 20 } as const

/** A kind of record, and how it differs from the others. */
export interface Kind {
  /** The native type of the mapping's variant. */
  readonly nativeType: string
  /** The endpoint; responses hold the records under its name. */
  readonly endpoint: string
  /** The member that holds the id. */
  readonly id: string
  /** Lists come in pages; otherwise all at once. */
  readonly pages?: true
  /** Parameters of every call for one record or a page of them. */
  readonly query?: { readonly [name: string]: string }
  /** Further parameters of lists. */
  readonly listQuery?: { readonly [name: string]: string }
  /** Lists take the parameter `IDs`; otherwise a condition selects records by id. */
  readonly byIds?: true
  /** Conditions on lists; absent where lists take none. */
  readonly where?: ReadonlyArray<string>
  /** True where lists take no conditions at all. */
  readonly isUnconditional?: true
  /** The time of the last change, or of creation where Xero states only that; absent where it states neither. */
  readonly stamp?: keyof typeof times
  /** Filters that lists take, besides those by `stamp`. */
  readonly filters?: Clauses<Asked>
  /** Whether a record belongs to the resource; absent: all do. */
  readonly isOne?: (record: Native) => boolean
  /** States of ended records, which lists can include. Absent: deleted records are gone. */
  readonly ended?: ReadonlyArray<string>
  /** Parameters that make lists include ended records, where Xero leaves them out by default. */
  readonly endedQuery?: { readonly [name: string]: string }
  /** Changes go to the endpoint itself, with the record's id in the body. */
  readonly isNamed?: true
  /** Bodies hold the record itself, not a list of records. */
  readonly isBare?: true
  /** Turns a native record into the form that the mapping reads, and a write plan into the form that Xero takes. */
  readonly read?: (record: Native) => Native
  readonly write?: (record: Native, current: Native | undefined) => Native
  /** Members that every change must include. */
  readonly always?: (record: Native) => Native
  /** Fetches the wanted parts of a page of records. */
  readonly complete?: (
    connection: ConnectionRef,
    wanted: ReadonlyArray<string>,
    records: ReadonlyArray<NativeRecord>
  ) => Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError>
  /** A member that must be written by a call of its own. */
  readonly apart?: string
  /** How a record ends: by `DELETE`, or by a write. */
  readonly ending?: "delete" | ((record: Native) => Native)
  /** Steps of a write plan, on the record just written. */
  readonly steps?: { readonly [name: string]: Step }
}

/** Performs a step; `key` is the caller's idempotency key of a create. */
export type Step = (
  endpoints: Endpoints,
  connection: ConnectionRef,
  id: string,
  value: unknown,
  key: string | undefined
) => Effect.Effect<void, ProviderError>

export type Endpoints = ReturnType<typeof endpoints>

/** A call with plain parameters. */
export type Request = Omit<Call, "query"> & { readonly query?: { readonly [name: string]: string } }

const queryOf = ({ query }: Kind) => (query === undefined ? {} : { query })

export const malformed = (operation: string, status: number, detail: string) =>
  new ProviderError({ provider: "xero", operation, reason: new Malformed(), status, detail })

export const missing = (operation: string) => new ProviderError({ provider: "xero", operation, reason: new Missing() })

/** Xero keeps deleted records; the service does not count them. */
export const isThere = (record: Native) => record.Status !== "DELETED"

const isEnded = ({ ended = ["DELETED"] }: Kind, { Status }: Native) => ended.includes(String(Status))

const clausesOf = ({ ended, filters, stamp }: Kind): Clauses<Asked> => ({
  ...(stamp === undefined ? {} : times[stamp]),
  ...(ended === undefined ? {} : { include_deleted: exact(() => ({ ended: true })) }),
  ...filters
})

/** The filters that the lists of all these kinds support. */
export const findsIn = (...kinds: ReadonlyArray<Kind>): ReadonlyArray<string> => {
  const [first = [], ...others] = kinds.map((kind) => foundBy(clausesOf(kind)))
  return first.filter((name) => others.every((found) => found.includes(name)))
}

/** With filters, a list that comes all at once is searched all at once. */
export const atOnce = ({ limit, wanted }: Pick<ListRequest, "limit" | "wanted">) =>
  Record.isEmptyRecord(wanted) ? limit : Number.MAX_SAFE_INTEGER

type All = ReadonlyArray<Asked>

/** Calls to one organisation's books. */
export const endpoints = (call: Caller) => {
  /** Returns the records of a response. */
  const ask = (connection: ConnectionRef, member: string, request: Request) =>
    Effect.flatMap(call(connection, request), ({ body, status }) => {
      const found = getPath(body, member)
      return Array.isArray(found)
        ? Effect.succeed({ records: natives(found), body })
        : Effect.fail(malformed(request.operation, status, `no ${member} in the answer`))
    })

  const askOne = (connection: ConnectionRef, member: string, request: Request) =>
    Effect.flatMap(ask(connection, member, request), ({ records: [record] }) =>
      record === undefined ? Effect.fail(missing(request.operation)) : Effect.succeed(record)
    )

  /** The call for a list. */
  const listCall = (kind: Kind, asked: All): Request => {
    const { ended = [], endedQuery, isUnconditional } = kind
    const isWhole = asked.some((one) => one.ended === true)
    const conditions = [
      ...(kind.where ?? []),
      ...(isWhole || endedQuery !== undefined ? [] : ended.map((state) => `Status!="${state}"`)),
      ...asked.flatMap(({ where }) => where ?? [])
    ]
    const where = isUnconditional === true ? "" : conditions.join(" AND ")
    const since = asked
      .flatMap((one) => one.since ?? [])
      .toSorted()
      .at(-1)
    return {
      operation: `${kind.endpoint}.list`,
      method: "GET",
      path: `${accounting}/${kind.endpoint}`,
      query: {
        ...kind.query,
        ...kind.listQuery,
        ...(isWhole ? endedQuery : {}),
        ...(where === "" ? {} : { where }),
        ...allOf(asked.map(({ query = {} }) => query))
      },
      ...(since === undefined ? {} : { headers: { "if-modified-since": since.slice(0, 19) } })
    }
  }

  const recordOf = (kind: Kind, record: Native): NativeRecord => ({
    nativeType: kind.nativeType,
    record: kind.read?.(record) ?? record,
    ...(isEnded(kind, record)
      ? { deletedAt: kind.stamp === "UpdatedDateUTC" ? instantOf(record, kind.stamp) : null }
      : {})
  })

  const isOne = (kind: Kind, record: Native) => kind.isOne?.(record) ?? true

  /** Tells whether a listed record is wanted. */
  const isMeant = (kind: Kind, asked: All) => {
    const isWhole = asked.some((one) => one.ended === true)
    return (record: Native) =>
      isOne(kind, record) && (isWhole || !isEnded(kind, record)) && asked.every(({ keeps }) => keeps?.(record) ?? true)
  }

  const idOf =
    (kind: Kind) =>
    ({ record }: NativeRecord) =>
      String(record[kind.id])

  /** Reads all records, or one page of them. */
  const all = (connection: ConnectionRef, kind: Kind, asked: All = [], page: Request["query"] = {}) => {
    const request = listCall(kind, asked)
    return Effect.map(
      ask(connection, kind.endpoint, { ...request, query: { ...request.query, ...page } }),
      ({ records }) => records.filter(isMeant(kind, asked)).map((record) => recordOf(kind, record))
    )
  }

  /** Reads pages in the order of ids, which is Xero's default. */
  const paged = (connection: ConnectionRef, kind: Kind, asked: All): Fetch => {
    const request = listCall(kind, asked)
    const isKept = isMeant(kind, asked)
    const order = `${kind.id} ASC`
    const pages = numbered(pageSize, idOf(kind), (at) =>
      Effect.map(
        ask(connection, kind.endpoint, { ...request, query: { ...request.query, order, ...at } }),
        ({ body, records }) => ({
          records: records.map((record) => recordOf(kind, record)),
          count: getPath(body, "pagination.itemCount")
        })
      )
    )
    // conditions exclude most unwanted records, but not all lists take them
    const those = (position: string | null, limit: number, left = 5): ReturnType<Fetch> =>
      Effect.flatMap(pages(position, limit), ({ next, records, upTo }) => {
        const kept = records.filter(({ record }) => isKept(record))
        if (kept.length === 0 && next !== null && next !== position && left > 1) return those(next, limit, left - 1)
        const page = { records: kept, next, sparse: kept.length < records.length }
        const nativeCountOf = (count: number) => records.findIndex((record) => record === kept[count - 1]) + 1
        return Effect.succeed(
          upTo === undefined ? page : { ...page, upTo: (count: number) => upTo(nativeCountOf(count)) }
        )
      })
    return (position, limit) => those(position, limit)
  }

  /** Reads the wanted records of a kind, page by page. */
  const pages = ({ connection, wanted }: Pick<ListRequest, "connection" | "wanted">, kind: Kind): Fetch =>
    Option.match(clausesFor(clausesOf(kind), { wanted }), {
      onNone: (): Fetch => () => Effect.succeed({ records: [], next: null }),
      onSome: (asked): Fetch => {
        if (kind.pages === true) return paged(connection, kind, asked)
        const fetch = wholeById(idOf(kind), all(connection, kind, asked))
        return (position, limit) => fetch(position, atOnce({ limit, wanted }))
      }
    })

  /** Reads a record by id. Xero also accepts numbers and codes there, which are not ids. */
  const read = (connection: ConnectionRef, kind: Kind, id: string) => {
    const operation = `${kind.endpoint}.get`
    return Effect.flatMap(
      askOne(connection, kind.endpoint, {
        operation,
        method: "GET",
        path: `${accounting}/${kind.endpoint}/:id`,
        params: { id },
        ...queryOf(kind)
      }),
      (record) =>
        isOne(kind, record) && !isEnded(kind, record) && String(record[kind.id]).toLowerCase() === id.toLowerCase()
          ? Effect.succeed(recordOf(kind, record))
          : Effect.fail(missing(operation))
    )
  }

  /** Reads records by id, in batches or from a list that has no pages; leaves out missing ones. */
  const many = (connection: ConnectionRef, kind: Kind, ids: ReadonlyArray<string>) => {
    const some = (those: ReadonlyArray<string>): Asked =>
      kind.byIds === true
        ? { query: { IDs: those.join(",") } }
        : { where: `(${those.map((id) => `${kind.id}==Guid("${id}")`).join(" OR ")})` }
    const chunks = Arr.chunksOf(
      ids.filter((id) => guid.test(id)),
      kind.byIds === true ? idsAtOnce.parameter : idsAtOnce.condition
    )
    const found =
      kind.pages === true
        ? Effect.forEach(
            chunks,
            (those) => all(connection, kind, [some(those)], { page: "1", pageSize: `${those.length}` }),
            {
              concurrency: "unbounded"
            }
          )
        : Effect.map(all(connection, kind), (records) => [records])
    const wanted = new Set(ids)
    return Effect.map(found, (pages) => pages.flat().filter((record) => wanted.has(idOf(kind)(record))))
  }

  const bodyOf = (kind: Kind, record: Native) => (kind.isBare === true ? record : { [kind.endpoint]: [record] })

  /** Creates a record; the same key returns the same record. */
  const create = (connection: ConnectionRef, kind: Kind, record: Native, key: string | undefined) =>
    askOne(connection, kind.endpoint, {
      operation: `${kind.endpoint}.create`,
      method: "PUT",
      path: `${accounting}/${kind.endpoint}`,
      ...queryOf(kind),
      json: bodyOf(kind, record),
      ...repeatable(connection, kind.endpoint, key)
    })

  const update = (connection: ConnectionRef, kind: Kind, id: string, changes: Native, operation = "update") =>
    askOne(connection, kind.endpoint, {
      operation: `${kind.endpoint}.${operation}`,
      method: "POST",
      path: `${accounting}/${kind.endpoint}${kind.isNamed === true ? "" : "/:id"}`,
      params: { id },
      ...queryOf(kind),
      json: bodyOf(kind, { [kind.id]: id, ...changes })
    })

  return { ask, askOne, all, pages, many, recordOf, read, create, update }
}

/** https://developer.xero.com/documentation/guides/idempotent-requests/idempotency/ */
export const repeatable = (connection: ConnectionRef, name: string, key: string | undefined) =>
  key === undefined ? {} : { headers: { "idempotency-key": requestKey(connection, name, key) }, repeatable: true }

/** The verbs of a resource over one kind of record. */
export const objects = (call: Caller, mapping: Mapping, kind: Kind): ResourceAdapter => {
  const own = endpoints(call)
  const { create, many, pages, read, recordOf, update } = own

  const follow = (connection: ConnectionRef, id: string, steps: Native, done: ReadonlyArray<string>, key?: string) =>
    Effect.forEach(
      Object.entries(steps),
      ([name, value]) => kind.steps?.[name]?.(own, connection, id, value, key) ?? Effect.void,
      { discard: true }
    ).pipe(Effect.mapError((error) => (done.length === 0 ? error : new ProviderError({ ...error, done }))))

  const complete = (
    connection: ConnectionRef,
    variant: CompiledVariant | undefined,
    records: ReadonlyArray<NativeRecord>
  ) => kind.complete?.(connection, variant?.parts ?? [], records) ?? Effect.succeed(records)

  /** Returns the record that a write responds with; reads it back where its parts cannot be fetched. */
  const answer = (connection: ConnectionRef, variant: CompiledVariant, id: string, written: Native) =>
    complete(connection, variant, [recordOf(kind, written)]).pipe(
      Effect.map(([record]): Written => (record === undefined ? { id } : { id, record })),
      Effect.catchAll(() => Effect.succeed<Written>({ id }))
    )

  const save = Effect.fnUntraced(function* ({ connection, current, encoded, id, variant }: UpdateRequest) {
    const held = (current ?? (yield* read(connection, kind, id))).record
    const changes = Object.entries(changesOf(held, kind.write?.(encoded.record, held) ?? encoded.record))
    const parts = [
      changes.filter(([name]) => name !== kind.apart),
      changes.filter(([name]) => name === kind.apart)
    ].flatMap((part) => (part.length === 0 ? [] : [Object.fromEntries(part)]))
    const done: Array<string> = []
    let record: Native = held
    for (const part of parts) {
      record = yield* Effect.mapError(update(connection, kind, id, { ...kind.always?.(held), ...part }), (error) =>
        done.length === 0 ? error : new ProviderError({ ...error, done: [...done] })
      )
      done.push("record")
    }
    yield* follow(connection, id, encoded.steps, done)
    return Object.keys(encoded.steps).length === 0 && parts.length > 0
      ? yield* answer(connection, variant, id, record)
      : { id }
  })

  return {
    mapping,
    consistency: kind.pages === true ? "anchored" : "exact",
    finds: findsIn(kind),
    updates: "whole",
    repeatsCreates: true,

    list: (request) =>
      Effect.flatMap(pages(request, kind)(request.position, request.limit), (page) =>
        Effect.map(complete(request.connection, request.mapping.variants[0], page.records), (records) => ({
          ...page,
          records
        }))
      ),

    get: ({ connection, id, variant }) =>
      Effect.flatMap(read(connection, kind, id), (found) =>
        Effect.map(complete(connection, variant, [found]), ([whole = found]) => whole)
      ),

    ...(kind.isUnconditional === true
      ? {}
      : {
          getMany: ({ connection, ids, variant }) =>
            Effect.flatMap(many(connection, kind, ids), (found) => complete(connection, variant, found))
        }),

    create: Effect.fnUntraced(function* ({ connection, encoded, idempotencyKey, variant }) {
      const record = kind.write?.(encoded.record, undefined) ?? encoded.record
      const made = yield* create(connection, kind, record, idempotencyKey)
      const id = String(made[kind.id])
      yield* follow(connection, id, encoded.steps, ["record"], idempotencyKey)
      return Object.keys(encoded.steps).length === 0 ? yield* answer(connection, variant, id, made) : { id }
    }),

    replace: save,
    patch: save,

    ...(kind.ending === undefined
      ? {}
      : {
          remove: Effect.fnUntraced(function* ({ connection, current, id }) {
            const held = (current ?? (yield* read(connection, kind, id))).record
            if (typeof kind.ending === "function") {
              yield* update(connection, kind, id, { ...kind.always?.(held), ...kind.ending(held) }, "remove")
            } else {
              yield* call(connection, {
                operation: `${kind.endpoint}.remove`,
                method: "DELETE",
                path: `${accounting}/${kind.endpoint}/:id`,
                params: { id }
              })
            }
          })
        })
  }
}
