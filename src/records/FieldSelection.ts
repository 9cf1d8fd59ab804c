import { type Expansion, startsOf } from "./Expansion.ts"
import type { ResourceAccess } from "./Access.ts"

/** The part of records that is shown. */
export interface FieldSelection {
  /** Beside the common fields; undefined: all. */
  readonly fields: ReadonlyArray<string> | undefined
  /** References whose records are put beside them; undefined: none. */
  readonly expand: Expansion | undefined
  readonly includeRemoteData: boolean
}

/** The fields that are read: those that are asked for, and those that others are expanded from. */
export const fieldsOf = ({ expand, fields }: FieldSelection) =>
  fields === undefined || expand === undefined ? fields : [...new Set([...fields, ...startsOf(expand)])]

/** A part of which only some fields are asked for. */
export const onlyFields = (reached: ResourceAccess, fields: FieldSelection["fields"]): ResourceAccess =>
  fields === undefined ? reached : { ...reached, mapping: reached.mapping.only(fields) }
