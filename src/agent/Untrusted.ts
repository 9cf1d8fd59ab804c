import { Either } from "effect"

/** What a tool answered, marked as what it is: data, of which nothing is an instruction. */
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
 * Characters that a reader does not see, by which text for models is smuggled: zero width, directions, tags
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

/** One that is not closed hides everything behind it, for whoever renders the text. */
const comment = /<!--[\s\S]*?(?:--!?>|$)/g

/** A text without what its reader does not see. */
export const clean = (text: string, verbatim: boolean) => {
  // most texts have neither, and looking is cheap
  const seen = text.replace(invisible, "")
  return verbatim || !seen.includes("<!--") ? seen : seen.replace(comment, "")
}

/** Half a character at the end would be no text. */
export const head = (text: string, length: number) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")

/** Changes every text, shortens texts and lists, and says so where it did. */
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

/** What is left of a number of characters after a value; a huge value is not walked to its end. */
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

/** Texts first, then lists: what is left should still say what there is. */
const sizes = [
  [8000, 100],
  [2000, 100],
  [2000, 20],
  [500, 20],
  [500, 5],
  [100, 2]
] as const

export const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? "")

/** The most of a value that fits into so many bytes, as JSON; undefined when nothing of it does. */
const fitted = (value: unknown, bytes: number, change: (text: string) => string) => {
  for (const [length, items] of sizes) {
    const content = shaped(value, length, items, change)
    if (bytesOf(content) <= bytes) return { content }
  }
  return undefined
}

/**
 * What a tool answered, as an agent gets it: hidden text taken out, at most 48 KB, marked. Left when even shortened it
 * does not fit. `verbatim`: it holds files, in which comments are content.
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

/** What a tool answered in fewer bytes; when nothing of it fits, `content` is null, and the hint says what to do all the same. */
export const shortened = ({ content, source }: Untrusted, bytes: number): Untrusted => ({
  source,
  untrusted: true,
  ...(fitted(content, bytes, (text) => text) ?? { content: null }),
  truncated: true,
  hint: crowded
})
