import { Effect, Either, Schema } from "effect"
import type { Mapping, Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Consistency, ListRequest, NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, ProviderError } from "../ProviderError.ts"
import { type Fetch, inOrder, type Slice } from "./Paginator.ts"

const Place = Schema.parseJson(
  Schema.Struct({ parents: Schema.NullOr(Schema.String), given: Schema.Array(Schema.String) })
)
const readPlace = Schema.decodeUnknownEither(Place)
const writePlace = Schema.encodeSync(Place)

/** Most pages of parents that are read for one page. */
const looks = 10

/**
 * Pages records that are inside others, such as the addresses of a contact: pages through the parents, and takes the records
 * of each. A page ends with the last parent that fits, whose position the list gives, or else a second, shorter read. Only
 * where not even one parent fits does it end within one, and the position says which of its records were given.
 */
export const within =
  (
    idOf: (record: NativeRecord) => string,
    recordsIn: (parent: NativeRecord) => ReadonlyArray<NativeRecord>,
    fetch: Fetch
  ): Fetch =>
  (position, limit) => {
    /** Records already given of a parent still count where another parent has come in before it. */
    const without = (passed: ReadonlyArray<NativeRecord>, given: ReadonlyArray<string>) => {
      const gone = new Set(passed.flatMap((parent) => recordsIn(parent).map(idOf)))
      return given.filter((id) => !gone.has(id))
    }
    return Effect.gen(function* () {
      const start = position === null ? undefined : Either.getOrUndefined(readPlace(position))
      const records: Array<NativeRecord> = []
      let parents = start?.parents ?? null
      let given = start?.given ?? []
      let size = limit
      for (let left = looks; ; left -= 1) {
        const room = limit - records.length
        const known = new Set(given)
        const slice: Slice = yield* fetch(parents, size)
        const ofEach = slice.records.map((parent) => recordsIn(parent).filter((one) => !known.has(idOf(one))))
        let sum = 0
        const beyond = ofEach.findIndex((slots) => (sum += slots.length) > room)
        if (beyond > 0 && slice.upTo !== undefined) {
          records.push(...ofEach.slice(0, beyond).flat())
          given = without(slice.records.slice(0, beyond), given)
          return { records, next: writePlace({ parents: slice.upTo(beyond), given }) }
        }
        if (beyond > 0) size = beyond
        else if (beyond === 0) {
          const taken = records.length > 0 ? [] : (ofEach[0] ?? []).slice(0, room)
          records.push(...taken)
          return { records, next: writePlace({ parents, given: [...given, ...taken.map(idOf)] }) }
        } else {
          records.push(...ofEach.flat())
          if (slice.next === null) return { records, next: null }
          parents = slice.next
          given = without(slice.records, given)
          // filling the last few places would take more calls than they are worth
          if (records.length * 2 >= limit || left === 1) {
            return { records, next: writePlace({ parents, given }), sparse: slice.records.length > 0 }
          }
          size = limit - records.length
        }
      }
    })
  }

/** Records inside parents, without an address of their own. Their ids are `<type of the parent>:<its id>:<slot>`. */
export interface EmbeddedRecords {
  readonly provider: string
  readonly nativeType: string
  /** The member of a slot's record that holds its id. */
  readonly idMember: string
  /** Reads one parent; undefined where there is no such type. */
  readonly read: (
    connection: ConnectionRef,
    type: string,
    id: string
  ) => Effect.Effect<Native | undefined, ProviderError>
  /** Reads several parents of a type by their ids; absent: they are read one by one. */
  readonly readMany?: (
    connection: ConnectionRef,
    type: string,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Native>, ProviderError>
  /** Records inside a parent, by its type. */
  readonly recordsIn: (type: string, parent: Native) => ReadonlyArray<NativeRecord>
}

const idIn =
  ({ idMember }: EmbeddedRecords) =>
  ({ record }: NativeRecord) =>
    String(record[idMember])

/** Reads the record in a slot by its id, from its parent. */
export const embeddedReader = (embedded: EmbeddedRecords) => {
  const idOf = idIn(embedded)
  return Effect.fnUntraced(function* (connection: ConnectionRef, id: string) {
    const [type = "", parentId = "", ...slot] = id.split(":")
    const parent = slot.length === 1 ? yield* embedded.read(connection, type, parentId) : undefined
    const found = parent === undefined ? undefined : embedded.recordsIn(type, parent).find((one) => idOf(one) === id)
    const { nativeType, provider } = embedded
    return found ?? (yield* new ProviderError({ provider, operation: `${nativeType}.get`, reason: new Missing() }))
  })
}

/** Reads records in slots by their ids; the parents of each type together. */
const embeddedManyReader = (embedded: EmbeddedRecords, readMany: NonNullable<EmbeddedRecords["readMany"]>) => {
  const idOf = idIn(embedded)
  return ({ connection, ids }: { readonly connection: ConnectionRef; readonly ids: ReadonlyArray<string> }) => {
    const wanted = new Set(ids)
    const parents = new Map<string, Set<string>>()
    for (const id of ids) {
      const [type = "", parent = "", ...slot] = id.split(":")
      if (slot.length === 1) parents.set(type, (parents.get(type) ?? new Set()).add(parent))
    }
    return Effect.map(
      Effect.forEach(
        parents,
        ([type, of]) =>
          Effect.map(readMany(connection, type, [...of]), (found) =>
            found.flatMap((parent) => embedded.recordsIn(type, parent))
          ),
        { concurrency: "unbounded" }
      ),
      (found) => found.flat().filter((one) => wanted.has(idOf(one)))
    )
  }
}

/** A resource of records in slots; `parents` gives the lists of parents by type, in the order of paging. */
export const embeddedResource = (
  mapping: Mapping,
  consistency: Consistency,
  embedded: EmbeddedRecords,
  parents: (request: ListRequest) => Effect.Effect<ReadonlyArray<readonly [type: string, fetch: Fetch]>, ProviderError>
): ResourceAdapter => {
  const read = embeddedReader(embedded)
  return {
    mapping,
    consistency,
    list: (request) =>
      Effect.flatMap(parents(request), (all) =>
        inOrder(
          embedded.provider,
          all.map(([type, fetch]) => within(idIn(embedded), ({ record }) => embedded.recordsIn(type, record), fetch))
        )(request.position, request.limit)
      ),
    get: ({ connection, id }) => read(connection, id),
    ...(embedded.readMany === undefined ? {} : { getMany: embeddedManyReader(embedded, embedded.readMany) })
  }
}
