import { getPath, isNative, natives } from "../../mapping/Mapping.ts"
import type { Bulk, Bulks, Share } from "../base/Bulk.ts"
import type { Answer, Call } from "../base/Upstream.ts"
import { accounting } from "./Objects.ts"

/**
 * Several records in one call, each for itself with `summarizeErrors=false`; results come in their order. Without it, valid
 * records are written although the call is refused, so it is for the endpoints that are documented to take it. The customary
 * number is 50.
 * https://developer.xero.com/documentation/api/accounting/requests-and-responses#summarizeerrors
 */
const most = 50

const documents = "BankTransactions|Contacts|CreditNotes|Invoices|Items|ManualJournals|PurchaseOrders"

const creates = new RegExp(`^PUT ${accounting}/(${documents}|Payments)$`)
const updates = new RegExp(`^POST ${accounting}/(${documents})(?:/:id)?$`)

const sharesOf =
  (endpoint: string) =>
  ({ body, status }: Answer, calls: ReadonlyArray<Call>): ReadonlyArray<Share | undefined> => {
    const elements = natives(getPath(body, endpoint))
    return calls.map((_, i): Share | undefined => {
      const element = elements[i]
      if (element === undefined) return undefined
      return element.StatusAttributeString === "ERROR"
        ? { status: 400, body: { Type: "ValidationException", Elements: [element] } }
        : { status, body: { [endpoint]: [element] } }
    })
  }

const elementsOf = (endpoint: string, json: unknown) => natives(getPath(json, endpoint))

export const bulks: Bulks = {
  of: ({ json, method, path, query }): Bulk | undefined => {
    const [, endpoint] = creates.exec(`${method} ${path}`) ?? updates.exec(`${method} ${path}`) ?? []
    if (endpoint === undefined || elementsOf(endpoint, json).length !== 1) return undefined
    return {
      key: `${method} ${endpoint} ${JSON.stringify(query ?? null)}`,
      most,
      joint: (calls) => ({
        operation: `${endpoint}.batch`,
        method,
        path: `${accounting}/${endpoint}`,
        query: { ...(isNative(query) ? query : {}), summarizeErrors: "false" },
        json: { [endpoint]: calls.flatMap((call) => elementsOf(endpoint, call.json)) }
      }),
      shares: sharesOf(endpoint)
    }
  }
}
