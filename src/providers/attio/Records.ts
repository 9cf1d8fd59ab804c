import { getPath, type Mapping } from "../../mapping/Mapping.ts"
import { byOffset } from "../axes/Paging.ts"
import { type Envelope, type Rest, rest } from "../axes/Rest.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { NativeRecord } from "../ProviderAdapter.ts"

/** Ids are objects, with the workspace's among others: `{workspace_id, object_id, record_id}`. */
const envelope = (id: string): Envelope => ({
  provider: "attio",
  many: ({ body }) => getPath(body, "data"),
  one: ({ body }) => getPath(body, "data"),
  idOf: (record) => getPath(record, `id.${id}`)
})

/** What Attio's endpoints have in common; `id` is the member of ids that is a record's own. */
export const endpoint = (id: string) =>
  ({ envelope: envelope(id), id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i }) satisfies Partial<Rest>

/** From the oldest to the newest; times have nine digits of a second, so they sort as texts. */
export const byCreation = ({ record }: NativeRecord) => String(record.created_at)

/** https://docs.attio.com/rest-api/guides/pagination */
export const offsets = { start: "offset", size: "limit" }

/**
 * The records of an object, whose slug is the native type. A PUT leaves the attributes that it does not name as they are, and
 * replaces all values of the others, where a PATCH adds to them.
 * https://docs.attio.com/rest-api/endpoint-reference/records/update-a-record-overwrite-multiselect-values
 */
export const records = (call: Caller, mapping: Mapping) =>
  rest(call, {
    ...endpoint("record_id"),
    mapping,
    path: (object) => `/v2/objects/${object}/records`,
    search: { path: "/query", body: { sorts: [{ attribute: "created_at", direction: "asc" }] } },
    paging: byOffset({ ...offsets, most: 500, key: byCreation }),
    method: "PUT",
    body: (record) => ({ data: record })
  })
