import { type FieldErrors, shortPath } from "./Errors.ts"

/** Deepest nesting of a JSON body. */
const deepest = 64
/** Fields of one object, and entries of one list, in a JSON body. */
const mostParts = 1000
/** Values in a JSON body: texts, numbers, true, false, null, lists and objects together. */
export const mostValues = 40_000

const quote = 34
const comma = 44
const bracket = 91
const backslash = 92
const brace = 123

/** Position of the quote that ends a JSON string, after the one that begins it; -1 when none does. */
const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    let before = end - 1
    while (text.codePointAt(before) === backslash) before -= 1
    if ((end - before) % 2 === 1) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

/**
 * Whether a JSON text has more values than a body may have. Goes by its commas and brackets: the text is not parsed, need
 * not be JSON, and reading ends with the first value too many.
 */
export const hasTooManyValues = (text: string): boolean => {
  let values = 1
  for (let i = 0; i < text.length; i += 1) {
    const code = text.codePointAt(i)
    if (code === quote) {
      i = endOfString(text, i)
      if (i === -1) return false
    } else if (code === comma || code === bracket || code === brace) {
      values += 1
      if (values > mostValues) return true
    }
  }
  return false
}

/** The refusal of a body with too many values. */
export const tooManyValues: FieldErrors = { body: `holds more than ${mostValues} values` }

const below = (path: string, key: string) => (path === "" ? key : `${path}.${key}`)

const at = (path: string, message: string): FieldErrors => ({ [path === "" ? "body" : shortPath(path)]: message })

/** Where a JSON value is nested too deep, or has too many fields or entries; undefined: nowhere. */
export const overgrownIn = (value: unknown, path = "", depth = 0): FieldErrors | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  if (depth === deepest) return at(path, `is nested more than ${deepest} levels deep`)
  const parts = Object.entries(value)
  if (parts.length > mostParts) {
    return at(path, `has more than ${mostParts} ${Array.isArray(value) ? "entries" : "fields"}`)
  }
  for (const [key, part] of parts) {
    const overgrown = overgrownIn(part, below(path, key), depth + 1)
    if (overgrown !== undefined) return overgrown
  }
  return undefined
}

/**
 * Where a JSON value holds what no provider or database can; undefined: nowhere. It must not be nested deeper than the stack
 * allows: `overgrownIn` comes first.
 */
export const unfitIn = (value: unknown, path = ""): FieldErrors | undefined => {
  if (typeof value === "string") {
    return value.includes("\0") || /\p{Surrogate}/u.test(value)
      ? at(path, "must not hold a NUL character or half a character (a lone surrogate)")
      : undefined
  }
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    if (key === "__proto__") return at(below(path === "" ? "body" : path, key), "is not a name that a field can have")
    const unfit = unfitIn(part, below(path, key))
    if (unfit !== undefined) return unfit
  }
  return undefined
}
