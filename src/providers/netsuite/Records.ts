import { Array as Arr, Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, isNative, type Mapping, natives, type Native } from "../../mapping/Mapping.ts"
import { completed, everything, type Fetch, inOrder, keyset } from "../axes/Paginator.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ListRequest, NativeRecord, ResourceAdapter, UpdateRequest } from "../ProviderAdapter.ts"
import { Malformed, Missing, ProviderError, type Reason } from "../ProviderError.ts"
import { type Body, bodyOf, laid } from "./Bodies.ts"

/**
 * What all records have in common: SuiteQL says which there are, `/record/v1/{type}/{id}` reads and writes each.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/book_1559132836.html
 */

/** Rows a query answers at most. https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html */
const pageSize = 1000

/** Ids in one `IN (…)`: an Oracle database takes a thousand. */
const idsAtOnce = 500

/** A member that NetSuite does not know is refused. https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545141500.html */
const strict = { "x-netsuite-propertynamevalidation": "Error" }

/** Something that belongs to the records of a page and is fetched for all of them at once. */
export type Part = (
  own: Suite,
  connection: ConnectionRef,
  records: ReadonlyArray<Native>
) => Effect.Effect<(record: Native) => unknown, ProviderError>

/** A native type, and how it differs from the others. */
export interface RecordType {
  /** Native type of the mapping's variant; the type in paths, unless `kinds` says it. */
  readonly name: string
  /** Where SuiteQL lists its records. */
  readonly table: string
  readonly where?: string
  /** When a record was made: column there, member of the record; absent where NetSuite does not say. */
  readonly created?: { readonly column: string; readonly member: string }
  /** Several types in paths under one native type: columns that tell them apart, and the type they mean. */
  readonly kinds?: {
    readonly columns: ReadonlyArray<string>
    readonly typeOf: (row: Native) => string | undefined
  }
  /** Sublists whose lines the mapping has under `lines`. */
  readonly sublists?: ReadonlyArray<string>
  /** The member that tells lines of these apart, where that is not `line`. */
  readonly lineKey?: string
  readonly parts?: { readonly [name: string]: Part }
  /** What others need cannot be deleted, and is made inactive instead. */
  readonly retires?: boolean
}

export type Suite = ReturnType<typeof suite>

/** Ids are numbers; nothing else ever stands in a query or a path. */
export const isId = (id: unknown): id is string => typeof id === "string" && /^\d{1,18}$/.test(id)

/** `IN (1, 2)` of ids; what is no id is left out. */
const inIds = (ids: ReadonlyArray<string>): string => `IN (${ids.filter(isId).join(", ")})`

export const failure = (
  operation: string,
  reason: Reason,
  more: { readonly status?: number; readonly detail?: string } = {}
) => new ProviderError({ provider: "netsuite", operation, reason, ...more })

/** What is not there any more is undefined. */
export const orNone = <A, R>(effect: Effect.Effect<A, ProviderError, R>) =>
  Effect.catchIf(
    effect,
    ({ reason }) => reason._tag === "Missing",
    () => Effect.succeed(undefined)
  )

