import { Effect } from "effect"
import type { CompiledMapping, CompiledVariant } from "../../mapping/Compile.ts"
import { type Fetch, keyset } from "../axes/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ListRequest } from "../ProviderAdapter.ts"
import { Malformed, type ProviderError } from "../ProviderError.ts"
import type { RecordType } from "./RecordType.ts"
import { soughtBy } from "./Conditions.ts"
import { type Column, type Columns, day, flag, instant, number, ref, text } from "./Select.ts"
import { failure } from "./ReadError.ts"
import { isId, pageSize, type Suite } from "./Suite.ts"

const readers: { readonly [type: string]: (name: string) => Column } = {
  number,
  integer: number,
  boolean: flag,
  date: day,
  dateTime: instant
}

/** Columns for what an organisation's overrides read: custom fields go by the same name in queries. */
const overriddenOf = Effect.fnUntraced(function* (
  own: Suite,
  { connection, mapping }: { readonly connection: ConnectionRef; readonly mapping: CompiledMapping },
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
    paths.map((path): readonly [string, Column] => {
      const [top = "", more] = path.split(".")
      const column = `${alias}.${top.toLowerCase()}`
      if (more === "refName") return [path, text(`BUILTIN.DF(${column})`)]
      if (more === "id") return [path, text(column)]
      const type = types.get(path)
      return [path, type === "object" ? ref(column) : (readers[type ?? "text"] ?? text)(column)]
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
const columnsFor = (columns: Columns, { mapping }: ListRequest, type: RecordType): Columns => {
  const variant = mapping.variant(type.name)
  if (mapping.fields === undefined || variant === undefined || variant.parts.length > 0) return columns
  if (readsBeside(type, variant)) return columns
  const wanted = new Set(["id", ...variant.reads.map(topOf)])
  return Object.fromEntries(Object.entries(columns).filter(([member]) => wanted.has(topOf(member))))
}

/** The heads of records of a type, in the order of their ids. */
export const heads =
  (own: Suite, request: ListRequest, type: RecordType): Fetch =>
  (position, limit) =>
    Effect.gen(function* () {
      const { list, name } = type
      const { filters = {}, select, where = [] } = list
      const { connection } = request
      const sought = soughtBy(filters, request)
      if (sought === undefined) return { records: [], next: null }
      const isTold = list.needs === undefined || (yield* own.has(connection, list.needs.table, list.needs.column))
      if (select === undefined || !isTold) return yield* handful(own, request, type)(position, limit)
      const columns = { ...columnsFor(select.columns, request, type), ...(yield* overriddenOf(own, request, type)) }
      return yield* keyset(
        pageSize,
        ({ record }) => String(record.id),
        (after, size) => {
          if (after !== undefined && !isId(after)) return Effect.fail(failure(`${name}.list`, new Malformed()))
          const later = after === undefined ? [] : [`${select.order} > ${after}`]
          const conditions = [...where, ...later, ...sought.narrowing]
          return Effect.map(own.first(connection, { ...select, columns }, conditions, size, sought.needed), (rows) =>
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
