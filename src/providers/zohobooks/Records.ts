import { Effect, Option, Record } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { everything, type Fetch, inOrder, wholeById } from "../base/Paginator.ts"
import { byPage, type Paging } from "../base/Paging.ts"
import { reader, rest } from "../base/Rest.ts"
import type { Answer, Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, clausesFor, foundBy } from "../Filtering.ts"
import type {
  CreateRequest,
  ListRequest,
  NativeRecord,
  Page,
  ResourceAdapter,
  UpdateRequest,
  Written
} from "../ProviderAdapter.ts"
import { Malformed, ProviderError } from "../ProviderError.ts"
import { type Asked, changes, creations, sinceQuery } from "./Filters.ts"
import { readError } from "./ReadError.ts"

/**
 * Adapters of Zoho Books' modules. `GET /{module}` lists; `GET`, `PUT` and `DELETE /{module}/{id}` are about one record;
 * `POST` creates one. Responses hold it under the module's name in the singular. Every call names the organisation.
 * https://www.zoho.com/books/api/v3/introduction/
 */

/** The peculiarities of a module. */
export interface Kind {
  /** The native type of the mapping's variant. */
  readonly nativeType: string
  /** Name in paths: `invoices`. */
  readonly path: string
  /** The member of lists that holds the records; absent: the path. */
  readonly list?: string
  /** The member of a response that holds one record; absent: the native type. */
  readonly one?: string
  /** The member that holds the id. */
  readonly id: string
  /** The column that sorts lists; absent where none is reliable: the whole list is read, and cut in the order of ids. */
  readonly sort?: string
  /** True where lists can return only the records changed since a time. */
  readonly isSince?: true
  /** Filters that lists take, beside those by time. */
  readonly filters?: Clauses<Asked>
  /** Parameters of a call that writes a record. */
  readonly writeQuery?: (record: Native) => { readonly [name: string]: string }
  /** True where the response to a write lacks fields of a read. */
  readonly isReadBack?: true
  /** Converts a native record for the mapping, and a write plan for Zoho, given the held record where that was read. */
  readonly read?: (record: Native) => Native
  readonly write?: (record: Native, held: Native | undefined) => Native
  /** Members of a write plan that depend on the held record, which is then read first. */
  readonly dependent?: ReadonlyArray<string>
  /** Values of a new record where the body gives none. */
  readonly isMade?: Native
  /** What a single read adds to a record, by calls of its own. */
  readonly complete?: Complete
  /** Steps of a write plan; others are paths below the record, such as `status/sent`. */
  readonly steps?: { readonly [name: string]: Step }
}

/** A part of a record that Zoho lists apart from it. */
export interface Complete {
  readonly part: string
  /** Whether a record has anything to read; the part is `none` where it has not. */
  readonly isNeeded: (record: Native) => boolean
  readonly none: Native
  readonly read: (
    call: Caller,
    connection: ConnectionRef,
    id: string,
    record: Native
  ) => Effect.Effect<Native, ProviderError>
}

/** Runs a step on a record that was just written. */
export type Step = (
  call: Caller,
  connection: ConnectionRef,
  id: string,
  value: unknown
) => Effect.Effect<unknown, ProviderError>

/** Calls to one organisation's books. A success that holds an error is a failure. */
export const booksOf =
  (call: Caller): Caller =>
  (connection, request) =>
    Effect.filterOrFail(
      call(connection, { ...request, path: `/books/v3/${request.path}?organization_id=:organizationId` }),
      ({ body }) => getPath(body, "code") === 0,
      (answer) => {
        const { detail, reason = new Malformed() } = readError({ ...answer, now: 0 })
        const { status } = answer
        return new ProviderError({
          provider: "zoho_books",
          operation: request.operation,
          reason,
          status,
          ...(detail === undefined ? {} : { detail })
        })
      }
    )

/** The record of a response. A tax is in a list of its own; an account stands beside the code. */
const oneOf =
  ({ nativeType, one = nativeType }: Kind) =>
  ({ body }: Answer): unknown => {
    const held = getPath(body, one) ?? body
    return Array.isArray(held) ? held[0] : held
  }

const envelopeOf = (kind: Kind) => ({
  provider: "zoho_books",
  many: ({ body }: Answer) => getPath(body, kind.list ?? kind.path) ?? getPath(body, kind.path),
  one: oneOf(kind),
  idOf: (record: Native) => record[kind.id]
})

