import type { Entries } from "./Entries.ts"
import type { GroupEntry } from "./Mapping.ts"

const linesOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" && value !== "" ? value.split(/\r?\n/) : []

const joined = (values: ReadonlyArray<unknown>, separator: string) => {
  const present = values.filter((value) => typeof value === "string" && value !== "")
  return present.length === 0 ? null : present.join(separator)
}

/** Street lines that the provider holds in one field, separated by newlines. */
export const streetLines = (of: Pick<Entries<"street_1" | "street_2">, "group">, native: string): GroupEntry =>
  of.group({
    canonical: ["street_1", "street_2"],
    native: [native],
    decode: ([street]) => {
      const [first, ...further] = linesOf(street)
      return [first ?? null, joined(further, "\n")]
    },
    encode: (values, warn) => {
      const [first, further] = values.map((value) => joined([value], ""))
      if (first === null && further !== null) warn("street_2", "CHANGED", "is held as street_1: it is the first line")
      return [joined(values, "\n")]
    }
  })

/** Further street lines that the provider spreads over several fields. */
export const spreadLines = <N extends string>(
  of: Pick<Entries<N>, "group">,
  canonical: N,
  native: ReadonlyArray<string>
): GroupEntry<N> =>
  of.group({
    canonical: [canonical],
    native,
    decode: (values) => [joined(values, "\n")],
    encode: ([value]) => {
      const parts = linesOf(value)
      const last = native.length - 1
      return native.map((_, i) => (i < last ? parts[i] : parts.slice(last).join("\n")) || null)
    }
  })
