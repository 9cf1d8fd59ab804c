import { distance } from "fastest-levenshtein"

/** Words without what spelling may do to them: `Loyalty tier` and `loyalty_tier` are one. */
const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** The distance of a name from the one that was meant; infinite where it is another word. */
export const farFrom = (meant: string, name: string) => {
  const [a, b] = [plain(meant), plain(name)]
  if (a === "" || b === "") return Infinity
  if (Math.min(a.length, b.length) > 3 && (b.includes(a) || a.includes(b))) return 1
  const most = Math.max(1, Math.floor(a.length / 3))
  // looking is dear, and an account may have a thousand fields
  if (Math.abs(a.length - b.length) > most) return Infinity
  const far = distance(a, b)
  return far <= most ? far : Infinity
}

/** The end of a sentence about a wrong name: `; did you mean "first_name"?`, or nothing where no name is near. */
export const didYouMean = (meant: string, names: Iterable<string>): string => {
  const [nearest] = [...names]
    .map((name) => ({ name, far: farFrom(meant, name) }))
    .filter(({ far }) => far < Infinity)
    .toSorted((a, b) => a.far - b.far)
  return nearest === undefined ? "" : `; did you mean "${nearest.name}"?`
}
