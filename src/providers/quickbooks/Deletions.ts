import { Clock, Effect, Either, Schema } from "effect"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import type { Fetch } from "../axes/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ListRequest, NativeRecord } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"

/**
 * What was deleted lately, in the order of its deletion. Change data capture tells it among all that changed, 30 days back,
 * with nothing but its id.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/change-data-capture
 */

/** Reads what of an entity changed since a time. */
export type Changes = (
  connection: ConnectionRef,
  name: string,
  since: string
) => Effect.Effect<ReadonlyArray<Native>, ProviderError>

/** Milliseconds that it looks back, less a while in which clocks may differ. */
const lookBack = 30 * 86_400_000 - 300_000

/** Records that an answer has at most: over all entities that it is about, so it is about one. */
const most = 1000

const Place = Schema.parseJson(
  Schema.Struct({
    /** Milliseconds of the last deletion that was given. */
    from: Schema.Number,
    /** Those of that time that were given. */
    given: Schema.Array(Schema.String)
  })
)
const readPlace = Schema.decodeUnknownEither(Place)
const writePlace = Schema.encodeSync(Place)

interface Change {
  readonly id: string
  readonly record: Native
  readonly at: number
}

const changeOf = (record: Native): Change => ({
  id: String(record.Id),
  record,
  at: Date.parse(String(getPath(record, "MetaData.LastUpdatedTime")))
})

const millisecondsOf = (instant: { readonly text: string } | undefined, other: number) =>
  instant === undefined ? other : Date.parse(instant.text)

/** One answer a page; where it is full, the next page goes on with its newest change. */
export const deletions =
  (changes: Changes, { connection, wanted }: ListRequest, name: string): Fetch =>
  (position, limit) =>
    Effect.gen(function* () {
      const earliest = (yield* Clock.currentTimeMillis) - lookBack
      const place = position === null ? undefined : Either.getOrUndefined(readPlace(position))
      const from = place?.from ?? Math.max(earliest, millisecondsOf(wanted.modified_after, earliest))
      const before = millisecondsOf(wanted.modified_before, Infinity)
      if (from >= before) return { records: [], next: null }

      // whether the time itself belongs to what is since then is not documented
      const since = new Date(Math.max(from - 1000, earliest)).toISOString().slice(0, 19)
      const changed = (yield* changes(connection, name, `${since}Z`)).map(changeOf)
      const given = new Set(place?.given)
      const gone = changed
        .filter((one) => one.record.status === "Deleted" && one.at >= from && one.at < before)
        .filter((one) => one.at > from || !given.has(one.id))
        .toSorted((a, b) => a.at - b.at)
      const taken = gone.slice(0, limit)
      const [last, newest] = [taken.at(-1)?.at ?? from, Math.max(from, ...changed.map(({ at }) => at))]
      const isFull = changed.length >= most && newest < before
      const records = taken.map(({ at, record }): NativeRecord => ({
        nativeType: name,
        record,
        isBare: true,
        deletedAt: new Date(at).toISOString()
      }))
      if (gone.length === taken.length && !isFull) return { records, next: null }
      const stand = gone.length > taken.length ? last : newest
      const ties = taken.filter(({ at }) => at === stand).map(({ id }) => id)
      return {
        records,
        next: writePlace({ from: stand, given: stand === from ? [...given, ...ties] : ties }),
        sparse: changed.length > 0
      }
    })
