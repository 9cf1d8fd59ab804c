import { Effect, Either, Schema } from "effect"
import type { CompiledMapping, CompiledVariant } from "../../mapping/Compile.ts"
import type { NativeRecord, Page } from "../ProviderAdapter.ts"
import { ListBroken, Malformed, ProviderError } from "../ProviderError.ts"

/**
 * How a provider pages, as functions from "fetch so many from here" to "a page and where it ended". A position is text
 * that only the paginator reads; it does not depend on `limit`, which may change from call to call.
 */
export interface Slice extends Page {
  /** The position after the first so many of its records, where it can be told. */
  readonly upTo?: (count: number) => string
}

export type Fetch = (position: string | null, limit: number) => Effect.Effect<Slice, ProviderError>

/** The provider gives an opaque cursor that stays good for any page size (`max` at most). */
export const cursor =
  (max: number, fetch: (after: string | undefined, size: number) => Effect.Effect<Slice, ProviderError>): Fetch =>
  (position, limit) =>
    fetch(position ?? undefined, Math.min(limit, max))

/**
 * The provider can be asked for records after an id, in the order of ids. One more than wanted is asked for, which tells
 * whether there is more without an empty last page.
 */
export const keyset =
  (
    max: number,
    idOf: (record: NativeRecord) => string,
    fetch: (after: string | undefined, size: number) => Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError>
  ): Fetch =>
  (position, limit) => {
    const size = Math.min(limit, max - 1)
    return Effect.map(fetch(position ?? undefined, size + 1), (found) => {
      const records = found.slice(0, size)
      const upTo = (count: number) => records.slice(0, count).map(idOf).at(-1) ?? position ?? ""
      return { records, next: found.length > size ? upTo(size) : null, upTo }
    })
  }

const Since = Schema.parseJson(Schema.Struct({ key: Schema.String, seen: Schema.Array(Schema.String) }))
const readSince = Schema.decodeUnknownEither(Since)
const writeSince = Schema.encodeSync(Since)

/**
 * The provider can be asked for records from a creation time on, in that order; several may share a time. The position
 * is the last time and the ids already seen at it, so nothing is missed or repeated while records come and go.
 */
export const since =
  (
    max: number,
    idOf: (record: NativeRecord) => string,
    keyOf: (record: NativeRecord) => string,
    fetch: (from: string | undefined, size: number) => Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError>
  ): Fetch =>
  (position, limit) => {
    const start = position === null ? undefined : Either.getOrUndefined(readSince(position))
    const seen = new Set(start?.seen ?? [])
    const size = Math.min(limit + seen.size + 1, max)
    return Effect.flatMap(fetch(start?.key, size), (found): Effect.Effect<Slice> => {
      const fresh = found.filter((record) => !seen.has(idOf(record)))
      const records = fresh.slice(0, limit)
      const last = records.at(-1)
      if (found.length < size && fresh.length <= limit) return Effect.succeed({ records, next: null })
      // more records share one time than an answer holds: going on would leave some out, so the walk says so
      if (last === undefined) return Effect.dieMessage("more records share a creation time than a page can hold")
      const key = keyOf(last)
      const ties = records.filter((record) => keyOf(record) === key).map(idOf)
      return Effect.succeed({
        records,
        next: writeSince({ key, seen: key === start?.key ? [...seen, ...ties] : ties })
      })
    })
  }

const Sifted = Schema.parseJson(
  Schema.Struct({
    page: Schema.NullOr(Schema.String),
    after: Schema.NullOr(Schema.Number),
    last: Schema.optionalWith(Schema.String, { exact: true })
  })
)
const readSifted = Schema.decodeUnknownEither(Sifted)
const writeSifted = Schema.encodeSync(Sifted)

/** Native pages that are looked through for one page; a longer search goes on with the next one. */
const searched = 5

/**
 * Some of a list that the provider cannot narrow: its pages, in ascending order of a number, are looked through for what
 * is wanted. The position is the native page and the number of the last record taken; with `idOf` also its id, as several
 * records may share a number: should that record be gone, those that share it come again.
 */
