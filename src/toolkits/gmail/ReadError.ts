import { getPath, natives } from "../../mapping/Mapping.ts"
import { type ReadError, retryAfter } from "../../providers/base/Errors.ts"
import { Invalid, LimitReached } from "../../providers/ProviderError.ts"

/** Seconds until the time in a used-up limit's message: `User-rate limit exceeded. Retry after 2026-03-01T11:00:00.000Z`. */
const pauseIn = (message: string | undefined, now: number): number => {
  const until = Date.parse(/retry after (\d{4}-\S+)/i.exec(message ?? "")?.[1] ?? "")
  return Number.isNaN(until) ? 30 : Math.max(1, Math.ceil((until - now) / 1000))
}

/**
 * Reads an error of Google: `{error: {code, message, status, errors: [{reason, message, domain}]}}`.
 * https://developers.google.com/workspace/gmail/api/guides/handle-errors
 */
export const readError: ReadError = (answer) => {
  const { body, status } = answer
  const message = getPath(body, "error.message")
  const detail = typeof message === "string" ? message.slice(0, 1000) : undefined
  const reasons = natives(getPath(body, "error.errors")).map(({ reason }) => reason)
  // used-up limits are 403 as well as 429
  if (status === 429 || reasons.some((reason) => /^(rateLimit|userRateLimit|dailyLimit)/.test(String(reason)))) {
    return { reason: new LimitReached({ retryAfter: retryAfter(answer, pauseIn(detail, answer.now)) }), detail }
  }
  return { detail, ...(status === 400 ? { reason: new Invalid({ fields: {} }) } : {}) }
}
