import {
  Clash,
  Down,
  Invalid,
  LimitReached,
  Malformed,
  Missing,
  NotPermitted,
  type Reason,
  TimedOut,
  Unauthenticated,
  Unsupported
} from "../ProviderError.ts"

/** An answer that is not a success. */
export interface FailedAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** Parsed JSON, or the text when it is not JSON. */
  readonly body: unknown
  /** Milliseconds since the epoch, for Retry-After dates. */
  readonly now: number
}

export interface ReadFailure {
  readonly reason: Reason
  /** The provider's own words. */
  readonly detail?: string | undefined
}

/** Reads a provider's error. Undefined members follow from the status. */
export type ReadError = (answer: FailedAnswer) => {
  readonly reason?: Reason | undefined
  readonly detail?: string | undefined
}

/** Most seconds for which a provider is left alone at its request; it is called again after that, whatever it said. */
export const longestPause = 900

/** Seconds to leave a provider alone: what it says, where that is sensible, at most 15 minutes. */
export const pauseFor = (seconds: number): number =>
  Math.min(Math.max(0, Number.isNaN(seconds) ? 1 : seconds), longestPause)

/**
 * Seconds from a `Retry-After` header, a number or a date, at most 15 minutes; `otherwise` where the header is absent or
 * means nothing.
 */
export const retryAfter = ({ headers, now }: Pick<FailedAnswer, "headers" | "now">, otherwise: number): number => {
  const value = headers["retry-after"]?.trim() ?? ""
  if (value === "") return pauseFor(otherwise)
  const number = Number(value)
  const seconds = Number.isNaN(number) ? (Date.parse(value) - now) / 1000 : number < 0 ? NaN : number
  return pauseFor(Number.isNaN(seconds) ? otherwise : seconds)
}

/** The reason of a status where the provider gives no other. */
export const reasonOfStatus = (answer: FailedAnswer): Reason => {
  switch (answer.status) {
    case 400:
    case 422:
      return new Invalid({ fields: {} })
    case 401:
      return new Unauthenticated()
    case 403:
      return new NotPermitted()
    case 404:
    case 410:
      return new Missing()
    case 405:
      return new Unsupported()
    case 408:
    case 504:
      return new TimedOut()
    case 409:
    case 412:
    case 423:
      return new Clash()
    case 429:
      return new LimitReached({ retryAfter: retryAfter(answer, 1) })
    default:
      return answer.status >= 500 ? new Down() : new Malformed()
  }
}

const fromBetween = "something in between refused the call, such as a firewall"

/** Statuses that mean the same from anyone: a malformed address, nothing there, a time limit, a limit. */
const plainStatuses = new Set([400, 404, 408, 410, 429])

/** A refusal that a provider gives in its own protocol. */
const isRefusal = (status: number) => status >= 400 && status < 500 && !plainStatuses.has(status)

/** Decided by the content, as some providers call their own plain texts HTML. */
const isWebPage = ({ body }: FailedAnswer) =>
  typeof body === "string" && /^\s*<(!doctype html|html|head|body)\b/i.test(body)

const redirections = new Set([301, 302, 307, 308])

/** Sent to a host that does not serve the account (RFC 9110, section 15.5.20). */
const misdirected = 421

/** Whether the account has left the host that answers: it redirects, or sends a web page instead of API data. */
export const isFromOldHost = (answer: FailedAnswer): boolean =>
  redirections.has(answer.status) ||
  answer.status === misdirected ||
  ((answer.status === 404 || answer.status === 410) && isWebPage(answer))

/**
 * Reads a failed answer by the provider's own error, else by its status. An answer of a broken gateway never counts as a
 * refusal of the credentials, nor does a page or text from something between the provider and this service.
 */
export const readFailure = (read: ReadError, answer: FailedAnswer): ReadFailure => {
  if (isRefusal(answer.status) && isWebPage(answer)) return { reason: new Malformed(), detail: fromBetween }
  const said = read(answer)
  const isUnsaid = said.reason === undefined || (said.reason._tag === "Unauthenticated" && answer.status >= 500)
  if (!isUnsaid) return { reason: withPause(said.reason, answer), detail: said.detail }
  const isText = typeof answer.body === "string" && answer.body.trim() !== ""
  // some providers report in plain text that something does not exist
  return isText && answer.status === 403
    ? { reason: new Malformed(), detail: said.detail ?? fromBetween }
    : { reason: withPause(reasonOfStatus(answer), answer), detail: said.detail }
}

/** Limits a reason's pause to a sensible length; for a provider that is down, takes the pause it asks for. */
const withPause = (reason: Reason, answer: FailedAnswer): Reason => {
  if (reason._tag === "LimitReached") return new LimitReached({ retryAfter: pauseFor(reason.retryAfter) })
  return reason._tag === "Down" && answer.headers["retry-after"] !== undefined
    ? new Down({ retryAfter: retryAfter(answer, 1) })
    : reason
}