/** Calls to one account. */
export const suite = (call: Caller) => {
  /** One page of a query. */
  const page = (connection: ConnectionRef, table: string, q: string, limit: number, offset = 0) => {
    const operation = `${table}.query`
    return Effect.flatMap(
      call(connection, {
        operation,
        method: "POST",
        path: "/services/rest/query/v1/suiteql",
        query: { limit, offset },
        // the result is not kept: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html
        headers: { prefer: "transient" },
        json: { q },
        reads: true
      }),
      ({ body, status }) => {
        const items = getPath(body, "items")
        return Array.isArray(items)
          ? Effect.succeed({ items: natives(items), hasMore: getPath(body, "hasMore") === true })
          : Effect.fail(failure(operation, new Malformed(), { status, detail: "no items in the answer" }))
      }
    )
  }

  /** Every row of a query that puts them into an order. */
  const query = (connection: ConnectionRef, table: string, q: string) =>
    everything("netsuite", `${table}.query`, (position) => {
      const offset = Number(position ?? 0)
      return Effect.map(page(connection, table, q, pageSize, offset), ({ hasMore, items }) => ({
        records: items,
        next: hasMore ? String(offset + pageSize) : null
      }))
    })

  /** Rows of a query about some records; `of` makes it for a number of ids, written as `IN (…)`. */
  const queryOf = (connection: ConnectionRef, table: string, ids: ReadonlyArray<string>, of: (ids: string) => string) =>
    Effect.map(
      Effect.forEach(
        Arr.chunksOf([...new Set(ids.filter(isId))], idsAtOnce),
        (some) => query(connection, table, of(inIds(some))),
        { concurrency: "unbounded" }
      ),
      Arr.flatten
    )

  const at = (
    connection: ConnectionRef,
    type: string,
    id: string,
    verb: string,
    more: Omit<Call, "operation" | "path" | "params">
  ) =>
    isId(id)
      ? call(connection, {
          operation: `${type}.${verb}`,
          path: "/services/rest/record/v1/:type/:id",
          params: { type, id },
          ...more
        })
      : Effect.fail(failure(`${type}.${verb}`, new Missing()))

  /** One record with its sublists and subrecords. */
  const read = (connection: ConnectionRef, type: string, id: string) =>
    Effect.flatMap(
      at(connection, type, id, "get", { method: "GET", query: { expandSubResources: "true" } }),
      ({ body, status }) =>
        isNative(body)
          ? Effect.succeed(body)
          : Effect.fail(failure(`${type}.get`, new Malformed(), { status, detail: "no record in the answer" }))
    )

  const change = (connection: ConnectionRef, type: string, id: string, { body, replaced }: Body) =>
    at(connection, type, id, "update", {
      method: "PATCH",
      json: body,
      headers: strict,
      ...(replaced.length === 0 ? {} : { query: { replace: replaced.join(",") } })
    })

  const remove = (connection: ConnectionRef, type: string, id: string) =>
    at(connection, type, id, "remove", { method: "DELETE" })

  /** Makes a record, out of another one where there is one; its id stands at the end of `Location`. */
  const create = (connection: ConnectionRef, type: string, body: Native, source: Source | undefined) => {
    const operation = `${type}.create`
    return Effect.flatMap(
      call(connection, {
        operation,
        method: "POST",
        json: body,
        headers: strict,
        ...(source === undefined
          ? { path: "/services/rest/record/v1/:type", params: { type } }
          : { path: "/services/rest/record/v1/:from/:id/!transform/:type", params: { ...source, type } })
      }),
      ({ headers, status }) => {
        const id = headers.location?.split("/").at(-1)
        return isId(id)
          ? Effect.succeed(id)
          : Effect.fail(failure(operation, new Malformed(), { status, detail: "the answer does not say the id" }))
      }
    )
  }

  return { page, query, queryOf, read, change, remove, create }
}

/** The record that a new one is made of, by a transformation. https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157901123882.html */
interface Source {
  readonly from: string
  readonly id: string
}

const sourceOf = (step: unknown): Source | undefined => {
  const [from, id] = [getPath(step, "from"), getPath(step, "id")]
  return typeof from === "string" && isId(id) ? { from, id } : undefined
}

/** A day as SuiteQL takes it, so many days on. Its dates are in the user's time zone, up to a day away from UTC. */
const dayFrom = (instant: string, days: number) =>
  `TO_DATE('${new Date(Date.parse(instant) + days * 86_400_000).toISOString().slice(0, 10)}', 'YYYY-MM-DD')`

