import { isNative } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../base/Errors.ts"
import { Invalid, LimitReached, NotPermitted } from "../ProviderError.ts"

/** Links are named without their `_id`: `{"field-errors": {"lead": "Object does not exist."}}`. */
const links = ["lead", "contact", "status", "pipeline", "user"]

/** Rejected values, by native path. */
const rejected = (errors: unknown): { readonly [native: string]: string } =>
  Object.fromEntries(
    Object.entries(isNative(errors) ? errors : {}).map(([name, said]) => [
      links.includes(name) ? `${name}_id` : name,
      typeof said === "string" ? said : JSON.stringify(said)
    ])
  )

/** `RateLimit: limit=160, remaining=0, reset=8`, in seconds. https://developer.close.com/api/overview/rate-limits */
const pauseOf = (answer: FailedAnswer) => {
  const reset = Number(/\breset=([\d.]+)/.exec(answer.headers.ratelimit ?? "")?.[1] ?? NaN)
  return retryAfter(answer, reset > 0 ? reset : 1)
}

/** https://developer.close.com/api/overview/http-response-codes */
export const readError: ReadError = (answer) => {
  const { error, errors, message, "field-errors": named } = isNative(answer.body) ? answer.body : {}
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  const detail = [error, message, first].find((text) => typeof text === "string")
  switch (answer.status) {
    case 400:
      return { reason: new Invalid({ fields: rejected(named) }), detail }
    // a limit of the plan
    case 402:
      return { reason: new NotPermitted(), detail }
    case 429:
      return { reason: new LimitReached({ retryAfter: pauseOf(answer) }), detail }
    default:
      return { detail }
  }
}
