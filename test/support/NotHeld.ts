import { Record, Struct } from "effect"

/** Reasons for all fields of a resource but these, for mappings that are about a few fields. */
export const allBut = <N extends string, K extends N>(
  { fields }: { readonly fields: { readonly [F in N]: object } },
  ...mapped: ReadonlyArray<K>
) =>
  Struct.omit(
    Record.map(fields, () => "This test needs no such field."),
    ...mapped
  )
