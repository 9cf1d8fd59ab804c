import { Effect } from "effect"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import type { Fetch } from "../base/Paginator.ts"
import { textOf } from "../base/Paging.ts"
import type { NativeRecord } from "../ProviderAdapter.ts"
import { Malformed, Missing, ProviderError } from "../ProviderError.ts"

/**
 * A merge leaves one record, which has a new id or that of one of the two. HubSpot answers with it under the ids that are
 * gone, which no list shows; `hs_merged_object_ids` of the record names them.
 * https://developers.hubspot.com/changelog/updated-merge-functionality-for-contacts-and-companies
 * https://knowledge.hubspot.com/records/merge-records
 */
export const mergedProperty = "hs_merged_object_ids"

/** Ids of the records that were merged into a record. */
const mergedIdsOf = (record: Native): ReadonlyArray<string> =>
  String(getPath(record, `properties.${mergedProperty}`) ?? "")
    .split(";")
    .map((id) => id.trim())
    .filter((id) => id !== "" && id !== String(record.id))

/** Adds the ids of the records that were merged into a record. */
export const withMerged = (found: NativeRecord): NativeRecord => {
  const absorbs = mergedIdsOf(found.record)
  return absorbs.length === 0 ? found : { ...found, merge: { absorbs } }
}

/** Fails if an answer has another id: with the surviving record of a merge, or as malformed. */
export const checkId =
  (operation: string, id: string) =>
  (record: Native): Effect.Effect<Native, ProviderError> => {
    const found = String(record.id)
    if (found === id) return Effect.succeed(record)
    const isMerged = mergedIdsOf(record).includes(id)
    return Effect.fail(
      new ProviderError({
        provider: "hubspot",
        operation,
        reason: isMerged ? new Missing({ mergedInto: found }) : new Malformed(),
        ...(isMerged ? {} : { detail: `the answer for ${id} is record ${found}` })
      })
    )
  }

/** Lists records that were merged away, by reading the surviving records. */
export const mergedAway =
  (survivors: Fetch, most: number): Fetch =>
  (position, limit) => {
    const [, skipped = "0", after = ""] = /^(\d+) (.*)$/s.exec(position ?? "") ?? []
    const skip = Number(skipped)
    return Effect.map(survivors(after === "" ? null : after, most), ({ next, records }) => {
      const gone = records.flatMap(({ nativeType, record }) =>
        mergedIdsOf(record).map((id): NativeRecord => ({
          nativeType,
          record: { id, archived: true },
          deletedAt: textOf(record.updatedAt),
          isBare: true,
          merge: { into: String(record.id) }
        }))
      )
      const isCut = skip + limit < gone.length
      return {
        records: gone.slice(skip, skip + limit),
        next: isCut ? `${skip + limit} ${after}` : next === null ? null : `0 ${next}`,
        sparse: true
      }
    })
  }
