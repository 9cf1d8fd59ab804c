import { Effect } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { dateTime } from "../../mapping/Transform.ts"
import type { Fetch } from "../base/Paginator.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ListRequest, NativeRecord } from "../ProviderAdapter.ts"
import { stampClauses } from "./Criteria.ts"
import { numbered, pageSize } from "./Numbered.ts"
import { api, rowsOf } from "./Rows.ts"

/** Filters that can be told of a deleted record: of it, nothing but the time is known. */
const told = ["include_deleted", "modified_after", "modified_before"]

/**
 * Records of a module that were deleted, for as long as Zoho tells them: 60 days in the recycle bin, and 120 after they left
 * it.
 * https://www.zoho.com/crm/developer/docs/api/v8/get-deleted-records.html
 */
export const deletedPages =
  (call: Caller, { connection, wanted }: ListRequest, nativeType: string): Fetch =>
  (position, limit) => {
    if (Object.keys(wanted).some((name) => !told.includes(name))) return Effect.succeed({ records: [], next: null })
    const { modified_after: after, modified_before: before } = wanted
    const since = after === undefined ? undefined : stampClauses["modified_after"]?.say(after)
    const headers = typeof since === "object" && since?.since !== undefined ? { "if-modified-since": since.since } : {}

    const page = (number: number) => {
      const request: Call = {
        operation: `${nativeType}.deleted`,
        method: "GET",
        path: `${api}/${nativeType}/deleted`,
        headers,
        query: { type: "all", page: number, per_page: pageSize }
      }
      return call(connection, request).pipe(
        Effect.flatMap((answer) =>
          Effect.map(rowsOf(request, "data", answer), (rows) => ({
            rows,
            more: getPath(answer.body, "info.more_records") === true
          }))
        ),
        Effect.catchIf(
          ({ status }) => status === 304,
          () => Effect.succeed({ rows: [], more: false })
        )
      )
    }

    return Effect.map(numbered(page, position, limit), ({ next, rows }) => {
      const records = rows.flatMap(({ deleted_time, id }): ReadonlyArray<NativeRecord> => {
        const at = dateTime.decode(deleted_time, { reference: () => "" })
        const deletedAt = typeof at === "string" ? at : null
        const isLate = before !== undefined && (deletedAt === null || deletedAt >= before.text)
        const isEarly = after !== undefined && (deletedAt === null || deletedAt < after.text)
        return isLate || isEarly ? [] : [{ nativeType, record: { id }, deletedAt, isBare: true as const }]
      })
      return { records, next, sparse: records.length < rows.length }
    })
  }
