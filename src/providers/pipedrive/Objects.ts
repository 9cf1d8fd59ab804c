import { Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { cursor, everything, sifted, type Slice } from "../axes/Paginator.ts"
import type { Answer, Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type {
  ListRequest,
  NativeRecord,
  Page,
  ResourceAdapter,
  Target,
  UpdateRequest,
  Written
} from "../ProviderAdapter.ts"
import { Invalid, Malformed, Missing, ProviderError, type Reason } from "../ProviderError.ts"
import { optionalFields } from "./OptionalFields.ts"

/**
 * What Pipedrive does alike with persons, organizations, deals and activities in its API v2, and how any answer is read.
 * https://pipedrive.readme.io/docs/pipedrive-api-v2
 */

/** Most records of one answer. https://pipedrive.readme.io/docs/core-api-concepts-pagination */
const maximum = 500

/** Records to look through for so many of some kind. */
const searchSize = (limit: number) => Math.min(Math.max(4 * limit, 20), 100)

export const failure = (operation: string, reason: Reason, detail?: string): Effect.Effect<never, ProviderError> =>
  Effect.fail(
    new ProviderError({ provider: "pipedrive", operation, reason, ...(detail === undefined ? {} : { detail }) })
  )

const malformed = ({ operation }: Call) => failure(operation, new Malformed(), "the answer lacks what the API promises")

/** The records of a list; there is null in place of an empty one. */
export const recordsOf = (call: Call, { body }: Answer): Effect.Effect<ReadonlyArray<Native>, ProviderError> => {
  const data = isNative(body) ? body.data : undefined
  if (data === null) return Effect.succeed([])
  if (!Array.isArray(data)) return malformed(call)
  return Effect.succeed(data.filter(isNative).filter(({ is_deleted }) => is_deleted !== true))
}

/** The one record of an answer; a deleted one is there for a while, marked, and counts as gone. */
export const recordOf = (call: Call, { body }: Answer): Effect.Effect<Native, ProviderError> => {
  const data = getPath(body, "data")
  if (!isNative(data) || data.id === undefined) return malformed(call)
  return data.is_deleted === true ? failure(call.operation, new Missing()) : Effect.succeed(data)
}

/** The record that a POST made. What it does not find is something that its body names. */
export const madeBy = (call: Caller, connection: ConnectionRef, request: Call): Effect.Effect<Native, ProviderError> =>
  call(connection, request).pipe(
    Effect.mapError((error) =>
      error.reason._tag === "Missing" ? new ProviderError({ ...error, reason: new Invalid({ fields: {} }) }) : error
    ),
    Effect.flatMap((answer) => recordOf(request, answer))
  )

export const isNumericId = (id: string): boolean => /^\d+$/.test(id)

/** The keys of custom fields that are asked for; without any named, all of them come, and more than 15 cannot be named. */
const customFields = ({ reads }: CompiledVariant): string | undefined => {
  const keys = new Set(reads.filter((read) => read.startsWith("custom_fields.")).map((read) => read.split(".")[1]))
  return keys.size > 0 && keys.size <= 15 ? [...keys].join(",") : undefined
}

/** What is asked for of a variant's records. */
const wanted = (variant: CompiledVariant) => ({
  custom_fields: customFields(variant),
  include_fields: optionalFields(variant)
})

/** What a write answers is the record, unless fields are wanted that only a read can ask for. */
const answered = (variant: CompiledVariant, record: Native): Written => ({
  id: String(record.id),
  ...(optionalFields(variant) === undefined ? { record: { nativeType: variant.nativeType, record } } : {})
})

/** Of a write, what differs from the record: a field that the account does not have needs no clearing. */
export const changes = (written: Native, held: Native): Native =>
  Object.fromEntries(
    Object.entries(written).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(held[name] ?? null))
  )

interface NativePage {
  readonly records: ReadonlyArray<Native>
  readonly next: string | null
}

const page = (
  call: Caller,
  connection: ConnectionRef,
  type: string,
  query: { readonly limit: number; readonly cursor: string | undefined } & Partial<ReturnType<typeof wanted>>
): Effect.Effect<NativePage, ProviderError> => {
  const request: Call = { operation: `${type}.list`, method: "GET", path: `/api/v2/${type}`, query }
  return Effect.flatMap(call(connection, request), (answer) =>
    Effect.map(recordsOf(request, answer), (records) => {
      const next = getPath(answer.body, "additional_data.next_cursor")
      return { records, next: typeof next === "string" && next !== "" ? next : null }
    })
  )
}

/** All records of a short list, such as the stages. */
export const all = (call: Caller, connection: ConnectionRef, type: string) =>
  everything("pipedrive", `${type}.list`, (cursor) =>
    page(call, connection, type, { limit: maximum, cursor: cursor ?? undefined })
  )

export interface Kind {
  /** Which of the records the resource shows; absent: all of them. */
  readonly shows?: (record: Native) => boolean
  /** What a new record has beside what the mapping writes. */
  readonly isMade?: Native
  /** A write as the API takes it, given the record as it is now, where that was read. */
  readonly written?: (record: Native, held: Native | undefined) => Native
}

/** The adapter of a resource whose records are of the one type of its mapping. */
export const objects = (
  call: Caller,
  mapping: Mapping,
  { isMade = {}, shows, written = (record) => record }: Kind = {}
): ResourceAdapter => {
  const list = ({ connection, limit, mapping: own, position }: ListRequest): Effect.Effect<Page, ProviderError> => {
    const [variant] = own.variants
    if (variant === undefined) return Effect.succeed({ records: [], next: null })
    const type = variant.nativeType
    const slice = (after: string | undefined, size: number): Effect.Effect<Slice, ProviderError> =>
      Effect.map(
        page(call, connection, type, { limit: size, cursor: after, ...wanted(variant) }),
        ({ next, records }) => ({ records: records.map((record) => ({ nativeType: type, record })), next })
      )
    return shows === undefined
      ? cursor(maximum, slice)(position, limit)
      : sifted(
          ({ record }) => shows(record),
          ({ record }) => Number(record.id),
          (after, size) => slice(after ?? undefined, searchSize(size))
        )(position, limit)
  }

  const get = ({ connection, id, variant }: Target): Effect.Effect<NativeRecord, ProviderError> => {
    const type = variant.nativeType
    const request: Call = {
      operation: `${type}.get`,
      method: "GET",
      path: `/api/v2/${type}/:id`,
      params: { id },
      query: wanted(variant)
    }
    if (!isNumericId(id)) return failure(request.operation, new Missing())
    return call(connection, request).pipe(
      Effect.flatMap((answer) => recordOf(request, answer)),
      Effect.flatMap((record) =>
        shows === undefined || shows(record)
          ? Effect.succeed({ nativeType: type, record })
          : failure(request.operation, new Missing())
      )
    )
  }

  /** Reads the record first where it decides what is written, or whether it is one of the resource at all. */
  const update = Effect.fnUntraced(function* (request: UpdateRequest) {
    const { connection, current, encoded, id, mode, variant } = request
    const type = variant.nativeType
    const values = Object.values(encoded.record)
    const readsFirst = shows !== undefined || values.length === 0 || values.includes(null)
    const held = current ?? (readsFirst ? yield* get(request) : undefined)
    const whole = written(encoded.record, held?.record)
    const json = held === undefined ? whole : changes(whole, held.record)
    if (held !== undefined && Object.keys(json).length === 0) return { id, record: held } satisfies Written
    const operation = `${type}.${mode}`
    if (!isNumericId(id)) return yield* failure(operation, new Missing())
    const patch: Call = { operation, method: "PATCH", path: `/api/v2/${type}/:id`, params: { id }, json }
    return answered(variant, yield* recordOf(patch, yield* call(connection, patch)))
  })

  return {
    mapping,
    consistency: "exact",
    list,
    get,
    create: ({ connection, encoded, variant }) => {
      const type = variant.nativeType
      const json = { ...isMade, ...written(encoded.record, undefined) }
      const request: Call = { operation: `${type}.create`, method: "POST", path: `/api/v2/${type}`, json }
      return Effect.map(madeBy(call, connection, request), (record) => answered(variant, record))
    },
    replace: update,
    patch: update,
    remove: (target) => {
      const { connection, id, variant } = target
      const operation = `${variant.nativeType}.remove`
      if (!isNumericId(id)) return failure(operation, new Missing())
      const path = `/api/v2/${variant.nativeType}/:id`
      const removal = call(connection, { operation, method: "DELETE", path, params: { id } })
      return Effect.asVoid(shows === undefined ? removal : Effect.zipRight(get(target), removal))
    }
  }
}