export const sifted =
  (
    isWanted: (record: NativeRecord) => boolean,
    numberOf: (record: NativeRecord) => number,
    fetch: Fetch,
    idOf?: (record: NativeRecord) => string
  ): Fetch =>
  (position, limit) =>
    Effect.gen(function* () {
      const start = position === null ? undefined : Either.getOrUndefined(readSifted(position))
      const records: Array<NativeRecord> = []
      let page = start?.page ?? null
      let after = start?.after ?? null
      let last = start?.last
      const next = () => writeSifted({ page, after, ...(last === undefined ? {} : { last }) })
      let sparse = false
      for (let i = 0; i < searched && records.length < limit; i += 1) {
        const slice = yield* fetch(page, limit)
        sparse ||= slice.sparse === true || slice.records.length > 0
        const [from, anchor] = [after, last]
        const at = anchor === undefined ? -1 : slice.records.findIndex((record) => idOf?.(record) === anchor)
        const isFresh = (record: NativeRecord) =>
          from === null || (idOf === undefined ? numberOf(record) > from : numberOf(record) >= from)
        const wanted = slice.records.filter(
          (record, index) => isWanted(record) && (at < 0 ? isFresh(record) : index > at)
        )
        const taken = wanted.slice(0, limit - records.length)
        records.push(...taken)
        const end = taken.at(-1)
        if (end !== undefined) {
          after = numberOf(end)
          last = idOf?.(end)
        }
        if (wanted.length > taken.length) return { records, next: next() }
        if (slice.next === null) return { records, next: null }
        page = slice.next
      }
      return { records, next: next(), sparse }
    })

const Offset = Schema.parseJson(
  Schema.Struct({ start: Schema.Int, key: Schema.String, seen: Schema.Array(Schema.String) })
)
const readOffset = Schema.decodeUnknownEither(Offset)
const writeOffset = Schema.encodeSync(Offset)

/**
 * The provider only counts: records come by offset, in ascending order of a key that never changes (a creation time, an
 * id; equal keys are fine). The position is the offset, the last key and the ids seen at it. What went or came before it
 * moves the others, so a page begins by looking back to a record before that key.
 */
export const offset =
  (
    max: number,
    idOf: (record: NativeRecord) => string,
    keyOf: (record: NativeRecord) => string,
    fetch: (
      start: number,
      size: number
    ) => Effect.Effect<{ readonly records: ReadonlyArray<NativeRecord>; readonly more: boolean }, ProviderError>
  ): Fetch =>
  (position, limit) =>
    Effect.gen(function* () {
      const from = position === null ? undefined : Either.getOrUndefined(readOffset(position))
      const seen = new Set(from?.seen ?? [])
      const isFresh = (record: NativeRecord) =>
        from === undefined || keyOf(record) > from.key || (keyOf(record) === from.key && !seen.has(idOf(record)))
      const isBefore = (record: NativeRecord | undefined) =>
        from !== undefined && record !== undefined && keyOf(record) < from.key
      const back = seen.size + 1
      const size = Math.min(limit + back + 1, max)

      let start = Math.max(0, (from?.start ?? 0) - back)
      let window = yield* fetch(start, size)
      for (let step = size; start > 0 && !isBefore(window.records[0]); step *= 2) {
        start = Math.max(0, start - step)
        window = yield* fetch(start, size)
      }
      const found: Array<{ readonly record: NativeRecord; readonly at: number }> = []
      let isLast = false
      for (let left = Math.ceil((from?.start ?? 0) / size) + searched; left > 0; left -= 1) {
        const from = start
        found.push(
          ...window.records.map((record, i) => ({ record, at: from + i })).filter(({ record }) => isFresh(record))
        )
        start += window.records.length
        isLast = !window.more || window.records.length === 0
        if (isLast || found.length > limit) break
        window = yield* fetch(start, size)
      }
      const taken = found.slice(0, limit)
      const records = taken.map(({ record }) => record)
      const last = taken.at(-1)
      if (isLast && found.length <= limit) return { records, next: null }
      // nothing further on: whoever follows sees that the position is the same
      if (last === undefined) return { records, next: position }
      const key = keyOf(last.record)
      const ties = records.filter((record) => keyOf(record) === key).map(idOf)
      return {
        records,
        next: writeOffset({ start: last.at + 1, key, seen: key === from?.key ? [...seen, ...ties] : ties })
      }
    })