/** Records of a page. https://www.zoho.com/books/api/v3/pagination/ */
const most = 200

const pagesBy = (sort: string | undefined) =>
  byPage({
    most,
    page: "page",
    size: "per_page",
    more: "page_context.has_more_page",
    ...(sort === undefined ? {} : { order: { sort_column: sort, sort_order: "A" } })
  })

/** Reads all of a list that has no stable order, page after page. */
const entirely: Paging = (ask, idOf) => {
  const page = pagesBy(undefined)(ask, idOf)
  return wholeById(
    idOf,
    everything("zoho_books", "list", (position) => page(position, most - 1))
  )
}

/** All records of a short list, such as the currencies. */
export const all = (call: Caller, kind: Kind) => {
  const { ask, idOf } = reader(envelopeOf(kind))
  return (connection: ConnectionRef) => {
    const fetch = entirely(ask(booksOf(call), connection, kind), ({ record }) => idOf(record))
    return Effect.map(fetch(null, Number.MAX_SAFE_INTEGER - 1), ({ records }) => records.map(({ record }) => record))
  }
}

/** Reads one record by its id. */
export const readOne = (client: Caller, kind: Kind) => {
  const call = booksOf(client)
  return (connection: ConnectionRef, id: string) =>
    Effect.map(
      call(connection, {
        operation: `${kind.nativeType}.get`,
        method: "GET",
        path: `${kind.path}/:id`,
        params: { id }
      }),
      oneOf(kind)
    )
}

const clausesOf = ({ filters, isSince, sort }: Kind): Clauses<Asked> => ({
  ...(isSince === true ? changes : {}),
  ...(sort === "created_time" ? creations : {}),
  ...filters
})

/** Names of the filters that the lists of all these kinds apply. */
const findsIn = (kinds: ReadonlyArray<Kind>): ReadonlyArray<string> => {
  const [first = [], ...others] = kinds.map((kind) => foundBy(clausesOf(kind)))
  return first.filter((name) => others.every((found) => found.includes(name)))
}

/** Lists the records of a kind. */
const lister = (call: Caller, kind: Kind) => {
  const { nativeType, path, sort } = kind
  const { ask, idOf } = reader(envelopeOf(kind))
  const paging = sort === undefined ? entirely : pagesBy(sort)
  return ({ connection, limit, position, wanted }: ListRequest) =>
    Option.match(clausesFor(clausesOf(kind), { wanted }), {
      onNone: () => Effect.succeed<Page>({ records: [], next: null }),
      onSome: (asked) => {
        const query = {
          ...Object.fromEntries(asked.flatMap((one) => Object.entries(one.query ?? {}))),
          ...sinceQuery(asked)
        }
        const fetch = paging(ask(call, connection, { nativeType, path, query }), ({ record }) => idOf(record))
        // a whole list is filtered at once
        const size = sort === undefined && !Record.isEmptyRecord(wanted) ? Number.MAX_SAFE_INTEGER - 1 : limit
        return Effect.map(fetch(position, size), ({ next, records }): Page => {
          const end = records.findIndex(({ record }) => asked.some(({ ends }) => ends?.(record) === true))
          const within = end < 0 ? records : records.slice(0, end)
          const kept = within.filter(({ record }) => asked.every(({ keeps }) => keeps?.(record) ?? true))
          return { records: kept, next: end < 0 ? next : null, sparse: kept.length < records.length }
        })
      }
    })
}

