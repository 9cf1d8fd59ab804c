import { numberIn } from "../base/Limits.ts"

/** Calls of an org in the last 24 hours. */
export interface Allowance {
  readonly used: number
  readonly allowed: number
}

/**
 * Reads the calls of an org from the headers of an answer; undefined where they lack them.
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/headers_api_usage.htm
 */
export const allowanceIn = (headers: { readonly [name: string]: string | undefined }): Allowance | undefined => {
  const [, used, allowed] = /api-usage=(\d+)\/(\d+)/.exec(headers["sforce-limit-info"] ?? "") ?? []
  const said = { used: numberIn(used), allowed: numberIn(allowed) }
  return said.used === undefined || said.allowed === undefined ? undefined : { used: said.used, allowed: said.allowed }
}
