import { Either } from "effect"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { type FailedAnswer, type ReadError, retryAfter } from "../base/Errors.ts"
import { Clash, Invalid, LimitReached, Missing, NotPermitted } from "../ProviderError.ts"

/**
 * Errors of HubSpot: `{status, message, correlationId, category, errors[], context}`.
 * https://developers.hubspot.com/docs/api-reference/error-handling
 */

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map(String) : typeof value === "string" ? [value] : []

const messageOf = (body: unknown): string => {
  const message = getPath(body, "message")
  return typeof message === "string" ? message : ""
}

/** `Property values were not valid: [{"isValid":false,"message":"…","error":"INVALID_EMAIL","name":"email"}]` */
const listInMessage = (message: string): ReadonlyArray<Native> => {
  const start = message.indexOf("[{")
  const end = message.lastIndexOf("]")
  if (start < 0 || end < start) return []
  return natives(Either.getOrUndefined(Either.try((): unknown => JSON.parse(message.slice(start, end + 1)))))
}

/** Option lists can be as long as a page. */
const short = (message: string) => (message.length > 500 ? `${message.slice(0, 499)}…` : message)

/** Object types of `COMPANY=123 is not valid`, which a create with an unknown record to link to answers (unverified). */
const linkable = new Map([
  ["COMPANY", "companies"],
  ["CONTACT", "contacts"],
  ["DEAL", "deals"],
  ["LEAD", "leads"]
])

/** Values that HubSpot rejects, by native path. */
const fieldsOf = (body: unknown): { readonly [native: string]: string } => {
  const message = messageOf(body)
  const said: Array<readonly [string, string]> = []
  for (const item of listInMessage(message)) {
    if (typeof item.name === "string") said.push([`properties.${item.name}`, messageOf(item)])
  }
  for (const name of texts(getPath(body, "context.properties"))) said.push([`properties.${name}`, "must be set"])
  for (const item of [...natives(getPath(body, "errors")), ...(isNative(body) ? [body] : [])]) {
    for (const name of [...texts(item.name), ...texts(getPath(item, "context.propertyName")), ...texts(item.in)]) {
      said.push([`properties.${name.replace(/^properties\./, "")}`, messageOf(item)])
    }
    for (const text of [messageOf(item), ...texts(getPath(item, "context.INVALID_OBJECT_IDS"))]) {
      const [words, type] = /\b([A-Z]+)=\d+ is not valid/.exec(text) ?? []
      const to = linkable.get(type ?? "")
      if (to !== undefined && words !== undefined) said.push([`associations.${to}`, words])
    }
  }
  // the first word on a field is the most precise
  return Object.fromEntries(
    said.toReversed().map(([native, text]) => [native, short(text === "" ? "was rejected by HubSpot" : text)])
  )
}

/** The scopes a 403 asks for. */
const scopesOf = (body: unknown): ReadonlyArray<string> =>
  [body, ...natives(getPath(body, "errors"))].flatMap((part) =>
    ["missingScopes", "requiredGranularScopes", "requiredScopes"].flatMap((name) =>
      texts(getPath(part, `context.${name}`))
    )
  )

/** HubSpot tells an application which scopes it was not granted. */
const missing = (body: unknown): NotPermitted => {
  const [first, ...more] = [...new Set(scopesOf(body))].map((name) => ({ kind: "scope", name }) as const)
  return new NotPermitted(first === undefined ? {} : { lacks: [first, ...more] })
}

const detailOf = (body: unknown): string | undefined => {
  const [message = ""] = messageOf(body).split(/:? *\[\{/)
  const scopes = [...new Set(scopesOf(body))]
  const whole = scopes.length === 0 ? message : `${message} Scopes: ${scopes.join(", ")}.`
  return whole === "" ? undefined : short(whole)
}

const hour = 3600

/**
 * Seconds until a 429 is over. The rolling window is named in milliseconds. The daily count starts again at midnight in
 * the account's own time zone, which is a full hour: the next one may be it.
 * https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines
 */
const pauseOf = (answer: FailedAnswer): number => {
  const policy = String(getPath(answer.body, "policyName") ?? messageOf(answer.body)).toUpperCase()
  if (policy.includes("DAILY")) return retryAfter(answer, hour - ((answer.now / 1000) % hour))
  if (policy.includes("TEN_SECONDLY")) {
    const window = Number(answer.headers["x-hubspot-ratelimit-interval-milliseconds"] ?? NaN) / 1000
    return retryAfter(answer, window > 0 ? window : 10)
  }
  return retryAfter(answer, 1)
}

/** `Contact already exists. Existing ID: 12345` */
const clashOf = (body: unknown): Clash => {
  const id = /\bexisting id: *(\d+)/i.exec(messageOf(body))?.[1]
  return new Clash(id === undefined ? {} : { duplicateOf: [id] })
}

export const readError: ReadError = (answer) => {
  const { body, status } = answer
  const detail = detailOf(body)
  const category = getPath(body, "category")
  if (status === 429) return { reason: new LimitReached({ retryAfter: pauseOf(answer) }), detail }
  // a lock lasts two seconds
  if (status === 423) return { reason: new LimitReached({ retryAfter: retryAfter(answer, 2) }), detail }
  // the account is moving to another data centre, for up to a day
  if (status === 477) return { reason: new LimitReached({ retryAfter: retryAfter(answer, hour) }), detail }
  if (category === "OBJECT_NOT_FOUND") return { reason: new Missing(), detail }
  if (status === 403 && category === "MISSING_SCOPES") return { reason: missing(body), detail }
  if (status === 409) return { reason: clashOf(body), detail }
  // required properties and rules for values are the account's own; the codes of rules are not listed
  if (status === 400) {
    const fields = fieldsOf(body)
    const isOwnRule = Object.keys(fields).some((native) => native.startsWith("properties."))
    return { reason: new Invalid({ fields, ...(isOwnRule ? { isOwnRule } : {}) }), detail }
  }
  return { detail }
}
