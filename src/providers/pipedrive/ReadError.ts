import { isNative } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../base/Errors.ts"
import { Invalid, LimitReached, NotPermitted } from "../ProviderError.ts"

/**
 * Errors of Pipedrive: `{success: false, error, error_info, code}`.
 * https://pipedrive.readme.io/docs/core-api-concepts-responses
 */

const textsOf = ({ body }: FailedAnswer): ReadonlyArray<string> => {
  const { error, error_info, message } = isNative(body) ? body : {}
  return [error, message, error_info].filter((text) => typeof text === "string")
}

/** Without the place in a list, which the mapping does not know. */
const nameOf = (path: string) => path.replace(/(\[|\.\d+(\.|$)).*$/, "")

/** `Validation failed: due_time: This value is not a valid datetime.`, several in a row: how API v2 rejects values. */
const listed = (text: string): ReadonlyArray<readonly [name: string, words: string]> => {
  const [, list = ""] = /^Validation failed: (.+)$/s.exec(text) ?? []
  return list.split(/[;,] (?=[\w.[\]]+: )/).flatMap((part) => {
    const [, path, words] = /^([\w.[\]]+): (.+)$/s.exec(part) ?? []
    return path === undefined || words === undefined ? [] : [[nameOf(path), words] as const]
  })
}

/** Sentences that begin with a name: `'person_id' is a read-only field.`, `One of the "a" or "b" must be set.` */
const quoted = (text: string): ReadonlyArray<readonly [name: string, words: string]> =>
  text.split(/\.\s+(?=["'])/).flatMap((sentence) => {
    const [, first, second] = /^(?:One of the )?["'](\w+)["'](?: or ["'](\w+)["'])?/.exec(sentence) ?? []
    return [first, second].flatMap((name) => (name === undefined ? [] : [[name, sentence] as const]))
  })

/** `Name must be given.`: how API v1 misses a value. */
const missed = (text: string): ReadonlyArray<readonly [name: string, words: string]> => {
  const [, name] = /(\w+) must be given/.exec(text) ?? []
  return name === undefined ? [] : [[name.toLowerCase(), text]]
}

const linkOf: { readonly [word: string]: string } = {
  user: "user_id",
  person: "person_id",
  organization: "org_id",
  deal: "deal_id",
  lead: "lead_id"
}

/** `Person not found.`: how API v1 says that a link leads nowhere. */
const unknown = (text: string): ReadonlyArray<readonly [name: string, words: string]> => {
  const [, word = ""] = /^(\w+) (?:was )?not found\b/i.exec(text) ?? []
  const name = linkOf[word.toLowerCase()]
  return name === undefined ? [] : [[name, text]]
}

/** Rejected values, by native path. */
const fieldsOf = (texts: ReadonlyArray<string>): { readonly [native: string]: string } =>
  Object.fromEntries(texts.flatMap((text) => [...unknown(text), ...missed(text), ...quoted(text), ...listed(text)]))

const hour = 3600

/**
 * Seconds until a limit is over: that of the last two seconds says so. The day's budget starts again with the day of the
 * account's data centre, which is a full hour: the next one may be it.
 * https://pipedrive.readme.io/docs/core-api-concepts-rate-limiting
 */
const pauseOf = (answer: FailedAnswer): number => {
  if (answer.headers["x-daily-ratelimit-token-remaining"] === "0") {
    return retryAfter(answer, hour - ((answer.now / 1000) % hour))
  }
  const reset = Number(answer.headers["x-ratelimit-reset"] ?? NaN)
  return retryAfter(answer, reset > 0 ? reset : 2)
}

/** Statuses: https://pipedrive.readme.io/docs/core-api-concepts-http-status-codes */
export const readError: ReadError = (answer) => {
  const texts = textsOf(answer)
  const [detail] = texts
  switch (answer.status) {
    case 400:
    case 422:
      return { reason: new Invalid({ fields: fieldsOf(texts) }), detail }
    // the account is closed; it lacks the feature
    case 402:
    case 415:
      return { reason: new NotPermitted(), detail }
    case 429:
      return { reason: new LimitReached({ retryAfter: pauseOf(answer) }), detail }
    default:
      return { detail }
  }
}
