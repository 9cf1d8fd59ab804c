import type { Mapping } from "./Mapping.ts"
import { boolean, date, dateTime, decimal, integer, number, raw, text } from "./Transform.ts"

/** A mapping to a provider whose JSON has the types that ours has, and where null clears. */
export const plainMapping = (variants: Mapping["variants"]): Mapping => ({
  variants,
  blank: null,
  root: "",
  dialect: { text, date, dateTime, number, integer, boolean, decimal, raw }
})
