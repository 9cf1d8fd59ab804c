import { Effect } from "effect"
import type { CompiledMapping, CompiledVariant } from "../../mapping/Compile.ts"
import { type Fetch, keyset } from "../base/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ListRequest } from "../ProviderAdapter.ts"
import { Malformed, type ProviderError } from "../ProviderError.ts"
import type { RecordType } from "./RecordType.ts"
import { soughtBy } from "./Conditions.ts"
import { type Column, type Columns, day, flag, instant, number, refs, text } from "./Select.ts"
import { failure } from "./ReadError.ts"
import { isId, orNone, pageSize, type Suite } from "./Suite.ts"

const readers: { readonly [type: string]: (name: string) => Column } = {
  number,
  integer: number,
  boolean: flag,
  date: day,
  dateTime: instant
}

/** Of whom records are read, and what of them. */
export interface Reading {
  readonly connection: ConnectionRef
  readonly mapping: CompiledMapping
}

/** Columns for what an organisation's overrides read: custom fields go by the same name in queries. */
const overriddenOf = Effect.fnUntraced(function* (
  own: Suite,
  { connection, mapping }: Reading,
  { kinds, list, name, sublists = [] }: RecordType
) {
  const columns = list.select?.columns ?? {}
  const known = new Set([...Object.keys(columns).map((member) => member.split(".")[0]), ...sublists, "lines"])
  const paths = mapping.rows.flatMap(({ native_field, native_type, source }) => {
    const [top = "", more] = native_field.split(".")
    const isOwn = source === "override" && native_type === name && !known.has(top)
    return isOwn && /^\w+$/.test(top) && (more === undefined || more === "id" || more === "refName")
      ? [native_field]
      : []
  })
  if (paths.length === 0) return {}
  const types = yield* own.typesOf(connection, kinds?.types ?? [name])
  const [alias = ""] = (list.select?.order ?? "").split(".")
  return Object.fromEntries(
    paths.flatMap((path): ReadonlyArray<readonly [string, Column]> => {
      const [top = "", more] = path.split(".")
      const column = `${alias}.${top.toLowerCase()}`
      const named = text(`BUILTIN.DF(${column})`)
      if (more === "refName") return [[path, named]]
      if (more === "id") return [[path, text(column)]]
      const type = types.get(path)
      if (types.has(`${path}.items`)) return [[path, refs(column)]]
      // as a single record has it
      if (type === "object")
        return [
          [`${path}.id`, text(column)],
          [`${path}.refName`, named]
        ]
      return [[path, (readers[type ?? "text"] ?? text)(column)]]
    })
  ) satisfies Columns
})

/** Lists records that no query knows: ids from the record service, and each record once in five minutes. */
const handful =
  (own: Suite, { connection }: ListRequest, { name }: RecordType): Fetch =>
  (position, limit) =>
    keyset(
      Number.MAX_SAFE_INTEGER,
      ({ record }) => String(record.id),
      (after, size) =>
        Effect.gen(function* () {
          const ids = yield* own.everyId(connection, name)
          const some = ids.filter((id) => after === undefined || Number(id) > Number(after)).slice(0, size)
          return yield* Effect.forEach(
            some,
            (id) => Effect.map(own.kept(connection, name, id), (record) => ({ nativeType: name, record })),
            { concurrency: "unbounded" }
          )
        })
    )(position, limit)

const topOf = (path: string) => path.split(".", 1)[0] ?? path

/** Whether something is read of records that their rows do not tell; of parents of what is listed, everything may be. */
export const readsBeside = ({ list: { retells = [], select } }: RecordType, variant: CompiledVariant | undefined) => {
  const told = new Set(Object.keys(select?.columns ?? {}).map(topOf))
  return variant?.reads.map(topOf).some((name) => !told.has(name) || retells.includes(name)) ?? true
}

/** The columns that are read, where only some fields are asked for. */
const columnsFor = (columns: Columns, { mapping }: Reading, type: RecordType): Columns => {
  const variant = mapping.variant(type.name)
  if (mapping.fields === undefined || variant === undefined || variant.parts.length > 0) return columns
  if (readsBeside(type, variant)) return columns
  const wanted = new Set(["id", ...variant.reads.map(topOf)])
  return Object.fromEntries(Object.entries(columns).filter(([member]) => wanted.has(topOf(member))))
}

/** The select of a type with the columns that are read; undefined where the record service is to tell of each. */
const selectFor = Effect.fnUntraced(function* (own: Suite, reading: Reading, type: RecordType) {
  const { needs, select } = type.list
  const isTold = needs === undefined || (yield* own.has(reading.connection, needs.table, needs.column))
  if (select === undefined || !isTold) return undefined
  const columns = { ...columnsFor(select.columns, reading, type), ...(yield* overriddenOf(own, reading, type)) }
  return { ...select, columns }
})

/** The heads of those records of a type that have one of some ids. */
export const headsOf = Effect.fnUntraced(function* (
  own: Suite,
  reading: Reading,
  type: RecordType,
  ids: ReadonlyArray<string>
) {
  const { connection } = reading
  const select = yield* selectFor(own, reading, type)
  const records =
    select === undefined
      ? yield* Effect.forEach(ids, (id) => orNone(own.kept(connection, type.name, id)), { concurrency: "unbounded" })
      : yield* own.allOf(connection, select, select.order, ids, type.list.where)
  return records.flatMap((record) => (record === undefined ? [] : [{ nativeType: type.name, record }]))
})

/** The heads of records of a type, in the order of their ids. */
export const heads =
  (own: Suite, request: ListRequest, type: RecordType): Fetch =>
  (position, limit) =>
    Effect.gen(function* () {
      const { list, name } = type
      const { filters = {}, listed = [], where = [] } = list
      const { connection } = request
      const sought = soughtBy(filters, request)
      if (sought === undefined) return { records: [], next: null }
      const select = yield* selectFor(own, request, type)
      if (select === undefined) return yield* handful(own, request, type)(position, limit)
      return yield* keyset(
        pageSize,
        ({ record }) => String(record.id),
        (after, size) => {
          if (after !== undefined && !isId(after)) return Effect.fail(failure(`${name}.list`, new Malformed()))
          const later = after === undefined ? [] : [`${select.order} > ${after}`]
          const conditions = [...where, ...listed, ...later, ...sought.narrowing]
          return Effect.map(own.first(connection, select, conditions, size, sought.needed), (rows) =>
            rows.map((record) => ({ nativeType: name, record }))
          )
        }
      )(position, limit)
    })

/**
 * Fails where the role may see records of none of some types: queries leave such records out, and say nothing.
 */
export const isVisible = (
  own: Suite,
  connection: ConnectionRef,
  types: ReadonlyArray<string>
): Effect.Effect<void, ProviderError> =>
  Effect.gen(function* () {
    const refusals = yield* Effect.forEach(types, (type) => own.refusalOf(connection, type))
    const [first] = refusals
    if (first && refusals.every((one) => one !== null)) return yield* first
  })
