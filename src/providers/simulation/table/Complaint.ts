import { Either } from "effect"
import type { Doc } from "../Account.ts"

/** A fault of a value, as data: each provider words it differently. */
export type Complaint =
  /** Not a `string`, `number`, `integer`, `boolean`, `array` or `object`, as expected. */
  | { readonly is: "type"; readonly type: string }
  /** Not text in the expected form, such as `date`. */
  | { readonly is: "form"; readonly form: string }
  | { readonly is: "empty" | "not allowed" | "required" | "absent" | "primary" }
  /** The most characters or items, or the least and most of a number or of items. */
  | { readonly is: "length" | "least" | "most" | "items" | "too many"; readonly bound: number }
  | { readonly is: "choice"; readonly choices: ReadonlyArray<string | number> }
  /** An option that does not exist. */
  | { readonly is: "unknown"; readonly value: unknown }
  /** A member of an object: unknown, missing or wrong. */
  | { readonly is: "member"; readonly name: string; readonly complaint: Complaint }
  /** Another record has the value, which must be unique. */
  | { readonly is: "taken"; readonly by: Doc }
  /** A provider's own words about a value: the end of a sentence. */
  | { readonly is: "own"; readonly words: string }
  | ({ readonly is: "refused"; readonly words: string } & Refused)

/** The rest of a provider's own refusal: its code and the other members it is about. */
export interface Refused {
  readonly code?: string
  readonly others?: ReadonlyArray<string>
}

/** A complaint about a parameter or a member of a body, such as `custom_fields.<key>`. */
export interface Problem {
  readonly path: string
  readonly complaint: Complaint
  /** The request's value; undefined where it has none. */
  readonly given?: unknown
}

export type Checked<A = unknown> = Either.Either<A, Complaint>

/** The result, or every problem with the request. */
export type Settled<A> = Either.Either<A, ReadonlyArray<Problem>>

/** Refuses a whole request in the provider's words. */
export const refused = (words: string, path = "", more: Refused = {}): Settled<never> =>
  Either.left([{ path, complaint: { is: "refused", words, ...more } }])
