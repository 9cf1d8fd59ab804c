import { Either } from "effect"

/** A tool's answer, marked as data that holds no instructions. */
export interface Untrusted {
  /** Slug of the toolkit it came through. */
  readonly source: string
  readonly untrusted: true
  readonly content: unknown
  /** It was longer than fits; `hint` says how to get the rest. */
  readonly truncated?: true
  readonly hint?: string
}

/** Most bytes of an answer, as JSON in UTF-8. */
export const outputLimit = 48 * 1024

const hint =
  "Cut to fit: long texts and lists are shortened, with how much is missing. Ask for less (fields, limit, a narrower query), or read single items."

/**
 * Characters that a reader does not see, used to smuggle text to models: zero width, directions, tags
 * (https://www.unicode.org/reports/tr36/). Joiners that a word or an emoji is written with stay.
 */
const joined =
  "[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}]"
const invisible = new RegExp(
  [
    "[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180E\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB]",
    "[\\u{E0000}-\\u{E0FFF}]",
    `(?<!${joined})\\u200C|\\u200C(?!${joined})`,
    `(?<!${joined}|[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D|\\u200D(?!${joined}|\\p{Extended_Pictographic})`
  ].join("|"),
  "gu"
)

/** An HTML comment; one that is not closed hides everything after it once the text is rendered. */
const comment = /<!--[\s\S]*?(?:--!?>|$)/g

/** Removes everything that a reader would not see. */
export const clean = (text: string, verbatim: boolean) => {
  // most texts have neither, and looking is cheap
  const seen = text.replace(invisible, "")
  return verbatim || !seen.includes("<!--") ? seen : seen.replace(comment, "")
}

/** Cuts a text without leaving half a character at its end. */
export const head = (text: string, length: number) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")

/** Changes every text, and shortens texts and lists, marking where it did. */
const shaped = (value: unknown, length: number, items: number, change: (text: string) => string): unknown => {
  if (typeof value === "string") {
    return value.length <= length
      ? change(value)
      : `${change(head(value, length))}… [${value.length - length} more characters]`
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, items).map((one: unknown) => shaped(one, length, items, change))
    return value.length <= items ? kept : [...kept, `[${value.length - items} more]`]
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [change(name), shaped(part, length, items, change)])
  )
}

/** Characters that remain after a value; below 0 as soon as it does not fit, without walking all of a huge value. */
const leftOf = (characters: number, value: unknown): number => {
  if (typeof value === "string") return characters - value.length
  if (typeof value !== "object" || value === null) return characters - 1
  let left = characters
  for (const part of Object.values(value)) {
    left = leftOf(left, part)
    if (left < 0) return left
  }
  return left
}

/** Texts are shortened first, then lists, so that the rest still shows what there is. */
const sizes = [
  [8000, 100],
  [2000, 100],
  [2000, 20],
  [500, 20],
  [500, 5],
  [100, 2]
] as const

export const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? "")

/** As much of a value as fits into `bytes`, as JSON; undefined when none of it does. */
const fitted = (value: unknown, bytes: number, change: (text: string) => string) => {
  for (const [length, items] of sizes) {
    const content = shaped(value, length, items, change)
    if (bytesOf(content) <= bytes) return { content }
  }
  return undefined
}

/**
 * Prepares a tool's answer for an agent: removes hidden text, shortens it to 48 KB, and marks it. Left when even shortened
 * it does not fit. `verbatim`: it holds files, in which comments are content.
 */
export const untrusted = (
  source: string,
  answer: unknown,
  verbatim: boolean
): Either.Either<Untrusted, "too large"> => {
  const change = (text: string) => clean(text, verbatim)
  if (leftOf(outputLimit, answer) >= 0) {
    const content = shaped(answer ?? null, Infinity, Infinity, change)
    if (bytesOf(content) <= outputLimit) return Either.right({ source, untrusted: true, content })
  }
  const part = fitted(answer, outputLimit, change)
  return part === undefined
    ? Either.left("too large")
    : Either.right({ source, untrusted: true, ...part, truncated: true, hint })
}

const crowded =
  "Cut to fit beside the answers of the other calls. To get the rest of one that reads, call it by itself, or ask for less (fields, limit, a narrower query). One that changes something has done it: do not repeat it, read the record."

/** Shortens an answer to fewer bytes; when none of it fits, `content` is null, and the hint still says what to do. */
export const shortened = ({ content, source }: Untrusted, bytes: number): Untrusted => ({
  source,
  untrusted: true,
  ...(fitted(content, bytes, (text) => text) ?? { content: null }),
  truncated: true,
  hint: crowded
})
