import { Effect, Option, Struct } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, clausesFor, foundBy } from "../Filtering.ts"
import type {
  Consistency,
  CreateRequest,
  ListRequest,
  NativeRecord,
  ResourceAdapter,
  Target,
  UpdateRequest,
  Written
} from "../ProviderAdapter.ts"
import { Invalid, Malformed, Missing, ProviderError, type Reason } from "../ProviderError.ts"
import { inOrder } from "./Paginator.ts"
import { type Ask, atOnce, type Paging, type Query } from "./Paging.ts"
import type { Answer, Call, Caller } from "./Upstream.ts"

/** Places of records in a provider's answers. */
export interface Envelope {
  readonly provider: string
  /** The list of records in an answer. */
  readonly many: (answer: Answer) => unknown
  /** The record in an answer. */
  readonly one: (answer: Answer) => unknown
  /** The id of a record; absent: its `id`. */
  readonly idOf?: (record: Native) => unknown
  /** Whether a record is deleted, where the provider still answers with it. */
  readonly isGone?: (record: Native) => boolean
}

/** A list at a provider. */
export interface Listing {
  readonly nativeType: string
  readonly path: string
  /** Lists with a POST to this path, with the parameters in its body beside this one; absent: a GET of `path`. */
  readonly search?: { readonly path: string; readonly body?: Native }
  readonly query?: Query
}

/** Reads the answers of a provider. */
export const reader = ({ idOf = ({ id }) => id, isGone = () => false, many, one, provider }: Envelope) => {
  const failure = (operation: string, reason: Reason, detail?: string): Effect.Effect<never, ProviderError> =>
    Effect.fail(new ProviderError({ provider, operation, reason, ...(detail === undefined ? {} : { detail }) }))

  const malformed = ({ operation }: Call, { status }: Answer) => {
    const detail = "the answer lacks what the API promises"
    return Effect.fail(new ProviderError({ provider, operation, reason: new Malformed(), status, detail }))
  }

  const isLive = (record: Native) => !isGone(record)

  /** All records of a list, including deleted ones, as offsets count them. */
  const all = (call: Call, answer: Answer): Effect.Effect<ReadonlyArray<Native>, ProviderError> => {
    const found = many(answer)
    return Array.isArray(found) ? Effect.succeed(found.filter(isNative)) : malformed(call, answer)
  }

  const record = (call: Call, answer: Answer): Effect.Effect<Native, ProviderError> => {
    const found = one(answer)
    if (!isNative(found) || (idOf(found) ?? null) === null) return malformed(call, answer)
    return isLive(found) ? Effect.succeed(found) : failure(call.operation, new Missing())
  }

  return {
    failure,
    isLive,
    idOf: (record: Native) => String(idOf(record)),
    hasId: (record: Native) => (idOf(record) ?? null) !== null,
    /** Reads a list, a part at a time. */
    ask:
      (call: Caller, connection: ConnectionRef, { nativeType, path, query, search }: Listing): Ask =>
      (place) => {
        const parameters = { ...query, ...place }
        const operation = `${nativeType}.list`
        const request: Call =
          search === undefined
            ? { operation, method: "GET", path, query: parameters }
            : { operation, method: "POST", path: search.path, json: { ...search.body, ...parameters }, reads: true }
        return Effect.flatMap(call(connection, request), (answer) =>
          Effect.map(all(request, answer), (found) => ({
            answer,
            records: found.map((record) => ({ nativeType, record }))
          }))
        )
      },
    /** The records of a list, without deleted ones. */
    records: (call: Call, answer: Answer) => Effect.map(all(call, answer), (found) => found.filter(isLive)),
    /** The one record of an answer. */
    record,
    /** The record that a call made. A missing record is one that the call's body names. */
    made: (call: Caller, connection: ConnectionRef, request: Call): Effect.Effect<Native, ProviderError> =>
      call(connection, request).pipe(
        Effect.mapError((error) =>
          error.reason._tag === "Missing" ? new ProviderError({ ...error, reason: new Invalid({ fields: {} }) }) : error
        ),
        Effect.flatMap((answer) => record(request, answer))
      )
  }
}

export type Verb = "list" | "get" | "create" | "replace" | "patch" | "remove"

const every = ["list", "get", "create", "replace", "patch", "remove"] as const

/** A resource whose records have one address each, below the address of their list. */
export interface Rest<V extends Verb = Verb> {
  readonly mapping: Mapping
  /** Absent: all of them. */
  readonly verbs?: ReadonlyArray<V>
  /** Absent: `exact`. */
  readonly consistency?: Consistency
  /** The address of a list, by the native type of its records. */
  readonly path: (nativeType: string) => string
  /** The address of a record (`:id`); absent: `/:id` below that of the list. */
  readonly one?: (path: string) => string
  /** Lists with a POST below the list's address, with the parameters in its body beside this one; absent: a GET. */
  readonly search?: { readonly path: string; readonly body?: Native }
  readonly envelope: Envelope
  /** Absent: everything in one answer. */
  readonly paging?: Paging
  /** Pattern of ids; any other id is missing without a call. */
  readonly id?: RegExp
  /** Query of a read, such as the names of fields. */
  readonly fields?: (variant: CompiledVariant) => Query
  /** Parameters that narrow lists, by filter; those of several filters are sent together. */
  readonly filters?: Clauses<Query>
  /** Method of an update; absent: PATCH. */
  readonly method?: "PATCH" | "PUT" | "POST"
  /** Makes the body of a write from the record; absent: the record itself. */
  readonly body?: (record: Native) => unknown
  /** Whether the answer to a write has all fields of a read; if not, the record is read back. Absent: it has. */
  readonly isWhole?: (variant: CompiledVariant) => boolean
}

