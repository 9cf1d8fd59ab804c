import type { NativeField } from "../providers/ProviderAdapter.ts"

/** Words without what spelling may do to them: `Loyalty tier` and `loyalty_tier` are one. */
const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** Letters to put in, take out or exchange to make one text of the other. */
const distance = (a: string, b: string): number => {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...a].entries()) {
    const row = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const exchanged = (above[j] ?? 0) + (letter === other ? 0 : 1)
      row.push(Math.min(exchanged, (above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1))
    }
    above = row
  }
  return above.at(-1) ?? a.length
}

/** How far a name is from what was meant; infinite where it is another word. */
const farFrom = (meant: string, name: string) => {
  const [a, b] = [plain(meant), plain(name)]
  if (a === "" || b === "") return Infinity
  if (Math.min(a.length, b.length) > 3 && (b.includes(a) || a.includes(b))) return 1
  const most = Math.max(1, Math.floor(a.length / 3))
  // looking is dear, and an account may have a thousand fields
  if (Math.abs(a.length - b.length) > most) return Infinity
  const far = distance(a, b)
  return far <= most ? far : Infinity
}

/** Where a path leads to, and the name it has there. */
const placed = (path: string) => {
  const end = path.lastIndexOf(".") + 1
  return { place: path.slice(0, end), name: path.slice(end) }
}

/** At most three of the fields, nearest first, that a misspelt path may have meant, by their names or their labels. */
export const nearest = (path: string, fields: ReadonlyArray<NativeField>): ReadonlyArray<NativeField> => {
  const meant = placed(path)
  return fields
    .map((field) => {
      const held = placed(field.name)
      const byName = held.place === meant.place ? farFrom(meant.name, held.name) : farFrom(path, field.name)
      // a short name, such as id, is a part of many labels
      const byLabel = meant.name.length > 3 ? farFrom(meant.name, field.label) : Infinity
      return { field, far: Math.min(byName, byLabel) }
    })
    .filter(({ far }) => far < Infinity)
    .toSorted((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ field }) => field)
}
