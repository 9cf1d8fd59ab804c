import { Effect } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { type Fetch, offset } from "../axes/Paginator.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord } from "../ProviderAdapter.ts"
import { recordsOf } from "./Objects.ts"

/** https://pipedrive.readme.io/docs/core-api-concepts-pagination */
const maximum = 500

/** A list of API v1, in the order of a key that its records keep. */
export const offsets = (
  call: Caller,
  connection: ConnectionRef,
  nativeType: string,
  {
    keyOf,
    path,
    sort
  }: { readonly path: string; readonly sort?: string; readonly keyOf: (record: NativeRecord) => string }
): Fetch =>
  offset(
    maximum,
    ({ record }) => String(record.id),
    keyOf,
    (start, limit) => {
      const request: Call = { operation: `${nativeType}.list`, method: "GET", path, query: { start, limit, sort } }
      return Effect.flatMap(call(connection, request), (answer) =>
        Effect.map(recordsOf(request, answer), (found) => {
          const more = (place: string) =>
            getPath(answer.body, `additional_data.${place}more_items_in_collection`) === true
          return {
            records: found.map((record) => ({ nativeType, record })),
            // leads say it one level higher than the rest of the API
            more: more("pagination.") || more("")
          }
        })
      )
    }
  )
