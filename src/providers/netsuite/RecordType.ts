import type { Effect } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Filters } from "./Conditions.ts"
import type { Select } from "./Select.ts"
import type { Suite } from "./Suite.ts"

/** Something that belongs to records and is fetched for all of them at once. */
export type Part<A = unknown> = (
  own: Suite,
  connection: ConnectionRef,
  records: ReadonlyArray<Native>
) => Effect.Effect<(record: Native) => A, ProviderError>

/** How the records of a type are listed. */
export interface Listing {
  /** One row a record. Absent: no query knows these, which are a handful, so the record service tells each. */
  readonly select?: Select
  /** A column without which queries do not tell enough, so that the record service tells each. */
  readonly needs?: { readonly table: string; readonly column: string }
  readonly where?: ReadonlyArray<string>
  /** Condition of those that are listed; others are found by their ids. */
  readonly listed?: ReadonlyArray<string>
  /** How it is cut down. */
  readonly filters?: Filters
  /** Members that further queries give to the records of a page: a few queries, however many records there are. */
  readonly beside?: Part<Native>
  /** Members of rows that `beside` tells again. */
  readonly retells?: ReadonlyArray<string>
}

/** A native type, and how it differs from the others. */
export interface RecordType {
  /** Native type of the mapping's variant; the type in paths, unless `kinds` says it. */
  readonly name: string
  readonly list: Listing
  /** Several types in paths under one native type: what a query tells of a record, the type that means, and all of them. */
  readonly kinds?: {
    readonly select: Select
    readonly typeOf: (record: Native) => string | undefined
    readonly types: ReadonlyArray<string>
  }
  /** Sublists whose lines the mapping has under `lines`. */
  readonly sublists?: ReadonlyArray<string>
  /** The member that tells lines of these apart, where that is not `line`. */
  readonly lineKey?: string
  readonly parts?: { readonly [name: string]: Part }
  /** Gives a record of the record service what only queries tell in some accounts. */
  readonly supplement?: Part<Native>
  /** Records that others need cannot be deleted: they are made inactive instead. */
  readonly retires?: boolean
}
