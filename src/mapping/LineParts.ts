import type { Shape } from "../canonical/Resource.ts"
import type { ComputedEntry, ConstantEntry, FieldEntry } from "./Mapping.ts"

/** How a resource calls its lines and their amount, and what else they have. */
export interface Called {
  readonly list: string
  readonly total: string
  readonly shape: Shape
}

export type LinePart = FieldEntry | ConstantEntry | ComputedEntry

/** Resources differ in what their lines hold of what a native line has. */
export const ofShape = ({ shape }: Called, entries: ReadonlyArray<LinePart>) =>
  entries.filter(({ canonical }) => canonical in shape.fields)
