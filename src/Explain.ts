import { HttpServerError } from "@effect/platform"
import { Cause, ConfigError } from "effect"
import { isApiError } from "./platform/Errors.ts"

/** Why a program ended, for whoever started it: one line where it can be set right, the whole trace where it cannot. */
export const explain = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (ConfigError.isConfigError(error)) return String(error).replaceAll("\n", " ")
  if (error instanceof HttpServerError.ServeError)
    return `HOST, PORT, METRICS_PORT: cannot listen there (${String(error.cause)})`
  if (isApiError(error) && "errors" in error) {
    return Object.entries(error.errors)
      .map(([field, message]) => `${field}: ${message}`)
      .join("; ")
  }
  if (!(error instanceof Error) || !("_tag" in error)) return Cause.pretty(cause)
  return error.cause instanceof Error && error.cause.message !== ""
    ? `${error.message}: ${error.cause.message}`
    : error.message
}