/** A list of ids: rows of a query in the order of ids. */
export const rowsOf =
  ({ page }: Suite, { connection, createdAfter, createdBefore }: ListRequest, type: RecordType): Fetch =>
  (position, limit) => {
    const { created, kinds, name, table, where } = type
    const columns = ["id", ...(kinds?.columns ?? [])].join(", ")
    return keyset(
      pageSize,
      ({ record }) => String(record.id),
      (after, size) => {
        if (after !== undefined && !isId(after)) return Effect.fail(failure(`${name}.list`, new Malformed()))
        const conditions = [
          ...(where === undefined ? [] : [where]),
          ...(after === undefined ? [] : [`id > ${after}`]),
          ...(created === undefined || createdAfter === undefined
            ? []
            : [`${created.column} >= ${dayFrom(createdAfter, -1)}`]),
          ...(created === undefined || createdBefore === undefined
            ? []
            : [`${created.column} < ${dayFrom(createdBefore, 2)}`])
        ]
        const filter = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`
        return Effect.map(
          page(connection, table, `SELECT ${columns} FROM ${table}${filter} ORDER BY id`, size),
          ({ items }) => items.map((record): NativeRecord => ({ nativeType: name, record }))
        )
      }
    )(position, limit)
  }

/** The bounds to the second, which SuiteQL cannot keep. */
export const isWithin = ({ createdAfter, createdBefore }: ListRequest, type: RecordType, record: Native) => {
  const made = type.created === undefined ? undefined : record[type.created.member]
  if (typeof made !== "string") return true
  const at = Date.parse(made)
  return (
    (createdAfter === undefined || at >= Date.parse(createdAfter)) &&
    (createdBefore === undefined || at < Date.parse(createdBefore))
  )
}

/** The reading half of a resource over one or several types. */
export const reading = (call: Caller, all: ReadonlyArray<RecordType>) => {
  const own = suite(call)
  const typeOf = ({ nativeType }: Pick<NativeRecord, "nativeType">) => all.find(({ name }) => name === nativeType)

  /** The type in paths of one record; that of a list's row stands in the row. */
  const pathTypeOf = Effect.fnUntraced(function* (
    connection: ConnectionRef,
    { kinds, name, table }: RecordType,
    id: string,
    listed?: Native
  ) {
    if (kinds === undefined) return name
    const columns = kinds.columns.join(", ")
    const [row] =
      listed === undefined
        ? yield* own.queryOf(connection, table, [id], (ids) => `SELECT id, ${columns} FROM ${table} WHERE id ${ids}`)
        : [listed]
    const found = row === undefined ? undefined : kinds.typeOf(row)
    return found ?? (yield* failure(`${name}.get`, new Missing()))
  })

  const readOne = Effect.fnUntraced(function* (
    connection: ConnectionRef,
    type: RecordType,
    id: string,
    listed?: Native
  ) {
    const recordType = yield* pathTypeOf(connection, type, id, listed)
    const found = yield* own.read(connection, recordType, id)
    const record = laid(type.sublists ?? [], found)
    return { nativeType: type.name, record: type.kinds === undefined ? record : { ...record, recordType } }
  })

  /** Puts the parts that a variant reads to its records. */
  const complete = (connection: ConnectionRef, variant: CompiledVariant, records: ReadonlyArray<NativeRecord>) =>
    Effect.gen(function* () {
      const wanted = Object.entries(typeOf(variant)?.parts ?? {}).filter(([name]) => variant.parts.includes(name))
      if (wanted.length === 0 || records.length === 0) return records
      const loaded = yield* Effect.forEach(
        wanted,
        ([name, part]) =>
          Effect.map(
            part(
              own,
              connection,
              records.map(({ record }) => record)
            ),
            (valueOf) => ({ name, valueOf })
          ),
        { concurrency: "unbounded" }
      )
      return records.map((one) => ({
        ...one,
        parts: Object.fromEntries(loaded.map(({ name, valueOf }) => [name, valueOf(one.record)]))
      }))
    })

  const get = Effect.fnUntraced(function* (connection: ConnectionRef, variant: CompiledVariant, id: string) {
    const type = typeOf(variant)
    if (type === undefined) return yield* failure(`${variant.nativeType}.get`, new Missing())
    const record = yield* readOne(connection, type, id)
    const [whole = record] = yield* complete(connection, variant, [record])
    return whole
  })

  /** Records of one type in the order of their ids; what went since the query is not there any more. */
  const pages =
    (request: ListRequest, type: RecordType): Fetch =>
    (position, limit) =>
      Effect.gen(function* () {
        const rows = yield* rowsOf(own, request, type)(position, limit)
        const found = yield* Effect.forEach(
          rows.records,
          ({ record: row }) => orNone(readOne(request.connection, type, String(row.id), row)),
          { concurrency: "unbounded" }
        )
        const records = found.flatMap((one) => (one !== undefined && isWithin(request, type, one.record) ? [one] : []))
        return { records, next: rows.next }
      })

  const list = Effect.fnUntraced(function* (request: ListRequest) {
    const { connection, limit, mapping, position } = request
    const page = yield* inOrder(
      "netsuite",
      all.map((type) => pages(request, type))
    )(position, limit)
    return yield* completed(page, mapping, (variant, records) => complete(connection, variant, records))
  })

  return { own, typeOf, get, list, pages }
}

/** The verbs of a resource over one or several types. */
export const records = (call: Caller, mapping: Mapping, all: ReadonlyArray<RecordType>) => {
  const { get, list, own, typeOf } = reading(call, all)

  const pathTypeOf = (variant: CompiledVariant, current: NativeRecord | undefined) =>
    typeof current?.record.recordType === "string" ? current.record.recordType : variant.nativeType

  const update = Effect.fnUntraced(function* ({ connection, current, encoded, id, variant }: UpdateRequest) {
    const type = typeOf(variant)
    const held = current ?? (yield* get(connection, variant, id))
    const body = bodyOf(type?.sublists ?? [], encoded.record, held.record, type?.lineKey)
    if (Object.keys(body.body).length > 0) yield* own.change(connection, pathTypeOf(variant, held), id, body)
    return { id }
  })

  return {
    mapping,
    consistency: "exact",
    list,
    get: ({ connection, id, variant }) => get(connection, variant, id),
    create: ({ connection, encoded, variant }) => {
      const { kind, source } = encoded.steps
      return Effect.map(
        own.create(
          connection,
          typeof kind === "string" ? kind : variant.nativeType,
          bodyOf(typeOf(variant)?.sublists ?? [], encoded.record, undefined).body,
          sourceOf(source)
        ),
        (id) => ({ id })
      )
    },
    replace: update,
    patch: update,
    remove: Effect.fnUntraced(function* ({ connection, current, id, variant }) {
      const type = typeOf(variant)
      const held = current ?? (type?.kinds === undefined ? undefined : yield* get(connection, variant, id))
      const name = pathTypeOf(variant, held)
      const gone = own.remove(connection, name, id)
      yield* type?.retires === true
        ? Effect.catchIf(
            gone,
            ({ reason }) => reason._tag === "Invalid" || reason._tag === "Clash",
            () => own.change(connection, name, id, { body: { isInactive: true }, replaced: [] })
          )
        : gone
    })
  } satisfies ResourceAdapter
}
