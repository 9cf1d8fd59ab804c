import type { HttpClientResponse } from "@effect/platform"
import { Schema } from "effect"
import type { Certificate, OAuth2 } from "../providers/base/Authorization.ts"
import type { CredentialValues } from "../providers/Credentials.ts"
import { retryAfter } from "../providers/base/Errors.ts"

/** Answers of token endpoints (RFC 6749, sections 5.1 and 5.2). */
const Answer = Schema.Struct(
  {
    access_token: Schema.optionalWith(Schema.NonEmptyString, { exact: true, nullable: true }),
    refresh_token: Schema.optionalWith(Schema.NonEmptyString, { exact: true, nullable: true }),
    expires_in: Schema.optionalWith(Schema.Union(Schema.NonNegative, Schema.NumberFromString), {
      exact: true,
      nullable: true
    })
  },
  { key: Schema.String, value: Schema.Unknown }
)

export const decodeAnswer = Schema.decodeUnknownOption(Schema.parseJson(Answer))

/** When the refresh token of an answer ends. */
export const endOf = (
  authorization: OAuth2 | Certificate,
  answer: typeof Answer.Type,
  now: number
): number | undefined => {
  if (authorization.kind !== "oauth2" || answer.refresh_token === undefined) return undefined
  const { after, told = "" } = authorization.refreshEnd ?? {}
  const seconds = answer[told] === undefined ? (after ?? 0) : Number(answer[told])
  // longer than three centuries is no end, and hardly a date
  return seconds > 0 && seconds < 1e10 ? now + seconds * 1000 : undefined
}

export const keptOf = ({ keep = {} }: Pick<OAuth2, "keep">, answer: typeof Answer.Type): CredentialValues["values"] =>
  Object.fromEntries(
    Object.entries(keep).flatMap(([there, here]) => {
      const value = answer[there]
      return typeof value === "string" || typeof value === "number" ? [[here, String(value)]] : []
    })
  )

/** RFC 6749, section 5.1; some put commas between them. */
export const scopesIn = ({ scope }: typeof Answer.Type) =>
  typeof scope === "string" ? scope.split(/[\s,]+/).filter(Boolean) : undefined

/** Some say `status` instead of `error`, or more exactly beside it (HubSpot). */
export const rawCodesOf = (answer: typeof Answer.Type | undefined) =>
  [answer?.["error"], answer?.["status"]].filter((code) => typeof code === "string")

/** Error codes that are safe to show. Long or unusual ones may contain more than a name. */
export const codesOf = (answer: typeof Answer.Type | undefined) =>
  rawCodesOf(answer).filter((code) => /^[A-Za-z0-9_-]{1,40}$/.test(code))

/** Description of the error. Never shown, because it may quote a token. */
export const descriptionOf = (answer: typeof Answer.Type | undefined) =>
  [answer?.["error_description"], answer?.["message"]].find((text) => typeof text === "string") ?? ""

export const retryAfterOf = ({ headers }: HttpClientResponse.HttpClientResponse, now: number) => {
  const seconds = retryAfter({ headers, now }, 0)
  return seconds > 0 ? { retryAfter: seconds } : {}
}
