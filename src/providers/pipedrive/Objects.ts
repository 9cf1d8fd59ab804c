import { Effect, Option } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { everything, type Fetch, sifted } from "../base/Paginator.ts"
import { byCursor, type Query } from "../base/Paging.ts"
import { type Envelope, type Listing, reader, rest } from "../base/Rest.ts"
import type { Answer, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, clausesFor, foundBy } from "../Filtering.ts"
import type {
  CreateRequest,
  ListRequest,
  NativeRecord,
  Page,
  ResourceAdapter,
  Target,
  UpdateRequest
} from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import type { Part } from "./Filters.ts"
import { optionalFields } from "./OptionalFields.ts"

/**
 * Operations on persons, organizations, deals and activities in Pipedrive's API v2, and the reading of any answer.
 * https://pipedrive.readme.io/docs/pipedrive-api-v2
 */

const dataOf = ({ body }: Answer) => (isNative(body) ? body.data : undefined)

/** An empty list comes as null; a deleted record is there for a while, marked. */
export const envelope: Envelope = {
  provider: "pipedrive",
  many: (answer) => (dataOf(answer) === null ? [] : dataOf(answer)),
  one: dataOf,
  isGone: ({ is_deleted }) => is_deleted === true
}

export const { ask, failure, isLive, made: madeBy, record: recordOf, records: recordsOf } = reader(envelope)

const { ask: askSearch } = reader({ ...envelope, many: ({ body }) => getPath(body, "data.items") })

export const idOf = ({ record }: NativeRecord) => String(record.id)

/** The form of ids, except those of leads. */
export const idForm = /^\d+$/

/** Keys of the custom fields to ask for; without any named, all of them come, and more than 15 cannot be named. */
const customFields = ({ reads }: CompiledVariant): string | undefined => {
  const keys = new Set(reads.filter((read) => read.startsWith("custom_fields.")).map((read) => read.split(".")[1]))
  return keys.size > 0 && keys.size <= 15 ? [...keys].join(",") : undefined
}

/** The part of a write that differs from the record: a field that the account does not have needs no clearing. */
export const changes = (written: Native, held: Native): Native =>
  Object.fromEntries(
    Object.entries(written).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(held[name] ?? null))
  )

/** Most records of one answer. https://pipedrive.readme.io/docs/core-api-concepts-pagination */
const maximum = 500

const pages = byCursor({
  most: maximum,
  size: "limit",
  after: "cursor",
  next: "additional_data.next_cursor",
  saysEnd: "pipedrive"
})

const pathOf = (type: string) => `/api/v2/${type}`

/** All records of a short list, such as the stages. */
export const all = (call: Caller, connection: ConnectionRef, type: string) => {
  const fetch = pages(ask(call, connection, { nativeType: type, path: pathOf(type) }), idOf)
  const found = everything("pipedrive", `${type}.list`, (position) => fetch(position, maximum))
  return Effect.map(found, (records) => records.map(({ record }) => record))
}

export interface Kind {
  readonly filters: Clauses<Part>
  /** Which of the records the resource shows; absent: all of them. */
  readonly shows?: (record: Native) => boolean
  /** Values of a new record besides those that the mapping writes. */
  readonly isMade?: Native
  /** A write as the API takes it, given the record as it is now, if that was read. */
  readonly written?: (record: Native, held: Native | undefined) => Native
}

/** Most ids to ask a list for at once. */
export const batch = 100

/** The ids that a search finds. */
export const hits = (call: Caller, connection: ConnectionRef, type: string, query: Query) => {
  const fetch = pages(askSearch(call, connection, { nativeType: type, path: `${pathOf(type)}/search`, query }), idOf)
  return (position: string | null, limit: number) =>
    Effect.map(fetch(position, Math.min(limit, batch)), ({ next, records }) => ({
      ids: records.map(({ record }) => String(getPath(record, "item.id"))),
      next
    }))
}

/** The records that a search finds, in its order; parameters of the list may leave out some of them. */
const searched =
  (call: Caller, connection: ConnectionRef, listing: Listing, search: Query): Fetch =>
  (position, limit) =>
    Effect.flatMap(
      hits(call, connection, listing.nativeType, search)(position, limit),
      ({ ids, next }): Effect.Effect<Page, ProviderError> =>
        ids.length === 0
          ? Effect.succeed({ records: [], next })
          : Effect.map(ask(call, connection, listing)({ ids: ids.join(","), limit: batch }), ({ records }) => ({
              records: records.toSorted((a, b) => ids.indexOf(idOf(a)) - ids.indexOf(idOf(b))),
              next,
              sparse: true
            }))
    )

