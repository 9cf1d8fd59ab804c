import { Schema } from "effect"
import { Requirement } from "./Requirement.ts"

/** The provider's limit is reached; `retryAfter` in seconds, where it says so or its window does. */
export class LimitReached extends Schema.TaggedClass<LimitReached>()("LimitReached", { retryAfter: Schema.Number }) {}

/** The provider refuses the connection's credentials, and refreshing them did not help. */
export class Unauthenticated extends Schema.TaggedClass<Unauthenticated>()("Unauthenticated", {}) {}

/** The connection's account may not do this; `lacks` says what it would need, where the provider or the adapter knows it. */
export class NotPermitted extends Schema.TaggedClass<NotPermitted>()("NotPermitted", {
  lacks: Schema.optionalWith(Schema.NonEmptyArray(Requirement), { exact: true })
}) {}

/**
 * The provider has no such record, or has it no longer. `mergedInto`: the id of the record that it was merged into, set only
 * where the provider documents merges and its answer proves one.
 */
export class Missing extends Schema.TaggedClass<Missing>()("Missing", {
  mergedInto: Schema.optionalWith(Schema.String, { exact: true })
}) {}

/**
 * The provider rejects values; `fields` by native field name, where it names fields. `isOwnRule`: the rule may be one that the
 * customer added, such as a required field, so the refusal is shown with the name and label that the customer knows.
 */
export class Invalid extends Schema.TaggedClass<Invalid>()("Invalid", {
  fields: Schema.Record({ key: Schema.String, value: Schema.String }),
  isOwnRule: Schema.optionalWith(Schema.Boolean, { exact: true })
}) {}

/** The record changed since it was read; reading it again and repeating may succeed. */
export class Stale extends Schema.TaggedClass<Stale>()("Stale", {}) {}

/**
 * The write collides with another record. `duplicateOf`: the ids of the records that it would duplicate, where they are known.
 * `isAllowable`: the provider would save it for a request with `on_duplicate=allow`.
 */
export class Clash extends Schema.TaggedClass<Clash>()("Clash", {
  duplicateOf: Schema.optionalWith(Schema.NonEmptyArray(Schema.String), { exact: true }),
  isAllowable: Schema.optionalWith(Schema.Boolean, { exact: true })
}) {}

/** Another write holds the record, so nothing was changed; the same write can succeed after `retryAfter` seconds. */
export class Locked extends Schema.TaggedClass<Locked>()("Locked", { retryAfter: Schema.Number }) {}

/** The provider has no such operation on this kind of record. */
export class Unsupported extends Schema.TaggedClass<Unsupported>()("Unsupported", {}) {}

/**
 * This service did not send the call: its turn did not come in time, too many wait for one, or the provider keeps failing.
 * `why` says which it was; `retryAfter` in seconds.
 */
export class Busy extends Schema.TaggedClass<Busy>()("Busy", { retryAfter: Schema.Number, why: Schema.String }) {}

/** The provider is down, refused the connection or failed inside; `retryAfter` in seconds, where it says so. */
export class Down extends Schema.TaggedClass<Down>()("Down", {
  retryAfter: Schema.optionalWith(Schema.Number, { exact: true })
}) {}

/**
 * The provider did not answer in time; whether a write took effect is unknown. `isCutShort`: the request's own time was up
 * before the provider had a fair one, so it says nothing of the provider.
 */
export class TimedOut extends Schema.TaggedClass<TimedOut>()("TimedOut", {
  isCutShort: Schema.optionalWith(Schema.Boolean, { exact: true })
}) {}

/**
 * The answer is not the provider's protocol: HTML, half a body, nothing. `isMoved`: it comes from a host that the account has
 * left, so nothing was done.
 */
export class Malformed extends Schema.TaggedClass<Malformed>()("Malformed", {
  isMoved: Schema.optionalWith(Schema.Boolean, { exact: true })
}) {}

/** The provider's list does not end: its pages go in a circle, or hold nothing new. */
export class ListBroken extends Schema.TaggedClass<ListBroken>()("ListBroken", {}) {}

/** This service cannot read the credentials that it keeps: for want of an encryption key, or because they are damaged. */
export class Unreadable extends Schema.TaggedClass<Unreadable>()("Unreadable", { isKeyMissing: Schema.Boolean }) {}

const reason = Schema.Union(
  LimitReached,
  Unauthenticated,
  NotPermitted,
  Missing,
  Invalid,
  Stale,
  Clash,
  Locked,
  Unsupported,
  Busy,
  Down,
  TimedOut,
  Malformed,
  ListBroken,
  Unreadable
)

/** Why a call to a provider failed. */
export type Reason = typeof reason.Type

/** The one error that crosses the boundary of an adapter. */
export class ProviderError extends Schema.TaggedError<ProviderError>()("ProviderError", {
  provider: Schema.String,
  /** The operation that failed, such as `contacts.list`. */
  operation: Schema.String,
  reason,
  /** HTTP status of the answer, when there was one. */
  status: Schema.optional(Schema.Int),
  /** The provider's own words, without secrets; absent when it said nothing useful. */
  detail: Schema.optional(Schema.String),
  /** Steps of a write that took effect before the failure. */
  done: Schema.optional(Schema.Array(Schema.String))
}) {
  override get message() {
    // messages reach logs and spans, and the provider's words may quote a caller's values
    return `${this.provider} ${this.operation}: ${this.reason._tag}`
  }
}
