import { HttpApiSchema, HttpApp, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Clock, Effect, FiberRef, Option, ParseResult, Schema } from "effect"
import { retryAfter } from "./Deadline.ts"
import { ErrorCode } from "./ErrorCodes.ts"
import { providerSlug } from "./ProviderSlug.ts"
import { requestNotes } from "./RequestNotes.ts"

/**
 * The failures that a caller can get: one class for each HTTP status; `code` says which case it is.
 * Features raise them, and only `toBody` writes them as the error envelope.
 */
const provider = Schema.Struct({
  slug: providerSlug("Provider that answered with the failure"),
  status: Schema.optional(Schema.Int.annotations({ description: "HTTP status the provider answered with" })),
  message: Schema.optional(Schema.String.annotations({ description: "The provider's own words, secrets removed" })),
  done: Schema.optional(
    Schema.Array(Schema.String).annotations({ description: "Steps of the write that took effect before the failure" })
  )
}).annotations({ identifier: "ProviderFailure", description: "What the provider's failure was, where it was one" })

/** Details of a failure that came from a provider. */
export type ProviderFailure = typeof provider.Type

const fieldErrors = Schema.Record({ key: Schema.String, value: Schema.String })

/** Dotted path of a body field -> what is wrong with it. */
export type FieldErrors = typeof fieldErrors.Type

const limit = Schema.Struct({
  name: Schema.String.annotations({
    description: "As in the RateLimit header: `requests` (of the key), `organisation`; `trials`, `end user trials`"
  }),
  requests: Schema.Int.annotations({ description: "How many requests it lets through" }),
  seconds: Schema.optional(
    Schema.Int.annotations({ description: "In any stretch of so many seconds; absent: at a time" })
  )
}).annotations({ identifier: "MetLimit", description: "On 429 by this service: the limit that was met" })

/** A limit of this service that a caller reached. */
export type MetLimit = typeof limit.Type

const duplicateOf = Schema.Array(Schema.String).annotations({
  description: "On 409 for a duplicate: `remote_id` of each record that the provider considers the same"
})

const mergedInto = Schema.String.annotations({
  description: "On 404 for a record that was merged: `remote_id` of the record that replaced it"
})

/** Most fields that a 422 names. */
export const issueLimit = 100
/** Most characters of a path and of a message in an answer: both may quote the request. */
const pathLimit = 300
const messageLimit = 2000

const cut = (text: string, limit: number) => (text.length > limit ? `${text.slice(0, limit)}…` : text)

/** Shortens a path for an answer. */
export const shortPath = (path: string) => cut(path, pathLimit)

/** Joins the first issues into one message, which says if there may be more. */
export const sentence = <I>(issues: ReadonlyArray<I>, say: (issue: I) => string) =>
  issues.slice(0, issueLimit).map(say).join("; ") +
  (issues.length < issueLimit ? "" : `; only the first ${issueLimit} problems are named`)

/** Limits a failure's fields to those that an answer shows. */
const shown = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors)
      .slice(0, issueLimit)
      .map(([path, message]) => [shortPath(path), cut(message, messageLimit)])
  )

/** The error envelope as it travels. */
export const ErrorBody = Schema.Struct({
  success: Schema.Literal(false).annotations({ description: "false: what was asked for was not done" }),
  statusCode: Schema.Int.annotations({ description: "Mirrors the HTTP status" }),
  message: Schema.String.annotations({ description: "What is wrong and what would be right, in words" }),
  code: ErrorCode,
  requestId: Schema.String.annotations({ description: "Also in the X-Request-Id header and in every log line" }),
  timestamp: Schema.String.annotations({ description: "ISO 8601 date-time" }),
  path: Schema.String.annotations({ description: "Path of the request" }),
  errors: Schema.optional(
    fieldErrors.annotations({ description: `On 422: dotted field path -> message; no more than ${issueLimit}` })
  ),
  limit: Schema.optional(limit),
  duplicate_of: Schema.optional(duplicateOf),
  merged_into: Schema.optional(mergedInto),
  provider: Schema.optional(provider)
}).annotations({ identifier: "Error", description: "Every failure has this shape." })
export type ErrorBody = typeof ErrorBody.Type

