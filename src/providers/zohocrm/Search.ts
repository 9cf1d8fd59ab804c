import { Effect } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import type { Fetch } from "../base/Paginator.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord } from "../ProviderAdapter.ts"
import { oneOfValues, type Said } from "./Criteria.ts"
import { type Finding, idOf, matching } from "./IdPages.ts"
import { numbered, pageSize } from "./Numbered.ts"
import { api, rowsOf } from "./Rows.ts"

/** Records that a search gives at most. */
const reach = 2000

/** Ids of one page: as many as a query can name. */
const most = 50

interface Asked extends Finding {
  readonly word: string
  readonly parameters: { readonly [name: string]: string }
}

/**
 * Pages of a module's search, in its order, cut down by the other filters. The index has a new record only after some time.
 * https://www.zoho.com/crm/developer/docs/api/v8/search-records.html
 */
export const searchPages =
  (
    call: Caller,
    connection: ConnectionRef,
    module: string,
    { besides, parameters, word }: Asked,
    said: ReadonlyArray<Said>
  ): Fetch =>
  (position, limit) => {
    const criteria = said.flatMap(({ anyOf }) => (anyOf === undefined ? [] : [anyOf]))

    const page = (number: number) => {
      const request: Call = {
        operation: `${module}.search`,
        method: "GET",
        path: `${api}/${module}/search`,
        query: { word, fields: "id", page: number, per_page: pageSize, ...parameters }
      }
      return Effect.flatMap(call(connection, request), (answer) =>
        Effect.map(rowsOf(request, "data", answer), (rows) => ({
          rows,
          more: getPath(answer.body, "info.more_records") === true && number * pageSize < reach
        }))
      )
    }

    return Effect.gen(function* () {
      const { next, rows } = yield* numbered(page, position, criteria.length === 0 ? limit : Math.min(limit, most))
      const found = rows.map((record): NativeRecord => ({ nativeType: module, record: { id: record.id } }))
      if (criteria.length === 0 || found.length === 0) return { records: found, next }
      const ids = oneOfValues("id", found.map(idOf))
      const meant = yield* matching(call, connection, module, besides)("id is not null", [ids, ...criteria], most)
      const kept = new Set(meant.map(idOf))
      const records = found.filter((one) => kept.has(idOf(one)))
      return { records, next, sparse: records.length < found.length }
    })
  }
