import { Clock, Effect, Either, Schema } from "effect"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import type { Fetch } from "../base/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ListRequest, NativeRecord } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"

/**
 * Recently deleted records, in the order of their deletion. Change data capture lists them among all changes of the last 30
 * days, with nothing but their ids.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/change-data-capture
 */

/** Reads the records of an entity changed since a time. */
export type Changes = (
  connection: ConnectionRef,
  name: string,
  since: string
) => Effect.Effect<ReadonlyArray<Native>, ProviderError>

/** Milliseconds that change data capture looks back, less 5 minutes for clocks that differ. */
const lookBack = 30 * 86_400_000 - 300_000

/** Records that a response holds at most, over all its entities; so each call asks for one entity. */
const most = 1000

const Position = Schema.parseJson(
  Schema.Struct({
    /** Time of the last returned deletion, in milliseconds. */
    from: Schema.Number,
    /** Ids of the returned deletions of that time. */
    given: Schema.Array(Schema.String)
  })
)
const readPosition = Schema.decodeUnknownEither(Position)
const writePosition = Schema.encodeSync(Position)

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

/** Makes one call a page; after a full response, the next page continues at its newest change. */
export const deletions =
  (changes: Changes, { connection, wanted }: ListRequest, name: string): Fetch =>
  (position, limit) =>
    Effect.gen(function* () {
      const earliest = (yield* Clock.currentTimeMillis) - lookBack
      const decoded = position === null ? undefined : Either.getOrUndefined(readPosition(position))
      const from = decoded?.from ?? Math.max(earliest, millisecondsOf(wanted.modified_after, earliest))
      const before = millisecondsOf(wanted.modified_before, Infinity)
      if (from >= before) return { records: [], next: null }

      // it is not documented whether `changedSince` includes the time itself
      const since = new Date(Math.max(from - 1000, earliest)).toISOString().slice(0, 19)
      const changed = (yield* changes(connection, name, `${since}Z`)).map(changeOf)
      const given = new Set(decoded?.given)
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
        next: writePosition({ from: stand, given: stand === from ? [...given, ...ties] : ties }),
        sparse: changed.length > 0
      }
    })