const common = { code: ErrorCode, message: Schema.String }
const fromProvider = { ...common, provider: Schema.optional(provider) }

/** 400: a missing or malformed header, path or query value, or a body that is not JSON. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", common) {
  readonly status = 400
}

/**
 * 401: the API key, or a connect session's token, is missing, malformed, unknown, expired or revoked. Says no more, so that
 * neither can be probed; only a caller with the whole key learns that it expired.
 */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  code: Schema.optionalWith(Schema.Literal("INVALID_API_KEY", "INVALID_CONNECT_SESSION"), {
    default: () => "INVALID_API_KEY"
  }),
  expiredAt: Schema.optional(Schema.String.annotations({ description: "ISO 8601 date-time" }))
}) {
  readonly status = 401
  override get message() {
    if (this.expiredAt !== undefined) return `This API key expired at ${this.expiredAt}. Send another one.`
    return this.code === "INVALID_API_KEY"
      ? "Send a valid API key as `Authorization: Bearer <API_KEY>`. The key is missing, malformed, unknown or revoked."
      : "This link to connect accounts has expired or is not complete. Ask whoever sent you here for a new one."
  }
}

/** 403: the caller, or the connection's account at the provider, may not do this. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", fromProvider) {
  readonly status = 403
}

/** 404: it does not exist, or it belongs to another organisation or environment. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  ...fromProvider,
  mergedInto: Schema.optional(mergedInto)
}) {
  readonly status = 404
}

/** 405: the route, or the provider, has no such operation. `allow` lists the methods that work. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  message: Schema.String,
  allow: Schema.Array(Schema.String)
}) {
  readonly status = 405
  readonly code = "OPERATION_NOT_SUPPORTED"
}

/** 409: the request is right but conflicts with the present state. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  ...fromProvider,
  retryAfter: Schema.optional(Schema.Number.annotations({ description: "Seconds" })),
  duplicateOf: Schema.optional(duplicateOf)
}) {
  readonly status = 409
}

/** 413: the body is larger than the route accepts. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", {
  limit: Schema.Int.annotations({ description: "Bytes" })
}) {
  readonly status = 413
  readonly code = "PAYLOAD_TOO_LARGE"
  override get message() {
    return `The body is larger than ${this.limit} bytes.`
  }
}

/** 415: the body has another content type than the route accepts. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  expected: Schema.String
}) {
  readonly status = 415
  readonly code = "UNSUPPORTED_MEDIA_TYPE"
  override get message() {
    return `Send the body as ${this.expected}.`
  }
}

/** 422: fields of the body are wrong, or the provider rejected them. */
export class Unprocessable extends Schema.TaggedError<Unprocessable>()("Unprocessable", {
  errors: fieldErrors,
  provider: Schema.optional(provider)
}) {
  readonly status = 422
  readonly code = "VALIDATION_FAILED"
  override get message() {
    return this.provider === undefined
      ? Object.keys(this.errors).length < issueLimit
        ? "Some fields of the body are not valid."
        : `Many fields of the body are not valid; errors names the first ${issueLimit}.`
      : `${this.provider.slug} rejected some fields of the body.`
  }
}

/** 429: too many requests, to this service or (`provider` set) to the provider. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfter: Schema.Number.annotations({ description: "Seconds until a retry can succeed" }),
  limit: Schema.optional(limit),
  provider: Schema.optional(provider)
}) {
  readonly status = 429
  readonly code = "RATE_LIMITED"
  override get message() {
    return "Too Many Requests"
  }
}

/**
 * 500: our fault. The details are in the log under the request id, never in the answer, except `said` for the author of a
 * test with wrong parts. `ENCRYPTION_KEY_MISSING` is for the operator to fix: `ENCRYPTION_KEYS` lacks a key with which
 * something was stored.
 */
