import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import type { Bulk, Bulks, Share } from "../base/Bulk.ts"
import type { Answer, Call } from "../base/Upstream.ts"

/**
 * Up to 100 objects of a type in one call. Results come in any order: creates and updates carry a text of ours that comes
 * back, ids tell the rest. The faults of an input are in `errors`, or the whole call is refused for them.
 * https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/batch
 */
const most = 100

const one = /^(\/crm\/(?:v3\/objects|objects\/[\w-]+)\/[\w-]+)(\/:id)?$/

const verbs: { readonly [call: string]: string } = {
  POST: "create",
  "PATCH /:id": "update",
  "DELETE /:id": "archive",
  "GET /:id": "read"
}

const trace = "objectWriteTraceId"

const inputOf = ({ json, params = {} }: Call, i: number): Native => ({
  ...params,
  ...(isNative(json) ? { ...json, [trace]: String(i) } : {})
})

const statuses: { readonly [category: string]: number } = {
  OBJECT_NOT_FOUND: 404,
  CONFLICT: 409,
  MISSING_SCOPES: 403
}

const listed = (error: Native, name: string) => {
  const values = getPath(error, `context.${name}`)
  return Array.isArray(values) ? values.map(String) : []
}

const sharesOf =
  (verb: string) =>
  ({ body }: Answer, calls: ReadonlyArray<Call>): ReadonlyArray<Share | undefined> => {
    if (verb === "archive") return calls.map(() => ({ status: 204, body: undefined }))
    const shares = new Map<string, Share>()
    for (const result of natives(getPath(body, "results"))) {
      const share = { status: verb === "create" ? 201 : 200, body: result }
      shares.set(`id ${String(result.id)}`, share).set(`${trace} ${String(result[trace])}`, share)
    }
    for (const error of natives(getPath(body, "errors"))) {
      const share = { status: statuses[String(error.category)] ?? 400, body: error }
      for (const id of listed(error, "ids")) shares.set(`id ${id}`, share)
      for (const text of listed(error, trace)) shares.set(`${trace} ${text}`, share)
    }
    return calls.map(({ params }, i) => shares.get(`${trace} ${i}`) ?? shares.get(`id ${params?.id}`))
  }

export const bulks: Bulks = {
  of: ({ method, path, query }): Bulk | undefined => {
    const [, list = "", id = ""] = one.exec(path) ?? []
    const verb = verbs[`${method} ${id}`.trim()]
    if (list === "" || verb === undefined || query !== undefined) return undefined
    return {
      key: `${verb} ${list}`,
      most,
      joint: (calls) => ({
        operation: `${list.split("/").at(-1)}.${verb}`,
        method: "POST",
        path: `${list}/batch/${verb}`,
        json: { inputs: calls.map((call, i) => inputOf(call, i)) },
        ...(verb === "read" ? { reads: true } : {})
      }),
      shares: sharesOf(verb)
    }
  }
}
