import { isNative, type Native, natives } from "../../mapping/Mapping.ts"
import type { Bulk, Bulks, Share } from "../base/Bulk.ts"
import type { Answer, Call } from "../base/Upstream.ts"
import { api } from "./Org.ts"
import { isRowLock } from "./ReadError.ts"

/**
 * Up to 200 records in one call, each for itself; results come in their order.
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_sobjects_collections.htm
 */
const most = 200

const path = `${api}/composite/sobjects`

const statuses: { readonly [method: string]: number } = { POST: 201, PATCH: 204, DELETE: 204 }

/** Said of the record that is written, and of one that it names. */
const ambiguous = new Set<unknown>(["ENTITY_IS_DELETED", "INVALID_CROSS_REFERENCE_KEY", "MALFORMED_ID"])

/** Whether to retry the record alone: the single answer explains the error better, or the row lock may be gone. */
const isForItself = ({ duplicateResult, message, statusCode }: Native) =>
  ambiguous.has(statusCode) ||
  isRowLock(statusCode, message) ||
  // answers about several records leave out which ones they duplicate
  (statusCode === "DUPLICATES_DETECTED" && duplicateResult === undefined)

const shares = ({ body }: Answer, calls: ReadonlyArray<Call>): ReadonlyArray<Share | undefined> => {
  const results = natives(body)
  return calls.map(({ method }, i): Share | undefined => {
    const result = results[i]
    if (result === undefined) return undefined
    if (result.success === true)
      return { status: statuses[method] ?? 200, body: method === "POST" ? result : undefined }
    const errors = natives(result.errors)
    if (errors.some(isForItself)) return "alone"
    return { status: 400, body: errors.map(({ statusCode, ...error }) => ({ ...error, errorCode: statusCode })) }
  })
}

const recordOf = ({ json, params: { id, type } = {} }: Call) => ({
  attributes: { type },
  ...(id === undefined ? {} : { id }),
  ...(isNative(json) ? json : {})
})

/** Headers of the first call. Only calls with equal headers share a request. */
const headersOf = ([first]: ReadonlyArray<Call>) => first?.headers ?? {}

const jointOf = (calls: ReadonlyArray<Call>, method: "POST" | "PATCH" | "DELETE"): Call => {
  const operation = calls[0]?.operation ?? ""
  return method === "DELETE"
    ? {
        operation,
        method,
        path,
        query: { ids: calls.map(({ params }) => params?.id ?? "").join(","), allOrNone: "false" }
      }
    : { operation, method, path, json: { allOrNone: false, records: calls.map(recordOf) }, headers: headersOf(calls) }
}

export const bulks: Bulks = {
  of: ({ headers = {}, method, params, path }): Bulk | undefined =>
    (method === "POST" && path === `${api}/sobjects/:type`) ||
    ((method === "PATCH" || method === "DELETE") && path === `${api}/sobjects/:type/:id`)
      ? {
          key: `${method} ${params?.type} ${JSON.stringify(headers)}`,
          most,
          joint: (calls) => jointOf(calls, method),
          shares
        }
      : undefined
}
