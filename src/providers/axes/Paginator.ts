import { Effect, Either, Schema } from "effect"
import type { NativeRecord, Page } from "../ProviderAdapter.ts"
import { Malformed, ProviderError } from "../ProviderError.ts"

/**
 * How a provider pages, as functions from "fetch so many from here" to "a page and where it ended". A position is text
 * that only the paginator reads; it does not depend on `limit`, which may change from call to call.
 */
export interface Slice {
  readonly records: ReadonlyArray<NativeRecord>
  /** Null when there is no more. */
  readonly next: string | null
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
      const last = records.at(-1)
      return { records, next: found.length > size && last !== undefined ? idOf(last) : null }
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

const Place = Schema.parseJson(Schema.Tuple(Schema.Int, Schema.NullOr(Schema.String)))
const readPlace = Schema.decodeUnknownEither(Place)
const writePlace = Schema.encodeSync(Place)

/** Native lists one after the other under one position, filling a page across their border. */
export const inOrder =
  (provider: string, fetches: ReadonlyArray<Fetch>) =>
  (position: string | null, limit: number): Effect.Effect<Page, ProviderError> =>
    Effect.gen(function* () {
      const start = position === null ? Either.right([0, null] as const) : readPlace(position)
      if (Either.isLeft(start)) {
        return yield* new ProviderError({
          provider,
          operation: "list",
          reason: new Malformed(),
          detail: "unreadable position"
        })
      }
      const records: Array<NativeRecord> = []
      let [index, native] = start.right
      for (;;) {
        const fetch = fetches[index]
        if (fetch === undefined) return { records, next: null }
        const slice = yield* fetch(native, limit - records.length)
        records.push(...slice.records)
        native = slice.next
        if (native === null) index += 1
        if (index >= fetches.length) return { records, next: null }
        // a page that is short inside one list is handed on as it is; only a list's end is filled up
        if (native !== null || records.length >= limit) return { records, next: writePlace([index, native]) }
      }
    })
