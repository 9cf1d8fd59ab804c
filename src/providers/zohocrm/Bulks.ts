import { getPath, natives } from "../../mapping/Mapping.ts"
import type { Bulk, Bulks, Share } from "../base/Bulk.ts"
import type { Answer, Call } from "../base/Upstream.ts"
import { api } from "./Rows.ts"

/**
 * Up to 100 records of a module in one call, each for itself; results come in their order.
 * https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html, `update-records.html`, `delete-records.html`
 */
const most = 100

/** Of appointments four. https://www.zoho.com/crm/developer/docs/api/v8/create-appointment.html */
const fewer: { readonly [module: string]: number } = { Appointments__s: 4 }

const one = new RegExp(`^${api}/(\\w+)(/:id)?$`)

const shares = ({ body, status }: Answer, calls: ReadonlyArray<Call>): ReadonlyArray<Share | undefined> => {
  const rows = natives(getPath(body, "data"))
  return calls.map((_, i): Share | undefined => {
    const row = rows[i]
    if (row === undefined) return undefined
    if (row.status !== "error") return { status: status === 207 ? 200 : status, body: { data: [row] } }
    // an id that is none stands in the path of a call alone
    return getPath(row, "details.api_name") === "id" ? "alone" : { status: 400, body: { data: [row] } }
  })
}

const rowOf = ({ json, params = {} }: Call) => ({ ...natives(getPath(json, "data"))[0], ...params })

const jointOf = (calls: ReadonlyArray<Call>, method: Call["method"], module: string): Call => {
  const about = { operation: `${module}.${method.toLowerCase()}`, method, path: `${api}/${module}` }
  return method === "DELETE"
    ? { ...about, query: { ids: calls.map(({ params }) => params?.id ?? "").join(",") } }
    : { ...about, json: { data: calls.map(rowOf) } }
}

export const bulks: Bulks = {
  of: ({ method, path, query, reads }): Bulk | undefined => {
    const [, module = "", id = ""] = one.exec(path) ?? []
    const isWrite = id === "" ? method === "POST" && reads !== true : method === "PUT" || method === "DELETE"
    return module === "" || !isWrite || query !== undefined
      ? undefined
      : {
          key: `${method} ${module}`,
          most: fewer[module] ?? most,
          joint: (calls) => jointOf(calls, method, module),
          shares
        }
  }
}
