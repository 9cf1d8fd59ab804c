import { computed } from "./Entries.ts"

/** A document that takes no discount: it would be of another amount without the one that a body has. */
export const noDiscount = computed({
  canonical: "total_discount",
  native: [],
  decode: () => 0,
  encode: (value, { prefix, refuse }) => {
    if (typeof value === "number" && value !== 0) {
      refuse(`${prefix}total_discount`, "must be 0 here: take it off the price of a line")
    }
  }
})
