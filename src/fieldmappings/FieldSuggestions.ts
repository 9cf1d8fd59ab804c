import { farFrom } from "../platform/Spelling.ts"
import type { NativeField } from "../providers/ProviderAdapter.ts"

/** Where a path leads to, and the name it has there. */
const placed = (path: string) => {
  const end = path.lastIndexOf(".") + 1
  return { place: path.slice(0, end), name: path.slice(end) }
}

/** At most three of the fields, nearest first, that a misspelt path may have meant, by their names or their labels. */
export const suggestFields = (path: string, fields: ReadonlyArray<NativeField>): ReadonlyArray<NativeField> => {
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
