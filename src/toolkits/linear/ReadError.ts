import { getPath, natives } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../../providers/base/Errors.ts"
import {
  Down,
  Invalid,
  LimitReached,
  Missing,
  NotPermitted,
  type Reason,
  Unauthenticated
} from "../../providers/ProviderError.ts"

/**
 * Errors of Linear, with any status, even 200: `{errors: [{message, extensions: {type, code, userPresentableMessage}}]}`.
 * https://linear.app/developers/graphql
 */

const textAt = (value: unknown, path: string): string => {
  const found = getPath(value, path)
  return typeof found === "string" ? found : ""
}

/**
 * Seconds until a used-up limit is over; limits fill up steadily, and their reset is in milliseconds.
 * https://linear.app/developers/rate-limiting
 */
const pauseOf = (answer: FailedAnswer): number => {
  const resets = ["requests", "complexity", "endpoint-requests"].flatMap((name) => {
    const left = answer.headers[`x-ratelimit-${name}-remaining`]
    const reset = Number(answer.headers[`x-ratelimit-${name}-reset`])
    return left === "0" && reset > answer.now ? [(reset - answer.now) / 1000] : []
  })
  return retryAfter(answer, Math.max(10, ...resets))
}

const reasonOf = (answer: FailedAnswer, message: string, code: string, type: string): Reason | undefined => {
  if (code === "RATELIMITED" || type === "ratelimited") return new LimitReached({ retryAfter: pauseOf(answer) })
  if (code === "AUTHENTICATION_ERROR" || type === "authentication error") return new Unauthenticated()
  if (code === "FORBIDDEN" || type === "forbidden" || code === "FEATURE_NOT_ACCESSIBLE") return new NotPermitted()
  if (message.startsWith("Entity not found")) return new Missing()
  if (code === "INTERNAL_SERVER_ERROR" || type === "internal error" || code === "LOCK_TIMEOUT") return new Down()
  return code === "" && type === "" ? undefined : new Invalid({ fields: {} })
}

const short = (text: string) => (text.length > 1000 ? `${text.slice(0, 999)}…` : text)

export const readError: ReadError = (answer) => {
  const [first] = natives(getPath(answer.body, "errors"))
  if (first === undefined) return {}
  const message = textAt(first, "message")
  const words = textAt(first, "extensions.userPresentableMessage")
  const said = words === "" || words === message ? message : `${message} - ${words}`
  return {
    reason: reasonOf(answer, message, textAt(first, "extensions.code"), textAt(first, "extensions.type")),
    detail: said === "" ? undefined : short(said)
  }
}
