import { isNative } from "../../mapping/Mapping.ts"
import { type ReadError, retryAfter } from "../base/Errors.ts"
import { Clash, Invalid, LimitReached, Missing, NotPermitted, type Reason, Unauthenticated } from "../ProviderError.ts"

/**
 * Reads Zoho Books' errors: `{code, message}`, where 0 is success. Few codes are published, so the message decides where a
 * refusal is about a value.
 * https://www.zoho.com/books/api/v3/errors/
 */

/** Seconds until calls are accepted again, for limits by minute, by day and at a time. */
const pauses: { readonly [code: number]: number } = { 44: 60, 45: 900, 1070: 1 }

/** Messages of rules that name no member. */
const phrases: ReadonlyArray<readonly [phrase: RegExp, member: string]> = [
  [/amount applied/i, "amount_applied"],
  [/^the parent account/i, "parent_account_id"],
  [/^the total\b|debits and credits/i, "line_items"]
]

/** The member in a message: `Invalid value passed for customer_id`, `Please ensure that the notes has less than ...`. */
const memberIn = (words: string): string | undefined =>
  phrases.find(([phrase]) => phrase.test(words))?.[1] ??
  /(?:value (?:passed )?for|ensure that the|element) ([a-z_]+)/.exec(words)?.[1]

const reasonOf = (code: unknown, words: string): Reason | undefined => {
  switch (code) {
    case 14:
      return new Unauthenticated()
    // comes with 401 too, but another token of this connection would not help
    case 57:
    case 6041:
      return new NotPermitted()
    case 1002:
      return new Missing()
    default:
      return /already exists|is associated|cannot be (?:deleted|changed)/.test(words) ? new Clash() : undefined
  }
}

export const readError: ReadError = (answer) => {
  const { body, status } = answer
  const { code, message } = isNative(body) ? body : {}
  const detail = typeof message === "string" ? message : undefined
  const words = detail ?? ""
  if (status === 429) {
    return { reason: new LimitReached({ retryAfter: retryAfter(answer, pauses[Number(code)] ?? 1) }), detail }
  }
  if (status >= 500) return { detail }
  const member = memberIn(words)
  const invalid = () => new Invalid({ fields: member === undefined ? {} : { [member]: words } })
  return { reason: reasonOf(code, words) ?? (status === 400 || status < 300 ? invalid() : undefined), detail }
}
