import { Effect, Option } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import { type CompiledMapping, namingOverrides } from "../mapping/Compile.ts"
import {
  type ApiError,
  BadGateway,
  Conflict,
  type FieldErrors,
  Forbidden,
  GatewayTimeout,
  InternalError,
  isApiError,
  MethodNotAllowed,
  NotFound,
  type ProviderFailure,
  RateLimited,
  Unavailable,
  Unprocessable
} from "../platform/Errors.ts"
import { recordNotFoundCode } from "../platform/ErrorCodes.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { inWords, remedyFor } from "../providers/Requirement.ts"

/** `CONTACT_NOT_FOUND` and its like. */
export const recordNotFound = (resource: Resource, id: string, provider?: ProviderFailure, mergedInto?: string) =>
  new NotFound({
    code: recordNotFoundCode(resource.name),
    message:
      mergedInto === undefined
        ? `${resource.name} ${id} was not found.`
        : `${resource.name} ${id} was merged into ${mergedInto}. Use ${mergedInto} instead.`,
    provider,
    mergedInto
  })

/** Some providers repeat the value they reject, however long it is. */
const brief = (text: string) => (text.length > 500 ? `${[...text.slice(0, 499)].slice(0, -1).join("")}…` : text)

const briefly = (fields: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(fields).map(([name, message]) => [name, brief(message)]))

/** The path in a body that sets a native field. `Line[2].Amount` names one entry. */
export const canonicalFieldOf = (mapping: CompiledMapping, native: string): string | undefined => {
  const written = mapping.rows.filter((row) => row.access !== "read")
  const named = (matches: (path: string) => boolean) =>
    written.find((row) => row.native_field.split(", ").some(matches))?.field
  const [, list = "", index = "", rest = ""] = /^(\w+)\[(\d+)\]\.(.+)$/.exec(native) ?? []
  if (list !== "") return named((path) => path === `${list}[].${rest}`)?.replace("[]", `.${index}`)
  return (
    (
      named((path) => path.startsWith(`${native}[].`)) ??
      named((path) => path === native) ??
      named((path) => native.startsWith(`${path}.`)) ??
      named((path) => path.startsWith(`${native}.`)) ??
      named((path) => path.endsWith(`.${native}`)) ??
      named((path) => path.includes(`.${native}.`))
    )
      // which entry of a list it was, the provider does not say
      ?.replace(/\[\].*$/, "")
  )
}

/** Native field names in a provider's refusal, as the paths that the caller wrote. */
const fieldsOf = (mapping: CompiledMapping, fields: { readonly [native: string]: string }) => {
  const root = mapping.root === "" ? "" : `${mapping.root}.`
  const inParams = (native: string) => (native.startsWith(root) ? native.slice(root.length) : native)
  return namingOverrides(
    mapping.rows,
    Object.fromEntries(
      Object.entries(fields).map(([native, message]) => [
        canonicalFieldOf(mapping, native) ?? `integration_params.${inParams(native)}`,
        brief(message)
      ])
    )
  )
}

/** The subject of a call that failed. */
interface Subject {
  /** Absent: something else than records; fields keep their native names. */
  readonly mapping?: CompiledMapping
  /** The record that the caller named. */
  readonly id?: string | undefined
  /** True for a read: the caller sent no body that could be wrong. */
  readonly reads?: boolean
}

