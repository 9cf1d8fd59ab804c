import { getPath, isNative, type Native } from "../mapping/Mapping.ts"
import type { JsonObject } from "./Tool.ts"

// Answers of tools: the members of a native record that a person would want, and long texts in parts.

/** Name in the answer -> path in the native record, or a function of the record. */
export interface Shape {
  readonly [name: string]: string | ((record: Native) => unknown)
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)

/** The members of an answer that hold something. */
export const filled = (answer: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(answer).filter(([, value]) => !isNothing(value)))

/** Shows a native record; leaves out members that it does not have. */
export const shown =
  (shape: Shape) =>
  (value: unknown): JsonObject => {
    const record = isNative(value) ? value : {}
    return filled(
      Object.fromEntries(
        Object.entries(shape).map(([name, place]) => [
          name,
          typeof place === "string" ? getPath(record, place) : place(record)
        ])
      )
    )
  }

/** The list at a path, each entry by a path in it or as it is shown. */
export const each =
  (path: string, inner: string | ((value: unknown) => unknown)) =>
  (record: unknown): ReadonlyArray<unknown> => {
    const list = getPath(record, path)
    return Array.isArray(list)
      ? list.map((entry: unknown) => (typeof inner === "string" ? getPath(entry, inner) : inner(entry)))
      : []
  }

/** A place to cut that leaves no half of a surrogate pair. */
const cut = (text: string, at: number): number => (/[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at)

/**
 * A text as a member of an answer, at most `most` characters from `from` on. Where there is more, `truncated` says so and
 * `next_from` is where to read on.
 */
export const part = (name: string, text: unknown, most: number, from = 0): JsonObject => {
  if (typeof text !== "string" || text === "") return {}
  const end = text.length - from <= most ? text.length : cut(text, from + most)
  return {
    [name]: text.slice(from, end),
    ...(end < text.length ? { truncated: true, next_from: end, total_characters: text.length } : {})
  }
}

/** The beginning of a text as a member of an entry of a list; `truncated` where it is cut. */
export const beginning = (name: string, text: unknown, most: number): JsonObject => {
  if (typeof text !== "string" || text === "") return {}
  return text.length <= most ? { [name]: text } : { [name]: `${text.slice(0, cut(text, most))}…`, truncated: true }
}

/** Characters that the long texts of one answer may have together, so that it fits a context window. */
const together = 30_000

/** Characters that each text of a page has, at most `most`. */
export const share = (limit: number, most: number): number => Math.min(most, Math.floor(together / limit))