/** When a record was deleted: its last change. */
const deletedAt = ({ update_time }: Native) => {
  const time = Date.parse(String(update_time))
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** Deals in these states; the parameter for deleted ones leaves out the others, unless they are named too. */
const statusOf = (parts: ReadonlyArray<Part>) => {
  const states = parts.find((part) => part.states !== undefined)?.states
  const hasDeleted = parts.some((part) => part.hasDeleted)
  return hasDeleted ? [...(states ?? ["open", "won", "lost"]), "deleted"].join(",") : states?.join(",")
}

/** How to get the native records of a list, and the numbers that they are in the order of. */
interface Way {
  readonly fetch: Fetch
  readonly numberOf: (record: NativeRecord) => number
  /** Several may have one number. */
  readonly idOf?: (record: NativeRecord) => string
}

/** The shortest way to the records that filters mean. */
const wayOf = (call: Caller, connection: ConnectionRef, listing: Listing, parts: ReadonlyArray<Part>): Way => {
  // no search finds what was deleted
  const hints = parts.some((part) => part.hasDeleted) ? [] : parts
  const search = parts.find((part) => part.search)?.search ?? hints.find((part) => part.hint)?.hint
  if (search !== undefined) return { fetch: searched(call, connection, listing, search), numberOf: () => 0, idOf }
  const order = parts.find((part) => part.order)?.order
  if (order === undefined) {
    return { fetch: pages(ask(call, connection, listing), idOf), numberOf: ({ record }) => Number(record.id) }
  }
  const { by, isDown, isPast } = order
  const query = { ...listing.query, sort_by: by, sort_direction: isDown ? "desc" : "asc" }
  const fetch = pages(ask(call, connection, { ...listing, query }), idOf)
  return {
    fetch: (position, limit) =>
      Effect.map(fetch(position, limit), (page) =>
        page.records.some(({ record }) => isPast(record)) ? { ...page, next: null } : page
      ),
    numberOf: ({ record }) => Date.parse(String(record[by])) * (isDown ? -1 : 1),
    idOf
  }
}

/** A list that filters cut down. `query`: parameters of each read. */
const listOf =
  (call: Caller, { filters, shows }: Kind, query: (variant: CompiledVariant) => Query) =>
  ({ connection, limit, mapping, position, wanted }: ListRequest): Effect.Effect<Page, ProviderError> => {
    const clauses = clausesFor(filters, { wanted })
    const [variant] = mapping.variants
    if (variant === undefined || Option.isNone(clauses)) return Effect.succeed({ records: [], next: null })
    const parts = clauses.value
    const { nativeType } = variant
    const cut = parts.reduce<Query>((all, part) => ({ ...all, ...part.query }), query(variant))
    const all = { ...cut, status: statusOf(parts) }
    const way = wayOf(call, connection, { nativeType, path: pathOf(nativeType), query: all }, parts)

    const hasDeleted = parts.some((part) => part.hasDeleted)
    const isMeant = ({ record }: NativeRecord) =>
      (hasDeleted || isLive(record)) && (shows?.(record) ?? true) && parts.every(({ keeps }) => keeps?.(record) ?? true)
    const isSifted = shows !== undefined || parts.some(({ keeps }) => keeps)
    // records of one kind are few among those of the others
    const sizeOf = (size: number) => (shows === undefined ? size : Math.min(Math.max(4 * size, 20), maximum))
    const fetch = isSifted
      ? sifted(isMeant, way.numberOf, (after, size) => way.fetch(after, sizeOf(size)), way.idOf)
      : way.fetch
    return Effect.map(fetch(position, limit), (page) => ({
      ...page,
      records: page.records
        .filter(isMeant)
        .map((found) => (isLive(found.record) ? found : { ...found, deletedAt: deletedAt(found.record) }))
    }))
  }

/** The adapter of a resource whose records are of the one type of its mapping. */
export const objects = (call: Caller, mapping: Mapping, kind: Kind): ResourceAdapter => {
  const { filters, isMade = {}, shows, written = (record) => record } = kind
  const fields = (variant: CompiledVariant) => ({
    custom_fields: customFields(variant),
    include_fields: optionalFields(variant)
  })
  const plain = rest(call, {
    envelope,
    mapping,
    verbs: ["get", "create", "patch", "remove"],
    path: pathOf,
    id: idForm,
    fields,
    // only a read can ask for some fields
    isWhole: (variant) => optionalFields(variant) === undefined
  })

  const get = (target: Target) =>
    Effect.filterOrElse(
      plain.get(target),
      ({ record }: NativeRecord) => shows === undefined || shows(record),
      () => failure(`${target.variant.nativeType}.get`, new Missing())
    )

  /** Reads the record first where it decides what is written, or whether it is one of the resource at all. */
  const update = Effect.fnUntraced(function* (request: UpdateRequest) {
    const { current, encoded } = request
    const readsFirst = shows !== undefined || Object.values(encoded.record).includes(null)
    const held = current ?? (readsFirst ? yield* get(request) : undefined)
    const changed = held === undefined ? encoded.record : changes(encoded.record, held.record)
    const record = written(changed, held?.record)
    return yield* plain.patch({ ...request, current: held, encoded: { ...encoded, record } })
  })

  return {
    ...plain,
    finds: foundBy(filters),
    list: listOf(call, kind, fields),
    get,
    create: (request: CreateRequest) => {
      const record = { ...isMade, ...written(request.encoded.record, undefined) }
      return plain.create({ ...request, encoded: { ...request.encoded, record } })
    },
    replace: update,
    patch: update,
    remove: (target) =>
      shows === undefined ? plain.remove(target) : Effect.zipRight(get(target), plain.remove(target))
  }
}
