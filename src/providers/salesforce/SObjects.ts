import { Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import type { Encoded, Mode } from "../../mapping/Encode.ts"
import { isNative, type Native } from "../../mapping/Mapping.ts"
import { keyset } from "../axes/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type {
  CreateRequest,
  ListRequest,
  NativeRecord,
  Page,
  ResourceAdapter,
  Target,
  UpdateRequest,
  Written
} from "../ProviderAdapter.ts"
import { Malformed, Missing, ProviderError } from "../ProviderError.ts"
import { api, failure, type Fields, type Org } from "./Org.ts"
import { instant, isFieldPath, isId, quote, soql } from "./Soql.ts"

/** Something to do after a record is written. */
export type Step = (connection: ConnectionRef, id: string, value: unknown) => Effect.Effect<unknown, ProviderError>

export interface SObject {
  /** Name of the type; native type of its records too. */
  readonly type: string
  /** Condition that all records of the resource meet. */
  readonly where?: string
  /** What is asked for in place of a native field of the mapping: children of a record, by their relationship. */
  readonly subselects?: { readonly [native: string]: string }
  /** The steps that the mapping names. */
  readonly steps?: { readonly [name: string]: Step }
}

/** Most rows of one query answer. */
const maximum = 2000

const idOf = ({ record }: NativeRecord) => String(record.Id)

/** The fields of an update that the org takes; nulls for what it lacks, or never has empty, have nothing to clear. */
const accepted = (fields: Fields, record: Native, mode: Mode): Native => {
  const takesNull = mode === "replace" ? fields.clearable : fields.readable
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => value !== null || takesNull.has(name)))
}

/**
 * Every operation on the records of one type.
 * Reading: https://developer.salesforce.com/docs/platform/api-rest/guide/resources-query
 * Writing: https://developer.salesforce.com/docs/platform/api-rest/guide/resources-sobject-basic-info
 */
export const sobject = (org: Org, { steps = {}, subselects = {}, type, where }: SObject) => {
  const select = (variant: CompiledVariant, fields: Fields): ReadonlyArray<string> => {
    const found = variant.reads.flatMap((native) => {
      const [first = native] = native.split(".")
      return subselects[native] ?? (isFieldPath(native) && fields.readable.has(first) ? native : [])
    })
    return [...new Set(["Id", ...found])]
  }

  const rows = (
    connection: ConnectionRef,
    variant: CompiledVariant,
    operation: string,
    conditions: ReadonlyArray<string>,
    rest: string
  ) =>
    org.fieldsOf(connection, type).pipe(
      Effect.flatMap((fields) => {
        const all = where === undefined ? conditions : [where, ...conditions]
        return org.query(connection, operation, soql(select(variant, fields), type, all, rest))
      }),
      Effect.map((found) => found.map((record): NativeRecord => ({ nativeType: type, record })))
    )

  /** Keyset on the id: it never changes, is indexed, and sorts as it compares. */
  const list = (request: ListRequest): Effect.Effect<Page, ProviderError> => {
    const { connection, createdAfter, createdBefore, limit, mapping, position } = request
    const variant = mapping.variant(type)
    if (variant === undefined) return Effect.succeed({ records: [], next: null })
    const created = [
      ...(createdAfter === undefined ? [] : [`CreatedDate >= ${instant(createdAfter)}`]),
      ...(createdBefore === undefined ? [] : [`CreatedDate < ${instant(createdBefore)}`])
    ]
    const page = keyset(maximum, idOf, (after, size) => {
      const conditions = after === undefined ? created : [...created, `Id > ${quote(after)}`]
      return rows(connection, variant, `${type}.list`, conditions, `ORDER BY Id LIMIT ${size}`)
    })
    return page(position, limit)
  }

  const get = ({ connection, id, variant }: Target): Effect.Effect<NativeRecord, ProviderError> => {
    const operation = `${type}.get`
    if (!isId(id)) return failure(operation, new Missing())
    return Effect.flatMap(
      rows(connection, variant, operation, [`Id = ${quote(id)}`], "LIMIT 1"),
      ([found]): Effect.Effect<NativeRecord, ProviderError> =>
        found === undefined ? failure(operation, new Missing()) : Effect.succeed(found)
    )
  }

  const create = ({ connection, encoded }: CreateRequest): Effect.Effect<Written, ProviderError> => {
    const operation = `${type}.create`
    const path = `${api}/sobjects/:type`
    return Effect.flatMap(
      org.call(connection, { operation, method: "POST", path, params: { type }, json: encoded.record }),
      ({ body }) =>
        isNative(body) && typeof body.id === "string"
          ? afterwards(connection, body.id, operation, encoded.steps, ["record"])
          : failure(operation, new Malformed(), "the answer has no id")
    )
  }

  /** There is no PUT: a full body comes with null for what it leaves out. */
  const update = Effect.fnUntraced(function* ({ connection, encoded, id, mode }: UpdateRequest) {
    const operation = `${type}.${mode}`
    if (!isId(id)) return yield* failure(operation, new Missing())
    const record = Object.values(encoded.record).includes(null)
      ? accepted(yield* org.fieldsOf(connection, type), encoded.record, mode)
      : encoded.record
    const isEmpty = Object.keys(record).length === 0
    if (!isEmpty) {
      const path = `${api}/sobjects/:type/:id`
      yield* org.call(connection, { operation, method: "PATCH", path, params: { type, id }, json: record })
    }
    return yield* afterwards(connection, id, operation, encoded.steps, isEmpty ? [] : ["record"])
  })

  /** The steps of a write, one after the other; a failure says what was done before it. */
  const afterwards = Effect.fnUntraced(function* (
    connection: ConnectionRef,
    id: string,
    operation: string,
    wanted: Encoded["steps"],
    before: ReadonlyArray<string>
  ) {
    const done = [...before]
    for (const [name, value] of Object.entries(wanted)) {
      const step = steps[name]
      if (step === undefined) return yield* Effect.dieMessage(`${type} has no step ${name}`)
      yield* step(connection, id, value).pipe(
        Effect.mapError(
          ({ detail, reason, status }) =>
            new ProviderError({ provider: "salesforce", operation, reason, status, detail, done })
        )
      )
      done.push(name)
    }
    return { id } satisfies Written
  })

  const remove = ({ connection, id }: Target): Effect.Effect<void, ProviderError> => {
    const operation = `${type}.remove`
    if (!isId(id)) return failure(operation, new Missing())
    const path = `${api}/sobjects/:type/:id`
    return Effect.asVoid(org.call(connection, { operation, method: "DELETE", path, params: { type, id } }))
  }

  return { list, get, create, replace: update, patch: update, remove } satisfies Partial<ResourceAdapter>
}
