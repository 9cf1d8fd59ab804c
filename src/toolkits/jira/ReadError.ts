import { getPath, isNative } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../../providers/base/Errors.ts"
import { Clash, Invalid, LimitReached, NotPermitted } from "../../providers/ProviderError.ts"

/**
 * Errors of Jira: `{errorMessages: [...], errors: {field: words}}`; the gateway in front of it answers `{code, message}`.
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#status-codes
 */

const textsIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []

const fieldsOf = (body: unknown): { readonly [field: string]: string } => {
  const errors = getPath(body, "errors")
  return isNative(errors)
    ? Object.fromEntries(
        Object.entries(errors).flatMap(([field, words]) => (typeof words === "string" ? [[field, words]] : []))
      )
    : {}
}

const detailOf = (body: unknown): string | undefined => {
  const message = getPath(body, "message")
  const fields = Object.entries(fieldsOf(body)).map(([field, words]) => `${field}: ${words}`)
  const whole = [
    ...(typeof message === "string" ? [message] : []),
    ...textsIn(getPath(body, "errorMessages")),
    ...fields
  ].join("; ")
  return whole === "" ? undefined : whole.slice(0, 1000)
}

/**
 * Seconds until a used-up limit is over: `Retry-After`, else `X-RateLimit-Reset`, which is a time.
 * https://developer.atlassian.com/cloud/jira/platform/rate-limiting/
 */
const pauseOf = (answer: FailedAnswer): number => {
  const reset = Date.parse(answer.headers["x-ratelimit-reset"] ?? "")
  return retryAfter(answer, Number.isNaN(reset) ? 10 : Math.max(1, (reset - answer.now) / 1000))
}

export const readError: ReadError = (answer) => {
  const { body, status } = answer
  const detail = detailOf(body)
  if (status === 429) return { reason: new LimitReached({ retryAfter: pauseOf(answer) }), detail }
  if (status === 400 || status === 413) return { reason: new Invalid({ fields: fieldsOf(body) }), detail }
  if (status === 422) return { reason: new Clash(), detail }
  // the gateway also answers this to a good token that was consented to for less
  if (status === 401 && /scope/i.test(detail ?? "")) return { reason: new NotPermitted(), detail }
  return { detail }
}
