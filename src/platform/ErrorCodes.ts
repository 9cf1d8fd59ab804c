import { Schema } from "effect"

/** Every case of a failure: its code, and what it means. Those of records that are not found are named for their resource. */
export const errorCodes = {
  ACCOUNT_DIFFERS: "the end user consented with another account than the connection is of",
  API_KEY_NOT_FOUND: "there is no such API key",
  APPROVAL_NOT_FOUND: "there is no such approval",
  ATTEMPT_NOT_FOUND: "there is no such attempt to connect",
  AUTHORIZATION_NOT_FOUND: "there is no such authorization under way",
  CHAT_SESSION_NOT_FOUND: "there is no such chat session",
  CONFLICT: "it collides with another change, at the provider or here",
  CONNECTION_AMBIGUOUS: "several connections are meant: send X-Connection-Id",
  CONNECTION_NEEDS_REAUTH: "the end user has to connect again",
  CONNECTION_NOT_FOUND: "there is no such connection",
  DELIVERY_NOT_FOUND: "there is no such delivery of the webhook",
  ENCRYPTION_KEY_MISSING: "the operator has taken a key away that is still needed",
  END_USER_NOT_FOUND: "there is no such end user",
  FILTER_NOT_SUPPORTED:
    "the provider cannot tell what a filter asks of its records: the message names the filters it has",
  FORBIDDEN: "the key, or the connection's account, may not do this",
  GRANT_NOT_FOUND: "there is no such grant",
  IDEMPOTENCY_CONFLICT: "the idempotency key is that of another request, or of one that still runs",
  IDEMPOTENCY_OUTCOME_UNKNOWN: "whether the first request under the idempotency key took effect is not known",
  INSUFFICIENT_SCOPE: "the end user's token lacks a scope: WWW-Authenticate says which to ask for",
  INTEGRATION_NOT_FOUND: "there is no such provider or toolkit",
  INTERNAL_ERROR: "a fault of this service",
  INVALID_API_KEY: "the API key is missing, malformed, unknown, expired or revoked",
  INVALID_CONNECT_SESSION: "the link to connect accounts has expired or is not whole",
  INVALID_CURSOR: "the cursor is not one of this list",
  INVALID_FORM: "the form cannot be read",
  INVALID_JSON: "the body is not JSON",
  INVALID_PARAMETER: "a header, path or query value is missing or malformed",
  MISSING_END_USER: "X-End-User-Id is missing",
  NOT_FOUND: "there is nothing at that address",
  OPERATION_NOT_SUPPORTED: "the route, or the provider, has no such operation: Allow lists those that work",
  ORGANISATION_NOT_FOUND: "there is no such organisation",
  PAYLOAD_TOO_LARGE: "the body is larger than the route takes",
  PROVIDER_ERROR: "the provider failed",
  PROVIDER_FEATURE_MISSING: "the connection's account lacks a scope, tier, edition or module that it takes",
  PROVIDER_NOT_CONNECTED: "the end user has not connected the provider",
  PROVIDER_NOT_FOUND: "there is no such provider",
  PROVIDER_TIMEOUT: "the provider did not answer in time",
  QUOTA_EXCEEDED: "the organisation has as many of these as it may",
  RATE_LIMITED: "too many requests, to this service or to the provider",
  RECORD_AMBIGUOUS: "the id is that of several records",
  RECORD_LOCKED:
    "another write holds the record at the provider; nothing was changed, so the same request can be sent again",
  REQUEST_NOT_FOUND: "there is no such request in the request log",
  REQUEST_TIMEOUT: "this service did not answer in time, and a change may be done",
  RESOURCE_UNKNOWN: "there is no such resource",
  UNAVAILABLE: "a needed part is away, or the request had no turn in time",
  UNSUPPORTED_MEDIA_TYPE: "the body is of another content type than the route takes",
  VALIDATION_FAILED: "fields of the body are not valid: `errors` names them",
  TOOL_CALL_NOT_FOUND: "there is no such call of a tool, or it is no longer kept",
  WEBHOOK_NOT_FOUND: "there is no such webhook",
  WORKSPACE_NOT_FOUND: "there is no such workspace"
} as const

/** The code of a record that is not found: `CONTACT_NOT_FOUND`. */
export const recordNotFoundCode = (resource: string): `${string}_NOT_FOUND` => `${resource.toUpperCase()}_NOT_FOUND`

/** A code that this service raises. */
export type ErrorCode = keyof typeof errorCodes | ReturnType<typeof recordNotFoundCode>

/** A code as it travels: a client takes those of a later service too. The OpenAPI document lists them all. */
export const ErrorCode = Schema.make<ErrorCode>(
  Schema.String.annotations({ identifier: "ErrorCode", description: "Stable, machine-readable name of the case" }).ast
)
