import { Either, Schema } from "effect"
import type { Standing } from "../approvals/Approvals.ts"
import type { ApiError, ProviderFailure } from "../platform/Errors.ts"
import type { InvalidArguments, JsonObject } from "../toolkits/Tool.ts"

const text = Schema.Record({ key: Schema.String, value: Schema.String })

/**
 * Why a call of a tool failed, for a model: `code` says which case it is, the rest what to do about it. It is an answer
 * like any other, so a failed call does not end the agent's turn.
 */
export const ToolFailure = Schema.Struct({
  code: Schema.Literal(
    "unknown_tool",
    "invalid_arguments",
    "write_not_allowed",
    "not_connected",
    "connection_ambiguous",
    "not_permitted",
    "approval_required",
    "rate_limited",
    "provider_error",
    "timeout",
    "too_large",
    "internal_error"
  ),
  message: Schema.String,
  /** Of `invalid_arguments`: dotted path -> what is wrong there. */
  errors: Schema.optionalWith(text, { exact: true }),
  input_schema: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), { exact: true }),
  /** Of `unknown_tool`. */
  did_you_mean: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
  /** Of `approval_required`: the page on which the end user decides, and until when. */
  approval_url: Schema.optionalWith(Schema.String, { exact: true }),
  expires_at: Schema.optionalWith(Schema.String, { exact: true }),
  /** Of `not_connected` and `approval_required`: what to do. */
  next: Schema.optionalWith(Schema.String, { exact: true }),
  /** Of `connection_ambiguous`. */
  choices: Schema.optionalWith(
    Schema.Array(
      Schema.Struct({
        connection_id: Schema.String,
        provider: Schema.String,
        account: Schema.NullOr(Schema.String)
      })
    ),
    { exact: true }
  ),
  /** HTTP status that the provider answered with. */
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  /** Seconds. */
  retry_after: Schema.optionalWith(Schema.Number, { exact: true }),
  /** Steps of a write that took effect before the failure. */
  done: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
})
export type ToolFailure = typeof ToolFailure.Type

/** Advice for a missing connection. */
export const connectFirst = (toolkit: string) =>
  `Call manage_connections with {"action": "connect", "toolkit": "${toolkit}"} and give the end user the connect_url.`

/** Refuses a call before it reaches its tool. */
export const refuse = (
  code: ToolFailure["code"],
  message: string,
  more: Omit<ToolFailure, "code" | "message"> = {}
): Either.Either<never, ToolFailure> => Either.left({ code, message, ...more })

export const invalidArguments = (
  { errors, message }: Pick<InvalidArguments, "errors" | "message">,
  input_schema: JsonObject
): ToolFailure => ({ code: "invalid_arguments", message, errors, input_schema })

/** Why a call that needs somebody's consent does not run, and what an agent can do about it. */
export const unagreed = (name: string, standing: Exclude<Standing, { readonly kind: "agreed" }>) => {
  switch (standing.kind) {
    case "asked":
      return refuse("approval_required", `${name} has not run: it needs consent.`, {
        approval_url: standing.url,
        expires_at: standing.expiresAt,
        next: "Give the end user the approval_url. Once they have approved, make the same call with the same arguments again: it runs once within 15 minutes."
      })
    case "erased":
    case "refused":
      return refuse("not_permitted", `${name} was refused. Do not try again unless the end user asks for it.`)
    case "crowded":
      return refuse(
        "not_permitted",
        `${name} needs consent, and too many calls of this end user wait for theirs already.`
      )
  }
}

const codeOf = (error: ApiError): ToolFailure["code"] => {
  if (error.code.startsWith("IDEMPOTENCY_")) return "not_permitted"
  if (/^(END_USER_NOT_FOUND|PROVIDER_NOT_CONNECTED|CONNECTION_NOT_FOUND|CONNECTION_NEEDS_REAUTH)$/.test(error.code)) {
    return "not_connected"
  }
  switch (error.status) {
    case 400:
      return "invalid_arguments"
    case 403:
    case 405:
      return "not_permitted"
    case 429:
      return "rate_limited"
    case 504:
      return "timeout"
    case 500:
      return "internal_error"
    default:
      return "provider_error"
  }
}

/** The provider's own message helps most; this service's summary goes in front of it. */
const wordsOf = (error: ApiError, provider: ProviderFailure | undefined) => {
  if (provider?.message === undefined || error.message.includes(provider.message)) return error.message
  return error.status === 422
    ? `${provider.slug} rejected the arguments: ${provider.message}`
    : `${error.message} ${provider.slug} says: ${provider.message}`
}

/** Turns a failure of the service into one of a tool; `toolkit` is the one that was called, if any. */
export const failureOf = (error: ApiError, toolkit?: string): ToolFailure => {
  const provider = "provider" in error ? error.provider : undefined
  const code = error.status === 422 && provider === undefined ? "invalid_arguments" : codeOf(error)
  return {
    code,
    message: wordsOf(error, provider),
    ...("errors" in error ? { errors: error.errors } : {}),
    ...(code === "not_connected" && toolkit !== undefined ? { next: connectFirst(toolkit) } : {}),
    ...(code === "provider_error" ? { status: provider?.status ?? error.status } : {}),
    ...("retryAfter" in error && error.retryAfter !== undefined ? { retry_after: Math.ceil(error.retryAfter) } : {}),
    ...(provider?.done === undefined ? {} : { done: provider.done })
  }
}
