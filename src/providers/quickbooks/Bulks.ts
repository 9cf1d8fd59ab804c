import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import type { Bulk, Bulks, Share } from "../base/Bulk.ts"
import type { Answer, Call } from "../base/Upstream.ts"
import { type Batches, itemsAtOnce } from "./Batches.ts"
import { faultOf } from "./ReadError.ts"

/**
 * Up to 30 records in one call, each for itself; results are told by ids of ours. Whether a batch takes a request id for
 * each item is not documented, so none is sent.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/batch
 */
const one = /^\/v3\/company\/:realmId\/([a-z]+)$/

/** Operation on an entity; undefined: a batch has none such. */
const verbOf = ({ json, query }: Call): string | undefined => {
  const { minorversion: _, operation, requestid: __, ...others } = isNative(query) ? query : {}
  if (!isNative(json) || Object.keys(others).length > 0) return undefined
  if (operation !== undefined) return operation === "delete" ? "delete" : undefined
  return json.Id === undefined ? "create" : "update"
}

/** Answer that a single call would have had. */
const shareOf = (item: Native): Share => {
  const fault = faultOf(item)
  // a batch does not tell the status of what is refused alone
  return { status: fault === undefined ? 200 : getPath(fault, "type") === "SystemFault" ? 500 : 400, body: item }
}

const shares = ({ body }: Answer, calls: ReadonlyArray<Call>): ReadonlyArray<Share | undefined> => {
  const items = new Map(natives(getPath(body, "BatchItemResponse")).map((item) => [String(item.bId), item]))
  return calls.map((_, i) => {
    const item = items.get(String(i))
    return item && shareOf(item)
  })
}

export const bulksOf = ({ take }: Batches): Bulks => ({
  take,
  of: (call): Bulk | undefined => {
    const { method, operation, path, query } = call
    const [entity = ""] = operation.split(".")
    const [, name] = one.exec(path) ?? []
    if (method !== "POST" || name !== entity.toLowerCase() || verbOf(call) === undefined) return undefined
    return {
      key: "batch",
      most: itemsAtOnce,
      joint: (calls) => ({
        operation: "batch.write",
        method,
        path: "/v3/company/:realmId/batch",
        ...(isNative(query) ? { query: { minorversion: String(query.minorversion) } } : {}),
        json: {
          BatchItemRequest: calls.map((item, i) => ({
            bId: String(i),
            operation: verbOf(item),
            [item.operation.split(".")[0] ?? ""]: item.json
          }))
        }
      }),
      shares
    }
  }
})