/** The adapter of one kind of records. */
const module = (call: Caller, mapping: Mapping, kind: Kind) => {
  const { complete, path, read = (record: Native) => record, sort, steps, write = (record: Native) => record } = kind
  const list = lister(call, kind)
  const own: Caller = (connection, request) =>
    call(connection, isNative(request.json) ? { ...request, query: kind.writeQuery?.(request.json) ?? {} } : request)
  const plain = rest(own, {
    mapping,
    consistency: sort === undefined ? "exact" : "anchored",
    envelope: envelopeOf(kind),
    path: () => path,
    id: /^\d+$/,
    method: "PUT",
    isWhole: () => kind.isReadBack !== true
  })
  const shown = (found: NativeRecord): NativeRecord => ({ ...found, record: read(found.record) })
  /** The written record; absent after further steps, so that it is read back. */
  const made = ({ id, record }: Written, isFollowed: boolean): Written =>
    record === undefined || isFollowed || complete?.isNeeded(record.record) === true
      ? { id }
      : { id, record: withNone(shown(record)) }

  const withNone = (found: NativeRecord): NativeRecord =>
    complete === undefined ? found : { ...found, parts: { ...found.parts, [complete.part]: complete.none } }

  const get: typeof plain.get = Effect.fnUntraced(function* (target) {
    const found = shown(yield* plain.get(target))
    if (complete === undefined || !target.variant.parts.includes(complete.part)) return found
    if (!complete.isNeeded(found.record)) return withNone(found)
    const part = yield* complete.read(call, target.connection, target.id, found.record)
    return { ...found, parts: { ...found.parts, [complete.part]: part } }
  })

  const follow = (connection: ConnectionRef, id: string, wanted: Native, done: ReadonlyArray<string>) =>
    Effect.forEach(
      Object.entries(wanted),
      ([name, value]) => {
        const plainStep: Call = {
          operation: `${kind.nativeType}.${name}`,
          method: "POST",
          path: `${path}/:id/${String(value)}`,
          params: { id }
        }
        return steps?.[name]?.(call, connection, id, value) ?? call(connection, plainStep)
      },
      { discard: true }
    ).pipe(Effect.mapError((error) => (done.length === 0 ? error : new ProviderError({ ...error, done }))))

  const update = Effect.fnUntraced(function* (request: UpdateRequest) {
    const { connection, current, encoded, id } = request
    const isWritten = Object.keys(encoded.record).length > 0
    const follows = Object.keys(encoded.steps).length > 0
    if (!isWritten && follows) {
      yield* follow(connection, id, encoded.steps, [])
      return { id }
    }
    const depends = kind.dependent?.some((name) => name in encoded.record) === true
    const held = current ?? (depends ? shown(yield* plain.get(request)) : undefined)
    const record = isWritten ? write(encoded.record, held?.record) : encoded.record
    const written = yield* plain.patch({ ...request, encoded: { ...encoded, record } })
    yield* follow(connection, id, encoded.steps, ["record"])
    return made(written, follows)
  })

  return {
    ...plain,
    list: (request: ListRequest) =>
      Effect.map(list(request), (page) => ({ ...page, records: page.records.map(shown) })),
    get,
    create: Effect.fnUntraced(function* (request: CreateRequest) {
      const { connection, encoded } = request
      const record = { ...kind.isMade, ...write(encoded.record, undefined) }
      const written = yield* plain.create({ ...request, encoded: { ...encoded, record } })
      yield* follow(connection, written.id, encoded.steps, ["record"])
      return made(written, Object.keys(encoded.steps).length > 0)
    }),
    replace: update,
    patch: update
  } satisfies ResourceAdapter
}

/** The adapter of a resource, whose list goes through its kinds one after the other. */
export const records = (client: Caller, mapping: Mapping, kinds: ReadonlyArray<Kind>) => {
  const call = booksOf(client)
  const modules = new Map(kinds.map((kind) => [kind.nativeType, module(call, mapping, kind)]))
  const of = ({ nativeType }: CompiledVariant) =>
    Effect.orDieWith(Effect.fromNullable(modules.get(nativeType)), () => `no kind ${nativeType}`)
  return {
    mapping,
    consistency: kinds.some(({ sort }) => sort !== undefined) ? "anchored" : "exact",
    // all modules draw their ids from one sequence (unverified)
    hasUniqueIds: true,
    finds: findsIn(kinds),
    list: (request) =>
      inOrder(
        "zoho_books",
        request.mapping.variants.map(
          (variant): Fetch =>
            (position, limit) =>
              Effect.flatMap(of(variant), ({ list }) =>
                list({ ...request, position, limit, mapping: { ...request.mapping, variants: [variant] } })
              )
        )
      )(request.position, request.limit),
    get: (target) => Effect.flatMap(of(target.variant), ({ get }) => get(target)),
    create: (request) => Effect.flatMap(of(request.variant), ({ create }) => create(request)),
    replace: (request) => Effect.flatMap(of(request.variant), ({ replace }) => replace(request)),
    patch: (request) => Effect.flatMap(of(request.variant), ({ patch }) => patch(request)),
    remove: (target) => Effect.flatMap(of(target.variant), ({ remove }) => remove(target))
  } satisfies ResourceAdapter
}
