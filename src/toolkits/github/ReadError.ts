import { getPath, natives } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../../providers/base/Errors.ts"
import { Clash, Invalid, LimitReached, Missing } from "../../providers/ProviderError.ts"

/**
 * Errors of GitHub: `{message, errors?: [{resource, field, code, message}], documentation_url}`.
 * https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
 */

const textAt = (body: unknown, path: string): string | undefined => {
  const value = getPath(body, path)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** An entry of `errors` is an object, or (of some operations) a sentence. */
const errorsOf = (body: unknown) => {
  const errors = getPath(body, "errors")
  return (Array.isArray(errors) ? errors : errors === undefined ? [] : [errors]).map((error: unknown) => {
    const field = textAt(error, "field")
    const words = typeof error === "string" ? error : (textAt(error, "message") ?? textAt(error, "code"))
    return { field, words: words ?? "was rejected" }
  })
}

const detailOf = (body: unknown): string | undefined => {
  const message = textAt(body, "message")
  const errors = errorsOf(body).map(({ field, words }) => (field === undefined ? words : `${field}: ${words}`))
  const whole = [message, errors.join("; ")].filter((part) => part !== undefined && part !== "").join(": ")
  return whole === "" ? undefined : whole.slice(0, 1000)
}

const fieldsOf = (body: unknown) =>
  Object.fromEntries(
    natives(getPath(body, "errors")).flatMap((error) => {
      const field = textAt(error, "field")
      return field === undefined ? [] : [[field, textAt(error, "message") ?? textAt(error, "code") ?? "was rejected"]]
    })
  )

/**
 * A used-up limit is 403 or 429: the hourly one with its reset, a secondary one with `Retry-After` or else for a minute.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
const isLimit = ({ body, headers, status }: FailedAnswer) =>
  status === 429 ||
  (status === 403 &&
    (headers["x-ratelimit-remaining"] === "0" ||
      headers["retry-after"] !== undefined ||
      /rate limit/i.test(textAt(body, "message") ?? "")))

const pauseOf = (answer: FailedAnswer): number => {
  const reset = Number(answer.headers["x-ratelimit-reset"])
  const isUsedUp = answer.headers["x-ratelimit-remaining"] === "0" && Number.isFinite(reset)
  return retryAfter(answer, isUsedUp ? Math.max(1, reset - answer.now / 1000) : 60)
}

export const readError: ReadError = (answer) => {
  const { body, status } = answer
  const detail = detailOf(body)
  if (isLimit(answer)) return { reason: new LimitReached({ retryAfter: pauseOf(answer) }), detail }
  if (status === 422 || status === 400) return { reason: new Invalid({ fields: fieldsOf(body) }), detail }
  // a pull request that cannot be merged as things stand is 405
  if (status === 405) return { reason: new Clash(), detail }
  // redirects are not followed: a renamed repository must be named again
  if (status >= 300 && status < 400) {
    return { reason: new Missing(), detail: "the repository was renamed or moved; search for it under its new name" }
  }
  return { detail }
}
