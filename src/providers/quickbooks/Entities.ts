import { Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { type Mapping, type Native } from "../../mapping/Mapping.ts"
import { completed, type Fetch, inOrder } from "../base/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter, Target, UpdateRequest, Written } from "../ProviderAdapter.ts"
import { Missing, ProviderError } from "../ProviderError.ts"
import { type Books, namesInactive } from "./Books.ts"
import { oneOf } from "./Conditions.ts"
import { deletions } from "./Deletions.ts"
import { allOf, type Entity, findsOf, type Fresh, mayBeGone, type Part, partQuery, type SoughtPart } from "./Entity.ts"
import { type Beside, besides, listing } from "./Listing.ts"
import { newObject, overlay } from "./Overlay.ts"

const nothing: Beside = () => undefined

const partsOf = (entity: Entity | undefined, variant: CompiledVariant): ReadonlyArray<readonly [string, Part]> =>
  Object.entries(entity?.parts ?? {}).filter(([name]) => variant.parts.includes(name))

/** Whether payments say the same of a document as before: what is linked with it and what of it is open tells. */
const isSettledAlike = (now: Native, before: Native): boolean =>
  ["LinkedTxn", "TotalAmt", "Balance", "RemainingCredit", "CurrencyRef", "ExchangeRate"].every(
    (member) => JSON.stringify(now[member]) === JSON.stringify(before[member])
  )

const isNumber = (id: string) => /^\d+$/.test(id)

/** The verbs of a resource over one or several entities. */
export const entities = (books: Books, mapping: Mapping, all: ReadonlyArray<Entity>): ResourceAdapter => {
  const { byIds, changes, create, operate, post, queries, queryAll, read } = books
  const entityOf = (nativeType: string) => all.find((entity) => entity.name === nativeType)

  /** Puts the parts to records that do not name them. */
  const seek = (
    connection: ConnectionRef,
    records: ReadonlyArray<NativeRecord>,
    name: string,
    { among, entity, isOf }: SoughtPart
  ) => {
    const where = among(records.map(({ record }) => record))
    return Effect.map(where === undefined ? Effect.succeed([]) : queryAll(connection, entity, where), (found) =>
      records.map((one) => ({ ...one, parts: { ...one.parts, [name]: found.filter(isOf(one.record)) } }))
    )
  }

  /** Puts the parts that a variant reads to its records, one query for each part of a page. */
  const complete = (
    connection: ConnectionRef,
    variant: CompiledVariant,
    records: ReadonlyArray<NativeRecord>,
    beside: Beside = nothing
  ) =>
    Effect.reduce(partsOf(entityOf(variant.nativeType), variant), records, (sofar, [name, part]) => {
      if ("among" in part) return seek(connection, sofar, name, part)
      const ids = [...new Set(sofar.flatMap(({ record }) => part.idsOf(record)))]
      if (ids.length === 0) return Effect.succeed(sofar)
      const rows = beside(part)
      const found = rows === undefined ? byIds(connection, part.entity, ids, part.where) : Effect.succeed(rows)
      return Effect.map(found, (some) => {
        const known = new Map(some.map((record) => [String(record.Id), record]))
        return sofar.map((record) => {
          const mine = part.idsOf(record.record).flatMap((id) => known.get(id) ?? [])
          return { ...record, parts: { ...record.parts, [name]: mine } }
        })
      })
    })

  /** Parts that are read beside the records of these variants, and not by their ids. */
  const shortParts = (variants: ReadonlyArray<CompiledVariant>) => [
    ...new Set(
      variants
        .flatMap((variant) => partsOf(entityOf(variant.nativeType), variant))
        .flatMap(([, part]) => ("isShort" in part ? [part] : []))
    )
  ]

  const follow = (
    connection: ConnectionRef,
    { nativeType }: CompiledVariant,
    steps: Native,
    written: Fresh,
    done: ReadonlyArray<string>
  ) =>
    Effect.reduce(Object.entries(steps), written, (fresh, [step, value]) => {
      const does = entityOf(nativeType)?.steps?.[step]
      return does === undefined
        ? Effect.map(operate(connection, nativeType, step, fresh.record), (record): Fresh => ({ record }))
        : does(books, connection, fresh, value)
    }).pipe(Effect.mapError((error) => (done.length === 0 ? error : new ProviderError({ ...error, done }))))

  /** The answer to a write is the record; where its parts cannot be had, it is read back. */
  const answer = (
    connection: ConnectionRef,
    variant: CompiledVariant,
    { parts, record }: Fresh
  ): Effect.Effect<Written> => {
    const id = String(record.Id)
    const native = { nativeType: variant.nativeType, record }
    if (parts !== undefined) return Effect.succeed({ id, record: { ...native, parts } })
    return complete(connection, variant, [native]).pipe(
      Effect.map(([whole]) => ({ id, ...(whole === undefined ? {} : { record: whole }) })),
      Effect.orElseSucceed(() => ({ id }))
    )
  }

  const missing = (name: string) =>
    new ProviderError({ provider: "quickbooks", operation: `${name}.get`, reason: new Missing() })

  /** Whether it is worth asking for a record: what an edition may lack is not asked for by an id that is none. */
  const mayHave = (connection: ConnectionRef, { editions, name }: Entity, id: string) =>
    editions === undefined
      ? Effect.succeed(true)
      : isNumber(id)
        ? Effect.map(editions.isAbsent(connection, name), (isAbsent) => !isAbsent)
        : Effect.succeed(false)

  /** The records of several types that have an id, in one call. */
  const among = Effect.fnUntraced(function* (
    connection: ConnectionRef,
    variants: ReadonlyArray<CompiledVariant>,
    id: string
  ) {
    const kinds = variants.flatMap((variant) => {
      const entity = entityOf(variant.nativeType)
      return entity === undefined ? [] : [{ variant, entity }]
    })
    const asked = yield* Effect.filter(kinds, ({ entity }) => mayHave(connection, entity, id))
    const short = shortParts(asked.map(({ variant }) => variant))
    const outcomes = yield* queries(connection, [
      ...asked.map(({ entity }) => ({ name: entity.name, where: [...allOf(entity), oneOf("Id", [id])], size: 1 })),
      ...short.map(partQuery)
    ])
    const beside = besides(short, outcomes.slice(asked.length))
    const found = yield* Effect.forEach(
      asked,
      ({ entity: { editions, isOne, name }, variant }, i) => {
        const rows: Effect.Effect<ReadonlyArray<Native>, ProviderError> = outcomes[i] ?? Effect.succeed([])
        const there = editions?.ifThere(connection, name, rows, Effect.succeed([])) ?? rows
        return there.pipe(
          // an id that is no number is rejected as one
          Effect.catchIf(
            ({ reason }) => reason._tag === "Invalid",
            () => Effect.succeed([])
          ),
          Effect.map((records) => records.filter((record) => isOne?.(record) !== false)),
          Effect.flatMap((records) =>
            complete(
              connection,
              variant,
              records.map((record) => ({ nativeType: name, record })),
              beside
            )
          )
        )
      },
      { concurrency: "unbounded" }
    )
    return found.flat()
  })

  const get = Effect.fnUntraced(function* (connection: ConnectionRef, variant: CompiledVariant, id: string) {
    const name = variant.nativeType
    const entity = entityOf(name)
    // whether an id that is a word, such as TAX, can be queried is not documented
    if (isNumber(id) && shortParts([variant]).length > 0) {
      const [found] = yield* among(connection, [variant], id)
      return found ?? (yield* missing(name))
    }
    const found = read(connection, name, id)
    const record = yield* entity?.editions?.ifThere(connection, name, found, missing(name)) ?? found
    if (entity?.isOne?.(record) === false) return yield* missing(name)
    const [whole] = yield* complete(connection, variant, [{ nativeType: name, record }])
    return whole ?? { nativeType: name, record }
  })

  const update = Effect.fnUntraced(function* ({ connection, current, encoded, id, variant }: UpdateRequest) {
    const before = current ?? (yield* get(connection, variant, id))
    const held = before.record
    const isChanged = Object.keys(encoded.record).length > 0
    if (!isChanged && Object.keys(encoded.steps).length === 0) return { id }
    const written = isChanged
      ? yield* post(connection, variant.nativeType, "update", { ...overlay(held, encoded.record), Id: id }).pipe(
          Effect.mapError(namesInactive)
        )
      : held
    const { parts } = before
    const last = yield* follow(
      connection,
      variant,
      encoded.steps,
      { record: written, ...(parts !== undefined && isSettledAlike(written, held) ? { parts } : {}) },
      isChanged ? ["record"] : []
    )
    return yield* answer(connection, variant, last)
  })

  return {
    mapping,
    consistency: "exact",
    finds: [...findsOf(all), ...(all.some(({ isForgotten }) => isForgotten === true) ? [] : ["include_deleted"])],
    updates: "whole",
    repeatsCreates: true,

    list: Effect.fnUntraced(function* (request) {
      const { connection, limit, mapping, position } = request
      const { beside, fetches } = listing(books, request, all, shortParts(mapping.variants))
      const gone = request.wanted.include_deleted === undefined ? [] : all.filter((one) => mayBeGone(one, request))
      const deleted = gone.map(({ editions, name }): Fetch => {
        const fetch = deletions(changes, request, name)
        return editions === undefined
          ? fetch
          : (at, size) =>
              editions.ifThere(connection, name, fetch(at, size), Effect.succeed({ records: [], next: null }))
      })
      const page = yield* inOrder("quickbooks", [...fetches, ...deleted])(position, limit)
      return yield* completed(page, mapping, (variant, records) => complete(connection, variant, records, beside))
    }),

    get: ({ connection, id, variant }: Target) => get(connection, variant, id),

    getAmong: ({ connection, id, variants }) => among(connection, variants, id),

    getMany: Effect.fnUntraced(function* ({ connection, ids, variant }) {
      const name = variant.nativeType
      const entity = entityOf(name)
      const found = byIds(connection, name, ids, entity === undefined ? [] : allOf(entity))
      const records = yield* entity?.editions?.ifThere(connection, name, found, Effect.succeed([])) ?? found
      return yield* complete(
        connection,
        variant,
        records
          .filter((record) => entity?.isOne?.(record) !== false)
          .map((record): NativeRecord => ({ nativeType: name, record }))
      )
    }),

    create: Effect.fnUntraced(function* ({ connection, encoded, idempotencyKey, variant }) {
      const record = yield* create(connection, variant.nativeType, newObject(encoded.record), idempotencyKey)
      const last = yield* follow(connection, variant, encoded.steps, { record, isNew: true }, ["record"])
      return yield* answer(connection, variant, last)
    }),

    replace: update,
    patch: update,

    remove: Effect.fnUntraced(function* ({ connection, current, id, variant }) {
      const held = (current ?? (yield* get(connection, variant, id))).record
      const name = variant.nativeType
      // records of name lists stay when they are deleted, and are inactive
      if (entityOf(name)?.removal === "deactivate" && held.Active === false) return yield* missing(name)
      if (entityOf(name)?.removal === "delete") yield* operate(connection, name, "delete", held)
      else yield* post(connection, name, "deactivate", overlay(held, { Active: false }))
    })
  }
}
