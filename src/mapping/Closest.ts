/** A text without what spelling may do to it: `FOOD_BEVERAGES` and `Food & Beverages` are one. */
const plain = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "and")
    .join("")

/** The option of a list that a value names, however it is spelled. */
export const closest = <A>(
  value: unknown,
  options: ReadonlyArray<A>,
  labelOf: (option: A) => string
): A | undefined => {
  if (typeof value !== "string" || plain(value) === "") return undefined
  return (
    options.find((option) => labelOf(option) === value) ??
    options.find((option) => plain(labelOf(option)) === plain(value))
  )
}
