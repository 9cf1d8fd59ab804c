import type { Fields, Shape } from "../canonical/Resource.ts"
import { type MakeVariants, variantsOf } from "./Entries.ts"
import type { Mapping } from "./Mapping.ts"
import { boolean, date, dateTime, decimal, integer, number, raw, text } from "./Transform.ts"

/** A mapping to a provider whose JSON has the types that ours has, and where null clears. */
export const plainMapping = <F extends Fields>(resource: Shape<F>, make: MakeVariants<F>): Mapping => ({
  ...variantsOf(resource, make),
  blank: null,
  root: "",
  dialect: { text, date, dateTime, number, integer, boolean, decimal, raw }
})