/** The one place where a provider's failure becomes an answer of this service. */
export const toApiError = (error: ProviderError, { id, mapping, reads }: Subject = {}): ApiError => {
  const { done, reason, status } = error
  const detail = error.detail === undefined ? undefined : brief(error.detail)
  const provider = {
    slug: error.provider,
    ...(status === undefined ? {} : { status }),
    ...(detail === undefined ? {} : { message: detail }),
    // without it, whoever reads a refusal would take it that nothing was written
    ...(done === undefined || done.length === 0 ? {} : { done })
  }
  const resource = mapping?.resource
  switch (reason._tag) {
    case "LimitReached":
      return new RateLimited({ retryAfter: reason.retryAfter, provider })
    case "Unauthenticated":
      return new Conflict({
        code: "CONNECTION_NEEDS_REAUTH",
        message: `${error.provider} no longer accepts this connection's credentials: the end user has to connect again.`,
        provider
      })
    case "NotPermitted":
      return reason.lacks === undefined
        ? new Forbidden({
            code: "FORBIDDEN",
            message: `${error.provider} does not let this connection's account do that.`,
            provider
          })
        : new Forbidden({
            code: "PROVIDER_FEATURE_MISSING",
            message: `At ${error.provider}, this connection lacks ${inWords(reason.lacks)}: ${remedyFor(reason.lacks)}.`,
            provider
          })
    case "Missing":
      if (resource === undefined) {
        return new NotFound({
          code: "NOT_FOUND",
          message: `${error.provider} has nothing like that to show.`,
          provider
        })
      }
      return id === undefined
        ? new BadGateway({ message: `${error.provider} does not support this request.`, provider })
        : recordNotFound(resource, id, provider, reason.mergedInto)
    case "Invalid": {
      const fields = mapping === undefined ? briefly(reason.fields) : fieldsOf(mapping, reason.fields)
      if (reads === true) {
        const said = Object.entries(fields).map(([name, words]) => `${name}: ${words}`)
        return new BadGateway({
          message: [`${error.provider} refused what was asked of it`, ...said].join("; ") + ".",
          provider
        })
      }
      return new Unprocessable({
        errors: Object.keys(fields).length > 0 ? fields : { body: detail ?? `${error.provider} rejected it` },
        provider
      })
    }
    case "Stale":
    case "Clash": {
      const words = detail ?? `${error.provider} says the record collides with another change.`
      const isAllowable = reason._tag === "Clash" && reason.isAllowable === true
      return new Conflict({
        code: "CONFLICT",
        message: isAllowable ? `${words} Send the request with on_duplicate=allow to save it all the same.` : words,
        provider,
        duplicateOf: reason._tag === "Clash" ? reason.duplicateOf : undefined
      })
    }
    case "Locked":
      return new Conflict({
        code: "RECORD_LOCKED",
        message: `Another write holds the record at ${error.provider}. Nothing was changed; send the request again.`,
        retryAfter: reason.retryAfter,
        provider
      })
    case "Unsupported":
      return new MethodNotAllowed({
        message: `${error.provider} cannot do that${resource === undefined ? "" : ` with ${resource.name} records`}.`,
        allow: ["GET"]
      })
    case "Busy":
      return new Unavailable({
        message: `${error.provider} was not called: ${reason.why}.`,
        retryAfter: reason.retryAfter,
        provider
      })
    case "TimedOut":
      return new GatewayTimeout({ message: `${error.provider} did not answer in time.`, provider })
    case "Down":
      return new BadGateway({
        message: `${error.provider} is not available.`,
        retryAfter: reason.retryAfter,
        provider
      })
    case "Malformed":
      return new BadGateway({
        message:
          reason.isMoved === true
            ? `${error.provider} no longer serves this account at the host that the connection has, and renewing the access named no other host that does. Try again later; if the account has a new address, connect it again.`
            : `${error.provider} sent an answer that is not in its documented form.`,
        provider
      })
    case "ListBroken":
      return new BadGateway({
        message: `${error.provider} pages badly, so this list cannot go on: ${detail}.`,
        provider
      })
    case "Unreadable":
      return new InternalError(reason.isKeyMissing ? { code: "ENCRYPTION_KEY_MISSING" } : {})
  }
}

/**
 * Puts failures of the provider in the words of this service. A defect of the sandbox in the service's own words is a failure
 * like others.
 */
export const answersFor =
  (mapping?: CompiledMapping, about: Omit<Subject, "mapping"> = {}) =>
  <A, R>(effect: Effect.Effect<A, ApiError | ProviderError, R>): Effect.Effect<A, ApiError, R> =>
    effect.pipe(
      Effect.catchTag("ProviderError", (error) =>
        Effect.fail(toApiError(error, { ...(mapping === undefined ? {} : { mapping }), ...about }))
      ),
      Effect.catchSomeDefect((defect) => (isApiError(defect) ? Option.some(Effect.fail(defect)) : Option.none()))
    )

/** Whether asking again from the same place can succeed without anyone doing something about it. */
export const isTransient = (error: ProviderError): boolean => {
  switch (error.reason._tag) {
    case "LimitReached":
    case "Busy":
    case "Down":
    case "TimedOut":
    case "Malformed":
    case "Stale":
    case "Locked":
    case "Unreadable":
      return true
    default:
      return false
  }
}
