import type { Fields, Shape } from "../canonical/Resource.ts"
import { type MakeVariants, variantsOf } from "./Entries.ts"
import type { Mapping } from "./Mapping.ts"
import { boolean, date, dateTime, decimal, integer, number, raw, text } from "./Transform.ts"

const plain: Omit<Mapping, "resource" | "variants"> = {
  blank: null,
  root: "",
  dialect: { text, date, dateTime, number, integer, boolean, decimal, raw }
}

/** A mapping to a provider whose JSON has the types that ours has, and where null clears. */
export function plainMapping<F extends Fields>(resource: Shape<F>, make: MakeVariants<F>): Mapping
export function plainMapping(variants: Mapping["variants"]): Mapping
export function plainMapping<F extends Fields>(first: Shape<F> | Mapping["variants"], make?: MakeVariants<F>): Mapping {
  return "fields" in first ? { ...plain, ...variantsOf(first, make ?? (() => [])) } : { ...plain, variants: first }
}
