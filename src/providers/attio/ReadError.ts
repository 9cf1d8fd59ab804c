import { getPath, natives } from "../../mapping/Mapping.ts"
import type { ReadError } from "../base/Errors.ts"
import { retryAfter } from "../base/Errors.ts"
import { Clash, Invalid, LimitReached, NotPermitted } from "../ProviderError.ts"

/** The native path in a body, which is `{data: {values: {<attribute>: …}}}` or `{data: {<field>: …}}`. */
const nameOf = (path: unknown): string => {
  const steps = (Array.isArray(path) ? path : []).map(String).filter((step) => step !== "data")
  return steps.slice(0, steps[0] === "values" ? 2 : 1).join(".")
}

/**
 * Errors of Attio: `{status_code, type, code, message}`, with `validation_errors` where a body is not of the form described.
 * For a value that Attio does not take, the message names the attribute by its slug.
 */
export const readError: ReadError = (answer) => {
  const { body, status } = answer
  const message = getPath(body, "message")
  const detail = typeof message === "string" ? message : undefined
  if (status === 400 || status === 413) {
    if (getPath(body, "code") === "uniqueness_conflict") return { reason: new Clash(), detail }
    // https://docs.attio.com/rest-api/endpoint-reference/records/create-a-record names it by slug or id
    const [, slug] = /(?:attribute|slug)[^"]*"([\w-]+)"/.exec(detail ?? "") ?? []
    const fields = [
      ...natives(getPath(body, "validation_errors")).map((one) => [nameOf(one.path), String(one.message)] as const),
      ...(slug === undefined ? [] : [[`values.${slug}`, detail ?? ""] as const])
    ]
    const isOwnRule = getPath(body, "code") === "missing_value"
    const reason = new Invalid({ fields: Object.fromEntries(fields), ...(isOwnRule ? { isOwnRule } : {}) })
    return { reason, detail }
  }
  if (status === 403) return { reason: new NotPermitted(), detail }
  // reads and writes are counted by the second; https://docs.attio.com/rest-api/guides/rate-limiting
  if (status === 429) return { reason: new LimitReached({ retryAfter: retryAfter(answer, 1) }), detail }
  return { detail }
}
