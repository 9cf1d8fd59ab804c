import { Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { everything, sifted } from "../axes/Paginator.ts"
import { byCursor, type Paging } from "../axes/Paging.ts"
import { type Envelope, reader, rest } from "../axes/Rest.ts"
import type { Answer, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { CreateRequest, NativeRecord, ResourceAdapter, Target, UpdateRequest } from "../ProviderAdapter.ts"
import { Missing } from "../ProviderError.ts"
import { optionalFields } from "./OptionalFields.ts"

/**
 * What Pipedrive does alike with persons, organizations, deals and activities in its API v2, and how any answer is read.
 * https://pipedrive.readme.io/docs/pipedrive-api-v2
 */

const dataOf = ({ body }: Answer) => (isNative(body) ? body.data : undefined)

/** There is null in place of an empty list; a deleted record is there for a while, marked. */
export const envelope: Envelope = {
  provider: "pipedrive",
  many: (answer) => (dataOf(answer) === null ? [] : dataOf(answer)),
  one: dataOf,
  isGone: ({ is_deleted }) => is_deleted === true
}

export const { ask, failure, made: madeBy, record: recordOf, records: recordsOf } = reader(envelope)

export const idOf = ({ record }: NativeRecord) => String(record.id)

/** What ids look like, but those of leads. */
export const idForm = /^\d+$/

/** The keys of custom fields that are asked for; without any named, all of them come, and more than 15 cannot be named. */
const customFields = ({ reads }: CompiledVariant): string | undefined => {
  const keys = new Set(reads.filter((read) => read.startsWith("custom_fields.")).map((read) => read.split(".")[1]))
  return keys.size > 0 && keys.size <= 15 ? [...keys].join(",") : undefined
}

/** Of a write, what differs from the record: a field that the account does not have needs no clearing. */
export const changes = (written: Native, held: Native): Native =>
  Object.fromEntries(
    Object.entries(written).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(held[name] ?? null))
  )

/** Most records of one answer. https://pipedrive.readme.io/docs/core-api-concepts-pagination */
const maximum = 500

const pages = byCursor({ most: maximum, size: "limit", after: "cursor", next: "additional_data.next_cursor" })

const pathOf = (type: string) => `/api/v2/${type}`

/** All records of a short list, such as the stages. */
export const all = (call: Caller, connection: ConnectionRef, type: string) => {
  const fetch = pages(ask(call, connection, { nativeType: type, path: pathOf(type) }), idOf)
  const found = everything("pipedrive", `${type}.list`, (position) => fetch(position, maximum))
  return Effect.map(found, (records) => records.map(({ record }) => record))
}

export interface Kind {
  /** Which of the records the resource shows; absent: all of them. */
  readonly shows?: (record: Native) => boolean
  /** What a new record has beside what the mapping writes. */
  readonly isMade?: Native
  /** A write as the API takes it, given the record as it is now, where that was read. */
  readonly written?: (record: Native, held: Native | undefined) => Native
}

/** Pages that are looked through for records of some kind. */
const searched =
  (shows: (record: Native) => boolean): Paging =>
  (ask, idOf) => {
    const fetch = pages(ask, idOf)
    return sifted(
      ({ record }) => shows(record),
      ({ record }) => Number(record.id),
      (after, size) => fetch(after, Math.min(Math.max(4 * size, 20), 100))
    )
  }

/** The adapter of a resource whose records are of the one type of its mapping. */
export const objects = (
  call: Caller,
  mapping: Mapping,
  { isMade = {}, shows, written = (record) => record }: Kind = {}
): ResourceAdapter => {
  const plain = rest(call, {
    envelope,
    mapping,
    path: pathOf,
    paging: shows === undefined ? pages : searched(shows),
    id: idForm,
    fields: (variant) => ({ custom_fields: customFields(variant), include_fields: optionalFields(variant) }),
    // there are fields that only a read can ask for
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
