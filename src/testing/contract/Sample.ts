import type { Effect } from "effect"
import type { Call, Doc } from "./Answers.ts"

/** Bodies for one kind of record. */
export interface Sample {
  /** A create with every field the provider takes. */
  readonly full: Doc
  /** A create with what is needed, no more; as a PUT it clears the rest. */
  readonly least: Doc
  /** Other values for some fields of `full`. */
  readonly change: Doc
  /** Fields of `full` that a PUT without them leaves, because a record is never without them. */
  readonly kept: ReadonlyArray<string>
  /** A text field that holds anything; "" where no text can be changed. */
  readonly text: string
  /** A body whose amount is the given one, and how that amount is found in a record. */
  readonly amount?: {
    readonly body: (amount: number) => Doc
    readonly read: (record: Doc) => unknown
  }
}

/** The given part of a sample; the rest is derived from the mapping. */
export type PartialSample = Partial<Sample>

/**
 * By resource, such as `contact`, the kinds of records that behave differently, each with its bodies; as a function where
 * they name records that the simulator holds. What a sample leaves out is derived, from the native type that the kind is
 * named for.
 */
export interface Samples {
  readonly [resource: string]: {
    readonly [kind: string]: PartialSample | ((call: Call) => Effect.Effect<PartialSample>)
  }
}

export const isWhole = (sample: PartialSample): sample is Sample =>
  [sample.full, sample.least, sample.change, sample.kept, sample.text].every((part) => part !== undefined)
