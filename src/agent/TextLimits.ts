import { Schema } from "effect"

export const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

export const saying = (message: string) => ({ message: () => ({ message, override: true as const }) })

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Longest grapheme that counts as one character, in UTF-16 units: an emoji of a family has 11, a flag 14. */
const longestCharacter = 16

/** The segmenter's time grows with the square of a text's length, so it gets pieces of this many units. */
const piece = 256

/**
 * Whether a text has at most so many characters, counted as its reader would: an emoji or a letter with its accents is
 * one (a grapheme, https://unicode.org/reports/tr29/). Letters under heaps of accents do not carry more than that.
 */
export const holdsAtMost = (limit: number) => (text: string) => {
  if (text.length <= limit) return true
  if (text.length > limit * longestCharacter) return false
  let count = 0
  for (let from = 0; from < text.length && count <= limit;) {
    const part = text.slice(from, from + piece)
    const starts = Array.from(graphemes.segment(part), ({ index }) => index)
    const last = starts.at(-1) ?? 0
    // the last one may go on behind the piece, so it is counted with the next
    const isWhole = last === 0 || from + part.length === text.length
    count += isWhole ? starts.length : starts.length - 1
    from += isWhole ? part.length : last
  }
  return count <= limit
}

/** Most characters of what is written for a model: a session's context, a workspace's instructions. */
const promptLimit = 8000

export const promptText = Schema.String.annotations(saying("must be text")).pipe(
  Schema.filter(holdsAtMost(promptLimit), {
    ...saying(`must be at most ${promptLimit} characters`),
    jsonSchema: {
      type: "string",
      description: `At most ${promptLimit} characters, counted as a reader would: an emoji or an accented letter is one`
    }
  })
)

/** The name that a model has at its provider. */
export const modelName = Schema.String.pipe(Schema.pattern(/^[!-~]{1,200}$/)).annotations(
  saying("must be the name of a model: 1 to 200 characters of ASCII without spaces")
)

export const uuid = (what: string) =>
  Schema.UUID.annotations({ ...saying(`must be the UUID of ${what}`), description: `UUID of ${what}` })