const Anchor = Schema.parseJson(Schema.Struct({ start: Schema.Int, last: Schema.Array(Schema.String) }))
const readAnchor = Schema.decodeUnknownEither(Anchor)
const writeAnchor = Schema.encodeSync(Anchor)

/** Ids that a position holds on to, so that it stands while some of them go. */
const anchors = 5

/**
 * The provider only counts, in an order that stays but cannot be reckoned here, such as that of ids which it sorts in its own
 * way. The position is the offset and the last ids: a page goes on after the last of them that is still there.
 */
export const anchored =
  (
    max: number,
    idOf: (record: NativeRecord) => string,
    fetch: (
      start: number,
      size: number
    ) => Effect.Effect<{ readonly records: ReadonlyArray<NativeRecord>; readonly more: boolean }, ProviderError>
  ): Fetch =>
  (position, limit) =>
    Effect.gen(function* () {
      const { last, start } = (position === null ? undefined : Either.getOrUndefined(readAnchor(position))) ?? {
        last: [],
        start: 0
      }
      const known = new Set(last)
      const standIn = (records: ReadonlyArray<NativeRecord>) =>
        records.findLastIndex((record) => known.has(idOf(record)))

      let from = Math.max(0, start - last.length)
      let { more, records } = yield* fetch(from, Math.min(last.length + limit + 1, max))
      let stand = standIn(records)
      if (stand < 0 && last.length > 0) {
        // more came or went than stands here: look further around, else go by the count
        const around = Math.max(0, start - Math.floor(max / 2))
        const wide = yield* fetch(around, max)
        stand = standIn(wide.records)
        // all of them are gone, and those after them moved up
        if (stand < 0) stand = Math.max(0, start - last.length) - around - 1
        from = around
        ;({ more, records } = wide)
      }
      const fresh = () =>
        records.flatMap((record, i) => (i > stand && !known.has(idOf(record)) ? [{ record, at: from + i }] : []))
      for (let left = searched; left > 0 && more && fresh().length <= limit; left -= 1) {
        const next = yield* fetch(from + records.length, Math.min(limit + 1, max))
        records = [...records, ...next.records]
        more = next.more && next.records.length > 0
      }
      const taken = fresh().slice(0, limit)
      const given = taken.map(({ record }) => record)
      const upTo = (count: number) =>
        writeAnchor({
          start: (taken[count - 1]?.at ?? start - 1) + 1,
          last: [...last, ...given.slice(0, count).map(idOf)].slice(-anchors)
        })
      const isEnd = !more && fresh().length === taken.length
      return { records: given, next: isEnd ? null : taken.length === 0 ? position : upTo(taken.length), upTo }
    })

/** The provider gives everything at once: pages are cut from it after the last id, in the provider's order. */
export const whole =
  (idOf: (record: NativeRecord) => string, fetch: Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError>): Fetch =>
  (position, limit) =>
    Effect.map(fetch, (all) => {
      const [index, ...id] = (position ?? "").split(":")
      const found = position === null ? -1 : all.findIndex((record) => idOf(record) === id.join(":"))
      // the last record seen is gone: those after it moved one place up
      const start = position === null ? 0 : found >= 0 ? found + 1 : Number(index)
      const records = all.slice(start, start + limit)
      const last = records.at(-1)
      const end = start + records.length
      return { records, next: end < all.length && last !== undefined ? `${end - 1}:${idOf(last)}` : null }
    })

