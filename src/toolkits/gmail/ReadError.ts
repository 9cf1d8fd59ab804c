import { getPath, natives } from "../../mapping/Mapping.ts"
import { type ReadError, retryAfter } from "../../providers/axes/Errors.ts"
import { Invalid, LimitReached } from "../../providers/ProviderError.ts"

/**
 * What Google says when something went wrong: `{error: {code, message, status, errors: [{reason, message, domain}]}}`.
 * https://developers.google.com/workspace/gmail/api/guides/handle-errors
 */
export const readError: ReadError = (answer) => {
  const { body, status } = answer
  const message = getPath(body, "error.message")
  const detail = typeof message === "string" ? message.slice(0, 1000) : undefined
  const reasons = natives(getPath(body, "error.errors")).map(({ reason }) => reason)
  // used-up limits are 403 as well as 429
  if (status === 429 || reasons.some((reason) => /^(rateLimit|userRateLimit|dailyLimit)/.test(String(reason)))) {
    return { reason: new LimitReached({ retryAfter: retryAfter(answer, 30) }), detail }
  }
  return { detail, ...(status === 400 ? { reason: new Invalid({ fields: {} }) } : {}) }
}