export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", {
  code: Schema.optionalWith(Schema.Literal("INTERNAL_ERROR", "ENCRYPTION_KEY_MISSING"), {
    default: () => "INTERNAL_ERROR"
  }),
  said: Schema.optional(Schema.String)
}) {
  readonly status = 500
  override get message() {
    if (this.said !== undefined) return this.said
    return this.code === "INTERNAL_ERROR"
      ? "Internal server error."
      : "This service lacks the encryption key of something that it stored. Its operator has to put the key back."
  }
}

/** 502: the provider failed, or its answer does not follow its protocol. */
export class BadGateway extends Schema.TaggedError<BadGateway>()("BadGateway", {
  message: Schema.String,
  retryAfter: Schema.optional(Schema.Number.annotations({ description: "Seconds, where the provider says so" })),
  provider: Schema.optional(provider)
}) {
  readonly status = 502
  readonly code = "PROVIDER_ERROR"
}

/** 503: a part that this service needs is unavailable, or no turn came in time; nothing was sent to the provider. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  message: Schema.String,
  retryAfter: Schema.optional(Schema.Number.annotations({ description: "Seconds" })),
  provider: Schema.optional(provider)
}) {
  readonly status = 503
  readonly code = "UNAVAILABLE"
}

/**
 * 504: the provider, or (`REQUEST_TIMEOUT`) this service, did not answer in time; whether a write took effect is unknown.
 */
export class GatewayTimeout extends Schema.TaggedError<GatewayTimeout>()("GatewayTimeout", {
  code: Schema.optionalWith(Schema.Literal("PROVIDER_TIMEOUT", "REQUEST_TIMEOUT"), {
    default: () => "PROVIDER_TIMEOUT"
  }),
  message: Schema.String,
  retryAfter: Schema.optionalWith(Schema.Number.annotations({ description: "Seconds" }), { default: () => retryAfter }),
  provider: Schema.optional(provider)
}) {
  readonly status = 504
}

export const classes = {
  BadRequest,
  Unauthorized,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  Conflict,
  PayloadTooLarge,
  UnsupportedMediaType,
  Unprocessable,
  RateLimited,
  InternalError,
  BadGateway,
  Unavailable,
  GatewayTimeout
} as const

/** Any failure of the API. */
export type ApiError = InstanceType<(typeof classes)[keyof typeof classes]>

const known = new Set<unknown>(Object.values(classes))

export const isApiError = (u: unknown): u is ApiError => u instanceof Error && known.has(u.constructor)

/** Path of a request; `originalUrl` would be a whole URL when the application runs without a port. */
export const pathOf = (request: HttpServerRequest.HttpServerRequest) => request.url.split("?", 1)[0] ?? "/"

/** Writes a failure as the error envelope of the request being answered. */
export const toBody = (error: ApiError): Effect.Effect<ErrorBody> =>
  Effect.gen(function* () {
    const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
    const notes = yield* FiberRef.get(requestNotes)
    const body: ErrorBody = {
      success: false,
      statusCode: error.status,
      message: cut(error.message, 10 * messageLimit),
      code: error.code,
      requestId: notes?.id ?? "",
      timestamp: new Date(yield* Clock.currentTimeMillis).toISOString(),
      path: Option.match(request, { onNone: () => "", onSome: pathOf }),
      ...("errors" in error ? { errors: shown(error.errors) } : {}),
      ...(error.status === 409 && error.duplicateOf !== undefined ? { duplicate_of: error.duplicateOf } : {}),
      ...(error.status === 404 && error.mergedInto !== undefined ? { merged_into: error.mergedInto } : {}),
      ...(error.status === 429 && error.limit !== undefined ? { limit: error.limit } : {}),
      ...("provider" in error && error.provider !== undefined ? { provider: error.provider } : {})
    }
    if (notes !== undefined) notes.failure = body
    return body
  })

/** Headers of a failure's answer. */
export const headersOf = (error: ApiError): Record<string, string> => ({
  ...("retryAfter" in error && error.retryAfter !== undefined
    ? { "retry-after": String(Math.max(1, Math.ceil(error.retryAfter))) }
    : {}),
  ...(error.status === 405 ? { allow: error.allow.join(", ") } : {}),
  // the unread rest of a body would be taken for the next request
  ...(error.status === 413 ? { connection: "close" } : {})
})