/** The provider gives everything at once, in an order that changes: pages are cut from it in the order of ids. */
export const wholeById = (
  idOf: (record: NativeRecord) => string,
  fetch: Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError>
): Fetch => {
  const compare = (left: NativeRecord, right: NativeRecord) => (idOf(left) < idOf(right) ? -1 : 1)
  return keyset(Number.MAX_SAFE_INTEGER, idOf, (after, size) =>
    Effect.map(fetch, (all) =>
      all
        .filter((record) => after === undefined || idOf(record) > after)
        .toSorted(compare)
        .slice(0, size)
    )
  )
}

/** Pages that a list may have which is read as a whole. */
const mostPages = 1_000

interface Some<A> {
  readonly records: ReadonlyArray<A>
  /** Null when there is no more. */
  readonly next: string | null
}

/** Everything of a list, page after page. Fails with `ListBroken` where a position or a page comes again. */
export const everything = <A>(
  provider: string,
  operation: string,
  fetch: (position: string | null) => Effect.Effect<Some<A>, ProviderError>
): Effect.Effect<ReadonlyArray<A>, ProviderError> =>
  Effect.gen(function* () {
    const all: Array<A> = []
    const seen = new Set<string>()
    let position: string | null = null
    for (let left = mostPages; ; left -= 1) {
      const page: Some<A> = yield* fetch(position)
      const signs = [
        ...(page.next === null ? [] : [`position ${page.next}`]),
        ...(page.records.length === 0 ? [] : [`record ${JSON.stringify(page.records[0])}`])
      ]
      if (left === 0 || signs.some((sign) => seen.has(sign))) {
        const detail = "it gave a part of a list that it had given before"
        return yield* new ProviderError({ provider, operation, reason: new ListBroken(), detail })
      }
      for (const sign of signs) seen.add(sign)
      all.push(...page.records)
      if (page.next === null) return all
      position = page.next
    }
  })

const ListPosition = Schema.parseJson(Schema.Tuple(Schema.Int, Schema.NullOr(Schema.String)))
const readListPosition = Schema.decodeUnknownEither(ListPosition)
const writeListPosition = Schema.encodeSync(ListPosition)

/** Native lists one after the other under one position, filling a page across their border. */
export const inOrder =
  (provider: string, fetches: ReadonlyArray<Fetch>) =>
  (position: string | null, limit: number): Effect.Effect<Page, ProviderError> => {
    const pageFrom = (
      index: number,
      native: string | null,
      before: ReadonlyArray<NativeRecord>
    ): Effect.Effect<Page, ProviderError> => {
      const fetch = fetches[index]
      if (fetch === undefined) return Effect.succeed({ records: before, next: null })
      return Effect.flatMap(fetch(native, limit - before.length), ({ next, records: more, upTo: _, ...rest }) => {
        const records = before.length === 0 ? more : [...before, ...more]
        // a page that is short inside one list is handed on as it is; only a list's end is filled up
        if (next !== null) return Effect.succeed({ ...rest, records, next: writeListPosition([index, next]) })
        if (index + 1 === fetches.length || records.length < limit) return pageFrom(index + 1, null, records)
        return Effect.succeed({ records, next: writeListPosition([index + 1, null]) })
      })
    }
    const start = position === null ? Either.right([0, null] as const) : readListPosition(position)
    return Either.match(start, {
      onLeft: () =>
        Effect.fail(
          new ProviderError({ provider, operation: "list", reason: new Malformed(), detail: "unreadable position" })
        ),
      onRight: ([index, native]) => pageFrom(index, native, [])
    })
  }

/** A page of `inOrder`, each native type's records completed with the parts that their variant reads, side by side. */
export const completed = (
  page: Page,
  { variants }: CompiledMapping,
  complete: (
    variant: CompiledVariant,
    records: ReadonlyArray<NativeRecord>
  ) => Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError>
): Effect.Effect<Page, ProviderError> =>
  Effect.map(
    Effect.forEach(
      variants,
      (variant) =>
        complete(
          variant,
          page.records.filter(({ nativeType }) => nativeType === variant.nativeType)
        ),
      { concurrency: "unbounded" }
    ),
    (records) => ({ ...page, records: records.flat() })
  )
