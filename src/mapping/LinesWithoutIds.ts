import type { LinesEntry, Native } from "./Mapping.ts"

/** References may have `urn:uuid:` in front, and names are written as people write them. */
export const same = (a: unknown, b: unknown) =>
  JSON.stringify(a)
    .replace(/urn:uuid:/g, "")
    .toLowerCase() === JSON.stringify(b).toLowerCase()

/** A native line as it is, with its canonical form. */
export interface HeldLine {
  readonly native: Native
  readonly canonical: Native
}

/**
 * The native lines that those of a body are where lines have no ids: by their key, then by position what is left, where as
 * much is left on both sides.
 */
export const withoutIds = ({ key }: LinesEntry, items: ReadonlyArray<Native>, held: ReadonlyArray<HeldLine>) => {
  const matched = new Map<Native, HeldLine>()
  const free = new Set(held)
  const take = (item: Native, line: HeldLine | undefined) => {
    if (line === undefined) return
    matched.set(item, line)
    free.delete(line)
  }
  for (const item of items) {
    const value = key === undefined ? null : (item[key] ?? null)
    if (value !== null)
      take(
        item,
        [...free].find(({ canonical }) => same(value, canonical[key ?? ""] ?? null))
      )
  }
  const left = items.filter((item) => !matched.has(item))
  const rest = [...free]
  if (left.length === rest.length) left.forEach((item, i) => take(item, rest[i]))
  return matched
}

export const isUnchanged = (value: unknown, held: unknown) =>
  JSON.stringify(value ?? null).replace(/urn:uuid:/g, "") === JSON.stringify(held ?? null)
