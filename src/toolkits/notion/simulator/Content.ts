import { Either, Option } from "effect"
import { type Answered, invalid } from "./Answers.ts"
import type { Stored } from "./Tables.ts"
import { richText } from "./Values.ts"

// Contents of blocks, for the types that are known here.

const texts = [
  "paragraph",
  "heading_1",
  "heading_2",
  "heading_3",
  "bulleted_list_item",
  "numbered_list_item",
  "quote",
  "to_do",
  "toggle",
  "code"
]

/** Members that the content of each type has besides its text and colour. */
const members: { readonly [type: string]: Stored } = {
  paragraph: { icon: null },
  heading_1: { is_toggleable: false },
  heading_2: { is_toggleable: false },
  heading_3: { is_toggleable: false },
  to_do: { checked: false },
  code: { caption: [], language: "plain text" }
}

/** A content of a type without its text. */
export const blank = (type: string): Stored => ({ ...(type === "code" ? {} : { color: "default" }), ...members[type] })

/** The content of a block of a type, over what it held before. */
export const contentOf = (type: string, given: Stored, before: Stored, at: string): Answered<Stored> => {
  if (type === "divider") {
    return Object.keys(given).length === 0
      ? Either.right({})
      : invalid(`body failed validation: ${at}.divider should be empty.`)
  }
  const { children: _, rich_text = before["rich_text"], ...more } = given
  const known = blank(type)
  const text = given["rich_text"] === undefined ? Option.fromNullable(rich_text) : richText(rich_text)
  const extra = Object.keys(more).find((name) => !(name in known))
  return !texts.includes(type) || Option.isNone(text) || extra !== undefined
    ? invalid(`body failed validation: ${at}.${type}.${extra ?? "rich_text"} should be valid.`)
    : Either.right({ ...known, ...before, ...more, rich_text: text.value })
}
