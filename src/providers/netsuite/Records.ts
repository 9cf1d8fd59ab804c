import { Array as Arr, Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { completed, type Fetch, inOrder } from "../base/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { noteLeftOut } from "../LeftOut.ts"
import type { ListRequest, NativeRecord, ResourceAdapter, UpdateRequest } from "../ProviderAdapter.ts"
import { Invalid, Missing, type ProviderError } from "../ProviderError.ts"
import { type Body, bodyOf, laid, withCustomFields } from "./Bodies.ts"
import { foundByAll, soughtBy } from "./Conditions.ts"
import { areTold, deletions } from "./Deletions.ts"
import { heads, headsOf, isVisible, type Reading, readsBeside } from "./Listing.ts"
import type { RecordType } from "./RecordType.ts"
import { failure } from "./ReadError.ts"
import { moduleOf, requiring } from "./Requires.ts"
import { sharingQueries } from "./SharedQueries.ts"
import { isId, type Source, type Suite } from "./Suite.ts"

/**
 * Reads and writes that all records have in common. Lists are made of queries (`Listing.ts`), as records of the record service would be: a page
 * costs a few calls, however long it is. One record comes from the record service, which also writes.
 */

const sourceOf = (step: unknown): Source | undefined => {
  const [from, id] = [getPath(step, "from"), getPath(step, "id")]
  return typeof from === "string" && isId(id) ? { from, id } : undefined
}

const kindName = (connection: ConnectionRef, name: string, id: string) => `${connection.id}:${name}:${id}`

const namesOf = ({ kinds, name }: RecordType) => kinds?.types ?? [name]

/** Whether a change is of texts, numbers and the like alone, which are written whatever the record holds. */
const isPlain = (change: Native) => {
  const values = Object.values(change)
  return values.length > 0 && values.every((value) => value === null || typeof value !== "object")
}

/** Whether records of a type can be what is wanted. */
const isMeant =
  (request: ListRequest) =>
  ({ list: { filters = {} } }: RecordType) =>
    soughtBy(filters, request) !== undefined

/** Filters that lists over some types answer themselves. */
export const findsOf = (all: ReadonlyArray<RecordType>) => foundByAll(all.map(({ list }) => list.filters ?? {}))

/** Of what is deleted only the id is left, and about when that was: whether it was meant otherwise cannot be told. */
const mayBeGone = ({ wanted }: ListRequest, { list: { filters = {} } }: RecordType) => {
  const { modified_after: _, modified_before: __, ...others } = wanted
  const sought = soughtBy(filters, { wanted: others })
  return sought !== undefined && sought.needed.length + sought.narrowing.length === 0
}

/** The reading half of a resource over one or several types. */
export const reading = (own: Suite, all: ReadonlyArray<RecordType>) => {
  const typeOf = ({ nativeType }: Pick<NativeRecord, "nativeType">) => all.find(({ name }) => name === nativeType)

  const typeFor = (variant: CompiledVariant) =>
    Effect.mapError(Effect.fromNullable(typeOf(variant)), () => failure(`${variant.nativeType}.get`, new Missing()))

  /** Does something with one record, given its type in paths. */
  const asKind = <A>(
    connection: ConnectionRef,
    { kinds, name }: RecordType,
    id: string,
    act: (recordType: string) => Effect.Effect<A, ProviderError>
  ): Effect.Effect<A, ProviderError> => {
    if (kinds === undefined) return act(name)
    const { select, typeOf } = kinds
    const missing = failure(`${name}.get`, new Missing())
    const load = Effect.flatMap(own.allOf(connection, select, select.order, [id]), ([row]) =>
      Effect.mapError(Effect.fromNullable(row && typeOf(row)), () => missing)
    )
    const key = kindName(connection, name, id)
    const acted = Effect.flatMap(own.kinds.get(key, load), act)
    // it may have become another kind since
    return Effect.catchIf(
      acted,
      ({ reason }) => reason._tag === "Missing",
      () => Effect.zipRight(own.kinds.forget(key), acted)
    )
  }

  const readOne = Effect.fnUntraced(function* (connection: ConnectionRef, type: RecordType, id: string) {
    const { found, recordType } = yield* asKind(connection, type, id, (recordType) =>
      Effect.map(own.read(connection, recordType, id), (found) => ({ found, recordType }))
    )
    const record = laid(type.sublists ?? [], withCustomFields(found))
    const known = type.kinds === undefined ? record : { ...record, recordType }
    const supplement = yield* type.supplement?.(own, connection, [known]) ?? Effect.succeed(undefined)
    return { nativeType: type.name, record: supplement?.(known) ?? known }
  })

  /** Puts to records of a list what other queries tell of them, where it is read. */
  const whole = (
    { connection, mapping }: Reading,
    type: RecordType,
    records: ReadonlyArray<NativeRecord>,
    asked: Suite = own
  ) => {
    const { beside } = type.list
    const isRead = mapping.fields === undefined || readsBeside(type, mapping.variant(type.name))
    if (beside === undefined || records.length === 0 || !isRead) return Effect.succeed(records)
    return Effect.map(
      beside(
        asked,
        connection,
        records.map(({ record }) => record)
      ),
      (wholeOf) =>
        records.map((one) => ({ ...one, record: laid(type.sublists ?? [], { ...one.record, ...wholeOf(one.record) }) }))
    )
  }

  /** The parts that a variant reads of records. */
  const partsOf = (
    connection: ConnectionRef,
    variant: CompiledVariant,
    records: ReadonlyArray<NativeRecord>,
    asked: Suite = own
  ) =>
    Effect.map(
      Effect.forEach(
        records.length === 0
          ? []
          : Object.entries(typeOf(variant)?.parts ?? {}).filter(([name]) => variant.parts.includes(name)),
        ([name, part]) =>
          Effect.map(
            part(
              asked,
              connection,
              records.map(({ record }) => record)
            ),
            (valueOf) => ({ name, valueOf })
          ),
        { concurrency: "unbounded" }
      ),
      (loaded) => (record: Native) =>
        loaded.length === 0
          ? {}
          : { parts: Object.fromEntries(loaded.map(({ name, valueOf }) => [name, valueOf(record)])) }
    )

  /** Lists tell the types in paths too. */
  const keepKinds = (connection: ConnectionRef, { name }: RecordType, found: ReadonlyArray<NativeRecord>) =>
    Effect.forEach(
      found,
      ({ record: { id, recordType } }) =>
        isId(id) && typeof recordType === "string"
          ? own.kinds.put(kindName(connection, name, id), recordType)
          : Effect.void,
      { discard: true }
    )

  /** Puts to heads of records all that is read of them. */
  const withParts = (
    reading: Reading,
    type: RecordType,
    variant: CompiledVariant,
    records: ReadonlyArray<NativeRecord>,
    asked: Suite = own
  ) =>
    Effect.map(
      Effect.all([whole(reading, type, records, asked), partsOf(reading.connection, variant, records, asked)], {
        concurrency: "unbounded"
      }),
      ([found, parts]) => found.map((one): NativeRecord => ({ ...one, ...parts(one.record) }))
    ).pipe(Effect.tap((found) => (type.kinds === undefined ? Effect.void : keepKinds(reading.connection, type, found))))

  const get = Effect.fnUntraced(function* (connection: ConnectionRef, variant: CompiledVariant, id: string) {
    const type = yield* typeFor(variant)
    const one = yield* readOne(connection, type, id)
    const parts = yield* partsOf(connection, variant, [one])
    return { ...one, ...parts(one.record) }
  })

  const names = all.flatMap(namesOf)
  const required = names.filter((name) => moduleOf(name) !== undefined)

  /** Why some of several types are not there for the account or its role. */
  const refusalsOf = (connection: ConnectionRef) =>
    required.length > 1 ? own.refusalsOf(connection, required) : Effect.succeed(new Map<string, ProviderError>())

  /** Heads of records of a type; none where it is not there. One of several that has none is asked for, so that it is told. */
  const there =
    (request: ListRequest, type: RecordType): Fetch =>
    (position, limit) =>
      Effect.gen(function* () {
        const { connection } = request
        if (!isMeant(request)(type)) return { records: [], next: null }
        const refusals = yield* refusalsOf(connection)
        const types = namesOf(type)
        if (position === null) yield* noteLeftOut(types.flatMap((name) => refusals.get(name) ?? []))
        if (types.every((name) => refusals.has(name))) return { records: [], next: null }
        const page = yield* heads(own, request, type)(position, limit)
        if (names.length > 1 && position === null && page.records.length === 0) {
          const needed = types.filter((name) => required.includes(name))
          const found = yield* Effect.forEach(needed, (name) => own.refusalOf(connection, name))
          yield* noteLeftOut(found.filter((refusal) => refusal !== null))
        }
        return page
      })

  /** Records of one type in the order of their ids, with all that lists tell of them. */
  const pages =
    (request: ListRequest, type: RecordType): Fetch =>
    (position, limit) =>
      Effect.flatMap(there(request, type)(position, limit), (page) =>
        Effect.map(whole(request, type, page.records), (records) => ({ ...page, records }))
      )

  /**
   * Of several types, those are listed that the account has and its role may see; it is told beside the connection which it
   * lacks. A role that may not see a type gets none of it in queries, without a word: where a list is empty, the record service
   * is asked, which refuses.
   */
  const list = Effect.fnUntraced(function* (request: ListRequest) {
    const { connection, limit, mapping, position } = request
    const gone = request.wanted.include_deleted === undefined ? [] : all.filter((type) => mayBeGone(request, type))
    const page = yield* inOrder("netsuite", [
      ...all.map((type) => there(request, type)),
      ...gone.map((type) => deletions(own, request, type.name, namesOf(type)))
    ])(position, limit)
    if (position === null && page.next === null && page.records.length === 0) {
      yield* isVisible(own, connection, all.filter(isMeant(request)).flatMap(namesOf))
    }
    const shared = sharingQueries(
      own,
      page.records.flatMap(({ isBare, record }) => (isBare === true ? [] : [record]))
    )
    return yield* completed(page, mapping, (variant, found) => {
      const type = typeOf(variant)
      if (type === undefined) return Effect.succeed(found)
      const [records, bare] = Arr.partition(found, ({ isBare }) => isBare === true)
      return Effect.map(withParts(request, type, variant, records, shared), (told) => [...told, ...bare])
    })
  })

  const getMany: NonNullable<ResourceAdapter["getMany"]> = Effect.fnUntraced(function* ({ ids, variant, ...reading }) {
    const type = typeOf(variant)
    if (type === undefined) return []
    return yield* withParts(reading, type, variant, yield* headsOf(own, reading, type, ids))
  })

  return { typeFor, asKind, get, getMany, list, pages }
}

/** The verbs of a resource over one or several types. */
export const records = (
  own: Suite,
  mapping: Mapping,
  all: ReadonlyArray<RecordType>,
  nullInLists: ReadonlyArray<string> = []
) => {
  const { asKind, get, getMany, list, typeFor } = reading(own, all)

  const update = Effect.fnUntraced(function* ({ connection, current, encoded, id, variant }: UpdateRequest) {
    const type = yield* typeFor(variant)
    const { record } = encoded
    const body: Body =
      current === undefined && isPlain(record)
        ? ({ body: record, replaced: [] } satisfies Body)
        : bodyOf(type.sublists ?? [], record, (current ?? (yield* get(connection, variant, id))).record, type.lineKey)
    if (body.refusals !== undefined) {
      return yield* failure(`${type.name}.update`, new Invalid({ fields: body.refusals }), {
        detail: Object.values(body.refusals).join("; ")
      })
    }
    if (Object.keys(body.body).length > 0) {
      yield* asKind(connection, type, id, (recordType) => own.change(connection, recordType, id, body))
    }
    return { id }
  })

  return {
    mapping,
    consistency: "exact",
    finds: [...findsOf(all), ...(areTold(all.flatMap(namesOf)) ? ["include_deleted"] : [])],
    requires: requiring(all.flatMap(namesOf)),
    nullInLists,
    list,
    getMany,
    get: ({ connection, id, variant }) => get(connection, variant, id),
    create: Effect.fnUntraced(function* ({ connection, encoded, variant }) {
      const { kind, source } = encoded.steps
      const { sublists = [] } = yield* typeFor(variant)
      const { body } = bodyOf(sublists, encoded.record, undefined)
      const made = typeof kind === "string" ? kind : variant.nativeType
      const id = yield* own.create(connection, made, body, sourceOf(source))
      if (typeof kind === "string") yield* own.kinds.put(kindName(connection, variant.nativeType, id), kind)
      return { id }
    }),
    replace: update,
    patch: update,
    remove: ({ connection, id, variant }) =>
      Effect.flatMap(typeFor(variant), (type) =>
        asKind(connection, type, id, (recordType) => {
          const gone = Effect.asVoid(own.remove(connection, recordType, id))
          return type.retires === true
            ? Effect.catchIf(
                gone,
                ({ reason }) => reason._tag === "Invalid" || reason._tag === "Clash",
                () => own.change(connection, recordType, id, { body: { isInactive: true }, replaced: [] })
              )
            : gone
        })
      )
  } satisfies ResourceAdapter
}