/** An adapter with just these verbs. */
export type RestAdapter<V extends Verb> = Pick<ResourceAdapter, "mapping" | "consistency" | "finds"> &
  Required<Pick<ResourceAdapter, V>>

/**
 * The adapter of a resource. A provider that does more composes: it wraps a verb, or takes only some of them. Each native
 * type of the mapping is a list; positions of a resource with one type are those of its paging.
 */
export function rest<const V extends Verb = Verb>(call: Caller, of: Rest<V>): RestAdapter<V>
export function rest(call: Caller, of: Rest): Partial<ResourceAdapter> {
  const { envelope, fields = () => ({}), filters = {}, isWhole = () => true, mapping, paging = atOnce, path } = of
  const { body = (record: Native) => record, one = (list: string) => `${list}/:id` } = of
  const read = reader(envelope)

  const native = ({ nativeType }: CompiledVariant, record: Native): NativeRecord => ({ nativeType, record })

  /** A call about one record. */
  const about = (
    { connection, id, variant: { nativeType } }: Target,
    verb: string,
    part: Pick<Call, "method" | "query" | "json">
  ) => {
    const request: Call = {
      ...part,
      operation: `${nativeType}.${verb}`,
      path: one(path(nativeType)),
      params: { id }
    }
    const isKnown = of.id?.test(id) ?? true
    return {
      request,
      answer: isKnown ? call(connection, request) : read.failure(request.operation, new Missing())
    }
  }

  const list = ({ connection, limit, mapping: { variants }, position, wanted }: ListRequest) => {
    const clauses = clausesFor(filters, { wanted })
    if (Option.isNone(clauses)) return Effect.succeed({ records: [], next: null })
    const cut = clauses.value.reduce<Query>((all, one) => ({ ...all, ...one }), {})
    const pages = variants.map((variant) => {
      const address = path(variant.nativeType)
      const search = of.search === undefined ? {} : { search: { ...of.search, path: `${address}${of.search.path}` } }
      const listing = {
        nativeType: variant.nativeType,
        path: address,
        query: { ...fields(variant), ...cut },
        ...search
      }
      return paging(read.ask(call, connection, listing), ({ record }) => read.idOf(record))
    })
    const [first, ...further] = pages
    const fetch = first === undefined || further.length > 0 ? inOrder(envelope.provider, pages) : first
    return Effect.flatMap(fetch(position, limit), (page) => {
      const nameless = page.records.find(({ record }) => !read.hasId(record))
      return nameless === undefined
        ? Effect.succeed({ ...page, records: page.records.filter(({ record }) => read.isLive(record)) })
        : read.failure(`${nameless.nativeType}.list`, new Malformed(), "a record of the list has no id")
    })
  }

  const get = (target: Target): Effect.Effect<NativeRecord, ProviderError> => {
    const { answer, request } = about(target, "get", { method: "GET", query: fields(target.variant) })
    return answer.pipe(
      Effect.flatMap((found) => read.record(request, found)),
      Effect.map((record) => native(target.variant, record))
    )
  }

  const written = (variant: CompiledVariant, record: Native): Written => ({
    id: read.idOf(record),
    ...(isWhole(variant) ? { record: native(variant, record) } : {})
  })

  const create = ({ connection, encoded, variant }: CreateRequest): Effect.Effect<Written, ProviderError> => {
    const operation = `${variant.nativeType}.create`
    const request: Call = { operation, method: "POST", path: path(variant.nativeType), json: body(encoded.record) }
    return Effect.map(read.made(call, connection, request), (record) => written(variant, record))
  }

  /** Updates a record, unless the body changes nothing. */
  const update = (request: UpdateRequest): Effect.Effect<Written, ProviderError> => {
    const { current, encoded, id, mode, variant } = request
    if (Object.keys(encoded.record).length === 0) {
      return Effect.succeed({ id, ...(current === undefined ? {} : { record: current }) })
    }
    const { answer, request: sent } = about(request, mode, { method: of.method ?? "PATCH", json: body(encoded.record) })
    return answer.pipe(
      Effect.flatMap((found) => read.record(sent, found)),
      Effect.map((record) => written(variant, record))
    )
  }

  const remove = (target: Target) => Effect.asVoid(about(target, "remove", { method: "DELETE" }).answer)

  const all = { list, get, create, replace: update, patch: update, remove }
  const finds = foundBy(filters)
  return { mapping, consistency: of.consistency ?? "exact", finds, ...Struct.pick(all, ...(of.verbs ?? every)) }
}
