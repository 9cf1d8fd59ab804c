import { Effect } from "effect"
import { anchored, type Fetch } from "../base/Paginator.ts"
import { pageAround } from "../base/Paging.ts"
import type { NativeRecord } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"

/** A numbered page, and how many records there are. */
interface Numbered {
  readonly records: ReadonlyArray<NativeRecord>
  readonly count: unknown
}

/** Lists by `page` and `pageSize`, as all of Xero's APIs page, in an order that stays. */
export const numbered = (
  most: number,
  idOf: (record: NativeRecord) => string,
  fetch: (at: { readonly page: string; readonly pageSize: string }) => Effect.Effect<Numbered, ProviderError>
): Fetch =>
  anchored(most, idOf, (start, wanted) => {
    const { page, pageSize, skip } = pageAround(most, start, wanted)
    return Effect.map(fetch({ page: String(page), pageSize: String(pageSize) }), ({ count, records }) => ({
      records: records.slice(skip),
      more: typeof count === "number" ? (page - 1) * pageSize + records.length < count : records.length === pageSize
    }))
  })
