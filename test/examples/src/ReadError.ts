import { type FailedAnswer, Invalid, isNative, LimitReached, NotPermitted, type ReadError } from "tributary/provider"

/** Names of fields with what is wrong with each, also of those inside others. */
const fieldErrors = (errors: unknown): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(isNative(errors) ? errors : {}).map(([name, said]) => [
      name,
      typeof said === "string" ? said : JSON.stringify(said)
    ])
  )

/** `RateLimit: limit=100, remaining=0, reset=5`. */
const resetOf = ({ headers }: FailedAnswer) => Number(/reset=([\d.]+)/.exec(headers.ratelimit ?? "")?.[1] ?? 1)

export const readError: ReadError = (answer) => {
  const body = isNative(answer.body) ? answer.body : {}
  const detail = typeof body.error === "string" ? body.error : undefined
  switch (answer.status) {
    case 400:
      return { reason: new Invalid({ fields: fieldErrors(body["field-errors"]) }), detail }
    case 402:
      return { reason: new NotPermitted(), detail }
    case 429:
      return { reason: new LimitReached({ retryAfter: resetOf(answer) }), detail }
    default:
      return { detail }
  }
}