const withHeaders = (headers: Record<string, string>) =>
  HttpApp.appendPreResponseHandler((_, response) => Effect.succeed(HttpServerResponse.setHeaders(response, headers)))

/**
 * A failure as a member of an `HttpApi`: documented with its status, written as the envelope by the server, and decoded to
 * its class by the typed client.
 */
const wire = <A extends ApiError, I>(
  error: Schema.Schema<A, I>,
  status: number,
  description: string,
  fromBody: (body: ErrorBody) => A
) =>
  Schema.transformOrFail(ErrorBody, Schema.typeSchema(error), {
    strict: true,
    decode: (body) => ParseResult.succeed(fromBody(body)),
    // the platform writes the body only
    encode: (_, __, ___, e) => Effect.zipRight(withHeaders(headersOf(e)), toBody(e))
  }).annotations({ ...HttpApiSchema.annotations({ status, description }), identifier: "Error" })

const of = (body: ErrorBody) => ({
  code: body.code,
  message: body.message,
  ...(body.provider === undefined ? {} : { provider: body.provider })
})

/** The failures as `HttpApi` error schemas. */
export const wires = {
  BadRequest: wire(
    BadRequest,
    400,
    "A header, path or query value is missing or malformed",
    (b) => new BadRequest(of(b))
  ),
  Unauthorized: wire(
    Unauthorized,
    401,
    "The API key is missing, malformed, unknown, expired or revoked",
    () => new Unauthorized()
  ),
  Forbidden: wire(
    Forbidden,
    403,
    "Not allowed; PROVIDER_FEATURE_MISSING: the connection's account lacks a scope, tier, edition or module that it takes",
    (b) => new Forbidden(of(b))
  ),
  NotFound: wire(NotFound, 404, "Not found", (b) => new NotFound({ ...of(b), mergedInto: b.merged_into })),
  MethodNotAllowed: wire(
    MethodNotAllowed,
    405,
    "The provider has no such operation",
    (b) => new MethodNotAllowed({ message: b.message, allow: [] })
  ),
  Conflict: wire(
    Conflict,
    409,
    "Collides with the present state",
    (b) => new Conflict({ ...of(b), duplicateOf: b.duplicate_of })
  ),
  PayloadTooLarge: wire(PayloadTooLarge, 413, "The body is too large", () => new PayloadTooLarge({ limit: 0 })),
  UnsupportedMediaType: wire(
    UnsupportedMediaType,
    415,
    "Wrong content type",
    () => new UnsupportedMediaType({ expected: "application/json" })
  ),
  Unprocessable: wire(
    Unprocessable,
    422,
    "Fields of the body are not valid",
    (b) => new Unprocessable({ errors: b.errors ?? {}, provider: b.provider })
  ),
  RateLimited: wire(
    RateLimited,
    429,
    "Too many requests",
    (b) => new RateLimited({ retryAfter: 1, limit: b.limit, provider: b.provider })
  ),
  InternalError: wire(
    InternalError,
    500,
    "Our fault; ENCRYPTION_KEY_MISSING: the operator has taken a key away that is still needed",
    (b) => new InternalError(b.code === "ENCRYPTION_KEY_MISSING" ? { code: b.code } : { said: b.message })
  ),
  BadGateway: wire(BadGateway, 502, "The provider failed", (b) => new BadGateway(of(b))),
  Unavailable: wire(
    Unavailable,
    503,
    "A needed part is away, or the request had no turn in time; nothing was sent to the provider",
    (b) => new Unavailable({ message: b.message, provider: b.provider })
  ),
  GatewayTimeout: wire(
    GatewayTimeout,
    504,
    "The provider did not answer in time; REQUEST_TIMEOUT: this service did not, and a change may be done",
    (b) => new GatewayTimeout({ ...of(b), code: b.code === "REQUEST_TIMEOUT" ? "REQUEST_TIMEOUT" : "PROVIDER_TIMEOUT" })
  )
} as const
