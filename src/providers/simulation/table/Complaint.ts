import { Either } from "effect"
import type { Doc } from "../Account.ts"

/** What is wrong with a value, as data: each provider has its own words for it. */
export type Complaint =
  /** `string`, `number`, `integer`, `boolean`, `array` or `object` is asked for. */
  | { readonly is: "type"; readonly type: string }
  /** Text in a form is asked for, such as `date`. */
  | { readonly is: "form"; readonly form: string }
  | { readonly is: "empty" | "not allowed" | "required" | "absent" | "primary" }
  /** The most characters or items, or the least and most of a number or of items. */
  | { readonly is: "length" | "least" | "most" | "items" | "too many"; readonly bound: number }
  | { readonly is: "choice"; readonly choices: ReadonlyArray<string | number> }
  /** An option that is not there. */
  | { readonly is: "unknown"; readonly value: unknown }
  /** A member of an object: unknown, lacking or wrong. */
  | { readonly is: "member"; readonly name: string; readonly complaint: Complaint }
  /** Another record has what only one may have. */
  | { readonly is: "taken"; readonly by: Doc }
  /** Words of only one provider about a value: the end of a sentence. */
  | { readonly is: "own"; readonly words: string }
  | ({ readonly is: "refused"; readonly words: string } & Refused)

/** The whole of what only one provider says: besides its words, its code and the other members that it is about. */
export interface Refused {
  readonly code?: string
  readonly others?: ReadonlyArray<string>
}

/** A complaint about a parameter or a member of a body, such as `custom_fields.<key>`. */
export interface Problem {
  readonly path: string
  readonly complaint: Complaint
  /** What the request says; undefined where it says nothing. */
  readonly given?: unknown
}

export type Checked<A = unknown> = Either.Either<A, Complaint>

/** What is asked for, or every problem with it. */
export type Settled<A> = Either.Either<A, ReadonlyArray<Problem>>

/** Refuses a whole request in the provider's words. */
export const refused = (words: string, path = "", more: Refused = {}): Settled<never> =>
  Either.left([{ path, complaint: { is: "refused", words, ...more } }])
